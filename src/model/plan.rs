//! The plan: what a resume at a point would do. Every screen, `--json` and the executor use this one object.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, Utc};

use super::{
    Asked, Basis, Cause, ChangeCounts, Clean, Foreign, Guard, Handoff, KeptPair, Loss, LossKind,
    PathChange, PipelineId, PlanPath, PointChoice, ResumePoint, Reversal, WorkItem,
};
use crate::text::Shown as _;
use crate::text::format::{count_of, list, list_first};
use crate::{clean, string_enum};

/// How many paths that are not restored are named.
const NAMED: usize = 10;

/// A digest of everything a plan was computed from, except any clock; 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Fingerprint(pub String);

string_enum! {
    /// The kinds of reversible change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ActionKind {
        /// Files of the work tree are restored from a shadow checkpoint.
        RestoreTree = "restore_tree",
        /// A worktree, its index and its branch are reset to a commit.
        ResetWorktree = "reset_worktree",
        /// A file gets new content.
        ReplaceFile = "replace_file",
        /// The last rows of a table are removed.
        TruncateRows = "truncate_rows",
        /// Lines are appended to a log.
        AppendLines = "append_lines",
        /// Something is renamed out of the way.
        MoveAside = "move_aside",
    }
}

impl ActionKind {
    /// What it does, for a person.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::RestoreTree => "restore files",
            Self::ResetWorktree => "reset worktree",
            Self::ReplaceFile => "replace file",
            Self::TruncateRows => "remove rows",
            Self::AppendLines => "append lines",
            Self::MoveAside => "move aside",
        }
    }

    /// True for the kinds that change a work tree and so need the recorded branch and a clean git state.
    pub fn touches_tree(self) -> bool {
        matches!(self, Self::RestoreTree | Self::ResetWorktree)
    }
}

/// The details of an action, so that a front end can show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// A list of paths; the diff of each path is requested separately.
    Tree {
        /// The git directory the blobs come from.
        store: PathBuf,
        /// The full commit id.
        commit: String,
    },
    /// The whole content before and after.
    Content {
        /// Bytes before; `None` where the file does not exist.
        before: Option<Vec<u8>>,
        /// Bytes after.
        after: Vec<u8>,
        /// How the clock is written where `after` says `{now}`; `None` where its bytes are exact.
        clock: Option<ClockStyle>,
    },
    /// Rows that would be removed, in order, without their newlines.
    Rows {
        /// The rows.
        removed: Vec<Foreign>,
        /// The whole content before.
        before: Vec<u8>,
        /// How many bytes of it stay.
        keep_bytes: usize,
    },
    /// Lines that would be appended, in order.
    Lines {
        /// The lines; `{now}` in them stands for the clock at writing.
        appended: Vec<Foreign>,
        /// How the clock is written.
        clock: ClockStyle,
    },
    /// Lines that a recovery appended: its record keeps how many.
    Appended {
        /// How many.
        lines: usize,
    },
    /// A rename.
    Rename {
        /// The new path.
        to: PathBuf,
    },
    /// The backups of a recovery that would be restored (in the record of an undo: that were restored).
    Kept {
        /// One for each path of the action, or one for its target.
        pairs: Vec<KeptPair>,
    },
}

impl Preview {
    /// Whether it changes nothing: the same bytes, no lines, no rows.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Content { before, after, .. } => before.as_ref() == Some(after),
            Self::Rows {
                before, keep_bytes, ..
            } => before.len() <= *keep_bytes,
            Self::Lines { appended, .. } => appended.is_empty(),
            Self::Appended { lines } => *lines == 0,
            Self::Tree { .. } | Self::Rename { .. } | Self::Kept { .. } => false,
        }
    }

    /// What happens to the one path of an action that lists none.
    pub fn change(&self) -> PathChange {
        match self {
            Self::Content { before: None, .. } => PathChange::Create,
            // None has content for it: the file is moved to its backup.
            Self::Kept { pairs } if pairs.iter().all(|pair| pair.kept.is_none()) => {
                PathChange::Remove
            }
            Self::Content { .. }
            | Self::Kept { .. }
            | Self::Tree { .. }
            | Self::Rows { .. }
            | Self::Lines { .. }
            | Self::Appended { .. }
            | Self::Rename { .. } => PathChange::Write,
        }
    }

    /// The content of the whole file afterwards; `None` if only a part of it is known, or the target is no file.
    pub fn content(&self) -> Option<&[u8]> {
        let Self::Content { after, .. } = self else {
            return None;
        };
        Some(after)
    }
}

/// How a system writes the clock into its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClockStyle {
    /// `2026-11-21T06:45:00Z` (autoconference).
    UtcSeconds,
    /// `2026-11-21T06:45:00.000Z` (mgw).
    UtcMillis,
    /// `2026-11-21T07:45:00+01:00` (superscientist).
    LocalOffset,
    /// `2026-11-21T07:45:00` (nine-step's state file).
    LocalNaive,
    /// `2026-11-21 07:45:00` (nine-step's rollback log).
    LocalSpaced,
}

impl ClockStyle {
    /// A time in this format.
    pub fn write(self, at: DateTime<FixedOffset>) -> String {
        let utc = at.with_timezone(&Utc);
        match self {
            Self::UtcSeconds => utc.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            Self::UtcMillis => utc.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
            Self::LocalOffset => at.format("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            Self::LocalNaive => at.format("%Y-%m-%dT%H:%M:%S").to_string(),
            Self::LocalSpaced => at.format("%Y-%m-%d %H:%M:%S").to_string(),
        }
    }
}

/// One reversible change on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its kind.
    pub kind: ActionKind,
    /// The file or folder it changes.
    pub target: PathBuf,
    /// What it does, in a sentence.
    pub summary: Foreign,
    /// Numbers, for the tree kinds, and for one file in the record of a recovery and in an undo.
    pub changes: Option<ChangeCounts>,
    /// Paths, for the tree kinds.
    pub paths: Vec<PlanPath>,
    /// Its details.
    pub preview: Preview,
}

