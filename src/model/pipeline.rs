//! A pipeline: one instance of a workflow on disk, and what is known about it.

use std::fmt;

use super::{Cause, Foreign, Liveness, Reading, Stamp};

use crate::string_enum;
use crate::text::format::or_unknown;

/// The name of one of the systems relight reads: `crucible`, `mgw`, ….
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SystemName(pub &'static str);

impl fmt::Display for SystemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// `<system>-<native>~<hex>`. Safe on every terminal and in every shell.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct PipelineId(pub String);

impl PipelineId {
    /// ` of ID`, for a title; nothing where the record that named the pipeline is lost.
    pub fn of_it(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        format!(" of {}", self.0)
    }
}

impl fmt::Display for PipelineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

string_enum! {
    /// The status of a pipeline.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Status {
        /// Something is still working on it.
        Live = "live",
        /// Stopped for a human: an approval, a blocker, a pause.
        Waiting = "waiting",
        /// Stopped; can be resumed.
        Interrupted = "interrupted",
        /// Found, but nothing usable in it.
        Unreadable = "unreadable",
        /// Done.
        Complete = "complete",
    }
}

/// The status with its reason, and the liveness beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its status.
    pub status: Status,
    /// Why, in a sentence.
    pub reason: Foreign,
    /// Whether something still works on it.
    pub liveness: Liveness,
}

impl Standing {
    /// Becomes waiting if the cause certainly awaits a person; any other cause changes nothing.
    pub fn wait_for(&mut self, cause: &Cause) {
        if cause.makes_waiting(self.status) {
            self.status = Status::Waiting;
            self.reason = cause.text.clone();
        }
    }
}

string_enum! {
    /// Marks beside a pipeline that a person should see when choosing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Badge {
        /// A newest write older than its system's limit for staleness.
        Stale = "stale",
        /// The work tree is on another branch than the pipeline was.
        BranchMismatch = "branch_mismatch",
        /// The work tree has uncommitted changes.
        Dirty = "dirty",
        /// The marker, branch or worktree that the state names is gone.
        Orphan = "orphan",
        /// Configured, never begun.
        NotStarted = "not_started",
        /// Concluded from git and plan alone; there is no state file.
        NoStateFile = "no_state_file",
        /// Done but for the cleaning up.
        CleanupPending = "cleanup_pending",
        /// Its status was concluded where a record is missing.
        Inferred = "inferred",
        /// A file of it is damaged.
        Damaged = "damaged",
    }
}

impl Badge {
    /// True for a badge that a person should look at before anything else.
    pub fn is_alarming(self) -> bool {
        match self {
            Self::BranchMismatch | Self::Dirty | Self::Orphan | Self::Damaged => true,
            Self::Stale
            | Self::NotStarted
            | Self::NoStateFile
            | Self::CleanupPending
            | Self::Inferred => false,
        }
    }
}

/// How much is done, in the system's own unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Finished units; `None` where the files that say so cannot be read.
    pub done: Option<u64>,
    /// All units, where that is known.
    pub total: Option<u64>,
    /// What is counted: `phases`, `rounds`, `steps`, `stages`.
    pub unit: &'static str,
    /// Whether more may be done: a file that would say so cannot be read.
    pub at_least: bool,
}

impl Progress {
    /// So many of so many.
    pub const fn new(done: Option<u64>, total: Option<u64>, unit: &'static str) -> Self {
        let at_least = false;
        Self {
            done,
            total,
            unit,
            at_least,
        }
    }

    /// The same without what files say that cannot be read.
    #[must_use]
    pub fn without_some_files(self) -> Self {
        let done = self.done.filter(|done| *done > 0);
        Self {
            done,
            // More than all cannot be done.
            at_least: done.is_none() || done != self.total,
            ..self
        }
    }

    /// `2/4`; `2+/4` where more may be done.
    pub fn fraction(&self) -> String {
        format!("{}/{}", self.done(), or_unknown(self.total))
    }

    /// `2 of 4`; `2` where the whole is unknown.
    pub fn out_of(&self) -> String {
        let total = self.total.map(|total| format!(" of {total}"));
        format!("{}{}", self.done(), total.unwrap_or_default())
    }

    fn done(&self) -> String {
        let more = self.at_least && self.done.is_some();
        format!("{}{}", or_unknown(self.done), if more { "+" } else { "" })
    }
}

/// The branch a pipeline was on, and the one its work tree is on now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branch {
    /// As the pipeline recorded it.
    pub expected: Option<Foreign>,
    /// As the work tree has it; `None` when detached or unreadable.
    pub actual: Option<Foreign>,
}

string_enum! {
    /// The state of a phase.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PhaseStatus {
        /// Finished, with evidence that it was.
        Done = "done",
        /// Begun, not finished.
        Active = "active",
        /// Ended badly.
        Failed = "failed",
        /// For a human to decide.
        Waiting = "waiting",
        /// Not begun.
        Pending = "pending",
        /// Deliberately left out.
        Skipped = "skipped",
        /// Was done, and is stale because something before it changed.
        Invalidated = "invalidated",
    }
}

/// A row of the phase table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its id, a string in every system (`3.5` exists).
    pub id: Foreign,
    /// Its name for a person.
    pub name: Foreign,
    /// Its state.
    pub status: PhaseStatus,
    /// The system's own word for that.
    pub native_status: Foreign,
    /// Finished units of work within it; `None` where the records of them cannot be read.
    pub done: Option<u64>,
    /// All units of work within it, where known.
    pub total: Option<u64>,
    /// Whether more may be done, as of the whole pipeline.
    pub at_least: bool,
    /// How often it was begun.
    pub attempts: u64,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub ended_at: Option<Stamp>,
    /// How long it took or has taken, in seconds.
    pub duration_s: Option<u64>,
    /// One line more.
    pub detail: Foreign,
}

impl Phase {
    /// Its own progress.
    pub fn progress(&self) -> Progress {
        Progress {
            at_least: self.at_least,
            ..Progress::new(self.done, self.total, "units")
        }
    }
}

/// One instance of a workflow on disk: everything a browser row and a header need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Stable id; assigned by the engine once every copy was merged.
    pub id: PipelineId,
    /// What its files say; each of its marks once, in the order of [`Badge`].
    pub reading: Reading,
    /// Status, reason and liveness: the claim of the files, weighed against the signs of life.
    pub standing: Standing,
}
