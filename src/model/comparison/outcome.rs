//! What a comparison comes to.

use crate::model::Foreign;

/// What became of a pair (ux-lessons, four buckets).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// Succeeded in A, fails in B.
    Regressed,
    /// Failed in A, succeeds in B.
    Fixed,
    /// Fails in both.
    StillFailing,
    /// Succeeds in both.
    Unchanged,
    /// Only A has it.
    NotReplayed,
    /// Only B has it.
    New,
    /// A side has no answer: it was not run to an end. Says nothing about the template.
    NoAnswer,
}

impl Bucket {
    /// All, worst first.
    pub const ALL: [Self; 7] = [
        Self::Regressed,
        Self::StillFailing,
        Self::Fixed,
        Self::NoAnswer,
        Self::NotReplayed,
        Self::New,
        Self::Unchanged,
    ];

    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Fixed => "fixed",
            Self::StillFailing => "still failing",
            Self::Unchanged => "unchanged",
            Self::NotReplayed => "not replayed",
            Self::New => "new",
            Self::NoAnswer => "no answer",
        }
    }
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArtifactChange {
    /// Only B has it.
    Added,
    /// Other content, type or mode.
    Modified,
    /// Only A has it.
    Removed,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path, relative to the tree.
    pub path: Foreign,
    /// How.
    pub change: ArtifactChange,
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

/// One paired difference, B less A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Number of pairs it is computed from.
    pub pairs: usize,
    /// The mean difference: a share of successes in -1..1, or a relative change of time (0.1: a tenth longer).
    pub mean: f64,
    /// The interval that holds it with 95 % confidence.
    pub interval: (f64, f64),
    /// How likely a difference at least as large is if there is none; two-sided, exact where that is possible.
    pub p: f64,
    /// Repeats that would be needed to see a difference of this size in four of five experiments; `None` where
    /// there is none to see.
    pub runs_needed: Option<u64>,
}

/// What repeats add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Runs of A and of B.
    pub runs: (usize, usize),
    /// Success of the pairs.
    pub success: Option<Effect>,
    /// Time of the pairs.
    pub duration: Option<Effect>,
    /// Runs of A and of B whose acceptance tests passed, of those that say.
    pub passed: [(u64, u64); 2],
    /// Pairs by bucket, in the order of [`Bucket::ALL`].
    pub buckets: Vec<(Bucket, u64)>,
}

/// What may be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Both sides hold the same; not one thing differs.
    Same,
    /// Differences, and no statement about which is better is meant: sides that are no experiment.
    Different,
    /// The interval excludes any change worth speaking of.
    NoMeaningfulChange,
    /// B is better: pairs match, there are enough of them, nothing confounds, and chance is unlikely.
    Better,
    /// B is worse, with the same certainty.
    Worse,
    /// Too few runs or pairs to say.
    Undecided,
    /// There is a difference, but a confounder stands or pairs do not match, so the word is withheld.
    Confounded,
    /// B has not been run to an end.
    Unfinished,
}

impl Verdict {
    /// The words used in JSON and on screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "the same",
            Self::Different => "different",
            Self::NoMeaningfulChange => "no meaningful change",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Undecided => "undecided",
            Self::Confounded => "confounded",
            Self::Unfinished => "unfinished",
        }
    }
}
