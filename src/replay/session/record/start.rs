//! Where a replay begins, as a record has it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Checkpoint, CheckpointKind, Foreign, PointId, ReplayStart, Stamp};
use crate::text::stored;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordStart {
    point: PointId,
    label: Foreign,
    phase: Foreign,
    redo: Vec<u64>,
    checkpoint: Option<RecordCheckpoint>,
}

/// A checkpoint that is a commit, of a shadow store or of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecordCheckpoint {
    id: String,
    #[serde(default, with = "stored")]
    store: Option<PathBuf>,
    #[serde(default, with = "stored")]
    repo: Option<PathBuf>,
    reason: Foreign,
    taken_at: Option<Stamp>,
    source: Foreign,
    brings_back: Foreign,
    cannot: Vec<Foreign>,
}

impl RecordStart {
    pub(super) fn of(start: &ReplayStart) -> Self {
        Self {
            point: start.point.clone(),
            label: start.label.clone(),
            phase: start.phase.clone(),
            redo: start.redo.clone(),
            checkpoint: start.checkpoint.as_ref().and_then(RecordCheckpoint::of),
        }
    }

    pub(super) fn start(&self) -> ReplayStart {
        let checkpoint = self.checkpoint.as_ref();
        ReplayStart {
            point: self.point.clone(),
            label: self.label.clone(),
            phase: self.phase.clone(),
            redo: self.redo.clone(),
            checkpoint: checkpoint.and_then(RecordCheckpoint::checkpoint),
            unusable: None,
        }
    }
}

impl RecordCheckpoint {
    fn of(checkpoint: &Checkpoint) -> Option<Self> {
        let (store, repo) = match &checkpoint.kind {
            CheckpointKind::Shadow { store } => (Some(store.clone()), None),
            CheckpointKind::Commit { repo } => (None, Some(repo.clone())),
            CheckpointKind::File { .. }
            | CheckpointKind::Folder { .. }
            | CheckpointKind::Record { .. } => return None,
        };
        let of = checkpoint.clone();
        Some(Self {
            id: of.id,
            store,
            repo,
            reason: of.reason,
            taken_at: of.taken_at,
            source: of.source,
            brings_back: of.brings_back,
            cannot: of.cannot,
        })
    }

    fn checkpoint(&self) -> Option<Checkpoint> {
        let of = self.clone();
        let kind = match (of.store, of.repo) {
            (Some(store), _) => CheckpointKind::Shadow { store },
            (None, Some(repo)) => CheckpointKind::Commit { repo },
            (None, None) => return None,
        };
        Some(Checkpoint {
            id: of.id,
            kind,
            reason: of.reason,
            taken_at: of.taken_at,
            source: of.source,
            brings_back: of.brings_back,
            cannot: of.cannot,
            drift: None,
        })
    }
}
