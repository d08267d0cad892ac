//! `timeline`, `verify`, `points`, `checkpoints`.

use serde::Serialize;
use serde::ser::{SerializeSeq as _, SerializeStruct as _, Serializer};

use super::{SCHEMA, path, path_b64, text, texts, time, zone};
use crate::model::{
    Check, Checkpoint, CheckpointNeed, Drift, Event, ResumePoint, Timeline, Verdict,
};

/// `timeline`: events are made one by one as they are written, so that a million cost no memory.
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
        for event in (0..self.0.len()).filter_map(|at| self.0.get(at)) {
            rows.serialize_element(&EventReport::new(&event))?;
        }
        rows.end()
    }
}

#[derive(Debug, Serialize)]
struct EventReport {
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
    at_text: Option<String>,
    kind: String,
    phase: Option<String>,
    subject: String,
    status: Option<String>,
    text: String,
    source: SourceReport,
}

#[derive(Debug, Serialize)]
struct SourceReport {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    line: Option<u64>,
}

impl EventReport {
    fn new(event: &Event) -> Self {
        Self {
            at: time(event.at),
            zone: zone([event.at]),
            at_text: event.at_text.as_ref().map(text),
            kind: text(&event.kind),
            phase: event.phase.as_ref().map(text),
            subject: text(&event.subject),
            status: event.status.as_ref().map(text),
            text: text(&event.text),
            source: SourceReport {
                file: path(&event.origin.file),
                path_b64: path_b64(&event.origin.file),
                line: event.origin.line,
            },
        }
    }
}

/// `verify`.
#[derive(Debug, Serialize)]
pub(crate) struct VerifyReport {
    schema: u32,
    checks: Vec<CheckReport>,
    verdict: &'static str,
}

#[derive(Debug, Serialize)]
struct CheckReport {
    id: String,
    subject: String,
    verdict: &'static str,
    evidence: String,
    remedy: Option<String>,
}

impl VerifyReport {
    pub(crate) fn new(checks: &[Check], verdict: Verdict) -> Self {
        let rows = checks.iter().map(|check| CheckReport {
            id: check.id.0.clone(),
            subject: text(&check.subject()),
            verdict: check.verdict.word(),
            evidence: text(&check.evidence),
            remedy: check.remedy.as_ref().map(text),
        });
        Self {
            schema: SCHEMA,
            checks: rows.collect(),
            verdict: verdict.word(),
        }
    }
}

/// `points`.
#[derive(Debug, Serialize)]
pub(crate) struct PointsReport {
    schema: u32,
    points: Vec<PointReport>,
}

impl PointsReport {
    pub(crate) fn new(points: &[ResumePoint]) -> Self {
        Self {
            schema: SCHEMA,
            points: points.iter().map(PointReport::new).collect(),
        }
    }
}

/// A resume point.
#[derive(Debug, Serialize)]
pub(crate) struct PointReport {
    id: String,
    label: String,
    phase: Option<String>,
    kind: &'static str,
    recommended: bool,
    verified: &'static str,
    reason: String,
    checkpoint: Option<CheckpointReport>,
    kept: u64,
    redone: u64,
    time_lost_s: Option<u64>,
    warnings: Vec<String>,
}

impl PointReport {
    pub(crate) fn new(point: &ResumePoint) -> Self {
        let boundary = &point.boundary;
        let checkpoint = match &boundary.checkpoint {
            CheckpointNeed::Found(checkpoint) => Some(CheckpointReport::new(checkpoint)),
            CheckpointNeed::None | CheckpointNeed::Missing { .. } => None,
        };
        Self {
            id: boundary.id.0.clone(),
            label: text(&boundary.label),
            phase: boundary.phase.as_ref().map(text),
            kind: boundary.kind.word(),
            recommended: point.recommended,
            verified: boundary.verified.word(),
            reason: text(&point.reason),
            checkpoint,
            kept: boundary.kept,
            redone: boundary.redone,
            time_lost_s: boundary.time_lost_s,
            warnings: texts(&boundary.warnings),
        }
    }
}

/// `checkpoints`.
#[derive(Debug, Serialize)]
pub(crate) struct CheckpointsReport {
    schema: u32,
    checkpoints: Vec<CheckpointReport>,
}

impl CheckpointsReport {
    pub(crate) fn new(checkpoints: &[Checkpoint]) -> Self {
        Self {
            schema: SCHEMA,
            checkpoints: checkpoints.iter().map(CheckpointReport::new).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct CheckpointReport {
    id: String,
    reason: String,
    taken_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
    source: String,
    brings_back: String,
    cannot: Vec<String>,
    drift: Option<DriftReport>,
}

#[derive(Debug, Serialize)]
struct DriftReport {
    modified: u64,
    missing: u64,
    created: u64,
    not_covered: u64,
}

impl CheckpointReport {
    pub(super) fn new(checkpoint: &Checkpoint) -> Self {
        let drift = |d: &Drift| DriftReport {
            modified: d.modified,
            missing: d.missing,
            created: d.created,
            not_covered: d.not_covered,
        };
        Self {
            id: checkpoint.id.clone(),
            reason: text(&checkpoint.reason),
            taken_at: time(checkpoint.taken_at),
            zone: zone([checkpoint.taken_at]),
            source: text(&checkpoint.source),
            brings_back: text(&checkpoint.brings_back),
            cannot: texts(&checkpoint.cannot),
            drift: checkpoint.drift.as_ref().map(drift),
        }
    }
}
