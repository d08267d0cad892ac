//! Actions outside the pipeline that its records clearly report and that no recovery can undo: pushes, pull requests,
//! comments, installs, deploys, messages, jobs.
//!
//! Records are prose. Only a sentence in the past tense and without any doubt counts: a word of denial, plan or
//! condition excludes the whole sentence. Missing an action costs a line of a list; inventing one would teach people
//! not to read it.

mod patterns;

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::model::{EventRows, Foreign, Irreversible, Origin, in_order};
use crate::text::is_digits;
use patterns::{COMMANDS, DOUBTS, PATTERNS, RAN, Remedy};

/// How many actions of one pipeline are listed.
const MOST: usize = 500;
/// How many bytes of one text are read.
const TEXT: usize = 16 << 10;

/// Searchers for word stems; every report contains one. They are created once: creating one costs more than a search in
/// a short line.
static STEMS: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| {
    #[rustfmt::skip]
    const STEMS: &[&str] = &[
        "ushed", "pened", "reated", "aised", "ubmitted", "iled", "erged", "ommented", "osted", "dded",
        "left", "rote", "losed", "nstalled", "eployed", "ublished", "eleased", "ploaded", "sent", "Sent",
        "otified", " push", "install", "apply", "publish", "gh pr", "gh issue", " upload", "helm ",
    ];
    STEMS.iter().map(Finder::new).collect()
});

/// Searchers for the commands, with the kind of each.
static FINDERS: LazyLock<Vec<(Finder<'static>, &'static str)>> = LazyLock::new(|| {
    let commands = COMMANDS.iter();
    let finders = commands.map(|(command, kind)| (Finder::new(command), *kind));
    finders.collect()
});

/// A cheap test for logs of a million lines: false if a text cannot report an action.
pub(super) fn may_tell(bytes: &[u8]) -> bool {
    STEMS.iter().any(|stem| stem.find(bytes).is_some())
}

/// All actions that a text reports.
pub(super) fn in_text(text: &str, origin: &Origin) -> Vec<Irreversible> {
    let end = (0..=TEXT.min(text.len())).rev();
    let end = end.into_iter().find(|end| text.is_char_boundary(*end));
    let text = text.get(..end.unwrap_or_default()).unwrap_or_default();
    let mut found: Vec<Irreversible> = Vec::new();
    for sentence in sentences(text) {
        let words: Vec<Cow<'_, str>> = sentence.split_whitespace().map(bare).collect();
        let reported = actions(sentence, &words);
        // Most sentences report nothing, and there are many words of doubt.
        if reported.is_empty() || words.iter().any(|word| DOUBTS.contains(&word.as_ref())) {
            continue;
        }
        for (kind, remedy) in reported {
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

/// All actions in the events of a timeline. Commit subjects are excluded, because they describe code.
pub(super) fn in_timeline(events: &dyn EventRows) -> Vec<Irreversible> {
    let events = in_order(events).map(|(_, event)| event);
    let reported = events.filter(|event| event.kind != "commit");
    reported
        .flat_map(|event| in_text(&event.text.lossy(), &event.origin))
        .take(MOST)
        .collect()
}

/// A pull request, from a field with its number.
pub(super) fn pull_request(number: i64, origin: Origin) -> Irreversible {
    Irreversible {
        kind: "pull request",
        text: format!("Pull request #{number} was opened.").into(),
        remedy: format!("gh pr close {number}").into(),
        origin,
    }
}

/// An action from a field of its own, with no command to undo it.
pub(super) fn stated(kind: &'static str, text: impl Into<Foreign>, origin: Origin) -> Irreversible {
    Irreversible {
        kind,
        text: text.into(),
        remedy: Foreign::default(),
        origin,
    }
}

/// The kind of action of a command that cannot be undone, by its first words; `None` for any other command.
pub(super) fn of_command(words: &str) -> Option<&'static str> {
    let known = COMMANDS.iter().find(|(command, _)| *command == words);
    known.map(|(_, kind)| *kind)
}

/// The sentences of a text. A comma does not end one, because a denial often covers a list.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';'])
        .flat_map(|line| line.split(". "))
        .flat_map(|line| line.split("! "))
        .map(|sentence| sentence.trim().trim_end_matches('.'))
        .filter(|sentence| !sentence.is_empty())
}

/// A word in lower case, without the punctuation around it.
fn bare(word: &str) -> Cow<'_, str> {
    let word = word.trim_matches(|c: char| "\"'`()[]{},:;!?.*".contains(c));
    let is_plain = |b: u8| b.is_ascii() && !b.is_ascii_uppercase();
    if word.bytes().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase().replace('\u{2019}', "'"))
}

