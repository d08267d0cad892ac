//! Recoveries: plans that were applied, are recorded, and can be undone.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};

use super::{Action, ActionKind, Foreign, Handoff, PipelineId, Reversal};

use crate::string_enum;

/// The start of the line in a system's own log that says that a recovery was undone or redone.
pub const UNDONE: &str = "relight: recovery";

/// The id of a recovery. Ids sort by the time the recovery began.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecoveryId(pub String);

impl std::fmt::Display for RecoveryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

string_enum! {
    /// The state of a recovery.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum RecoveryState {
        /// Everything is as planned.
        Committed = "committed",
        /// Everything is as before.
        RolledBack = "rolled_back",
        /// A crash left it pending, or the disk matches neither state: a person must decide.
        NeedsAttention = "needs_attention",
        /// A person ended it with `--keep` although nothing could be restored: some files are as planned, others as
        /// before. It blocks nothing, and its backups may be the only copies.
        HalfApplied = "half_applied",
    }
}

/// A path that a rollback skipped because another program changed it meanwhile, or because the person asked for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftPath {
    /// The path; for a reference its name under the git directory.
    pub path: PathBuf,
    /// Where its content from before the recovery is kept.
    pub before: Option<PathBuf>,
    /// Where its planned content is kept.
    pub planned: Option<PathBuf>,
    /// The same in a sentence.
    pub text: Foreign,
}

string_enum! {
    /// What is at a path of a recovery that a crash interrupted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PendingState {
        /// What the recovery puts there.
        Planned = "planned",
        /// What was there before it.
        Before = "before",
        /// Something else: somebody changed it since.
        Changed = "changed",
    }
}

/// A path of a recovery that a crash interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingPath {
    /// The path.
    pub path: PathBuf,
    /// What is there now.
    pub state: PendingState,
}

/// A plan that was applied, or that a crash interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Recovery {
    /// Its id.
    pub id: RecoveryId,
    /// The pipeline it was for.
    pub pipeline: PipelineId,
    /// That pipeline's root, which says whether the recovery belongs to a scope.
    pub root: PathBuf,
    /// What it was, for people: `wave-2`, `undo of 20261121T…`.
    pub label: Foreign,
    /// When it began.
    pub started_at: DateTime<FixedOffset>,
    /// When it ended; `None` while it is pending.
    pub ended_at: Option<DateTime<FixedOffset>>,
    /// Its state.
    pub state: RecoveryState,
    /// The recovery that it undid.
    pub undoes: Option<RecoveryId>,
    /// True where that was an undo itself, so that this one is a redo.
    pub is_redo: bool,
    /// The recovery that undid it, unless that one was undone too.
    pub undone_by: Option<RecoveryId>,
    /// True where the backups of that undo were deleted, so that it cannot be redone.
    pub undo_purged: bool,
    /// A later recovery of the same pipeline that is applied or pending, so that the hand-off of this one is void.
    pub superseded_by: Option<RecoveryId>,
    /// The changes it made.
    pub actions: Vec<Action>,
    /// How the orchestrator resumes after it.
    pub handoff: Handoff,
    /// The size of its backups, in bytes.
    pub kept_bytes: u64,
    /// The folders of its backups; empty once they were deleted.
    pub kept_in: Vec<PathBuf>,
    /// True where its backups were deleted, so that it can no longer be undone.
    pub purged: bool,
    /// True while a process applies it, or recovers it; `state` is then what it would be if that process ended now.
    pub running: bool,
    /// What needs attention and what to do, a sentence each; of a recovery that was applied, why it cannot be reversed.
    pub trouble: Vec<Foreign>,
    /// Paths that were skipped when it was recovered.
    pub left: Vec<LeftPath>,
    /// What is at each of its paths now, sorted; empty unless a crash interrupted it after the exchange began.
    pub paths: Vec<PendingPath>,
}

