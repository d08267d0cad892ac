//! The systems that relight reads, each through the same two traits. [`kit`] is shared by all of them, and explains how
//! to add a system or a check.
//!
//! A [`System`] recognizes its files. The [`Case`] that it opens holds the facts of one pipeline and answers every
//! question about it. Both only read, and neither judges: `recover::assess` judges liveness, `recover::resume_points`
//! chooses the recommended point, and `recover::plan` makes the plan.

pub mod autoconference;
pub mod claude_workflow;
pub mod crucible;
mod irreversible;
pub mod kit;
pub mod mgw;
pub mod nine_step;
pub mod superscientist;

use std::path::{Path, PathBuf};

use crate::model::{
    Amendment, Boundary, Cause, Check, Checkpoint, Conversation, Dispatch, Experiment, Export,
    Finding, Foreign, Guard, Handoff, Intent, Irreversible, JobMarker, OwnResume, OwnWrites, Place,
    PlanOptions, PointId, Prospect, Reading, Recovery, Result, Run, Step, SystemName, Timeline,
    UndoneWork,
};
use crate::world::World;
use crate::world::liveness::OwnFiles;

use kit::forms::Recorder;
use kit::trails::Trail;

/// Every system, in the order in which they are listed and queried.
pub const SYSTEMS: &[&dyn System] = &[
    &crucible::Crucible,
    &autoconference::Autoconference,
    &mgw::Mgw,
    &superscientist::Superscientist,
    &nine_step::NineStep,
    &claude_workflow::ClaudeWorkflow,
];

/// A name that discovery looks for on behalf of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A file of exactly this name.
    File(&'static str),
    /// A directory of exactly this name.
    Dir(&'static str),
    /// A regular file or directory whose name starts with this.
    Prefix(&'static str),
    /// The top of any work tree (it has a `.git`).
    Repository,
}

/// How discovery found something.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Found {
    /// By walking a root.
    Walk {
        /// That root.
        root: PathBuf,
    },
    /// In one of Claude's project folders (`projects/<hash>/…`).
    ClaudeProject {
        /// The folder `projects/<hash>`.
        project: PathBuf,
    },
    /// In a temporary directory.
    Temp {
        /// That directory.
        dir: PathBuf,
    },
    /// The person named it.
    Named,
}

/// A path whose name matches a marker.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hit {
    /// The marker it fits.
    pub marker: Marker,
    /// Its absolute path.
    pub path: PathBuf,
    /// How it was found.
    pub found: Found,
}

/// The files of one pipeline. Candidates with the same system, key and anchor are the same pipeline and are merged
/// (such as two copies of one manifest).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Which system.
    pub system: SystemName,
    /// The key that the system itself uses for the pipeline.
    pub native: Foreign,
    /// What identifies the pipeline together with the key: the conference folder, the repository, empty for a crucible
    /// session.
    pub anchor: PathBuf,
    /// The files or folders that it was recognized by, in the order found.
    pub sources: Vec<PathBuf>,
    /// The project directory, if the person gave one (`--work-tree`).
    pub work_tree: Option<PathBuf>,
    /// relight's own resumes of pipelines with this key, the latest first, if the system asks for them.
    pub resumes: Vec<OwnResume>,
    /// The work of such pipelines that undos of relight's own discarded, likewise.
    pub undone: Vec<UndoneWork>,
}

impl Candidate {
    /// The files of a pipeline that discovery found.
    pub fn new(
        system: SystemName,
        native: impl Into<Foreign>,
        anchor: impl Into<PathBuf>,
        sources: Vec<PathBuf>,
    ) -> Self {
        Self {
            system,
            native: native.into(),
            anchor: anchor.into(),
            sources,
            work_tree: None,
            resumes: Vec::new(),
            undone: Vec::new(),
        }
    }
}

/// The result of looking at a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sniffed {
    /// These pipelines. May be empty: a repository without worktrees, or an empty folder.
    Ours(Vec<Candidate>),
    /// The name matches but the content does not: counted as skipped, with this reason.
    NotOurs(Foreign),
}

/// One of the systems.
pub trait System: Send + Sync {
    /// Its name.
    fn name(&self) -> SystemName;

