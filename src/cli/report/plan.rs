//! `plan`, and every dry run.

use serde::Serialize;

use super::rows::PointReport;
use super::{ErrorBody, GuardReport, SCHEMA, bytes_b64, path, path_b64, text, texts};
use crate::engine::EngineError;
use crate::model::{Action, ChangeCounts, Handoff, Plan, Preview, WorkItem};

/// The answer of `plan`. `plan` is null where there is nothing to resume; `error` stands beside a plan that
/// its guards refuse.
#[derive(Debug, Serialize)]
pub(crate) struct PlanReport {
    schema: u32,
    plan: Option<PlanBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run_report: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
}

impl PlanReport {
    pub(crate) fn new(
        plan: &Plan,
        dry_run_report: Option<String>,
        refused: Option<&EngineError>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            plan: Some(PlanBody::new(plan)),
            dry_run_report,
            reason: None,
            error: refused.map(ErrorBody::new),
        }
    }

    /// Nothing to resume.
    pub(crate) fn nothing(reason: String) -> Self {
        Self {
            schema: SCHEMA,
            plan: None,
            dry_run_report: None,
            reason: Some(reason),
            error: None,
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct PlanBody {
    fingerprint: String,
    pipeline: String,
    point: PointReport,
    kept: Vec<ItemReport>,
    redone: Vec<ItemReport>,
    actions: Vec<ActionReport>,
    guards: Vec<GuardReport>,
    warnings: Vec<String>,
    left_out: Vec<String>,
    losses: Vec<String>,
    destructive: bool,
    handoff: HandoffReport,
}

impl PlanBody {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            fingerprint: plan.fingerprint.0.clone(),
            pipeline: plan.pipeline.0.clone(),
            point: PointReport::new(&plan.point),
            kept: plan.kept.iter().map(ItemReport::new).collect(),
            redone: plan.redone.iter().map(ItemReport::new).collect(),
            actions: plan.actions.iter().map(ActionReport::new).collect(),
            guards: plan.guards.iter().map(GuardReport::new).collect(),
            warnings: texts(&plan.warnings),
            left_out: texts(&plan.left_out),
            losses: texts(&plan.losses),
            destructive: plan.destructive,
            handoff: HandoffReport::new(&plan.handoff.clone().with_briefing_inline()),
        }
    }
}

#[derive(Debug, Serialize)]
struct ItemReport {
    id: String,
    label: String,
    detail: String,
    duration_s: Option<u64>,
}

impl ItemReport {
    fn new(item: &WorkItem) -> Self {
        Self {
            id: text(&item.id),
            label: text(&item.label),
            detail: text(&item.detail),
            duration_s: item.duration_s,
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct ActionReport {
    kind: &'static str,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    summary: String,
    changes: Option<ChangesReport>,
    paths: Vec<PathReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

#[derive(Debug, Serialize)]
struct ChangesReport {
    modified: u64,
    added: u64,
    removed: u64,
}

#[derive(Debug, Serialize)]
struct PathReport {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    change: &'static str,
}

impl ActionReport {
    pub(super) fn new(action: &Action) -> Self {
        let changes = |c: &ChangeCounts| ChangesReport {
            modified: c.modified,
            added: c.added,
            removed: c.removed,
        };
        let paths = action.paths.iter().map(|p| PathReport {
            path: text(&p.path),
            path_b64: bytes_b64(p.path.as_bytes()),
            change: p.change.word(),
        });
        let mut report = Self {
            kind: action.kind.word(),
            target: path(&action.target),
            path_b64: path_b64(&action.target),
            summary: text(&action.summary),
            changes: action.changes.as_ref().map(changes),
            paths: paths.collect(),
            rows: None,
            lines: None,
            content: None,
            to: None,
        };
        match &action.preview {
            Preview::Tree { .. } | Preview::Kept { .. } => {}
            Preview::Content { after, .. } => {
                report.content = Some(String::from_utf8_lossy(after).into_owned());
            }
            Preview::Rows { removed, .. } => report.rows = Some(texts(removed)),
            Preview::Lines { appended, .. } => report.lines = Some(texts(appended)),
            Preview::Rename { to } => report.to = Some(path(to)),
        }
        report
    }
}

#[derive(Debug, Serialize)]
pub(super) struct HandoffReport {
    cwd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    argv: Vec<String>,
    prompt: String,
    briefing: String,
    briefing_file: Option<String>,
}

impl HandoffReport {
    pub(super) fn new(handoff: &Handoff) -> Self {
        Self {
            cwd: path(&handoff.cwd),
            path_b64: path_b64(&handoff.cwd),
            argv: texts(&handoff.argv),
            prompt: text(&handoff.prompt),
            briefing: text(&handoff.briefing),
            briefing_file: handoff.briefing_file.as_deref().map(path),
        }
    }
}
