//! Boundaries that work can be resumed from.

use super::{CheckId, Checkpoint, Foreign, Verdict};

use crate::string_enum;

/// A fixed id per system, listed in [the contract](crate::docs::contract) (`wave-2`, `round-3-phase-1`, `stage-2:rerun`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointId(pub String);

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

string_enum! {
    /// What kind of going-on a point is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PointKind {
        /// A boundary the orchestrator goes on from.
        Boundary = "boundary",
        /// Going on from what is on disk, restoring nothing.
        CurrentState = "current_state",
        /// Starting over.
        Fresh = "fresh",
        /// A change of the state itself, made only when asked for.
        StateEdit = "state_edit",
        /// Nothing left but tidying up.
        Cleanup = "cleanup",
    }
}

/// Whether a boundary needs a checkpoint, and whether one is there.
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
    /// One is wanted and there is none: the ladder steps down.
    Missing {
        /// The reason it would have, such as `pre-wave-2`.
        wanted: Foreign,
    },
}

/// How a system's own rules look at a boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preference {
    /// The rules choose this one, for this reason (a sentence). At most one boundary of a pipeline.
    Chosen(Foreign),
    /// The ladder may fall back to this one when a later one is not usable.
    Rung,
    /// Only ever taken by hand.
    ByHand,
}

/// What a system states about one boundary. `recover::resume_points` turns these into resume points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// Its fixed word.
    pub id: PointId,
    /// For a person: `Wave 2 of phase 3`.
    pub label: Foreign,
    /// The phase it lies in, as `--from-phase` names it.
    pub phase: Option<Foreign>,
    /// What kind of going-on it is.
    pub kind: PointKind,
    /// The worst verdict of the checks it depends on.
    pub verified: Verdict,
    /// Those of its checks that are worse than pass.
    pub failing: Vec<CheckId>,
    /// Whether it needs a checkpoint and has one.
    pub checkpoint: CheckpointNeed,
    /// Units of work kept (dispatches, rounds, steps, stages).
    pub kept: u64,
    /// Units of work done again.
    pub redone: u64,
    /// Recorded working time that would be spent again, in seconds.
    pub time_lost_s: Option<u64>,
    /// What a person should know before choosing it, a sentence each.
    pub warnings: Vec<Foreign>,
    /// Why one would choose it, in a sentence.
    pub reason: Foreign,
    /// How the system's rules look at it.
    pub preference: Preference,
}

/// Whether a point can be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Nothing stands in the way and nothing must be restored.
    Ready,
    /// Files must be restored first.
    NeedsRestore,
    /// These stand in the way, a sentence each.
    Blocked(Vec<Foreign>),
}

/// A boundary, judged: the rung of the ladder that a person sees.
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
