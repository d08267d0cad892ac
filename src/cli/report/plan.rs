//! `plan`, and every dry run.

use serde_json::{Value, json};

use super::rows::point;
use super::{SCHEMA, all, beside, bytes_b64, forms, guard, path, path_b64, text, texts, with};
use crate::engine::EngineError;
use crate::model::{Action, BranchMove, Handoff, Irreversible, Plan, PlanPath, Preview, WorkItem};

/// `plan`. An error is reported beside a plan that its guards refuse.
pub(crate) fn plan(
    plan: &Plan,
    dry_run_report: Option<String>,
    ledger: &[Irreversible],
    refused: Option<&EngineError>,
) -> Value {
    let body = with(body(plan), "irreversible", Some(all(ledger, irreversible)));
    let object = json!({ "schema": SCHEMA, "plan": body });
    beside(with(object, "dry_run_report", dry_run_report), refused)
}

/// `plan` where there is nothing to resume.
pub(crate) fn no_plan(reason: &str) -> Value {
    json!({ "schema": SCHEMA, "plan": null, "reason": reason })
}

pub(super) fn body(plan: &Plan) -> Value {
    json!({
        "fingerprint": plan.fingerprint.0,
        "pipeline": plan.pipeline.0,
        "point": point(&plan.point),
        "kept": all(&plan.kept, item),
        "redone": all(&plan.redone, item),
        "actions": all(&plan.actions, action),
        "guards": all(&plan.guards, guard),
        "warnings": texts(&plan.warnings),
        "left_out": texts(&plan.left_out),
        "losses": plan.losses.iter().map(|loss| text(&loss.text)).collect::<Vec<_>>(),
        "destructive": plan.destructive,
        "handoff": handoff(&plan.handoff.clone().with_briefing_inline()),
    })
}

/// Something that the pipeline did and that no recovery can undo. `remedy` is a command to copy, else empty.
pub(super) fn irreversible(one: &Irreversible) -> Value {
    json!({
        "kind": one.kind,
        "text": text(&one.text),
        "remedy": text(&one.remedy),
        "source": { "file": path(&one.origin.file), "line": one.origin.line },
    })
}

fn item(item: &WorkItem) -> Value {
    json!({
        "id": text(&item.id),
        "label": text(&item.label),
        "detail": text(&item.detail),
        "duration_s": item.duration_s,
    })
}

pub(super) fn action(action: &Action) -> Value {
    let changes = action.changes.as_ref().map(|c| {
        let files = json!({ "modified": c.modified, "added": c.added, "removed": c.removed });
        let commits = |branch: BranchMove| {
            json!({ "commits_removed": branch.removed, "commits_restored": branch.restored })
        };
        with(files, "branch", c.branch.map(commits))
    });
    let one_path = |changed: &PlanPath| {
        let object = json!({ "path": text(&changed.path), "change": changed.change.word() });
        let object = with(object, "forms", forms(changed.forms));
        with(object, "path_b64", bytes_b64(changed.path.as_bytes()))
    };
    let object = json!({
        "kind": action.kind.word(),
        "target": path(&action.target),
        "summary": text(&action.summary),
        "changes": changes,
        "paths": all(&action.paths, one_path),
    });
    let object = with(object, "path_b64", path_b64(&action.target));
    match &action.preview {
        Preview::Tree { .. } | Preview::Kept { .. } => object,
        Preview::Content { after, .. } => {
            with(object, "content", Some(String::from_utf8_lossy(after)))
        }
        Preview::Rows { removed, .. } => with(object, "rows", Some(texts(removed))),
        Preview::Lines { appended, .. } => with(object, "lines", Some(texts(appended))),
        Preview::Appended { lines } => with(object, "appended", Some(lines)),
        Preview::Rename { to } => with(object, "to", Some(path(to))),
    }
}

pub(super) fn handoff(handoff: &Handoff) -> Value {
    let object = json!({
        "cwd": path(&handoff.cwd),
        "argv": texts(&handoff.argv),
        "prompt": text(&handoff.prompt),
        "briefing": text(&handoff.briefing),
        "briefing_file": handoff.briefing_file.as_deref().map(path),
    });
    with(object, "path_b64", path_b64(&handoff.cwd))
}
