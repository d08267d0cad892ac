//! `list` and `show`.

use std::path::Path;

use serde::Serialize;

use super::replay::SessionReport;
use super::{SCHEMA, path, path_b64, paths_b64, text, texts, time, zone};
use crate::engine::{Skipped, Survey};
use crate::model::{Finding, Phase, Pipeline, RecoveryId, ReplaySession};

/// `list`.
#[derive(Debug, Serialize)]
pub(crate) struct ListReport {
    schema: u32,
    pipelines: Vec<PipelineReport>,
    skipped: Vec<SkippedReport>,
    hidden: HiddenReport,
    /// The oldest of them.
    pending_recovery: Option<String>,
    pending_recoveries: Vec<String>,
}

/// What was left out, and why.
#[derive(Debug, Serialize)]
pub(super) struct SkippedReport {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    reason: String,
}

#[derive(Debug, Serialize)]
struct HiddenReport {
    complete: u64,
    scope: u64,
}

impl ListReport {
    /// `pending` has the oldest first.
    pub(crate) fn new(survey: &Survey, pending: &[&RecoveryId]) -> Self {
        let pending: Vec<String> = pending.iter().map(|id| id.0.clone()).collect();
        Self {
            schema: SCHEMA,
            pipelines: survey.pipelines.iter().map(PipelineReport::new).collect(),
            skipped: survey.skipped.iter().map(SkippedReport::new).collect(),
            hidden: HiddenReport {
                complete: survey.hidden.complete,
                scope: survey.hidden.scope,
            },
            pending_recovery: pending.first().cloned(),
            pending_recoveries: pending,
        }
    }

    /// The same with what cannot be read of the history.
    pub(crate) fn beside(mut self, unreadable: &[Skipped]) -> Self {
        self.skipped
            .extend(unreadable.iter().map(SkippedReport::new));
        self
    }
}

impl SkippedReport {
    pub(super) fn new(skipped: &Skipped) -> Self {
        Self {
            path: path(&skipped.path),
            path_b64: path_b64(&skipped.path),
            reason: text(&skipped.reason),
        }
    }
}

/// `demo`.
#[derive(Debug, Serialize)]
pub(crate) struct DemoReport {
    schema: u32,
    root: String,
    pipelines: Vec<String>,
}

impl DemoReport {
    pub(crate) fn new(root: &Path, survey: &Survey) -> Self {
        let pipelines = survey.pipelines.iter().map(|p| p.id.0.clone()).collect();
        Self {
            schema: SCHEMA,
            root: path(root),
            pipelines,
        }
    }
}

/// `show`.
#[derive(Debug, Serialize)]
pub(crate) struct ShowReport {
    schema: u32,
    pipeline: PipelineReport,
    phases: Vec<PhaseReport>,
    findings: Vec<FindingReport>,
    replays: Vec<SessionReport>,
}

impl ShowReport {
    pub(crate) fn new(pipeline: &Pipeline, replays: &[ReplaySession]) -> Self {
        Self {
            schema: SCHEMA,
            pipeline: PipelineReport::new(pipeline),
            phases: pipeline.phases.iter().map(PhaseReport::new).collect(),
            findings: pipeline.findings.iter().map(FindingReport::new).collect(),
            replays: replays.iter().map(SessionReport::new).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct PipelineReport {
    id: String,
    system: &'static str,
    native: String,
    title: String,
    status: &'static str,
    status_reason: String,
    liveness: LivenessReport,
    root: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    state_files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state_files_b64: Option<Vec<Option<String>>>,
    work_tree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_tree_b64: Option<String>,
    branch: Option<BranchReport>,
    started_at: Option<String>,
    last_activity_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
    stopped_where: String,
    progress: ProgressReport,
    badges: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct LivenessReport {
    verdict: &'static str,
    evidence: Vec<String>,
}

#[derive(Debug, Serialize)]
struct BranchReport {
    expected: Option<String>,
    actual: Option<String>,
}

#[derive(Debug, Serialize)]
struct ProgressReport {
    done: u64,
    total: Option<u64>,
    unit: &'static str,
}

impl PipelineReport {
    fn new(pipeline: &Pipeline) -> Self {
        let standing = &pipeline.standing;
        Self {
            id: pipeline.id.0.clone(),
            system: pipeline.system.0,
            native: text(&pipeline.native),
            title: text(&pipeline.title),
            status: standing.status.word(),
            status_reason: text(&standing.reason),
            liveness: LivenessReport {
                verdict: standing.liveness.verdict.word(),
                evidence: texts(&standing.liveness.evidence),
            },
            root: path(&pipeline.root),
            path_b64: path_b64(&pipeline.root),
            state_files: pipeline.state_files.iter().map(|p| path(p)).collect(),
            state_files_b64: paths_b64(&pipeline.state_files),
            work_tree: pipeline.work_tree.as_deref().map(path),
            work_tree_b64: pipeline.work_tree.as_deref().and_then(path_b64),
            branch: pipeline.branch.as_ref().map(|b| BranchReport {
                expected: b.expected.as_ref().map(text),
                actual: b.actual.as_ref().map(text),
            }),
            started_at: time(pipeline.started_at),
            last_activity_at: time(pipeline.last_activity_at),
            zone: zone([pipeline.started_at, pipeline.last_activity_at]),
            stopped_where: text(&pipeline.stopped_where),
            progress: ProgressReport {
                done: pipeline.progress.done,
                total: pipeline.progress.total,
                unit: pipeline.progress.unit,
            },
            badges: pipeline.badges.iter().map(|badge| badge.word()).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct PhaseReport {
    id: String,
    name: String,
    status: &'static str,
    native_status: String,
    done: u64,
    total: Option<u64>,
    attempts: u64,
    started_at: Option<String>,
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
    duration_s: Option<u64>,
    detail: String,
}

impl PhaseReport {
    fn new(phase: &Phase) -> Self {
        Self {
            id: text(&phase.id),
            name: text(&phase.name),
            status: phase.status.word(),
            native_status: text(&phase.native_status),
            done: phase.done,
            total: phase.total,
            attempts: phase.attempts,
            started_at: time(phase.started_at),
            ended_at: time(phase.ended_at),
            zone: zone([phase.started_at, phase.ended_at]),
            duration_s: phase.duration_s,
            detail: text(&phase.detail),
        }
    }
}

#[derive(Debug, Serialize)]
struct FindingReport {
    severity: &'static str,
    code: &'static str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    line: Option<u64>,
    text: String,
    inferred: bool,
}

impl FindingReport {
    fn new(finding: &Finding) -> Self {
        Self {
            severity: finding.severity.word(),
            code: finding.code,
            file: path(&finding.origin.file),
            path_b64: path_b64(&finding.origin.file),
            line: finding.origin.line,
            text: text(&finding.text),
            inferred: finding.inferred,
        }
    }
}
