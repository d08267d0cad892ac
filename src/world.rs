//! The facts outside the state files: clock, files, git, processes. Each has a trait, [`World`] combines them, and
//! there are real ones for the product and fakes for tests.

pub mod agents;
pub mod branch_history;
pub mod cached;
pub mod changes;
pub mod check;
pub(crate) mod clipboard;
pub mod clock;
pub mod command;
#[cfg(test)]
pub(crate) mod fake;
pub mod file_facts;
pub mod files;
pub mod git;
pub mod launch;
pub mod liveness;
pub mod noting;
pub mod process;
pub mod real;
pub mod real_files;
pub mod real_process;
pub mod runner;
pub mod sandbox;
pub mod streams;
#[cfg(test)]
pub(crate) mod temporary;
pub mod viewer;

use chrono::{DateTime, FixedOffset};

use crate::model::LocalTime;

/// A clock, and the person's own zone.
pub trait Clock: LocalTime + Send + Sync {
    /// Now.
    fn now(&self) -> DateTime<FixedOffset>;
}

/// The world as the systems see it.
pub trait World: Send + Sync {
    /// The clock.
    fn clock(&self) -> &dyn Clock;
    /// Files, read beneath opened roots.
    fn files(&self) -> &dyn files::Files;
    /// Repositories.
    fn git(&self) -> &dyn git::Git;
    /// Processes and tmux sessions.
    fn processes(&self) -> &dyn process::Processes;
    /// The places where systems keep their state on this machine.
    fn places(&self) -> &Places;
    /// Replaces the set of agent programs.
    fn know_agents(&mut self, agents: agents::Agents);
}

/// The places where systems keep their state outside projects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// `$HOME`.
    pub home: Option<std::path::PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub claude: Option<std::path::PathBuf>,
    /// `$CODEX_HOME`, else `~/.codex`.
    pub codex: Option<std::path::PathBuf>,
    /// `$GEMINI_CLI_HOME/.gemini`, else `~/.gemini`.
    pub gemini: Option<std::path::PathBuf>,
    /// `$XDG_DATA_HOME/opencode`, else `~/.local/share/opencode`.
    pub opencode: Option<std::path::PathBuf>,
    /// Where relight keeps its own state: `$XDG_STATE_HOME`, else `~/.local/state`.
    pub state: Option<std::path::PathBuf>,
    /// `/tmp` and `$TMPDIR`, each once. In the demo's sandbox only its own.
    pub temp: Vec<std::path::PathBuf>,
    /// The user id whose files are ours.
    pub uid: u32,
}
