//! The traces that a dispatch should leave, by its free-text role.

/// The three kinds of dispatches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Changes files and commits.
    Mutating,
    /// Writes a report.
    Output,
    /// Leaves nothing but its answer.
    Conversation,
}

/// Words in a role and their kind; the first match decides.
const WORDS: &[(&str, Kind)] = &[
    ("review", Kind::Output),
    ("red-team", Kind::Output),
    ("red team", Kind::Output),
    ("redteam", Kind::Output),
    ("inquisitor", Kind::Output),
    ("temper", Kind::Output),
    ("fix", Kind::Mutating),
    ("implement", Kind::Mutating),
    ("cleanup", Kind::Mutating),
    ("test-writer", Kind::Mutating),
    ("test writer", Kind::Mutating),
    ("test-gap", Kind::Mutating),
    ("coverage", Kind::Mutating),
    ("adversarial", Kind::Mutating),
    ("acceptance", Kind::Mutating),
    ("contract-test", Kind::Mutating),
    ("plan-writer", Kind::Mutating),
    ("planner", Kind::Mutating),
    ("prd", Kind::Mutating),
];

/// The kind of a role; an unknown role is not expected to leave anything.
pub(crate) fn kind(role: &str) -> Kind {
    let role = role.to_lowercase();
    let known = WORDS.iter().find(|(word, _)| role.contains(word));
    known.map_or(Kind::Conversation, |(_, kind)| *kind)
}

/// Words in a role and the required starts of its commit subjects; `{task}` is its task.
#[rustfmt::skip]
const SUBJECTS: &[(&str, &[&str])] = &[
    ("acceptance", &["test: add acceptance tests", "test: add contract tests"]),
    ("contract-test", &["test: add contract tests"]),
    ("prd", &["docs: add PRD"]),
    ("cleanup", &["refactor: cleanup task {task}"]),
    ("coverage", &["test: fill coverage gaps for task {task}"]),
    ("adversarial", &["test: adversarial tests for task {task}"]),
    ("test-gap", &["test: fill coverage gaps for task {task}", "fix: address test gap failures for task {task}"]),
    ("test-writer", &["test: "]),
    ("fix", &["fix", "chore(warden)", "chore(build)"]),
];

/// The required starts of a role's commit subjects; empty if they are free, as for an implementer.
pub(crate) fn prescribed(role: &str, task: Option<&str>) -> Vec<String> {
    let role = role.to_lowercase();
    let known = SUBJECTS.iter().find(|(word, _)| role.contains(word));
    known.map_or_else(Vec::new, |(_, subjects)| {
        let task = task.unwrap_or_default();
        let named = subjects.iter().map(|it| it.replace("{task}", task));
        named.map(|it| it.trim_end().to_owned()).collect()
    })
}

/// Words in the roles of dispatches that read, judge and report.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "research", "investigat", "explor", "judge", "audit", "analy", "critic", "scor",
];

/// True for roles that are known to change no file. An unknown role may change files.
pub(crate) fn changes_no_files(role: &str) -> bool {
    let lower = role.to_lowercase();
    match kind(role) {
        Kind::Output => true,
        Kind::Mutating => false,
        Kind::Conversation => is_gate(role) || READERS.iter().any(|word| lower.contains(word)),
    }
}

/// True for the review of the whole change at the start of phase 4.
pub(crate) fn is_review(role: &str) -> bool {
    let role = role.to_lowercase();
    (role.contains("review") || role.contains("temper")) && !role.contains("inquisitor")
}

/// True for the inquisitor.
pub(crate) fn is_inquisitor(role: &str) -> bool {
    role.to_lowercase().contains("inquisitor")
}

/// True for work of a quality gate; a phase's last boundary is before it.
pub(crate) fn is_gate(role: &str) -> bool {
    let role = role.to_lowercase();
    let words = ["gate", "red-team", "red team", "innovate", "warden"];
    words.iter().any(|word| role.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_in_free_text_have_kinds() {
        let table = [
            ("implementer", Kind::Mutating),
            ("plan-writer", Kind::Mutating),
            ("plan-reviewer", Kind::Output),
            ("Red-Team", Kind::Output),
            ("quality-gate fix agent", Kind::Mutating),
            ("quality-gate", Kind::Conversation),
            ("adversarial-tester", Kind::Mutating),
            ("something new", Kind::Conversation),
        ];
        for (role, want) in table {
            assert_eq!(kind(role), want, "{role}");
        }
        assert_eq!(
            prescribed("cleanup", Some("4")),
            ["refactor: cleanup task 4"]
        );
        assert!(prescribed("implementer", Some("4")).is_empty());
    }
}
