//! Saved states of files that a resume point can be restored from.

use std::path::PathBuf;

use super::{Foreign, Stamp};

/// Where a checkpoint's content lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointKind {
    /// A commit in a shadow checkpoint store (crucible).
    Shadow {
        /// The bare git directory of the store.
        store: PathBuf,
    },
    /// A commit of the project's own repository.
    Commit {
        /// A work tree or git directory of that repository.
        repo: PathBuf,
    },
    /// A file kept beside the state it saves.
    File {
        /// The kept file.
        path: PathBuf,
    },
    /// A folder kept beside the outputs it saves.
    Folder {
        /// The kept folder.
        path: PathBuf,
    },
    /// A position in a state file itself: a row, a recorded step, an amendment with its old values.
    Record {
        /// The file that holds the record.
        path: PathBuf,
    },
}

/// A saved state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The full object id of a commit; else a word that is unique within the pipeline.
    pub id: String,
    /// Where it lies.
    pub kind: CheckpointKind,
    /// What it was taken for: `pre-wave-2`, `end of round 1`.
    pub reason: Foreign,
    /// When it was taken.
    pub taken_at: Option<Stamp>,
    /// Who took it, or which record names it.
    pub source: Foreign,
    /// What it could bring back, in a sentence.
    pub brings_back: Foreign,
    /// What it could not bring back, a sentence each; empty where nothing is known to be missing.
    pub cannot: Vec<Foreign>,
    /// How far the work tree has moved from it; `None` until it was measured or where it cannot be.
    pub drift: Option<Drift>,
}

/// How far a work tree has moved from a checkpoint, in numbers of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drift {
    /// Files whose bytes, type or executable bit differ.
    pub modified: u64,
    /// Files of the checkpoint that are no longer there.
    pub missing: u64,
    /// Files that were created after it and are not ignored.
    pub created: u64,
    /// Entries that the checkpoint cannot bring back (nested repositories and what they hide, ignored files,
    /// over budget).
    pub not_covered: u64,
    /// Each path, in byte order.
    pub paths: Vec<DriftPath>,
}

impl Drift {
    /// The paths of the checkpoint that a nested repository or another mount hides.
    pub fn hidden(&self) -> impl Iterator<Item = &DriftPath> {
        self.paths
            .iter()
            .filter(|path| path.state == PathState::Hidden)
    }
}

/// What became of one path since the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathState {
    /// There, but different.
    Modified,
    /// In the checkpoint, gone from the work tree.
    Missing,
    /// Came since.
    Created,
    /// Not covered by the checkpoint.
    NotCovered,
    /// In the checkpoint, but a nested repository or another mount is in its place or above it, so it cannot be
    /// restored. It differs, or it could not be compared.
    Hidden,
    /// In the place of something of the checkpoint, though it is not a file created after it: ignored, a pipe, or a
    /// folder where the checkpoint has a file. A folder carries the path of what belongs in its place.
    InTheWay,
    /// All paths that the project ignores, counted in one row.
    Ignored,
}

/// One path of a drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftPath {
    /// Path relative to the work tree, as bytes.
    pub path: Foreign,
    /// What became of it.
    pub state: PathState,
    /// Blob id in the checkpoint, 40 hex, where it has one.
    pub blob: Option<String>,
}
