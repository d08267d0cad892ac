//! `timeline`, `verify`, `points`, `checkpoints`.

use serde::Serialize;
use serde::ser::{SerializeSeq as _, SerializeStruct as _, Serializer};
use serde_json::{Value, json};

use super::{SCHEMA, all, path, path_b64, text, texts, time, with, zone};
use crate::model::{
    Check, Checkpoint, CheckpointNeed, Drift, Event, ResumePoint, Timeline, Verdict,
};

/// `timeline`. Events are made one by one as they are written, so that a million cost no memory.
pub(crate) struct TimelineReport(pub(crate) Timeline);

impl Serialize for TimelineReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("timeline", 2)?;
        object.serialize_field("schema", &SCHEMA)?;
        object.serialize_field("events", &Rows(&self.0))?;
        object.end()
    }
}

struct Rows<'a>(&'a Timeline);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(None)?;
        for row in (0..self.0.len()).filter_map(|at| self.0.get(at)) {
            rows.serialize_element(&event(&row))?;
        }
        rows.end()
    }
}

fn event(event: &Event) -> Value {
    let source = json!({ "file": path(&event.origin.file), "line": event.origin.line });
    let object = json!({
        "at": time(event.at),
        "at_text": event.at_text.as_ref().map(text),
        "kind": text(&event.kind),
        "phase": event.phase.as_ref().map(text),
        "subject": text(&event.subject),
        "status": event.status.as_ref().map(text),
        "text": text(&event.text),
        "source": with(source, "path_b64", path_b64(&event.origin.file)),
    });
    with(object, "zone", zone([event.at]))
}

/// `verify`.
pub(crate) fn verify(checks: &[Check], verdict: Verdict) -> Value {
    let check = |check: &Check| {
        json!({
            "id": check.id.0,
            "subject": text(&check.subject()),
            "verdict": check.verdict.word(),
            "evidence": text(&check.evidence),
            "remedy": check.remedy.as_ref().map(text),
        })
    };
    json!({ "schema": SCHEMA, "checks": all(checks, check), "verdict": verdict.word() })
}

/// `points`.
pub(crate) fn points(points: &[ResumePoint]) -> Value {
    json!({ "schema": SCHEMA, "points": all(points, point) })
}

pub(super) fn point(point: &ResumePoint) -> Value {
    let boundary = &point.boundary;
    let found = match &boundary.checkpoint {
        CheckpointNeed::Found(found) => Some(checkpoint(found)),
        CheckpointNeed::None | CheckpointNeed::Missing { .. } => None,
    };
    json!({
        "id": boundary.id.0,
        "label": text(&boundary.label),
        "phase": boundary.phase.as_ref().map(text),
        "kind": boundary.kind.word(),
        "recommended": point.recommended,
        "verified": boundary.verified.word(),
        "reason": text(&point.reason),
        "checkpoint": found,
        "kept": boundary.kept,
        "redone": boundary.redone,
        "time_lost_s": boundary.time_lost_s,
        "warnings": texts(&boundary.warnings),
    })
}

/// `checkpoints`.
pub(crate) fn checkpoints(checkpoints: &[Checkpoint]) -> Value {
    json!({ "schema": SCHEMA, "checkpoints": all(checkpoints, checkpoint) })
}

pub(super) fn checkpoint(checkpoint: &Checkpoint) -> Value {
    let drift = |drift: &Drift| {
        json!({
            "modified": drift.modified,
            "missing": drift.missing,
            "created": drift.created,
            "not_covered": drift.not_covered,
        })
    };
    let object = json!({
        "id": checkpoint.id,
        "reason": text(&checkpoint.reason),
        "taken_at": time(checkpoint.taken_at),
        "source": text(&checkpoint.source),
        "brings_back": text(&checkpoint.brings_back),
        "cannot": texts(&checkpoint.cannot),
        "drift": checkpoint.drift.as_ref().map(drift),
    });
    with(object, "zone", zone([checkpoint.taken_at]))
}