/// How the first line of a void hand-off begins.
pub const VOID_HANDOFF: &str = "This hand-off is void";

impl Recovery {
    /// False where its record is missing, so that only its journal says what it was, and nothing says of which pipeline.
    pub fn is_recorded(&self) -> bool {
        !self.pipeline.0.is_empty()
    }

    /// Why it is not complete, in a sentence; only for one that needs attention.
    pub fn why_incomplete(&self) -> String {
        let id = &self.id;
        if self.running {
            format!("Recovery {id} is being applied now by another relight.")
        } else {
            format!("Recovery {id} is pending: it was interrupted.")
        }
    }

    /// What has to happen to one that is not complete before anything else can be done with it.
    pub fn completion(&self) -> String {
        if self.running {
            "Wait for it to end.".to_owned()
        } else {
            format!("Complete it first: relight recover {}", self.id)
        }
    }

    /// Its state in a word, as both lists of recoveries show it.
    pub fn state_word(&self) -> &'static str {
        match self.state {
            RecoveryState::NeedsAttention if self.running => "running",
            RecoveryState::NeedsAttention => "pending",
            RecoveryState::HalfApplied => "half-applied",
            RecoveryState::RolledBack => "rolled back",
            RecoveryState::Committed if self.undone_by.is_some() => "undone",
            RecoveryState::Committed if self.purged => "purged",
            RecoveryState::Committed => "applied",
        }
    }

    /// True where it is an undo, as opposed to a recovery or a redo.
    pub fn is_undo(&self) -> bool {
        self.undoes.is_some() && !self.is_redo
    }

    /// The undo that a redo would reverse: this recovery if it is an undo, else the one that undid it. `None` where
    /// nothing is undone now.
    pub fn undo_to_redo(&self) -> Option<&RecoveryId> {
        if !self.is_undo() {
            return self.undone_by.as_ref();
        }
        self.stands().then_some(&self.id)
    }

    /// Whether a redo of this recovery has all that it needs.
    pub fn can_redo(&self) -> bool {
        self.undo_to_redo().is_some() && !self.purged && !self.undo_purged
    }

    /// What undoing this recovery would be.
    pub fn when_undone(&self) -> Reversal {
        if self.is_undo() {
            Reversal::Redo
        } else {
            Reversal::Undo
        }
    }

    /// What reverses this recovery, and the recovery that the command for it names: an undo is reversed by a redo of what
    /// it undid.
    pub fn way_back(&self) -> (Reversal, &RecoveryId) {
        match (self.when_undone(), &self.undoes) {
            (Reversal::Redo, Some(undone)) => (Reversal::Redo, undone),
            (reversal, _) => (reversal, &self.id),
        }
    }

    /// What is no longer possible once its backups are deleted: its undo, or where it is undone its redo. `None` where it
    /// was rolled back, never completed, or redone.
    pub fn lost_by_purge(&self) -> Option<Reversal> {
        match (self.state, &self.undone_by) {
            (RecoveryState::RolledBack | RecoveryState::HalfApplied, _) => None,
            (_, None) => Some(self.when_undone()),
            (_, Some(_)) if self.is_undo() => None,
            (_, Some(_)) => Some(Reversal::Redo),
        }
    }

    /// The line in a system's log when this one is undone: `relight: recovery ID undone`, or `redone` where it undid ID
    /// itself.
    pub fn undone_words(&self) -> String {
        match self.undoes.as_ref().filter(|_| self.is_undo()) {
            Some(again) => format!("{UNDONE} {again} redone"),
            None => format!("{UNDONE} {} undone", self.id),
        }
    }

    /// Whether it was applied, and what its undo or redo needs is lost: `trouble` says what.
    pub fn is_out_of_reach(&self) -> bool {
        self.state == RecoveryState::Committed && !self.trouble.is_empty()
    }

    /// Whether it was applied and is not undone.
    pub fn stands(&self) -> bool {
        self.state == RecoveryState::Committed && self.undone_by.is_none()
    }

    /// Why its hand-off must not be followed, in a sentence; `None` while it is in force.
    pub fn void_handoff(&self) -> Option<String> {
        let id = &self.id;
        let why = match self.state {
            RecoveryState::NeedsAttention if self.running => {
                format!("recovery {id} is being applied now")
            }
            RecoveryState::NeedsAttention => {
                format!("recovery {id} is pending: recover it first")
            }
            RecoveryState::HalfApplied => {
                "this recovery was interrupted and is half-applied".to_owned()
            }
            RecoveryState::RolledBack => {
                format!("recovery {id} was rolled back, so the files are as before it")
            }
            RecoveryState::Committed => match (&self.undone_by, &self.superseded_by) {
                (Some(by), _) => {
                    format!("recovery {id} was undone by {by}, so the files are as before it")
                }
                (None, Some(by)) => format!("{by} is a later recovery of this pipeline than {id}"),
                (None, None) if self.purged => "its briefing was deleted".to_owned(),
                (None, None) => return None,
            },
        };
        Some(format!("{VOID_HANDOFF}: {why}."))
    }

    /// Whether it changed nothing but logs, which only grow.
    pub fn only_lines(&self) -> bool {
        let mut actions = self.actions.iter();
        actions.all(|action| action.kind == ActionKind::AppendLines)
    }

    /// Whether it appended lines to a log.
    pub fn appended_to(&self, log: &std::path::Path) -> bool {
        let mut actions = self.actions.iter();
        actions.any(|action| action.kind == ActionKind::AppendLines && action.target == log)
    }
}

