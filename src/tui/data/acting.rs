//! What comes of asking for something that writes.

use std::path::PathBuf;

use super::Trouble;
use crate::model::{Guard, LaunchEnd, Plan, Resumed};

pub use crate::engine::{PurgeReport, Settle, Settled};

/// A plan, with what is known of carrying it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The plan.
    pub plan: Plan,
    /// Where it will keep what it replaces, where that is known.
    pub kept_in: Option<PathBuf>,
}

/// Where the records of an orchestrator stood; without one it watches nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch(pub(in crate::tui) Option<crate::engine::Watch>);

/// What became of the person's files. Unclear is a fate of its own: it is neither success nor failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Everything is as it was planned.
    Done,
    /// Nothing was begun: everything is as it was.
    Untouched,
    /// It was cancelled in time: everything is as it was.
    Cancelled,
    /// It was begun, failed, and was taken back: everything is as it was.
    RolledBack,
    /// What is on disk may be neither: a person must look.
    Unclear,
}

/// A request to write that was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What became of the files; never [`Fate::Done`].
    pub fate: Fate,
    /// What happened, and what may help.
    pub trouble: Trouble,
    /// The guards that refused, where it was guards.
    pub guards: Vec<Guard>,
}

/// What came of launching the orchestrator.
#[derive(Debug, Clone, PartialEq)]
pub struct Launched {
    /// How its program ended.
    pub end: LaunchEnd,
    /// What it had written by then.
    pub seen: Resumed,
    /// The watch that goes on; `None` where the pipeline's records cannot be watched.
    pub watch: Option<Watch>,
}
