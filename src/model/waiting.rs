//! What `relight wait` is answered.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};

use super::Foreign;
use crate::string_enum;

string_enum! {
    /// How a wait ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum WaitOutcome {
        /// The stage ended well.
        Ended = "ended",
        /// The stage ended otherwise, or the new record reports a failure.
        Failed = "failed",
        /// The stage waits for a person.
        Waiting = "waiting",
        /// Something new was recorded.
        Changed = "changed",
        /// The time was up first.
        TimedOut = "timeout",
    }
}

/// The end of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waited {
    /// The stage that was waited for.
    pub stage: Option<String>,
    /// How it ended.
    pub outcome: WaitOutcome,
    /// The exit code of the stage's job, where there is one.
    pub exit_code: Option<i64>,
    /// When the end was seen.
    pub at: DateTime<FixedOffset>,
    /// What was seen, in a sentence.
    pub text: Foreign,
}

/// The marker files that the job of a stage writes when it has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobMarker {
    /// The files, which need not be there yet.
    pub files: Vec<PathBuf>,
    /// Whether a marker of the current attempt is there.
    pub ended: bool,
    /// The exit code beside it, where it can be read.
    pub exit_code: Option<i64>,
}