    /// The names that discovery looks for in projects.
    fn markers(&self) -> &'static [Marker];

    /// The names to look for in Claude's project folders (at most 5 levels below `projects/<hash>`).
    fn claude_markers(&self) -> &'static [Marker] {
        &[]
    }

    /// The names to look for directly in temporary directories.
    fn temp_markers(&self) -> &'static [Marker] {
        &[]
    }

    /// Decides whether a hit belongs to this system. Reads as little as possible.
    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed;

    /// Whether a file is one of this system's append-only logs. No restore of a checkpoint ever overwrites or moves
    /// one.
    fn is_append_only(&self, _file: &Path, _world: &dyn World) -> bool {
        false
    }

    /// Writes its files as the orchestrator does; `None` if relight only reads them.
    fn recorder(&self) -> Option<&'static Recorder> {
        None
    }

    /// Whether none of its files says that relight resumed a pipeline at an earlier point, so that only relight's own
    /// history does.
    fn forgets_resumes(&self) -> bool {
        false
    }

    /// Reads a pipeline. Damage becomes a finding, never an error: a pipeline with nothing usable is `unreadable`.
    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case>;
}

/// Where a system keeps the checkpoints that it takes at its own boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryStore {
    /// The store, whether it exists or not.
    pub store: PathBuf,
    /// The table next to the store.
    pub table: PathBuf,
    /// The program that takes the checkpoint.
    pub source: String,
}

/// What every system reads of a pipeline.
pub struct Contents {
    /// The facts.
    pub reading: Reading,
    /// The events, in order.
    pub timeline: Timeline,
}

/// A pipeline that was read, with its facts.
pub trait Case: Send + Sync {
    /// What was read of it.
    fn contents(&self) -> &Contents;

    /// The facts.
    fn reading(&self) -> &Reading {
        &self.contents().reading
    }

    /// The events, in order.
    fn timeline(&self) -> Timeline {
        Timeline::clone(&self.contents().timeline)
    }

    /// Why it stopped, according to its own records: what it waits for, or a failed step. `None` if they do not say;
    /// the conversations of agents may. What relight wrote last itself is no record of the pipeline.
    fn recorded_cause(&self, _own: Option<&OwnWrites>, _world: &dyn World) -> Option<Cause> {
        None
    }

    /// How the agents of its unfinished dispatches ended, according to the files of these conversations.
    fn dispatch_causes(&self, _conversations: &[Conversation], _world: &dyn World) -> Vec<Cause> {
        Vec::new()
    }

    /// The checks, in the order of the system's table.
    fn verify(&self, world: &dyn World) -> Vec<Check>;

    /// The checkpoints, oldest first, without their drift.
    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint>;

    /// What keeps some checkpoints from being listed.
    fn unlisted_checkpoints(&self, _: &dyn World) -> Option<Finding> {
        None
    }

    /// The points at which work can resume, in order. Empty if there is nothing to resume.
    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary>;

    /// The guard that refuses a boundary because its project is missing.
    fn without_project(&self, _: &Boundary, world: &dyn World) -> Option<Guard> {
        kit::lost_root::guard(&self.reading().root, world)
    }

    /// What a resume at a boundary would do; `None` for an unknown id.
    fn intent(&self, point: &PointId, options: &PlanOptions, world: &dyn World) -> Option<Intent>;

    /// Whether each of its steps is one run of the agent, so that the next can follow without a person.
    fn goes_by_steps(&self) -> bool {
        false
    }

    /// Whether its plan can be amended.
    fn is_amendable(&self) -> bool {
        false
    }

    /// What an amendment of the pipeline's own plan would do; `None` if the system has no amendments. `reason` is
    /// recorded with the amendment.
    fn amend(
        &self,
        _ask: &Amendment,
        _reason: &str,
        _checks: &[Check],
        _world: &dyn World,
    ) -> Option<Result<(Boundary, Intent)>> {
        None
    }

    /// How the orchestrator resumes after a plan for one of those points: the program and its fixed arguments, a
    /// one-line prompt (where to resume, in the system's own terms), and a briefing. `recover::handoff` adds to every
    /// hand-off what was restored, kept and left out, and the warnings.
    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff;