/// What a resume at a point would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The request that it answers.
    pub asked: Asked,
    /// Digest of everything this was computed from.
    pub fingerprint: Fingerprint,
    /// The files it was computed from.
    pub basis: Vec<Basis>,
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The resume point.
    pub point: ResumePoint,
    /// Why the pipeline stopped, where that is known.
    pub cause: Option<Cause>,
    /// Work that is kept.
    pub kept: Vec<WorkItem>,
    /// Work that will be done again.
    pub redone: Vec<WorkItem>,
    /// Changes on disk, in order.
    pub actions: Vec<Action>,
    /// Conditions, the failing ones first.
    pub guards: Vec<Guard>,
    /// What a person should know about the point before choosing it, a sentence each.
    pub warnings: Vec<Foreign>,
    /// Paths that differ from the checkpoint, or of an undo, and that the person left out: they are not restored.
    pub left_out: Vec<Foreign>,
    /// Files created after the checkpoint that stay where they are, whichever paths were chosen.
    pub kept_newer: Vec<Foreign>,
    /// What is overwritten or not restored, worst first.
    pub losses: Vec<Loss>,
    /// True where existing bytes of a file are replaced, truncated or moved.
    pub destructive: bool,
    /// How the orchestrator resumes.
    pub handoff: Handoff,
}

impl Plan {
    /// The paths of the checkpoint, or of the recovery to undo, that it does not restore, in a sentence.
    pub fn not_restored(&self) -> Option<String> {
        let (one, many) = match self.asked {
            Asked::Resume { .. } => (
                "file that differs from the checkpoint was not restored",
                "files that differ from the checkpoint were not restored",
            ),
            Asked::Undo { .. } => (
                "path was left as it is (--keep)",
                "paths were left as they are (--keep)",
            ),
        };
        let subject = count_of(self.left_out.len(), one, many);
        let names = self.left_out.iter();
        let names = list_first(names.map(|path| format!("'{}'", path.shown())), NAMED);
        (!self.left_out.is_empty()).then(|| format!("{subject}: {names}."))
    }

    /// The losses of a kind, a sentence each.
    pub fn losses_of(&self, kind: LossKind) -> impl Iterator<Item = &Foreign> {
        let of_kind = self.losses.iter().filter(move |loss| loss.kind == kind);
        of_kind.map(|loss| &loss.text)
    }

    /// The guards that are ok, by name: `2 ok: branch and liveness`. `None` where none is.
    pub fn guards_ok(&self) -> Option<Clean> {
        let fails = |guard: &Guard| {
            let mut same = self.guards.iter().filter(|one| one.id == guard.id);
            same.any(|one| !one.holds)
        };
        let ok = self.guards.iter().filter(|guard| !fails(guard));
        let ok: Vec<_> = ok.map(|guard| &guard.id).collect();
        (!ok.is_empty()).then(|| clean!("{} ok: {}", ok.len(), list(&ok)))
    }

    /// What one of its actions does, for a person: an undo has the kinds of the changes that it reverses.
    pub fn phrase(&self, action: &Action) -> &'static str {
        match (self.asked.reversal(), action.kind) {
            (Some((Reversal::Undo, _)), ActionKind::MoveAside) => "move back",
            _ => action.phrase(),
        }
    }

    /// Whether it restores the files of a checkpoint and resumes nothing.
    pub fn is_of_files(&self) -> bool {
        let Asked::Resume { choice, .. } = &self.asked else {
            return false;
        };
        matches!(choice, PointChoice::Checkpoint(_))
    }

    /// Whether the conversation that stopped may be continued in place of the hand-off: a guard that refuses the plan, such
    /// as a process that may be working on the pipeline, is as much against that.
    pub fn offers_conversation(&self) -> bool {
        let resumes = matches!(self.asked, Asked::Resume { .. }) && !self.is_of_files();
        resumes && !self.guards.iter().any(Guard::refuses)
    }

    /// Whether the person chose to treat unknown liveness as stopped.
    pub fn assumes_stopped(&self) -> bool {
        match &self.asked {
            Asked::Resume { options, .. } => options.assume_stopped,
            Asked::Undo { options, .. } => options.assume_stopped,
        }
    }
}

/// Whether files created after a checkpoint are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RestoreMode {
    /// They stay. The default, because nothing is lost.
    #[default]
    Overlay,
    /// They are moved to the backups, each listed.
    Exact,
}

/// The options that a person may choose with a point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanOptions {
    /// `--overlay` or `--exact`.
    pub mode: RestoreMode,
    /// `--path`: only these, relative to the work tree; empty means all.
    pub paths: Vec<PathBuf>,
    /// `--branch`: answers an unknown branch guard, never a wrong one.
    pub branch: Option<String>,
    /// `--assume-stopped`: answers unknown liveness, never alive.
    pub assume_stopped: bool,
    /// `--accept ID`: questions that the person has answered.
    pub accept: Vec<String>,
    /// `--rewind-branch`: also move the branch back to its commit at the checkpoint's time.
    pub rewind_branch: bool,
    /// `--reason TEXT`, on one line: written where the system keeps reasons, and stated in every hand-off.
    pub reason: Option<String>,
}

/// A person's reason on one line, without control or invisible characters; `None` if nothing remains.
pub fn one_line_reason(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = Foreign::from(words.join(" ")).clean().into_string();
    (!line.is_empty()).then_some(line)
}
