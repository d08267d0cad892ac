//! The data of the console that is not the model's: what the engine gives it, and the state of a pending request.

use std::path::PathBuf;
use std::sync::Arc;

pub use crate::engine::{PRESETS, Watch, after_launch, launchable};
use crate::model::{EngineError, ErrorKind, LaunchEnd, Plan, Result, Resumed};

/// A plan, with where its backups will be kept, if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The plan.
    pub plan: Plan,
    /// The directory of its backups.
    pub kept_in: Option<PathBuf>,
}

/// The state of the person's files after an action. Unclear is neither success nor failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Fate {
    /// Everything is as planned.
    #[default]
    Done,
    /// Nothing was started: everything is as before.
    Untouched,
    /// It was cancelled in time: everything is as before.
    Cancelled,
    /// It was started, failed, and was rolled back: everything is as before.
    RolledBack,
    /// The files may be neither as before nor as planned, and need a person.
    Unclear,
}

impl Fate {
    /// The state of the files after an action failed with this error; never [`Fate::Done`].
    pub fn after(error: &EngineError) -> Self {
        match error.kind {
            ErrorKind::RolledBack => Self::RolledBack,
            ErrorKind::Cancelled => Self::Cancelled,
            // A bug of relight itself proves nothing about the files.
            ErrorKind::Unclear | ErrorKind::Bug => Self::Unclear,
            _ => Self::Untouched,
        }
    }
}

/// The result of launching the orchestrator.
#[derive(Debug, Clone, PartialEq)]
pub struct Launched {
    /// How its program ended.
    pub end: LaunchEnd,
    /// What it had written by then.
    pub seen: Resumed,
    /// The watch that continues; `None` where the pipeline's records cannot be watched.
    pub watch: Option<Watch>,
}

/// The state of a request: pending, ready, or failed.
#[derive(Debug, Clone, Default)]
pub enum Load<T> {
    /// Not there yet.
    #[default]
    Pending,
    /// There.
    Ready(Arc<T>),
    /// Failed.
    Failed(EngineError),
}

impl<T> Load<T> {
    /// The value, if it is there.
    pub fn ready(&self) -> Option<&Arc<T>> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Pending | Self::Failed(_) => None,
        }
    }
}

impl<T> From<Result<T>> for Load<T> {
    fn from(result: Result<T>) -> Self {
        match result {
            Ok(value) => Self::Ready(Arc::new(value)),
            Err(trouble) => Self::Failed(trouble),
        }
    }
}
