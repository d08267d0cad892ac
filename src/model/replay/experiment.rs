//! The facts of a pipeline that can be replayed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SessionId;
use crate::model::{Checkpoint, Foreign, Origin, PointId, Stamp};
use crate::string_enum;
use crate::text::stored;

string_enum! {
    /// What became of a dispatch.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DispatchStatus {
        /// In flight, or lost with its session.
        Dispatched = "dispatched",
        /// Returned.
        Completed = "completed",
        /// Returned without success.
        Failed = "failed",
        /// Crashed or ran out of time: says nothing about the template.
        Error = "error",
        /// Deliberately not run.
        Skipped = "skipped",
        /// A word nobody knows.
        Unknown = "unknown",
    }
}

/// One dispatch: what the manifest last says about its number, and its dispatch file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    /// Its number.
    pub seq: u64,
    /// The name of its file: `7-build-implementer.md`.
    pub file: Foreign,
    /// The template's name, from the file's name: `build-implementer`.
    pub template: Foreign,
    /// Its role; `-` where none is recorded.
    pub role: Foreign,
    /// The phase's label as understood: `3`. Inherited from the nearest lower number where the line has none.
    pub phase: Foreign,
    /// Its task.
    pub task: Option<Foreign>,
    /// What became of it.
    pub status: DispatchStatus,
    /// Wall time, seconds.
    pub duration_s: Option<u64>,
    /// Its one-line summary.
    pub summary: Option<Foreign>,
    /// Characters of the dispatch.
    pub input_chars: Option<u64>,
    /// Characters of what came back.
    pub output_chars: Option<u64>,
    /// Calls of tools.
    pub tool_calls: Option<u64>,
    /// The model's tier: `opus`, `high`.
    pub model_tier: Option<Foreign>,
    /// The model that really ran, where recorded.
    pub model: Option<Foreign>,
    /// When it began: the header of its file, else that file's time.
    pub begun_at: Option<Stamp>,
    /// Its dispatch file, where that is still there.
    #[serde(default, with = "stored")]
    pub path: Option<PathBuf>,
    /// What its runner printed, where that was kept.
    #[serde(default, with = "stored")]
    pub output: Option<PathBuf>,
    /// The wave it belongs to, where waves are known; from 1.
    pub wave: Option<u64>,
    /// The dispatch that it re-executes; of a replay of a replay the first one. A circular chain is not followed.
    pub replay_of: Option<u64>,
    /// The replay run it belongs to; `None` for the original run.
    pub session: Option<SessionId>,
    /// The template mutation recorded with it.
    pub mutation: Option<Foreign>,
    /// Its last line in the manifest.
    pub origin: Origin,
}

/// A boundary at which a replay can begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayStart {
    /// The boundary's id: `wave-2`, `phase-2`; `start` for the beginning of the run.
    pub point: PointId,
    /// Its label.
    pub label: Foreign,
    /// Its phase.
    pub phase: Foreign,
    /// The original dispatches that are run again from there, in manifest order.
    pub redo: Vec<u64>,
    /// The saved files it begins with: a shadow commit, or a commit of the project.
    pub checkpoint: Option<Checkpoint>,
    /// Why it cannot be used, where it cannot.
    #[serde(skip)]
    pub unusable: Option<Foreign>,
}

/// A pipeline that can be replayed, as its files have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    /// The orchestrator's own id of the run.
    pub session: Foreign,
    /// The skill that ran: `build`.
    pub skill: Foreign,
    /// Its manifest.
    #[serde(with = "stored")]
    pub manifest: PathBuf,
    /// The folder of its dispatch files, where one is left.
    #[serde(default, with = "stored")]
    pub dispatch_dir: Option<PathBuf>,
    /// The folder of the run's own notes and state, where it has one.
    #[serde(default, with = "stored")]
    pub scratch_dir: Option<PathBuf>,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// The project's work tree.
    #[serde(default, with = "stored")]
    pub work_tree: Option<PathBuf>,
    /// The branch it ran on.
    pub branch: Option<Foreign>,
    /// The commit it began at, 40 hex.
    pub baseline: Option<String>,
    /// The commit it ended at, where that is known, 40 hex.
    pub end: Option<String>,
    /// All dispatches by number, those of replays recorded in the same manifest among them.
    #[serde(skip)]
    pub dispatches: Vec<Dispatch>,
    /// The boundaries, in order.
    #[serde(skip)]
    pub starts: Vec<ReplayStart>,
    /// Folders in which the installed plugin's templates are, likeliest first.
    #[serde(default, with = "stored")]
    pub plugin_templates: Vec<PathBuf>,
}

impl Experiment {
    /// The dispatches of the original run.
    pub fn original(&self) -> impl Iterator<Item = &Dispatch> {
        self.dispatches.iter().filter(|one| one.session.is_none())
    }

    /// One dispatch.
    pub fn dispatch(&self, seq: u64) -> Option<&Dispatch> {
        self.dispatches.iter().find(|one| one.seq == seq)
    }
}
