//! What a record clearly states that was done in the world and that no recovery takes back: pushes, pull
//! requests, comments, installs, deploys, messages, jobs.
//!
//! Records are prose, so that only a sentence in the past and without any doubt counts: a word that denies,
//! plans or conditions leaves the whole sentence out. Missing one costs a line of a list; inventing one would
//! teach people not to read it.

use crate::model::{EventRows, Foreign, Irreversible, Origin};

/// The most that is listed of one pipeline.
const MOST: usize = 500;
/// The most of one text that is read, in bytes.
const TEXT: usize = 16 << 10;

/// Words that leave a sentence out: it denies, plans, conditions, or tells of another's work.
const DOUBTS: &[&str] = &[
    "not",
    "no",
    "never",
    "nothing",
    "none",
    "without",
    "don't",
    "didn't",
    "doesn't",
    "won't",
    "wasn't",
    "isn't",
    "hasn't",
    "haven't",
    "can't",
    "cannot",
    "couldn't",
    "nor",
    "neither",
    "will",
    "would",
    "should",
    "must",
    "shall",
    "may",
    "might",
    "could",
    "can",
    "to-do",
    "todo",
    "plan",
    "plans",
    "planned",
    "planning",
    "intend",
    "next",
    "later",
    "before",
    "after",
    "once",
    "if",
    "when",
    "whether",
    "unless",
    "until",
    "need",
    "needs",
    "needed",
    "ready",
    "pending",
    "awaiting",
    "waiting",
    "instead",
    "failed",
    "fails",
    "failing",
    "refused",
    "rejected",
    "denied",
    "skipped",
    "aborted",
    "reverted",
    "undone",
    "rolled",
    "mock",
    "mocked",
    "fake",
    "stub",
    "simulated",
    "pretend",
    "dry",
    "dry-run",
    "example",
    "test",
    "tests",
    "tested",
    "verify",
    "verified",
    "check",
    "checked",
    "ensure",
    "already",
    "every",
    "whenever",
    "handles",
    "supports",
    "unpushed",
    "uninstalled",
    "n't",
];

/// A kind of deed: one word of `verbs`, one of `objects` (any of them where there are none).
struct Pattern {
    kind: &'static str,
    verbs: &'static [&'static str],
    objects: &'static [&'static str],
    remedy: Remedy,
}

/// What can be offered against a deed.
#[derive(Clone, Copy)]
enum Remedy {
    /// Nothing that is safe to copy.
    None,
    /// Closing the pull request, which can be opened again.
    ClosePull,
    /// Closing the issue, which can be opened again.
    CloseIssue,
    /// Opening the issue again.
    ReopenIssue,
}

/// The patterns; the first that fits a sentence wins for its kind.
const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: "pull request",
        verbs: &["opened", "created", "raised", "submitted", "filed"],
        objects: &["pr", "prs", "pull", "mr"],
        remedy: Remedy::ClosePull,
    },
    Pattern {
        kind: "merge",
        verbs: &["merged"],
        objects: &["pr", "prs", "pull", "mr", "main", "master", "origin"],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "push",
        verbs: &["pushed", "force-pushed"],
        objects: &[
            "branch",
            "branches",
            "origin",
            "remote",
            "upstream",
            "github",
            "gitlab",
            "tag",
            "tags",
            "commit",
            "commits",
            "committed",
            "main",
            "master",
        ],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "comment",
        verbs: &["commented"],
        objects: &["issue", "pr", "pull", "#"],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "comment",
        verbs: &["posted", "added", "left", "wrote"],
        objects: &["comment", "comments"],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "issue",
        verbs: &["opened", "created", "filed"],
        objects: &["issue"],
        remedy: Remedy::CloseIssue,
    },
    Pattern {
        kind: "issue",
        verbs: &["closed"],
        objects: &["issue"],
        remedy: Remedy::ReopenIssue,
    },
    Pattern {
        kind: "install",
        verbs: &["installed"],
        objects: &[],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "deploy",
        verbs: &["deployed", "redeployed"],
        objects: &[],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "publication",
        verbs: &["published", "released", "uploaded"],
        objects: &[
            "npm",
            "crates.io",
            "pypi",
            "registry",
            "package",
            "release",
            "image",
            "docker",
            "s3",
            "bucket",
            "server",
            "version",
        ],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "message",
        verbs: &["sent", "posted", "emailed", "notified"],
        objects: &[
            "slack", "email", "e-mail", "mail", "message", "discord", "telegram", "teams",
            "webhook", "channel",
        ],
        remedy: Remedy::None,
    },
    Pattern {
        kind: "job",
        verbs: &["submitted"],
        objects: &["job", "jobs", "slurm", "pbs", "lsf", "cluster", "queue"],
        remedy: Remedy::None,
    },
];

