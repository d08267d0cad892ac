//! `record` and `wait`.

use serde_json::{Map, Value, json};

use super::pipeline::skipped;
use super::{SCHEMA, all, path, rfc3339, text, texts, with};
use crate::engine::Skipped;
use crate::model::{LeftOut, Recorded, RecordedFile, TakenCheckpoint, Waited};

/// `history --records`: the lines of the ledgers as they are.
pub(crate) fn records(lines: &[Map<String, Value>], unreadable: &[Skipped]) -> Value {
    json!({ "schema": SCHEMA, "records": lines, "skipped": all(unreadable, skipped) })
}

/// What was recorded, and what comes next.
pub(crate) fn recorded(recorded: &Recorded) -> Value {
    let file = |file: &RecordedFile| json!({"path": path(&file.path), "before": file.before, "after": file.after});
    let what = json!({
        "form": recorded.form,
        "at": rfc3339(recorded.at),
        "files": recorded.files.iter().map(file).collect::<Vec<_>>(),
        "seq": recorded.seq,
        "file": recorded.file.as_deref().map(path),
        "checkpoint": null,
    });
    let next = recorded.next.as_ref();
    let next = next.map(|next| json!({"id": next.id, "label": next.label, "phase": next.phase}));
    let notes = (!recorded.notes.is_empty()).then(|| texts(&recorded.notes));
    let answer = json!({
        "schema": SCHEMA,
        "recorded": with(what, "repeated", recorded.repeated.then_some(true)),
        "next": next,
    });
    with(answer, "notes", notes)
}

/// How a wait ended.
pub(crate) fn waited(waited: &Waited) -> Value {
    json!({
        "schema": SCHEMA,
        "waited": {
            "stage": waited.stage,
            "outcome": waited.outcome.word(),
            "exit_code": waited.exit_code,
            "at": rfc3339(waited.at),
            "text": text(&waited.text),
        },
    })
}

/// A checkpoint that was taken.
pub(crate) fn taken(taken: &TakenCheckpoint) -> Value {
    let left_out = |left: &LeftOut| json!({"ignored": left.ignored, "secret": left.secret, "large": left.large});
    let checkpoint = json!({
        "id": taken.id,
        "reason": taken.reason,
        "source": taken.source,
        "store": path(&taken.store),
        "state_files": taken.state_files.iter().map(|file| path(file)).collect::<Vec<_>>(),
        "left_out": taken.left_out.as_ref().map(left_out),
    });
    let what = json!({"form": "checkpoint", "checkpoint": checkpoint});
    json!({
        "schema": SCHEMA,
        "recorded": with(what, "repeated", taken.repeated.then_some(true)),
        "next": null,
    })
}
