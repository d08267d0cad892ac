//! The systems relight reads, each through the same two traits. [`kit`] is what they share, and says how to add
//! a system or a check.
//!
//! A [`System`] recognizes its files; the [`Case`] it opens holds the facts of one pipeline and answers
//! everything that may be asked about it. Both read; neither writes, and neither judges: liveness is weighed
//! in `recover::assess`, the recommended point is chosen in `recover::resume_points`, the plan is made in
//! `recover::plan`.

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
    Amendment, Boundary, Cause, Check, Checkpoint, Conversation, Dispatch, EngineError, Experiment,
    Export, Foreign, Handoff, Intent, Irreversible, JobMarker, Place, PlanOptions, PointId,
    Prospect, Reading, Recovery, Run, Step, SystemName, Timeline,
};
use crate::world::World;

use kit::forms::Recorder;
use kit::trails::Trail;

/// Every system, in the order in which they are listed and asked.
pub const SYSTEMS: &[&dyn System] = &[
    &crucible::Crucible,
    &autoconference::Autoconference,
    &mgw::Mgw,
    &superscientist::Superscientist,
    &nine_step::NineStep,
    &claude_workflow::ClaudeWorkflow,
];

/// What discovery looks for on behalf of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A file of exactly this name.
    File(&'static str),
    /// A directory of exactly this name.
    Dir(&'static str),
    /// A regular file or directory whose name begins so.
    Prefix(&'static str),
    /// The top of any work tree (it holds `.git`).
    Repository,
}

/// How discovery came upon something.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Found {
    /// Walking beneath a root that was opened.
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
    /// Named by the person.
    Named,
}

/// Something whose name fits a marker.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hit {
    /// The marker it fits.
    pub marker: Marker,
    /// Its absolute path.
    pub path: PathBuf,
    /// How it was found.
    pub found: Found,
}

/// Files that belong to one pipeline. Candidates of the same system, key and anchor are the same pipeline and
/// are merged (both copies of one manifest).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Which system.
    pub system: SystemName,
    /// The key that the system itself uses for the pipeline.
    pub native: Foreign,
    /// What, beside the key, makes it one: the conference folder, the repository, empty for a crucible session.
    pub anchor: PathBuf,
    /// The files or folders it was recognised by, in order of finding.
    pub sources: Vec<PathBuf>,
    /// `--work-tree`: where the project is, said by the person.
    pub work_tree: Option<PathBuf>,
}

/// What a system makes of a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sniffed {
    /// These pipelines. May be empty: a repository without worktrees, an empty folder.
    Ours(Vec<Candidate>),
    /// The name fits and the content does not: counted as skipped, with this reason.
    NotOurs(Foreign),
}

/// One of the systems.
pub trait System: Send + Sync {
    /// Its name.
    fn name(&self) -> SystemName;

    /// What discovery should look for in projects.
    fn markers(&self) -> &'static [Marker];

    /// The same in Claude's project folders (depth at most 5 beneath `projects/<hash>`).
    fn claude_markers(&self) -> &'static [Marker] {
        &[]
    }

    /// The same directly in temporary directories.
    fn temp_markers(&self) -> &'static [Marker] {
        &[]
    }

    /// Looks at a hit, as little as will tell.
    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed;

    /// Whether a file is one of this system's append-only logs: lines are added to it, and no restore of a
    /// checkpoint ever overwrites it or moves it aside.
    fn is_append_only(&self, file: &Path, world: &dyn World) -> bool {
        let _ = (file, world);
        false
    }

    /// How its files are written while it works; `None` where relight only reads them.
    fn recorder(&self) -> Option<&dyn Recorder> {
        None
    }

    /// Reads a pipeline. Damage becomes a finding, never a failure: what has nothing usable in it is read as
    /// `unreadable`.
    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case>;
}

/// Where a system keeps the checkpoints of its own boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryStore {
    /// The store, there or not.
    pub store: PathBuf,
    /// The table beside its git files.
    pub table: PathBuf,
    /// Who takes the checkpoint.
    pub source: String,
}

/// A pipeline that was read: its raw facts in hand.
pub trait Case: Send + Sync {
    /// The facts.
    fn reading(&self) -> &Reading;

    /// The events, in order.
    fn timeline(&self) -> Timeline;

    /// Why it stopped, as its own records say: what it waits for, or a step that failed. `None` where they do not
    /// say; the conversations of agents may.
    fn recorded_cause(&self, world: &dyn World) -> Option<Cause> {
        let _ = world;
        None
    }

    /// How the agents of its unfinished dispatches ended, as these conversations' own files say.
    fn dispatch_causes(&self, conversations: &[Conversation], world: &dyn World) -> Vec<Cause> {
        let _ = (conversations, world);
        Vec::new()
    }

    /// The checks, in the order of the system's table.
    fn verify(&self, world: &dyn World) -> Vec<Check>;

    /// The checkpoints, oldest first, their drift not measured.
    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint>;

    /// The points at which the work can resume, in order. Empty where there is nothing to resume.
    fn boundaries(
        &self,
        checks: &[Check],
        checkpoints: &[Checkpoint],
        world: &dyn World,
    ) -> Vec<Boundary>;

