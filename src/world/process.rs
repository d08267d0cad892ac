//! Questions about the processes of this machine.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::agents::Agents;
use crate::model::Foreign;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its short name as the kernel has it.
    pub name: Foreign,
    /// Its argument vector.
    pub argv: Vec<Foreign>,
    /// Its working directory, if it can be read.
    pub cwd: Option<PathBuf>,
    /// When it started.
    pub started: Option<DateTime<Utc>>,
    /// Open files, if they can be read.
    pub open_files: Vec<PathBuf>,
    /// The files that are open for writing.
    pub writes: Vec<PathBuf>,
    /// False if its working directory or its open files cannot be read, so that finding nothing proves nothing.
    pub readable: bool,
    /// True where it belongs to the user who runs relight.
    pub own: bool,
}

/// One pane of a tmux session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// Process id of what runs in it.
    pub pid: u32,
    /// Its working directory.
    pub cwd: PathBuf,
    /// The command it was started with.
    pub command: Foreign,
}

/// One tmux session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxSession {
    /// Its exact name.
    pub name: Foreign,
    /// When it was made.
    pub created: Option<DateTime<Utc>>,
    /// Its panes.
    pub panes: Vec<Pane>,
}

/// Questions about processes.
pub trait Processes: Send + Sync {
    /// The processes of this machine; an error if they cannot be listed.
    fn list(&self) -> Result<Vec<Process>, Foreign>;

    /// The same list, shared between the queries of many pipelines.
    fn snapshot(&self) -> Result<Arc<[Process]>, Foreign> {
        self.list().map(Arc::from)
    }

    /// The tmux sessions; an error if tmux cannot be queried (a server that is not running has none).
    fn tmux(&self) -> Result<Vec<TmuxSession>, Foreign>;

    /// The ids of relight itself and of its parent processes.
    fn ancestors(&self) -> Vec<u32>;

    /// Which programs are agents.
    fn agents(&self) -> &Agents;

    /// Whether a program of this name is on the path.
    fn on_path(&self, program: &str) -> bool;

    /// Clears the cached list, so that the next question reads it again.
    fn refresh(&self);
}