/// The kinds of action that a sentence reports, each with a command to undo it.
fn actions(sentence: &str, words: &[Cow<'_, str>]) -> Vec<(&'static str, String)> {
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_ref()));
    let begins = |what: &str| words.iter().any(|word| word.starts_with(what));
    let has_object = |wanted: &[&str]| {
        has(wanted)
            || wanted.contains(&"#") && begins("#")
            || wanted.contains(&"origin") && begins("origin/")
            || wanted.contains(&"pull") && words.iter().any(|word| word.contains("/pull/"))
    };
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for pattern in PATTERNS {
        let fits =
            has(pattern.verbs) && (pattern.objects.is_empty() || has_object(pattern.objects));
        // `is installed` describes a state, not an action.
        let state = || {
            words.iter().zip(words.iter().skip(1)).any(|(a, b)| {
                ["is", "are", "be"].contains(&a.as_ref()) && pattern.verbs.contains(&b.as_ref())
            })
        };
        if fits && !state() && !found.iter().any(|(kind, _)| *kind == pattern.kind) {
            let remedy = pattern.remedy.map(|remedy| against(remedy, words));
            found.push((pattern.kind, remedy.unwrap_or_default()));
        }
    }
    for (command, kind) in FINDERS.iter() {
        let Some(at) = command.find(sentence.as_bytes()) else {
            continue;
        };
        let before = sentence.get(..at).unwrap_or_default();
        let ran = before.split_whitespace().last().map(bare);
        let ran = ran.is_some_and(|word| RAN.contains(&word.as_ref()) || word.is_empty());
        if ran && !found.iter().any(|(known, _)| known == kind) {
            found.push((kind, String::new()));
        }
    }
    found
}

/// A command that a person can copy to undo an action, if the sentence has its number: only plain digits and plain names.
fn against((nouns, verb): Remedy, words: &[Cow<'_, str>]) -> String {
    if let Some(link) = words.iter().find_map(|word| github(word)) {
        return format!("{verb} {link}");
    }
    let numbered = words
        .iter()
        .zip(words.iter().skip(1))
        .find_map(|(noun, number)| {
            let digits = number.strip_prefix('#').unwrap_or(number);
            (nouns.contains(&noun.as_ref()) && is_digits(digits)).then_some(digits)
        });
    // gh does not know merge requests of other hosts.
    let foreign = words.iter().any(|word| word == "mr");
    numbered
        .filter(|_| !foreign)
        .map_or_else(String::new, |number| format!("{verb} {number}"))
}

/// The number and the repository of a pull request or issue, from its URL.
fn github(word: &str) -> Option<String> {
    let rest = word.strip_prefix("https://github.com/")?;
    let mut parts = rest.split('/');
    let (owner, name, what, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let plain = |part: &str| {
        let sign = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        !part.is_empty() && !part.starts_with('-') && part.bytes().all(sign)
    };
    let numbered = matches!(what, "pull" | "issues") && is_digits(number);
    (plain(owner) && plain(name) && numbered).then(|| format!("{number} --repo {owner}/{name}"))
}

#[cfg(test)]
mod tests;
