//! `replay`: sessions, and the plan of one.

mod plan;

pub(crate) use plan::ReplayPlanReport;
pub(super) use plan::SwapReport;

use serde::Serialize;

use super::comparison::ComparisonBody;
use super::plan::HandoffReport;
use super::{ErrorBody, SCHEMA, path, path_b64, text, texts, time, zone};
use crate::engine::EngineError;
use crate::model::{Comparison, ReplaySession};

/// The answer of `replay` and of `replay --list`. `comparison` is there with `--diff`; `error` stands beside the
/// sessions of a replay that was cancelled.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayReport {
    schema: u32,
    sessions: Vec<SessionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonBody>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    records: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
}

impl ReplayReport {
    pub(crate) fn new(sessions: &[ReplaySession]) -> Self {
        Self {
            schema: SCHEMA,
            sessions: sessions.iter().map(SessionReport::new).collect(),
            comparison: None,
            records: Vec::new(),
            notes: Vec::new(),
            recovery: None,
            error: None,
        }
    }

    /// The same with the comparison that was asked for, and where its record is kept.
    pub(crate) fn compared(mut self, comparison: &Comparison, kept: &[std::path::PathBuf]) -> Self {
        self.comparison = Some(ComparisonBody::new(comparison));
        self.records = kept.iter().map(|file| path(file)).collect();
        self
    }

    /// The same with what else is to be said.
    pub(crate) fn noted(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// The same after a recovery that put the work tree back first.
    pub(crate) fn after(mut self, recovery: Option<String>) -> Self {
        self.recovery = recovery;
        self
    }

    /// The same beside an error.
    pub(crate) fn beside(mut self, error: &EngineError) -> Self {
        self.error = Some(ErrorBody::new(error));
        self
    }
}

/// A replay session.
#[derive(Debug, Serialize)]
pub(crate) struct SessionReport {
    id: String,
    state: &'static str,
    tree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree_b64: Option<String>,
    manifest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest_b64: Option<String>,
    dispatches: CountsReport,
    pipeline: String,
    group: String,
    repeat: usize,
    of: usize,
    start: Option<String>,
    mutations: Vec<String>,
    runner: Option<String>,
    in_place: bool,
    started_at: Option<String>,
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
    folder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    handoff: Option<HandoffReport>,
    trouble: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CountsReport {
    done: u64,
    failed: u64,
    error: u64,
    left: u64,
}

impl SessionReport {
    pub(crate) fn new(session: &ReplaySession) -> Self {
        let counts = session.dispatches;
        let folder = session.folder.as_deref();
        Self {
            id: session.id.0.clone(),
            state: session.state.word(),
            tree: session.tree.as_deref().map(path),
            tree_b64: session.tree.as_deref().and_then(path_b64),
            manifest: path(&session.manifest),
            manifest_b64: path_b64(&session.manifest),
            dispatches: CountsReport {
                done: counts.done,
                failed: counts.failed,
                error: counts.error,
                left: counts.left,
            },
            pipeline: session.pipeline.0.clone(),
            group: session.group.0.clone(),
            repeat: session.repeat.0,
            of: session.repeat.1,
            start: session.start.as_ref().map(|point| point.0.clone()),
            mutations: texts(&session.mutations),
            runner: Some(text(&session.runner)).filter(|name| !name.is_empty()),
            in_place: session.in_place,
            started_at: time(session.started_at),
            ended_at: time(session.ended_at),
            zone: zone([session.started_at, session.ended_at]),
            folder: folder.map(path),
            path_b64: folder.and_then(path_b64),
            handoff: session.handoff.as_ref().map(HandoffReport::new),
            trouble: texts(&session.trouble),
        }
    }
}
