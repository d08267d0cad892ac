//! What comes of asking for something that writes.

use super::Trouble;
use crate::model::{Foreign, Guard};

pub use crate::engine::{PurgeReport, Settle, Settled};

/// What became of the person's files. Unclear is a fate of its own: it is neither success nor failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Everything is as it was planned.
    Done,
    /// Nothing was begun: everything is as it was.
    Untouched,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    /// How its program ended, in a sentence.
    pub ended: Foreign,
    /// The first new record it wrote, in a sentence; `None` where there is none yet.
    pub resumed: Option<Foreign>,
}
