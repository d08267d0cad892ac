//! What the commands that change the disk answer.

use serde::Serialize;

use super::pipeline::SkippedReport;
use super::plan::{ActionReport, HandoffReport};
use super::{SCHEMA, path, path_b64, paths_b64, text, texts};
use crate::engine::{Past, PurgeReport};
use crate::model::{CheckRun, Handoff, LeftPath, Outcome, Recovery, Rehearsal};

/// `resume`, `restore`, `undo`, `redo`. `recovery` is null where there was nothing to do; `reason` says why
/// where even the hand-off is missing.
#[derive(Debug, Serialize)]
pub(crate) struct ActedReport {
    schema: u32,
    recovery: Option<RecoveryReport>,
    handoff: Option<HandoffReport>,
    verified: Vec<String>,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl ActedReport {
    pub(crate) fn new(outcome: &Outcome) -> Self {
        Self {
            schema: SCHEMA,
            recovery: outcome.recovery.as_ref().map(RecoveryReport::new),
            handoff: outcome.handoff.as_ref().map(HandoffReport::new),
            verified: texts(&outcome.verified),
            notes: texts(&outcome.notes),
            reason: None,
        }
    }

    /// No action was needed: the hand-off alone.
    pub(crate) fn handed_over(handoff: &Handoff) -> Self {
        Self {
            handoff: Some(HandoffReport::new(handoff)),
            ..Self::nothing(None)
        }
    }

    /// There is nothing to resume or to undo.
    pub(crate) fn nothing(reason: Option<String>) -> Self {
        Self {
            schema: SCHEMA,
            recovery: None,
            handoff: None,
            verified: Vec::new(),
            notes: Vec::new(),
            reason,
        }
    }
}

/// A recovery.
#[derive(Debug, Serialize)]
struct RecoveryReport {
    id: String,
    pipeline: String,
    root: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    label: String,
    started_at: String,
    ended_at: Option<String>,
    state: &'static str,
    undoes: Option<String>,
    undone_by: Option<String>,
    actions: Vec<ActionReport>,
    kept_bytes: u64,
    kept_in: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_in_b64: Option<Vec<Option<String>>>,
    purged: bool,
    trouble: Vec<String>,
    left: Vec<LeftReport>,
}

/// A path that was left as it was found, and where its other versions are kept.
#[derive(Debug, Serialize)]
struct LeftReport {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    before: Option<String>,
    planned: Option<String>,
    text: String,
}

impl LeftReport {
    fn new(left: &LeftPath) -> Self {
        Self {
            path: path(&left.path),
            path_b64: path_b64(&left.path),
            before: left.before.as_deref().map(path),
            planned: left.planned.as_deref().map(path),
            text: text(&left.text),
        }
    }
}

impl RecoveryReport {
    fn new(recovery: &Recovery) -> Self {
        let time = |at: &chrono::DateTime<chrono::FixedOffset>| {
            at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
        };
        Self {
            id: recovery.id.0.clone(),
            pipeline: recovery.pipeline.0.clone(),
            root: path(&recovery.root),
            path_b64: path_b64(&recovery.root),
            label: text(&recovery.label),
            started_at: time(&recovery.started_at),
            ended_at: recovery.ended_at.as_ref().map(time),
            state: recovery.state.word(),
            undoes: recovery.undoes.as_ref().map(|id| id.0.clone()),
            undone_by: recovery.undone_by.as_ref().map(|id| id.0.clone()),
            actions: recovery.actions.iter().map(ActionReport::new).collect(),
            kept_bytes: recovery.kept_bytes,
            kept_in: recovery.kept_in.iter().map(|p| path(p)).collect(),
            kept_in_b64: paths_b64(&recovery.kept_in),
            purged: recovery.purged,
            trouble: texts(&recovery.trouble),
            left: recovery.left.iter().map(LeftReport::new).collect(),
        }
    }
}

/// `history`.
#[derive(Debug, Serialize)]
pub(crate) struct HistoryReport {
    schema: u32,
    recoveries: Vec<RecoveryReport>,
    skipped: Vec<SkippedReport>,
}

impl HistoryReport {
    pub(crate) fn new(past: &Past) -> Self {
        Self {
            schema: SCHEMA,
            recoveries: past.recoveries.iter().map(RecoveryReport::new).collect(),
            skipped: past.unreadable.iter().map(SkippedReport::new).collect(),
        }
    }
}

/// `recover`. `recovery` is null where nothing was pending.
#[derive(Debug, Serialize)]
pub(crate) struct SettledReport {
    schema: u32,
    recovery: Option<RecoveryReport>,
    said: Vec<String>,
}

impl SettledReport {
    pub(crate) fn new(recovery: Option<&Recovery>, said: Vec<String>) -> Self {
        Self {
            schema: SCHEMA,
            recovery: recovery.map(RecoveryReport::new),
            said,
        }
    }
}

/// `purge`.
#[derive(Debug, Serialize)]
pub(crate) struct PurgedReport {
    schema: u32,
    purged: Vec<String>,
    bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
}

impl PurgedReport {
    pub(crate) fn new(report: &PurgeReport) -> Self {
        Self {
            schema: SCHEMA,
            purged: report.purged.iter().map(|id| id.0.clone()).collect(),
            bytes: report.bytes,
            left: report.left.iter().map(|id| id.0.clone()).collect(),
        }
    }
}

/// `rehearse`. `rehearsal` is null where there is nothing to resume.
#[derive(Debug, Serialize)]
pub(crate) struct RehearsedReport {
    schema: u32,
    fingerprint: Option<String>,
    rehearsal: Option<RehearsalBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
struct RehearsalBody {
    folder: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    changed: u64,
    not_covered: Vec<String>,
    check: Option<CheckRunReport>,
}

#[derive(Debug, Serialize)]
struct CheckRunReport {
    argv: Vec<String>,
    passed: bool,
    ended: String,
    seconds: u64,
    output: String,
}

impl RehearsedReport {
    pub(crate) fn new(fingerprint: String, rehearsal: &Rehearsal) -> Self {
        let check = |run: &CheckRun| CheckRunReport {
            argv: texts(&run.argv),
            passed: run.passed,
            ended: text(&run.ended),
            seconds: run.seconds,
            output: text(&run.output),
        };
        Self {
            schema: SCHEMA,
            fingerprint: Some(fingerprint),
            rehearsal: Some(RehearsalBody {
                folder: path(&rehearsal.folder),
                path_b64: path_b64(&rehearsal.folder),
                changed: rehearsal.changed,
                not_covered: texts(&rehearsal.not_covered),
                check: rehearsal.check.as_ref().map(check),
            }),
            reason: None,
        }
    }

    /// There is nothing to resume.
    pub(crate) fn nothing(reason: String) -> Self {
        Self {
            schema: SCHEMA,
            fingerprint: None,
            rehearsal: None,
            reason: Some(reason),
        }
    }
}