/// Commands whose running is itself a deed, where a sentence says that they were run.
const COMMANDS: &[(&str, &str)] = &[
    ("git push", "push"),
    ("gh pr create", "pull request"),
    ("gh pr merge", "merge"),
    ("gh issue comment", "comment"),
    ("gh pr comment", "comment"),
    ("pip install", "install"),
    ("pip3 install", "install"),
    ("npm install", "install"),
    ("npm publish", "publication"),
    ("apt install", "install"),
    ("apt-get install", "install"),
    ("brew install", "install"),
    ("conda install", "install"),
    ("cargo install", "install"),
    ("cargo publish", "publication"),
    ("kubectl apply", "deploy"),
    ("terraform apply", "deploy"),
    ("docker push", "publication"),
];

/// Words before a command that say that it was run.
const RAN: &[&str] = &["ran", "executed", "$"];

/// True where a text may hold a deed at all: cheap, for logs of a million lines.
pub(super) fn may_tell(bytes: &[u8]) -> bool {
    const STEMS: &[&[u8]] = &[
        b"ushed",
        b"pened",
        b"reated",
        b"aised",
        b"ubmitted",
        b"iled",
        b"erged",
        b"ommented",
        b"osted",
        b"dded",
        b"left",
        b"rote",
        b"losed",
        b"nstalled",
        b"eployed",
        b"ublished",
        b"eleased",
        b"ploaded",
        b"sent",
        b"Sent",
        b"otified",
        b" push",
        b"install",
        b"apply",
        b"publish",
        b"gh pr",
        b"gh issue",
    ];
    STEMS
        .iter()
        .any(|stem| memchr::memmem::find(bytes, stem).is_some())
}

/// Everything that a text tells of.
pub(super) fn in_text(text: &str, origin: &Origin) -> Vec<Irreversible> {
    let text = text.get(..TEXT).unwrap_or(text);
    let mut found: Vec<Irreversible> = Vec::new();
    for sentence in sentences(text) {
        let words: Vec<String> = sentence.split_whitespace().map(bare).collect();
        if words.iter().any(|word| DOUBTS.contains(&word.as_str())) {
            continue;
        }
        for (kind, remedy) in deeds(sentence, &words) {
            if !found
                .iter()
                .any(|one| one.kind == kind && one.text == *sentence)
            {
                found.push(Irreversible {
                    kind,
                    text: sentence.into(),
                    remedy: remedy.into(),
                    origin: origin.clone(),
                });
            }
        }
    }
    found
}

/// Everything that the events of a timeline tell of. Subjects of commits are what somebody wrote about code.
pub(super) fn in_timeline(events: &dyn EventRows) -> Vec<Irreversible> {
    let events = (0..events.len()).filter_map(|at| events.get(at));
    let told = events.filter(|event| event.kind != "commit");
    told.flat_map(|event| in_text(&event.text.lossy(), &event.origin))
        .take(MOST)
        .collect()
}

/// A pull request by its number, which a record names in a field of its own.
pub(super) fn pull_request(number: i64, origin: Origin) -> Irreversible {
    Irreversible {
        kind: "pull request",
        text: format!("Pull request #{number} was opened.").into(),
        remedy: format!("gh pr close {number}").into(),
        origin,
    }
}

