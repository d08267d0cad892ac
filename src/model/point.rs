//! Boundaries that work can be resumed from.

use super::{CheckId, Checkpoint, Foreign, Verdict};

use crate::string_enum;

/// A fixed id per system, listed in [the contract](crate::docs::contract) (`wave-2`, `round-3-phase-1`, `stage-2:rerun`).
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct PointId(pub String);

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

string_enum! {
    /// The kind of a resume point.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PointKind {
        /// A boundary that the orchestrator resumes from.
        Boundary = "boundary",
        /// Resuming from what is on disk, restoring nothing.
        CurrentState = "current_state",
        /// Starting over.
        Fresh = "fresh",
        /// A change of the state itself, made only on request.
        StateEdit = "state_edit",
        /// Only cleaning up remains.
        Cleanup = "cleanup",
    }
}

/// Whether a boundary needs a checkpoint, and whether it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a pipeline has a handful of these, and most hold one"
)]
pub enum CheckpointNeed {
    /// Nothing is restored from here.
    None,
    /// This one would be restored.
    Found(Checkpoint),
    /// One is needed but does not exist: an earlier boundary is recommended.
    Missing {
        /// The reason it would have, such as `pre-wave-2`.
        wanted: Foreign,
    },
}

impl CheckpointNeed {
    /// The checkpoint that would be restored.
    pub fn found(&self) -> Option<&Checkpoint> {
        match self {
            Self::Found(checkpoint) => Some(checkpoint),
            Self::None | Self::Missing { .. } => None,
        }
    }
}

/// How a system's own rules rate a boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preference {
    /// The rules choose this one, for this reason (a sentence). At most one boundary of a pipeline.
    Chosen(Foreign),
    /// This one may be recommended if a later one is not usable.
    Rung,
    /// Chosen only by a person.
    ByHand,
    /// Chosen only by a person who names it: it skips work, gives it up or rolls it back.
    ByName,
}

/// What a system states about one boundary. `recover::resume_points` turns these into resume points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// Its fixed word.
    pub id: PointId,
    /// For a person: `Wave 2 of phase 3`.
    pub label: Foreign,
    /// The phase that contains it, as `--from-phase` names it.
    pub phase: Option<Foreign>,
    /// Its kind.
    pub kind: PointKind,
    /// The worst verdict of the checks it depends on.
    pub verified: Verdict,
    /// Those of its checks that warn or fail, each once, with its verdict.
    pub failing: Vec<(CheckId, Verdict)>,
    /// Whether it needs a checkpoint, and has one.
    pub checkpoint: CheckpointNeed,
    /// Whether records of the pipeline are changed: a state file is edited, rows are cut, lines are appended, files are
    /// moved aside.
    pub edits_records: bool,
    /// Units of work kept (dispatches, rounds, steps, stages), at least where `redone` is unknown; `None` where the
    /// records of the work cannot be read.
    pub kept: Option<u64>,
    /// Units of work done again; `None` where some of the records cannot be read.
    pub redone: Option<u64>,
    /// Recorded working time that would be spent again, in seconds.
    pub time_lost_s: Option<u64>,
    /// What a person should know before choosing it, a sentence each.
    pub warnings: Vec<Foreign>,
    /// Why one would choose it, in a sentence.
    pub reason: Foreign,
    /// How the system's rules rate it.
    pub preference: Preference,
}

impl Boundary {
    /// Whether all work that it keeps and runs again is known.
    pub fn is_counted(&self) -> bool {
        self.kept.is_some() && self.redone.is_some()
    }

    /// Whether it can be chosen only by its id. Nobody asks for a skip or a new start by the number of a phase or
    /// dispatch.
    pub fn must_be_named(&self) -> bool {
        self.kind == PointKind::Fresh || self.preference == Preference::ByName
    }
}

/// Whether a point can be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Usable, and nothing must be restored.
    Ready,
    /// Files must be restored first.
    NeedsRestore,
    /// Not usable for these reasons, a sentence each.
    Blocked(Vec<Foreign>),
}

/// A judged boundary: the resume point that a person sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumePoint {
    /// What the system stated.
    pub boundary: Boundary,
    /// True for exactly one point of a pipeline that can be resumed.
    pub recommended: bool,
    /// Why it is recommended, or why one would choose it, or why not.
    pub reason: Foreign,
    /// Whether it can be used now.
    pub readiness: Readiness,
}

impl ResumePoint {
    /// A point of relight's own that is not among the boundaries: it keeps and repeats no work.
    pub fn by_hand(
        (id, label): (String, Foreign),
        kind: PointKind,
        verified: Verdict,
        checkpoint: CheckpointNeed,
        reason: impl Into<Foreign>,
    ) -> Self {
        let reason = reason.into();
        Self {
            readiness: match checkpoint {
                CheckpointNeed::None => Readiness::Ready,
                CheckpointNeed::Found(_) | CheckpointNeed::Missing { .. } => {
                    Readiness::NeedsRestore
                }
            },
            boundary: Boundary {
                id: PointId(id),
                label,
                phase: None,
                kind,
                verified,
                failing: Vec::new(),
                checkpoint,
                edits_records: false,
                kept: Some(0),
                redone: Some(0),
                time_lost_s: None,
                warnings: Vec::new(),
                reason: reason.clone(),
                preference: Preference::ByHand,
            },
            recommended: false,
            reason,
        }
    }
}
