//! The commands that change the disk.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::pipeline::skipped;
use super::plan::{action, handoff, irreversible};
use super::{
    SCHEMA, all, error_body, path, path_b64, paths, paths_b64, rfc3339, text, texts, with,
};
use crate::engine::{History, KeptFile, PurgeReport, PurgedReplays, Result, StoredReplay};
use crate::model::{
    CheckRun, Exported, Foreign, Handoff, Irreversible, LeftPath, Outcome, PendingPath, PipelineId,
    Recovery, RecoveryId, RecoveryState, Rehearsal,
};

/// `resume`, `restore`, `undo`, `redo`.
pub(crate) fn acted(outcome: &Outcome, ledger: &[Irreversible]) -> Value {
    json!({
        "schema": SCHEMA,
        "recovery": outcome.recovery.as_ref().map(recovery),
        "handoff": outcome.handoff.as_ref().map(handoff),
        "verified": texts(&outcome.verified),
        "notes": texts(&outcome.notes),
        "irreversible": all(ledger, irreversible),
    })
}

/// The answer if there is nothing to resume or to undo.
pub(crate) fn not_acted(reason: Option<String>) -> Value {
    with(handed_over(None), "reason", reason)
}

/// The answer with what was recovered before it.
pub(crate) fn noted(answer: Value, notes: &[Foreign]) -> Value {
    with(answer, "notes", Some(texts(notes)))
}

/// No change was needed: the hand-off alone, where there is one.
pub(crate) fn handed_over(found: Option<&Handoff>) -> Value {
    json!({
        "schema": SCHEMA,
        "recovery": null,
        "handoff": found.map(handoff),
        "verified": [],
        "notes": [],
        "irreversible": [],
    })
}

/// A path that was left as it was found, and where its other versions are kept.
fn left(left: &LeftPath) -> Value {
    let object = json!({
        "path": path(&left.path),
        "before": left.before.as_deref().map(path),
        "planned": left.planned.as_deref().map(path),
        "text": text(&left.text),
    });
    with(object, "path_b64", path_b64(&left.path))
}

fn recovery(recovery: &Recovery) -> Value {
    let object = json!({
        "id": recovery.id.0,
        "pipeline": recovery.pipeline.0,
        "root": path(&recovery.root),
        "label": text(&recovery.label),
        "started_at": rfc3339(recovery.started_at),
        "ended_at": recovery.ended_at.map(rfc3339),
        "state": match recovery.state {
            // One that was ended half-applied still needs a person: the contract has no other word for it.
            RecoveryState::HalfApplied => RecoveryState::NeedsAttention.word(),
            state @ (RecoveryState::Committed
            | RecoveryState::RolledBack
            | RecoveryState::NeedsAttention) => state.word(),
        },
        "undoes": recovery.undoes.as_ref().map(|id| &id.0),
        "undone_by": recovery.undone_by.as_ref().map(|id| &id.0),
        "actions": all(&recovery.actions, action),
        "kept_bytes": recovery.kept_bytes,
        "kept_in": paths(&recovery.kept_in),
        "purged": recovery.purged,
        "trouble": texts(&recovery.trouble),
        "left": all(&recovery.left, left),
    });
    let object = with(object, "running", recovery.running.then_some(true));
    let now = |one: &PendingPath| {
        let object = json!({ "path": path(&one.path), "state": one.state.word() });
        with(object, "path_b64", path_b64(&one.path))
    };
    let now = (!recovery.paths.is_empty()).then(|| all(&recovery.paths, now));
    let object = with(object, "paths", now);
    let object = with(object, "path_b64", path_b64(&recovery.root));
    with(object, "kept_in_b64", paths_b64(&recovery.kept_in))
}

/// `history`.
pub(crate) fn history(past: &History) -> Value {
    json!({
        "schema": SCHEMA,
        "recoveries": all(&past.recoveries, recovery),
        "skipped": all(&past.unreadable, skipped),
    })
}