/// A deed that a record states in a field of its own, against which nothing can be copied.
pub(super) fn stated(kind: &'static str, text: impl Into<Foreign>, origin: Origin) -> Irreversible {
    Irreversible {
        kind,
        text: text.into(),
        remedy: Foreign::default(),
        origin,
    }
}

/// The sentences of a text. A comma ends none: what is denied is often a list.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';'])
        .flat_map(|line| line.split(". "))
        .flat_map(|line| line.split("! "))
        .map(|sentence| sentence.trim().trim_end_matches('.'))
        .filter(|sentence| !sentence.is_empty())
}

/// A word without the punctuation around it, lower case.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| "\"'`()[]{},:;!?.*".contains(c))
        .to_lowercase()
        .replace('\u{2019}', "'")
}

/// The kinds of deed that a sentence tells of, with a command against each.
fn deeds(sentence: &str, words: &[String]) -> Vec<(&'static str, String)> {
    let has = |wanted: &[&str]| {
        words.iter().any(|word| {
            wanted.contains(&word.as_str())
                || (wanted.contains(&"#") && word.starts_with('#'))
                || (wanted.contains(&"origin") && word.starts_with("origin/"))
                || (wanted.contains(&"pull") && word.contains("/pull/"))
        })
    };
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for pattern in PATTERNS {
        let fits = has(pattern.verbs) && (pattern.objects.is_empty() || has(pattern.objects));
        // `is installed` tells how things stand, not what was done.
        let stands = words.iter().zip(words.iter().skip(1)).any(|(a, b)| {
            ["is", "are", "be"].contains(&a.as_str()) && pattern.verbs.contains(&b.as_str())
        });
        if fits && !stands && !found.iter().any(|(kind, _)| *kind == pattern.kind) {
            found.push((pattern.kind, remedy(pattern.remedy, words)));
        }
    }
    for (command, kind) in COMMANDS {
        let Some(at) = sentence.find(command) else {
            continue;
        };
        let before = sentence.get(..at).unwrap_or_default();
        let ran = before.split_whitespace().last().map(bare);
        let ran = ran.is_some_and(|word| RAN.contains(&word.as_str()) || word.is_empty());
        if ran && !found.iter().any(|(known, _)| known == kind) {
            found.push((kind, String::new()));
        }
    }
    found
}

/// A command to copy, where the sentence names what it needs.
fn remedy(remedy: Remedy, words: &[String]) -> String {
    let (nouns, verb): (&[&str], &str) = match remedy {
        Remedy::None => return String::new(),
        Remedy::ClosePull => (&["pr", "request", "pull", "mr"], "gh pr close"),
        Remedy::CloseIssue => (&["issue"], "gh issue close"),
        Remedy::ReopenIssue => (&["issue"], "gh issue reopen"),
    };
    if let Some(link) = words.iter().find_map(|word| github(word)) {
        return format!("{verb} {} --repo {}", link.number, link.repo);
    }
    let numbered = words
        .iter()
        .zip(words.iter().skip(1))
        .find_map(|(noun, number)| {
            let digits = number.strip_prefix('#').unwrap_or(number);
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            (nouns.contains(&noun.as_str()) && plain).then_some(digits)
        });
    // gh knows no merge requests of other hosts.
    let foreign = words.iter().any(|word| word == "mr");
    numbered
        .filter(|_| !foreign)
        .map_or_else(String::new, |number| format!("{verb} {number}"))
}

/// A pull request or issue by its address.
struct Link<'a> {
    repo: String,
    number: &'a str,
}

fn github(word: &str) -> Option<Link<'_>> {
    let rest = word.strip_prefix("https://github.com/")?;
    let mut parts = rest.split('/');
    let (owner, name, what, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let plain = |part: &str| {
        let sign = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        !part.is_empty() && !part.starts_with('-') && part.bytes().all(sign)
    };
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (plain(owner) && plain(name) && matches!(what, "pull" | "issues") && digits).then(|| Link {
        repo: format!("{owner}/{name}"),
        number,
    })
}

#[cfg(test)]
mod tests;
