//! Dispatches and where a replay begins, as a record has them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::recorded::{Recorded, recorded};
use super::text::{Moment, Text};
use crate::model::{
    Checkpoint, CheckpointKind, Dispatch, DispatchStatus, Foreign, Origin, PointId, ReplayStart,
    SessionId, Stamp,
};

recorded! {
    /// A dispatch.
    struct RecordDispatch of Dispatch {
        seq: u64,
        file: Foreign,
        template: Foreign,
        role: Foreign,
        phase: Foreign,
        task: Option<Foreign>,
        status: DispatchStatus,
        duration_s: Option<u64>,
        summary: Option<Foreign>,
        input_chars: Option<u64>,
        output_chars: Option<u64>,
        tool_calls: Option<u64>,
        model_tier: Option<Foreign>,
        model: Option<Foreign>,
        begun_at: Option<Stamp>,
        path: Option<PathBuf>,
        output: Option<PathBuf>,
        wave: Option<u64>,
        replay_of: Option<u64>,
        session: Option<SessionId>,
        mutation: Option<Foreign>,
        origin: Origin,
    }
}

impl Recorded for DispatchStatus {
    type Record = String;

    fn record(&self) -> String {
        self.word().to_owned()
    }

    fn of_record(record: &String) -> Self {
        status(record)
    }
}

/// What a word of the manifest says; `replayed` is left to the system's reader.
pub(in crate::replay::session) fn status(word: &str) -> DispatchStatus {
    word.parse().unwrap_or(DispatchStatus::Unknown)
}

impl Recorded for Origin {
    type Record = (Text, Option<u64>);

    fn record(&self) -> Self::Record {
        (self.file.record(), self.line)
    }

    fn of_record((file, line): &Self::Record) -> Self {
        Self {
            file: PathBuf::of_record(file),
            line: *line,
        }
    }
}

macro_rules! as_word {
    ($($id:ident),+) => {
        $(impl Recorded for $id {
            type Record = String;

            fn record(&self) -> String {
                self.0.clone()
            }

            fn of_record(record: &String) -> Self {
                Self(record.clone())
            }
        })+
    };
}
as_word!(SessionId, PointId);

recorded! {
    /// Where a replay begins, and the checkpoint it begins with.
    struct RecordStart of ReplayStart {
        point: PointId,
        label: Foreign,
        phase: Foreign,
        redo: Vec<u64>,
        checkpoint: Option<Checkpoint>,
    } with {
        unusable: None,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::replay::session) struct RecordCheckpoint {
    id: String,
    /// A shadow store's git directory.
    store: Option<Text>,
    /// Else a work tree or git directory of the project.
    repo: Option<Text>,
    reason: Text,
    taken_at: Option<Moment>,
    source: Text,
    brings_back: Text,
    cannot: Vec<Text>,
}

/// None for kinds that no tree is made from.
impl Recorded for Option<Checkpoint> {
    type Record = Option<RecordCheckpoint>;

    fn record(&self) -> Self::Record {
        let checkpoint = self.as_ref()?;
        let (store, repo) = match &checkpoint.kind {
            CheckpointKind::Shadow { store } => (Some(store.record()), None),
            CheckpointKind::Commit { repo } => (None, Some(repo.record())),
            CheckpointKind::File { .. }
            | CheckpointKind::Folder { .. }
            | CheckpointKind::Record { .. } => return None,
        };
        Some(RecordCheckpoint {
            id: checkpoint.id.clone(),
            store,
            repo,
            reason: checkpoint.reason.record(),
            taken_at: checkpoint.taken_at.record(),
            source: checkpoint.source.record(),
            brings_back: checkpoint.brings_back.record(),
            cannot: checkpoint.cannot.record(),
        })
    }

    fn of_record(record: &Self::Record) -> Self {
        let record = record.as_ref()?;
        let kind = match (&record.store, &record.repo) {
            (Some(store), _) => CheckpointKind::Shadow {
                store: PathBuf::of_record(store),
            },
            (None, Some(repo)) => CheckpointKind::Commit {
                repo: PathBuf::of_record(repo),
            },
            (None, None) => return None,
        };
        Some(Checkpoint {
            id: record.id.clone(),
            kind,
            reason: Foreign::of_record(&record.reason),
            taken_at: Recorded::of_record(&record.taken_at),
            source: Foreign::of_record(&record.source),
            brings_back: Foreign::of_record(&record.brings_back),
            cannot: Recorded::of_record(&record.cannot),
            drift: None,
        })
    }
}