/// `recover`. `recovery` is null where nothing was pending.
pub(crate) fn recovered(found: Option<&Recovery>, said: &[Foreign]) -> Value {
    json!({ "schema": SCHEMA, "recovery": found.map(recovery), "said": texts(said) })
}

/// `purge`.
pub(crate) fn purged(
    report: &PurgeReport,
    replays: &PurgedReplays,
    pipelines: &[PipelineId],
    files: &[KeptFile],
) -> Value {
    let ids = |ids| all(ids, |id: &RecoveryId| json!(id.0));
    let object = json!({ "schema": SCHEMA, "purged": ids(&report.purged), "bytes": report.bytes });
    let left = (!report.left.is_empty()).then(|| ids(&report.left));
    let object = with(object, "left", left);
    let one = |one: &StoredReplay| json!({ "pipeline": one.pipeline.0, "id": one.id.0 });
    let named = |replays| all(replays, one);
    let bytes = replays.bytes;
    let purged =
        json!({ "purged": named(&replays.purged), "bytes": bytes, "left": named(&replays.left) });
    let any = !replays.purged.is_empty() || !replays.left.is_empty();
    let object = with(object, "replays", any.then_some(purged));
    let kept = |one: &KeptFile| json!({ "kind": one.kind.word(), "name": one.name });
    let files = (!files.is_empty()).then(|| all(files, kept));
    let object = with(object, "files", files);
    let id = |id: &PipelineId| json!(id.0);
    let pipelines = (!pipelines.is_empty()).then(|| all(pipelines, id));
    with(object, "checkpoints", pipelines)
}

/// `rehearse`.
pub(crate) fn rehearsed(fingerprint: &str, rehearsal: &Rehearsal) -> Value {
    let check = |run: &CheckRun| {
        json!({
            "argv": texts(&run.argv),
            "passed": run.passed,
            "ended": text(&run.ended),
            "seconds": run.seconds,
            "output": text(&run.output),
        })
    };
    let body = json!({
        "folder": path(&rehearsal.folder),
        "changed": rehearsal.changed,
        "not_covered": texts(&rehearsal.not_covered),
        "check": rehearsal.check.as_ref().map(check),
    });
    let body = with(body, "path_b64", path_b64(&rehearsal.folder));
    json!({ "schema": SCHEMA, "fingerprint": fingerprint, "rehearsal": body })
}

/// `rehearse` where there is nothing to resume.
pub(crate) fn not_rehearsed(reason: &str) -> Value {
    json!({ "schema": SCHEMA, "fingerprint": null, "rehearsal": null, "reason": reason })
}

/// `export`.
pub(crate) fn exported(exported: &Exported) -> Value {
    let body = json!({
        "dir": path(&exported.dir),
        "files": exported.files,
        "gaps": texts(&exported.gaps),
        "warnings": texts(&exported.warnings),
    });
    json!({ "schema": SCHEMA, "export": with(body, "path_b64", path_b64(&exported.dir)) })
}

/// `export --report`: the same shape for all pipelines together, and what was refused.
pub(crate) fn exported_reports(dir: &Path, all: &[(PipelineId, Result<Exported>)]) -> Value {
    let (mut files, mut gaps, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let mut warnings = BTreeSet::new();
    for (id, exported) in all {
        match exported {
            Ok(one) => {
                files.extend(one.files.iter().map(|name| format!("{}/{name}", id.0)));
                let own = one.gaps.iter();
                gaps.extend(own.map(|gap| format!("{}: {}", id.0, text(gap))));
                warnings.extend(&one.warnings);
            }
            Err(error) => refused.push(json!({ "id": id.0, "error": error_body(error) })),
        }
    }
    let body = json!({
        "dir": path(dir),
        "files": files,
        "gaps": gaps,
        "warnings": warnings.into_iter().map(text).collect::<Vec<_>>(),
        "refused": refused,
    });
    json!({ "schema": SCHEMA, "export": with(body, "path_b64", path_b64(dir)) })
}