string_enum! {
    /// The stages of applying a plan, in order, each with what it does, for a person.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Stage {
        /// Locks are taken and what an earlier crash left is recovered.
        Lock = "Take the locks",
        /// New content is written beside the old, and flushed.
        Stage = "Stage new content",
        /// Every condition is checked again.
        Check = "Check again",
        /// Old and new content change places.
        Exchange = "Exchange",
        /// The result is read back.
        Verify = "Verify",
        /// Lines are appended to logs.
        Append = "Append to logs",
    }
}

/// How far a stage is. A stage never reports more than it has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageProgress {
    /// The stage.
    pub stage: Stage,
    /// Units done.
    pub done: u64,
    /// Units in all.
    pub total: u64,
}

/// The outcome of applying a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The recovery; `None` where there was nothing to do.
    pub recovery: Option<Recovery>,
    /// How it was verified, a sentence each.
    pub verified: Vec<Foreign>,
    /// What else a person should know: what an earlier crash had left, and how it was recovered.
    pub notes: Vec<Foreign>,
    /// How the orchestrator resumes.
    pub handoff: Option<Handoff>,
}

/// Something the pipeline did in the world that no recovery can undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Irreversible {
    /// Its kind: `push`, `pull request`, `install`.
    pub kind: &'static str,
    /// What was done, in a sentence.
    pub text: Foreign,
    /// What a person could do about it: a command to copy; empty where there is none.
    pub remedy: Foreign,
    /// Where it was read.
    pub origin: super::Origin,
}

/// A restore that was tried in a scratch folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsal {
    /// The scratch folder, kept for inspection.
    pub folder: PathBuf,
    /// Files that the plan would change, changed there.
    pub changed: u64,
    /// What the rehearsal does not cover, a sentence each.
    pub not_covered: Vec<Foreign>,
    /// The check that was run there.
    pub check: Option<CheckRun>,
}

/// The project's own check, as it ran in a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    /// The command.
    pub argv: Vec<Foreign>,
    /// True where it ended with status 0.
    pub passed: bool,
    /// How it ended: `exit 1`, `stopped by signal 9`, `not started: …`.
    pub ended: Foreign,
    /// Seconds it took.
    pub seconds: u64,
    /// The end of what it printed.
    pub output: Foreign,
}