    /// What would be done at one of those boundaries; `None` for an id that is not among them.
    fn intent(
        &self,
        point: &PointId,
        options: &PlanOptions,
        checks: &[Check],
        checkpoints: &[Checkpoint],
        world: &dyn World,
    ) -> Option<Intent>;

    /// Whether each of its steps is one run of the agent, so that one can follow another unattended.
    fn goes_by_steps(&self) -> bool {
        false
    }

    /// Whether its own plan can be amended.
    fn is_amendable(&self) -> bool {
        false
    }

    /// What an amendment of the pipeline's own plan would do; `None` where the system has no amendments. The reason
    /// and who approves it are given.
    fn amend(
        &self,
        ask: &Amendment,
        reason: &str,
        checks: &[Check],
        world: &dyn World,
    ) -> Option<Result<(Boundary, Intent), EngineError>> {
        let _ = (ask, reason, checks, world);
        None
    }

    /// How the orchestrator resumes after a plan for one of those points: the program and its fixed arguments, what
    /// to tell it in one line (where to resume, in its own words), and a briefing. What was restored, kept, left out
    /// and warned of is added to every hand-off alike (`recover::handoff`).
    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff;

    /// The files in which the orchestrator leaves records while it works, those that may yet be made among
    /// them. Directories are listed anew; nothing else is read.
    fn trails(&self, world: &dyn World) -> Vec<Trail> {
        let _ = world;
        Vec::new()
    }

    /// What the pipeline did outside its files that no recovery can undo, as its own records clearly state it.
    fn irreversible(&self, world: &dyn World) -> Vec<Irreversible> {
        let _ = world;
        irreversible::in_timeline(self.timeline().as_ref())
    }

    /// Lines that say in the pipeline's own log that a recovery was undone, where its format has a place for
    /// them; the recovery's own lines stay, because a log only grows. Appending steps only.
    fn undo_lines(&self, recovery: &Recovery) -> Vec<Step> {
        let _ = recovery;
        Vec::new()
    }

    /// What belongs to a restore of a checkpoint's files beside them, given the files that it writes: traces of later
    /// work moved out of the way, a line in the pipeline's own log. A file of the state comes with its new content.
    fn restore_steps(
        &self,
        checkpoint: &Checkpoint,
        restored: &[(PathBuf, Option<Vec<u8>>)],
        world: &dyn World,
    ) -> Vec<Step> {
        let _ = (checkpoint, restored, world);
        Vec::new()
    }

    /// The files with which a stage's own job says that it has ended, before any state file knows; `None` where the
    /// system has no such files, or no such stage.
    fn job_marker(&self, stage: &str) -> Option<JobMarker> {
        let _ = stage;
        None
    }

    /// Whether its files are another program's own, so that relight never writes or copies them: it records nothing,
    /// and takes no checkpoints.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Whether its state is outside the project, so that relight's own checkpoints are of the work tree alone.
    fn keeps_state_outside(&self) -> bool {
        false
    }

    /// Whether it owns nothing of a work tree but its own folder, so that a restore leaves the rest as it is.
    fn owns_only_its_folder(&self) -> bool {
        false
    }

    /// The system's own store for a checkpoint of its work tree with this reason; `None` where it takes none for it.
    fn boundary(&self, reason: &str, world: &dyn World) -> Option<BoundaryStore> {
        let _ = (reason, world);
        None
    }

    /// What a state file becomes when it is restored from relight's own checkpoint: what must not be lost of it as it
    /// is now is kept. `None` where it becomes what was saved.
    fn restored_state(&self, file: &Path, saved: &[u8], now: &[u8]) -> Option<Vec<u8>> {
        let _ = (file, saved, now);
        None
    }

    /// What can be taken out of it when it cannot continue; `None` where its results are files of the project anyway.
    fn export(&self, world: &dyn World) -> Option<Export> {
        let _ = world;
        None
    }

    /// The pipeline as one whose dispatches can run again; `None` where the system records none.
    fn replayable(&self) -> Option<&dyn Replayable> {
        None
    }

    /// The runs that can be compared beside dispatches: rounds, versions of stages; older ones first.
    fn runs(&self, world: &dyn World) -> Vec<Run> {
        let _ = world;
        Vec::new()
    }
}

/// A pipeline of a system that numbers its dispatches and records enough to run them again.
pub trait Replayable {
    /// The facts for running it again; `None` where too little can be read. Reads every dispatch file.
    fn experiment(&self, checkpoints: &[Checkpoint], world: &dyn World) -> Option<Experiment>;

    /// Whether the pipeline's own records name replays of it. Costs nothing, unlike
    /// [`Replayable::experiment`].
    fn records_replays(&self) -> bool;

    /// The dispatches of another manifest that continues this pipeline's, by number; its dispatch files are in
    /// the folder. For a replay's own copy.
    fn continued(
        &self,
        manifest: &Place,
        dispatch_dir: &Path,
        world: &dyn World,
    ) -> Result<Vec<Dispatch>, Foreign>;

    /// The boundary that encloses a numbered dispatch; `None` where there is no such number.
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
