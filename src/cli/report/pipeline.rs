//! `list`, `show` and `demo`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::replay::session;
use super::{SCHEMA, all, path, path_b64, paths, paths_b64, text, texts, time, with, zone};
use crate::engine::{Skipped, Survey};
use crate::model::{
    Cause, Finding, Hidden, ListRow, Phase, Pipeline, RecoveryId, ReplaySession, Verdict, in_parts,
};

/// The least number of rows for a thread.
const ROWS: usize = 16;

/// What was left out. `scope` is only a lower bound where `scope_at_least` is true.
pub(super) fn hidden(hidden: Hidden) -> Value {
    json!({
        "complete": hidden.complete,
        "scope": hidden.scope,
        "scope_at_least": hidden.unwalked,
    })
}

/// `list`. `pending` has the oldest recovery first, and the files of interrupted records; `unreadable` is what cannot be
/// read of the history.
pub(crate) fn list(
    rows: &[ListRow],
    survey: &Survey,
    (pending, cut): (&[&RecoveryId], &[PathBuf]),
    unreadable: &[Skipped],
) -> Value {
    let pending: Vec<&str> = pending.iter().map(|id| id.0.as_str()).collect();
    let left_out = survey.skipped.iter().chain(unreadable).map(skipped);
    let mut wire = json!({
        "schema": SCHEMA,
        "pipelines": null,
        "skipped": left_out.collect::<Vec<_>>(),
        "hidden": hidden(survey.hidden),
        "pending_recovery": pending.first(),
        "pending_recoveries": pending,
        "interrupted_records": paths(cut),
    });
    // They are put in their place as they are: `json!` would copy them.
    if let Some(fields) = wire.as_object_mut() {
        let rows = Value::Array(in_parts(rows, ROWS, row));
        fields.insert("pipelines".to_owned(), rows);
    }
    wire
}

/// A pipeline with its worst verdict, where it was verified.
fn row(row: &ListRow) -> Value {
    let worst = row.checks.map(|checks| checks.worst);
    judged(&row.pipeline, worst, row.cause.as_deref())
}

fn judged(found: &Pipeline, worst: Option<Verdict>, cause: Option<&Cause>) -> Value {
    let object = with(pipeline(found), "worst", Some(worst.map(Verdict::word)));
    with(object, "cause", Some(cause.map(super::why::cause)))
}

/// A file that was left out, and why.
pub(super) fn skipped(skipped: &Skipped) -> Value {
    let object = json!({ "path": path(&skipped.path), "reason": text(&skipped.reason) });
    with(object, "path_b64", path_b64(&skipped.path))
}

/// `demo`.
pub(crate) fn demo(root: &Path, survey: &Survey) -> Value {
    let ids: Vec<&str> = survey.pipelines.iter().map(|p| p.id.0.as_str()).collect();
    json!({ "schema": SCHEMA, "root": path(root), "pipelines": ids })
}

/// `show`.
pub(crate) fn show(
    found: &Pipeline,
    (worst, cause): (Verdict, Option<&Cause>),
    replays: &[ReplaySession],
) -> Value {
    json!({
        "schema": SCHEMA,
        "pipeline": judged(found, Some(worst), cause),
        "phases": all(&found.reading.phases, phase),
        "findings": all(&found.reading.findings, finding),
        "replays": all(replays, session),
    })
}

fn pipeline(pipeline: &Pipeline) -> Value {
    let standing = &pipeline.standing;
    let branch = pipeline.reading.branch.as_ref().map(|branch| {
        json!({
            "expected": branch.expected.as_ref().map(text),
            "actual": branch.actual.as_ref().map(text),
        })
    });
    let badges = pipeline.reading.badges.iter().map(|badge| badge.word());
    let work_tree = pipeline.reading.work_tree.as_deref();
    let progress = &pipeline.reading.progress;
    let object = json!({
        "id": pipeline.id.0,
        "system": pipeline.reading.system.0,
        "native": text(&pipeline.reading.native),
        "title": text(&pipeline.reading.title),
        "status": standing.status.word(),
        "status_reason": text(&standing.reason),
        "liveness": {
            "verdict": standing.liveness.verdict.word(),
            "evidence": texts(&standing.liveness.evidence),
        },
        "root": path(&pipeline.reading.root),
        "state_files": paths(&pipeline.reading.state_files),
        "work_tree": work_tree.map(path),
        "branch": branch,
        "started_at": time(pipeline.reading.started_at),
        "last_activity_at": time(pipeline.reading.last_activity_at),
        "stopped_where": text(&pipeline.reading.stopped_where),
        "progress": {
            "done": progress.done.unwrap_or_default(),
            "total": progress.total,
            "unit": progress.unit,
            "at_least": progress.at_least || progress.done.is_none(),
        },
        "badges": badges.collect::<Vec<_>>(),
    });
    let reading = &pipeline.reading;
    let assumed = zone([reading.started_at, reading.last_activity_at]);
    let object = with(object, "zone", assumed);
    let object = with(object, "path_b64", path_b64(&reading.root));
    let files = paths_b64(&reading.state_files);
    let object = with(object, "state_files_b64", files);
    with(object, "work_tree_b64", work_tree.and_then(path_b64))
}

fn phase(phase: &Phase) -> Value {
    let object = json!({
        "id": text(&phase.id),
        "name": text(&phase.name),
        "status": phase.status.word(),
        "native_status": text(&phase.native_status),
        "done": phase.done.unwrap_or_default(),
        "total": phase.total,
        "attempts": phase.attempts,
        "started_at": time(phase.started_at),
        "ended_at": time(phase.ended_at),
        "duration_s": phase.duration_s,
        "detail": text(&phase.detail),
        "at_least": phase.at_least || phase.done.is_none(),
    });
    with(object, "zone", zone([phase.started_at, phase.ended_at]))
}

fn finding(finding: &Finding) -> Value {
    let object = json!({
        "severity": finding.severity.word(),
        "code": finding.code,
        "file": path(&finding.origin.file),
        "line": finding.origin.line,
        "text": text(&finding.text),
        "inferred": finding.inferred,
    });
    with(object, "path_b64", path_b64(&finding.origin.file))
}
