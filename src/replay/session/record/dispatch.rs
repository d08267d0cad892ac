//! Dispatches and where a replay begins, as a record has them.

use serde::{Deserialize, Serialize};

use super::text::{Moment, Text};
use crate::model::{
    Checkpoint, CheckpointKind, Dispatch, DispatchStatus, Foreign, Origin, PointId, ReplayStart,
    SessionId,
};

/// A dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordDispatch {
    seq: u64,
    file: Text,
    template: Text,
    role: Text,
    phase: Text,
    task: Option<Text>,
    status: String,
    duration_s: Option<u64>,
    summary: Option<Text>,
    input_chars: Option<u64>,
    output_chars: Option<u64>,
    tool_calls: Option<u64>,
    model_tier: Option<Text>,
    model: Option<Text>,
    begun_at: Option<Moment>,
    path: Option<Text>,
    output: Option<Text>,
    wave: Option<u64>,
    replay_of: Option<u64>,
    session: Option<String>,
    mutation: Option<Text>,
    origin: (Text, Option<u64>),
}

fn text(text: Option<&Foreign>) -> Option<Text> {
    text.map(Text::from)
}

fn foreign(text: Option<&Text>) -> Option<Foreign> {
    text.map(Text::foreign)
}

impl RecordDispatch {
    pub(super) fn of(one: &Dispatch) -> Self {
        Self {
            seq: one.seq,
            file: Text::from(&one.file),
            template: Text::from(&one.template),
            role: Text::from(&one.role),
            phase: Text::from(&one.phase),
            task: text(one.task.as_ref()),
            status: one.status.word().to_owned(),
            duration_s: one.duration_s,
            summary: text(one.summary.as_ref()),
            input_chars: one.input_chars,
            output_chars: one.output_chars,
            tool_calls: one.tool_calls,
            model_tier: text(one.model_tier.as_ref()),
            model: text(one.model.as_ref()),
            begun_at: one.begun_at.map(Moment::from),
            path: one.path.as_deref().map(Text::from),
            output: one.output.as_deref().map(Text::from),
            wave: one.wave,
            replay_of: one.replay_of,
            session: one.session.as_ref().map(|id| id.0.clone()),
            mutation: text(one.mutation.as_ref()),
            origin: (Text::from(one.origin.file.as_path()), one.origin.line),
        }
    }

    pub(super) fn dispatch(&self) -> Dispatch {
        Dispatch {
            seq: self.seq,
            file: self.file.foreign(),
            template: self.template.foreign(),
            role: self.role.foreign(),
            phase: self.phase.foreign(),
            task: foreign(self.task.as_ref()),
            status: status(&self.status),
            duration_s: self.duration_s,
            summary: foreign(self.summary.as_ref()),
            input_chars: self.input_chars,
            output_chars: self.output_chars,
            tool_calls: self.tool_calls,
            model_tier: foreign(self.model_tier.as_ref()),
            model: foreign(self.model.as_ref()),
            begun_at: self.begun_at.as_ref().and_then(Moment::stamp),
            path: self.path.as_ref().map(Text::path),
            output: self.output.as_ref().map(Text::path),
            wave: self.wave,
            replay_of: self.replay_of,
            session: self.session.clone().map(SessionId),
            mutation: foreign(self.mutation.as_ref()),
            origin: Origin {
                file: self.origin.0.path(),
                line: self.origin.1,
            },
        }
    }
}

/// What a word of the manifest says; `replayed` is left to the system's reader.
pub(in crate::replay::session) fn status(word: &str) -> DispatchStatus {
    use DispatchStatus::{Completed, Dispatched, Error, Failed, Skipped, Unknown};
    let all = [Dispatched, Completed, Failed, Error, Skipped];
    let found = all.into_iter().find(|status| status.word() == word);
    found.unwrap_or(Unknown)
}

/// Where a replay begins, and the checkpoint it begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordStart {
    point: String,
    label: Text,
    phase: Text,
    redo: Vec<u64>,
    checkpoint: Option<RecordCheckpoint>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecordCheckpoint {
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

impl RecordStart {
    pub(super) fn of(start: &ReplayStart) -> Self {
        Self {
            point: start.point.0.clone(),
            label: Text::from(&start.label),
            phase: Text::from(&start.phase),
            redo: start.redo.clone(),
            checkpoint: start.checkpoint.as_ref().and_then(RecordCheckpoint::of),
        }
    }

    pub(super) fn start(&self) -> ReplayStart {
        let checkpoint = self.checkpoint.as_ref();
        ReplayStart {
            point: PointId(self.point.clone()),
            label: self.label.foreign(),
            phase: self.phase.foreign(),
            redo: self.redo.clone(),
            checkpoint: checkpoint.and_then(RecordCheckpoint::checkpoint),
            unusable: None,
        }
    }
}

impl RecordCheckpoint {
    /// `None` for kinds that no tree is made from.
    fn of(checkpoint: &Checkpoint) -> Option<Self> {
        let (store, repo) = match &checkpoint.kind {
            CheckpointKind::Shadow { store } => (Some(Text::from(store.as_path())), None),
            CheckpointKind::Commit { repo } => (None, Some(Text::from(repo.as_path()))),
            CheckpointKind::File { .. }
            | CheckpointKind::Folder { .. }
            | CheckpointKind::Record { .. } => return None,
        };
        Some(Self {
            id: checkpoint.id.clone(),
            store,
            repo,
            reason: Text::from(&checkpoint.reason),
            taken_at: checkpoint.taken_at.map(Moment::from),
            source: Text::from(&checkpoint.source),
            brings_back: Text::from(&checkpoint.brings_back),
            cannot: checkpoint.cannot.iter().map(Text::from).collect(),
        })
    }

    fn checkpoint(&self) -> Option<Checkpoint> {
        let kind = match (&self.store, &self.repo) {
            (Some(store), _) => CheckpointKind::Shadow {
                store: store.path(),
            },
            (None, Some(repo)) => CheckpointKind::Commit { repo: repo.path() },
            (None, None) => return None,
        };
        Some(Checkpoint {
            id: self.id.clone(),
            kind,
            reason: self.reason.foreign(),
            taken_at: self.taken_at.as_ref().and_then(Moment::stamp),
            source: self.source.foreign(),
            brings_back: self.brings_back.foreign(),
            cannot: self.cannot.iter().map(Text::foreign).collect(),
            drift: None,
        })
    }
}
