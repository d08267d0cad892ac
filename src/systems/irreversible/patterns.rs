//! The words by which a sentence reports an action. Whole words only, so that each is easy to review.

/// Words that exclude a sentence: it denies, plans or conditions, or is about somebody else's work.
#[rustfmt::skip]
pub(super) const DOUBTS: &[&str] = &[
    "not", "no", "never", "nothing", "none", "without", "don't", "didn't", "doesn't", "won't", "wasn't", "isn't",
    "hasn't", "haven't", "can't", "cannot", "couldn't", "nor", "neither", "will", "would", "should", "must", "shall",
    "may", "might", "could", "can", "to-do", "todo", "plan", "plans", "planned", "planning", "intend", "next",
    "later", "before", "after", "once", "if", "when", "whether", "unless", "until", "need", "needs", "needed",
    "ready", "pending", "awaiting", "waiting", "instead", "failed", "fails", "failing", "refused", "rejected",
    "denied", "skipped", "aborted", "reverted", "undone", "rolled", "mock", "mocked", "fake", "stub", "simulated",
    "pretend", "dry", "dry-run", "example", "test", "tests", "tested", "verify", "verified", "check", "checked",
    "ensure", "already", "every", "whenever", "handles", "supports", "unpushed", "uninstalled", "n't",
];

/// What can undo an action: the words before its number, and the command.
pub(super) type Remedy = (&'static [&'static str], &'static str);

// Each can be done again afterwards.
const CLOSE_PULL: Option<Remedy> = Some((&["pr", "request", "pull", "mr"], "gh pr close"));
const CLOSE_ISSUE: Option<Remedy> = Some((&["issue"], "gh issue close"));
const REOPEN_ISSUE: Option<Remedy> = Some((&["issue"], "gh issue reopen"));

/// A kind of action: one word of `verbs` and one of `objects` (no object needed if the list is empty). Without a
/// remedy, no command is safe to copy.
pub(super) struct Pattern {
    pub(super) kind: &'static str,
    pub(super) verbs: &'static [&'static str],
    pub(super) objects: &'static [&'static str],
    pub(super) remedy: Option<Remedy>,
}

const fn pattern(
    kind: &'static str,
    verbs: &'static [&'static str],
    objects: &'static [&'static str],
    remedy: Option<Remedy>,
) -> Pattern {
    Pattern {
        kind,
        verbs,
        objects,
        remedy,
    }
}

/// The patterns; the first match of a sentence wins for its kind.
#[rustfmt::skip]
pub(super) const PATTERNS: &[Pattern] = &[
    pattern("pull request", &["opened", "created", "raised", "submitted", "filed"],
        &["pr", "prs", "pull", "mr"], CLOSE_PULL),
    pattern("merge", &["merged"], &["pr", "prs", "pull", "mr", "main", "master", "origin"], None),
    pattern("push", &["pushed", "force-pushed"],
        &["branch", "branches", "origin", "remote", "upstream", "github", "gitlab", "tag", "tags", "commit", "commits", "committed", "main", "master"], None),
    pattern("comment", &["commented"], &["issue", "pr", "pull", "#"], None),
    pattern("comment", &["posted", "added", "left", "wrote"], &["comment", "comments"], None),
    pattern("issue", &["opened", "created", "filed"], &["issue"], CLOSE_ISSUE),
    pattern("issue", &["closed"], &["issue"], REOPEN_ISSUE),
    pattern("install", &["installed"], &[], None),
    pattern("deploy", &["deployed", "redeployed"], &[], None),
    pattern("publication", &["published", "released", "uploaded"],
        &["npm", "crates.io", "pypi", "registry", "package", "release", "image", "docker", "s3", "bucket", "server", "version"], None),
    pattern("message", &["sent", "posted", "emailed", "notified"],
        &["slack", "email", "e-mail", "mail", "message", "discord", "telegram", "teams", "webhook", "channel"], None),
    pattern("job", &["submitted"], &["job", "jobs", "slurm", "pbs", "lsf", "cluster", "queue"], None),
];

/// Commands that are such an action if a sentence says that they were run.
pub(super) const COMMANDS: &[(&str, &str)] = &[
    ("git push", "push"),
    ("gh pr create", "pull request"),
    ("gh pr merge", "merge"),
    ("gh issue comment", "comment"),
    ("gh pr comment", "comment"),
    ("gh pr review", "comment"),
    ("gh issue create", "issue"),
    ("pip install", "install"),
    ("pip3 install", "install"),
    ("npm install", "install"),
    ("npm publish", "publication"),
    ("pnpm publish", "publication"),
    ("yarn publish", "publication"),
    ("twine upload", "publication"),
    ("uv publish", "publication"),
    ("gem push", "publication"),
    ("apt install", "install"),
    ("apt-get install", "install"),
    ("brew install", "install"),
    ("conda install", "install"),
    ("cargo install", "install"),
    ("cargo publish", "publication"),
    ("kubectl apply", "deploy"),
    ("terraform apply", "deploy"),
    ("helm install", "deploy"),
    ("helm upgrade", "deploy"),
    ("docker push", "publication"),
];

/// Words before a command that say that it was run.
pub(super) const RAN: &[&str] = &["ran", "executed", "$"];
