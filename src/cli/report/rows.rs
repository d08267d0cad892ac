//! `timeline`, `verify`, `points`, `checkpoints`.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::{SerializeSeq as _, SerializeStruct as _, Serializer};
use serde_json::{Value, json};

use super::{SCHEMA, all, path_b64, text, texts, time, with, zone};
use crate::model::{
    Check, Checkpoint, CheckpointNeed, Drift, Event, Foreign, ResumePoint, Timeline, Verdict,
    in_order,
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
        for (_, row) in in_order(Arc::clone(self.0)) {
            rows.serialize_element(&EventReport::from(&row))?;
        }
        rows.end()
    }
}

#[derive(Serialize)]
struct EventReport<'a> {
    at: Option<String>,
    at_text: Option<Cow<'a, str>>,
    kind: Cow<'a, str>,
    phase: Option<Cow<'a, str>>,
    subject: Cow<'a, str>,
    status: Option<Cow<'a, str>>,
    text: Cow<'a, str>,
    source: SourceReport<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
}

#[derive(Serialize)]
struct SourceReport<'a> {
    file: Cow<'a, str>,
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
}

impl<'a> From<&'a Event> for EventReport<'a> {
    fn from(event: &'a Event) -> Self {
        let file = &event.origin.file;
        Self {
            at: time(event.at),
            at_text: event.at_text.as_ref().map(Foreign::lossy),
            kind: event.kind.lossy(),
            phase: event.phase.as_ref().map(Foreign::lossy),
            subject: event.subject.lossy(),
            status: event.status.as_ref().map(Foreign::lossy),
            text: event.text.lossy(),
            source: SourceReport {
                file: file.to_string_lossy(),
                line: event.origin.line,
                path_b64: path_b64(file),
            },
            zone: zone([event.at]),
        }
    }
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
