//! What has been applied, and what can be done about a recovery that a crash interrupted.

use std::path::PathBuf;

use super::{Foreign, PipelineId, Recovery, RecoveryId, Skipped};

/// How an interrupted recovery is recovered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoverMode {
    /// The usual way: what was not committed is rolled back, what was committed is finished.
    Auto,
    /// `--finish`: refused for one that was not committed.
    Finish,
    /// `--roll-back`: refused for one that was committed.
    RollBack,
    /// `--export DIR`: nothing is recovered; all its backups are copied to a directory.
    Export(PathBuf),
}

/// The result of recovering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The recovery as it is now; `None` where it had changed nothing and was discarded.
    pub recovery: Option<Recovery>,
    /// What was found and what was done about it, a sentence each.
    pub said: Vec<Foreign>,
}

/// The result of deleting backups.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgeReport {
    /// The recoveries whose backups were deleted.
    pub purged: Vec<RecoveryId>,
    /// Bytes freed.
    pub bytes: u64,
    /// Those that keep everything, because it was cancelled before their turn.
    pub left: Vec<RecoveryId>,
    /// The pipelines whose checkpoints by relight were deleted, with their number.
    pub checkpoints: Vec<(PipelineId, usize)>,
}

/// The history of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// The recoveries, the latest first; pending ones are among them.
    pub recoveries: Vec<Recovery>,
    /// Entries of these projects that cannot be read.
    pub unreadable: Vec<Skipped>,
}
