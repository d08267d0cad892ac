//! The outcome of a comparison.

use crate::model::{Foreign, Forms};
use crate::{foreign, string_enum};

string_enum! {
    /// The outcome of a pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Bucket {
        /// Succeeded in A, fails in B.
        Regressed = "regressed",
        /// Failed in A, succeeds in B.
        Fixed = "fixed",
        /// Fails in both.
        StillFailing = "still failing",
        /// Succeeds in both.
        Unchanged = "unchanged",
        /// Only A has it.
        NotReplayed = "not replayed",
        /// Only B has it.
        New = "new",
        /// A side has no answer: it was not run to an end. Says nothing about the template.
        NoAnswer = "no answer",
    }
}

impl Bucket {
    /// All, worst first.
    pub const WORST_FIRST: [Self; 7] = [
        Self::Regressed,
        Self::StillFailing,
        Self::Fixed,
        Self::NoAnswer,
        Self::NotReplayed,
        Self::New,
        Self::Unchanged,
    ];

    /// What a person reads beside a pair. Work that succeeds on both sides may differ all the same, and what only one
    /// side has is not replayed, or new, only where a side is a replay.
    pub fn said(self, replayed: bool) -> &'static str {
        match self {
            Self::Unchanged => "ok in both",
            Self::NotReplayed if !replayed => "only in A",
            Self::New if !replayed => "only in B",
            Self::Regressed
            | Self::StillFailing
            | Self::Fixed
            | Self::NoAnswer
            | Self::NotReplayed
            | Self::New => self.word(),
        }
    }
}

string_enum! {
    /// How a file differs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ArtifactChange {
        /// Only B has it.
        Added = "added",
        /// Other content, type or mode.
        Modified = "modified",
        /// Only A has it.
        Removed = "removed",
        /// B has it under another name.
        Renamed = "renamed",
    }
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path, relative to the tree.
    pub path: Foreign,
    /// How.
    pub change: ArtifactChange,
    /// Its path in A, where it was renamed.
    pub from: Option<Foreign>,
    /// What it is in A and in B.
    pub forms: Forms,
    /// Lines that B has more; `None` for binary and huge files.
    pub insertions: Option<u64>,
    /// Lines that A has more.
    pub deletions: Option<u64>,
}

/// The files that differ, of the first run of each side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Artifacts {
    /// Each, by path.
    pub files: Vec<Artifact>,
    /// Lines that B has more, in all files whose lines could be compared.
    pub insertions: u64,
    /// Lines that A has more.
    pub deletions: u64,
    /// What was compared with what: `git diff 5f0c9e2d..3fa91c02`.
    pub between: Foreign,
    /// Files whose lines were not compared, because there are too many or they are too large.
    pub unmeasured: u64,
}

impl Artifact {
    /// What is said of it beside its lines: its former name, another mode, that it is a link.
    pub fn remark(&self) -> Option<Foreign> {
        let from = self.from.as_ref();
        let from = from.map(|from| foreign!("renamed from {}", from));
        let forms = self.forms.said().map(Foreign::from);
        match (from, forms) {
            (Some(from), Some(forms)) => Some(foreign!("{}, {}", from, forms)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_side_that_is_a_replay_is_not_replayed() {
        for bucket in Bucket::WORST_FIRST {
            let said = bucket.said(false);
            assert!(!said.contains("replay") && said != "new", "{said}");
            // Work that succeeds on both sides may differ.
            assert_ne!(bucket.said(true), "unchanged");
        }
        assert_eq!(Bucket::NotReplayed.said(true), "not replayed");
        assert_eq!(Bucket::NotReplayed.said(false), "only in A");
    }
}
