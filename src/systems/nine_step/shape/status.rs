//! The meaning of the status words of a step.

/// The meaning of a status for a resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// The step passed.
    Success,
    /// Passed under conditions that someone must verify first.
    Conditional,
    /// The step must be repeated.
    Failure,
    /// Stopped; the user must decide.
    Hard,
    /// A decision of the user is pending.
    Waiting,
    /// Interrupted during the step.
    InFlight,
    /// An unlisted word: shown unchanged, treated as interrupted, never as done.
    Unknown,
}

/// Every listed word in lower case with spaces; `*` at the end matches any continuation.
const WORDS: [(&str, Class); 17] = [
    ("completed", Class::Success),
    ("approved", Class::Success),
    ("approved with conditions", Class::Conditional),
    ("approved with minor*", Class::Success),
    ("testing valid", Class::Success),
    ("valid with caveats", Class::Success),
    ("failed", Class::Failure),
    ("needs revision", Class::Failure),
    ("testing incomplete", Class::Failure),
    ("error", Class::Failure),
    ("rejected", Class::Hard),
    ("testing invalid", Class::Hard),
    ("waiting approval", Class::Waiting),
    ("waiting for approval", Class::Waiting),
    ("in progress", Class::InFlight),
    ("running", Class::InFlight),
    ("started", Class::InFlight),
];

impl Class {
    /// The meaning of a status; case is ignored, and `_`, `-` and space are equal.
    pub(crate) fn of(status: &str) -> Self {
        let folded = status.trim().to_lowercase().replace(['_', '-'], " ");
        let fits = |word: &str| match word.strip_suffix('*') {
            Some(beginning) => folded.starts_with(beginning),
            None => folded == word,
        };
        let found = WORDS.iter().find(|(word, _)| fits(word));
        found.map_or(Self::Unknown, |(_, class)| *class)
    }

    /// True where the step counts as done.
    pub(crate) fn is_done(self) -> bool {
        matches!(self, Self::Success | Self::Conditional)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_word_has_its_meaning_and_no_other_means_done() {
        let table = [
            ("completed", Class::Success),
            ("APPROVED", Class::Success),
            ("APPROVED_WITH_CONDITIONS", Class::Conditional),
            ("Approved with Minor Changes", Class::Success),
            ("Testing Valid", Class::Success),
            ("Valid with Caveats", Class::Success),
            ("failed", Class::Failure),
            ("NEEDS_REVISION", Class::Failure),
            ("Needs Revision", Class::Failure),
            ("Testing Incomplete", Class::Failure),
            ("error", Class::Failure),
            ("REJECTED", Class::Hard),
            ("Testing Invalid", Class::Hard),
            ("waiting_approval", Class::Waiting),
            ("in_progress", Class::InFlight),
            ("Running", Class::InFlight),
            ("started", Class::InFlight),
            ("done", Class::Unknown),
            ("완료", Class::Unknown),
            ("", Class::Unknown),
        ];
        for (word, class) in table {
            assert_eq!(Class::of(word), class, "{word}");
        }
        assert!(!Class::Unknown.is_done());
    }
}
