//! What a plan answers: where a pipeline resumes, or which recovery is undone.

use std::path::PathBuf;

use super::{Amendment, PlanOptions, PointId, RecoveryId};

/// Which point of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PointChoice {
    /// The recommended one.
    #[default]
    Recommended,
    /// `--point ID`.
    Id(PointId),
    /// `--from-phase N`: its first point that neither skips nor starts over.
    FromPhase(String),
    /// `--from-seq N`: the enclosing boundary; crucible's only.
    FromSeq(u64),
    /// `restore --checkpoint C`: only the files of a checkpoint, by its full id.
    Checkpoint(String),
    /// `amend`: no point that is listed, but a change of the pipeline's own plan.
    Amend(Box<Amendment>),
}

/// What a plan answers, so that it can be computed again before it is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A pipeline resumes.
    Resume {
        /// The point.
        choice: PointChoice,
        /// The options that were given.
        options: PlanOptions,
    },
    /// A recovery is undone. A redo is the undo of an undo.
    Undo {
        /// The recovery.
        recovery: RecoveryId,
        /// If that is an undo itself: the recovery that it undid, which is redone.
        redoes: Option<RecoveryId>,
        /// The options that were given.
        options: UndoOptions,
    },
}

impl Asked {
    /// What is undone or redone, with the verb; nothing where a pipeline is resumed.
    pub fn reversal(&self) -> Option<(Reversal, &RecoveryId)> {
        match self {
            Self::Resume { .. } => None,
            Self::Undo {
                redoes: Some(recovery),
                ..
            } => Some((Reversal::Redo, recovery)),
            Self::Undo { recovery, .. } => Some((Reversal::Undo, recovery)),
        }
    }
}

/// Whether a recovery is undone or redone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reversal {
    /// Undone.
    Undo,
    /// Its undo is undone.
    Redo,
}

impl Reversal {
    /// The noun.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// What became of the recovery.
    pub fn done(self) -> &'static str {
        match self {
            Self::Undo => "undone",
            Self::Redo => "redone",
        }
    }
}

/// What a person may say beside the recovery to undo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndoOptions {
    /// `--keep`: paths that stay as they are now, absolute.
    pub keep: Vec<PathBuf>,
    /// `--assume-stopped`: answers unknown liveness, never alive.
    pub assume_stopped: bool,
}
