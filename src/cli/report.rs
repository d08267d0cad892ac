//! What `--json` prints. The shapes are a contract, written out here and independent of the model: fields may
//! be added, never renamed or removed.

mod acting;
mod comparison;
mod doctor;
mod pipeline;
mod plan;
mod record;
mod replay;
mod rows;
mod why;

pub(super) use acting::{
    acted, exported, exported_reports, handed_over, history, not_acted, not_rehearsed, noted,
    purged, recovered, rehearsed,
};
pub(super) use comparison::{comparison, nothing_to_compare, operands};
pub(super) use doctor::doctor;
pub(super) use pipeline::{demo, list, show};
pub(super) use plan::{no_plan, plan};
pub(super) use record::{recorded, records, taken, waited};
pub(super) use replay::{listed, replay_plan, replayed, sessions};
pub(super) use rows::{TimelineReport, checkpoints, points, verify, verify_all};
pub(super) use why::{continued, why};

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, FixedOffset};
use serde::Serialize;
use serde_json::{Value, json};

use crate::engine::EngineError;
use crate::model::{FileForm, Foreign, Forms, Guard, Stamp, Zone};

/// The version of every shape here.
const SCHEMA: u32 = 1;

/// Foreign text as JSON; bytes that are not UTF-8 are replaced.
fn text(foreign: &Foreign) -> String {
    foreign.lossy().into_owned()
}

fn texts(foreign: &[Foreign]) -> Vec<String> {
    foreign.iter().map(text).collect()
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|one| path(one)).collect()
}

/// The true bytes of a path that is not UTF-8.
fn path_b64(path: &Path) -> Option<String> {
    bytes_b64(path.as_os_str().as_bytes())
}

/// The true bytes of those of several paths that are not UTF-8, each in its place; `None` where all are.
fn paths_b64(paths: &[PathBuf]) -> Option<Vec<Option<String>>> {
    let all: Vec<Option<String>> = paths.iter().map(|one| path_b64(one)).collect();
    all.iter().any(Option::is_some).then_some(all)
}

/// What a path is on both sides, where its bytes do not show it.
fn forms(forms: Forms) -> Option<[Option<&'static str>; 2]> {
    let Forms { before, after } = forms.notable()?;
    Some([before, after].map(|form| form.map(FileForm::word)))
}

fn bytes_b64(bytes: &[u8]) -> Option<String> {
    let odd = std::str::from_utf8(bytes).is_err();
    odd.then(|| STANDARD.encode(bytes))
}

/// RFC 3339 with its offset.
fn rfc3339(at: DateTime<FixedOffset>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}

fn time(stamp: Option<Stamp>) -> Option<String> {
    stamp.map(|stamp| rfc3339(stamp.at))
}

/// `assumed` if any of these times had no zone of its own.
fn zone<const N: usize>(stamps: [Option<Stamp>; N]) -> Option<&'static str> {
    let mut known = stamps.iter().flatten();
    let assumed = known.any(|stamp| stamp.zone == Zone::Assumed);
    assumed.then_some("assumed")
}

/// The object with one more field, if it has a value.
fn with(mut object: Value, key: &str, value: Option<impl Serialize>) -> Value {
    if let (Some(fields), Some(value)) = (object.as_object_mut(), value) {
        fields.insert(key.to_owned(), json!(value));
    }
    object
}

/// Each as its JSON.
fn all<T>(items: &[T], one: fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(one).collect()
}

fn guard(guard: &Guard) -> Value {
    json!({
        "id": guard.id,
        "kind": guard.kind.word(),
        "holds": guard.holds,
        "text": text(&guard.text),
        "would_hold_if": guard.would_hold_if.as_ref().map(text),
    })
}

fn error_body(error: &EngineError) -> Value {
    json!({
        "kind": error.kind.word(),
        "text": text(&error.text),
        "hints": texts(&error.hints),
        "guards": all(&error.guards, guard),
    })
}

/// `man` and `completions`.
pub(super) fn document(name: &str, content: &[u8]) -> Value {
    json!({ "schema": SCHEMA, name: String::from_utf8_lossy(content) })
}

/// The answer of a command that failed.
pub(super) fn error(error: &EngineError) -> Value {
    json!({ "schema": SCHEMA, "error": error_body(error) })
}

/// An answer with an error: a refused plan, or changes that were made before a cancellation.
pub(super) fn beside(report: Value, error: Option<&EngineError>) -> Value {
    with(report, "error", error.map(error_body))
}