    /// The files to which the orchestrator writes records while it works, including some that do not exist yet. Lists
    /// directories again; reads nothing else.
    fn trails(&self, _world: &dyn World) -> Vec<Trail> {
        Vec::new()
    }

    /// Its state files, logs, tables, documents and outputs by their names, those that may yet be made among them:
    /// whoever has one open for writing works on it. Asks nothing of the disk.
    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        Vec::new()
    }

    /// What the pipeline did outside its files that no recovery can undo, as its own records clearly state it.
    fn irreversible(&self, _world: &dyn World) -> Vec<Irreversible> {
        irreversible::in_timeline(self.timeline().as_ref())
    }

    /// Lines for the pipeline's own log that say that a recovery was undone, all but the paths in `keep` (absolute), if
    /// its format allows them. The recovery's own lines stay, because a log only grows. Only appending steps.
    fn undo_lines(&self, _recovery: &Recovery, _keep: &[PathBuf]) -> Vec<Step> {
        Vec::new()
    }

    /// Additional steps for a restore of a checkpoint's files, given the files that it writes: moving traces of later
    /// work out of the way, a line in the pipeline's own log. A state file is given with its new content.
    fn restore_steps(
        &self,
        _checkpoint: &Checkpoint,
        _restored: &[(PathBuf, Option<Vec<u8>>)],
        _world: &dyn World,
    ) -> Vec<Step> {
        Vec::new()
    }

    /// The files by which a stage's own job signals its end before any state file does; `None` if the system has no
    /// such files or no such stage.
    fn job_marker(&self, _stage: &str) -> Option<JobMarker> {
        None
    }

    /// Whether its files belong to another program, so that relight never writes or copies them: it records nothing and
    /// takes no checkpoints.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Whether its state is outside the project, so that relight's own checkpoints cover the work tree alone.
    fn keeps_state_outside(&self) -> bool {
        false
    }

    /// Whether it owns nothing in a work tree but its own folder, so that a restore leaves the rest untouched.
    fn owns_only_its_folder(&self) -> bool {
        false
    }

    /// The system's own store for a checkpoint of its work tree with this reason; `None` if it takes none.
    fn boundary(&self, _reason: &str, _world: &dyn World) -> Option<BoundaryStore> {
        None
    }

    /// The content of a state file after a restore from relight's own checkpoint: entries of the current file that must
    /// not be lost are kept. `None` if it is the saved content.
    fn restored_state(&self, _file: &Path, _saved: &[u8], _now: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// The results that can be exported if it cannot continue; `None` if they are files of the project anyway.
    fn export(&self, _world: &dyn World) -> Option<Export> {
        None
    }

    /// The pipeline as one whose dispatches can run again; `None` if the system records none.
    fn replayable(&self) -> Option<&dyn Replayable> {
        None
    }

    /// Runs other than dispatches that can be compared: rounds, versions of stages; older ones first.
    fn runs(&self, _world: &dyn World) -> Vec<Run> {
        Vec::new()
    }
}

/// A pipeline of a system that numbers its dispatches and records enough to run them again.
pub trait Replayable {
    /// The facts for a replay; `None` if too little can be read. Reads every dispatch file.
    fn experiment(&self, checkpoints: &[Checkpoint], world: &dyn World) -> Option<Experiment>;

    /// Whether enough can be read for a replay. Cheap, as the next.
    fn has_dispatches(&self) -> bool;

    /// Whether the pipeline's own records mention replays of it. Cheap, unlike [`Replayable::experiment`].
    fn records_replays(&self) -> bool;

    /// The dispatches of another manifest that continues this pipeline's, by number, with its dispatch files in the
    /// folder. For a replay's own copy.
    fn continued(
        &self,
        manifest: &Place,
        dispatch_dir: &Path,
        world: &dyn World,
    ) -> Result<Vec<Dispatch>, Foreign>;

    /// The boundary that contains a numbered dispatch; `None` for an unknown number.
    fn point_for_seq(&self, seq: u64) -> Option<PointId>;

    /// The dry-run report in the system's own words.
    fn dry_run_report(
        &self,
        point: &PointId,
        intent: &Intent,
        world: &dyn World,
    ) -> Option<Foreign>;
}

#[cfg(test)]
pub(crate) mod testing;
