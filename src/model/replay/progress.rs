//! How far a replay is.

use std::path::PathBuf;

use super::{DispatchStatus, SessionId, SessionState};
use crate::model::{Foreign, Stamp};
use crate::string_enum;

string_enum! {
    /// What becomes of one step.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum StepState {
        /// Its turn has not come.
        Waiting = "waiting",
        /// Its runner works.
        Running = "running",
        /// Returned.
        Completed = "completed",
        /// Returned without success.
        Failed = "failed",
        /// Crashed, ran out of time or could not be started.
        Error = "error",
        /// Its runner was stopped because the person cancelled; it runs anew when the session is continued.
        Cancelled = "cancelled",
    }
}

impl StepState {
    /// What became of a step by the last line of its dispatch. One without an end is run again.
    pub fn of(status: DispatchStatus) -> Self {
        match status {
            DispatchStatus::Completed | DispatchStatus::Skipped => Self::Completed,
            DispatchStatus::Failed => Self::Failed,
            DispatchStatus::Error => Self::Error,
            DispatchStatus::Dispatched | DispatchStatus::Unknown => Self::Waiting,
        }
    }

    /// The word for a person. Whoever stopped a runner, a person or the machine, its dispatch runs again.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cancelled => "stopped",
            Self::Waiting | Self::Running | Self::Completed | Self::Failed | Self::Error => {
                self.word()
            }
        }
    }
}

/// One step of a session under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepProgress {
    /// The dispatch it re-executes.
    pub of: u64,
    /// Its own number, once it has one.
    pub seq: Option<u64>,
    /// What it is, for a person: `implementer, task 4`.
    pub label: Foreign,
    /// What becomes of it.
    pub state: StepState,
    /// Which attempt it is, from 1; 0 before the first.
    pub attempt: u32,
    /// When the attempt began.
    pub begun_at: Option<Stamp>,
    /// Seconds it took, once it has ended.
    pub duration_s: Option<u64>,
    /// Seconds the original took, by which what is left can be guessed.
    pub original_s: Option<u64>,
    /// What came back, in a line.
    pub summary: Option<Foreign>,
    /// Where its output is kept.
    pub output: Option<PathBuf>,
}

/// One session under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProgress {
    /// Its id.
    pub id: SessionId,
    /// Its state; `None` before it was begun.
    pub state: Option<SessionState>,
    /// What it waits for on a cluster: `job 12_3 is pending (Resources)`.
    pub waiting: Option<Foreign>,
    /// Files of its tree that are made, and how many there will be; equal once it is made.
    pub tree: (u64, u64),
    /// Its steps, in order.
    pub steps: Vec<StepProgress>,
}

/// All sessions of one replay: a whole picture, sent anew whenever something changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayProgress {
    /// In order.
    pub sessions: Vec<SessionProgress>,
}
