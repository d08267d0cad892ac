//! `timeline`, `verify`, `points`, `checkpoints`.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use super::{SCHEMA, all, error_body, path_b64, text, texts, time, with, zone};
use crate::cli::answer::Wire;
use crate::cli::json;
use crate::engine::Result;
use crate::model::{
    Check, Checkpoint, Drift, Event, Origin, PipelineId, ResumePoint, Timeline, Verdict, by_parts,
};

/// The bytes that most parts of a timeline become.
const PART: usize = 256 << 10;

/// `timeline`. Events become JSON part by part, on all cores.
pub(crate) struct TimelineReport(pub(crate) Timeline);

impl Wire for TimelineReport {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"schema\":{SCHEMA},\"events\":[")?;
        let mut begun = false;
        let add = |part: &mut Vec<u8>, _, one: Event| {
            if part.is_empty() {
                part.reserve(PART);
            }
            part.push(b',');
            event(part, &one);
        };
        for part in by_parts(&*self.0, add) {
            out.write_all(part.get(usize::from(!begun)..).unwrap_or_default())?;
            begun |= !part.is_empty();
        }
        out.write_all(b"]}\n")
    }
}

/// An event, written out by hand: a million of them take half the time that serde would.
fn event(out: &mut Vec<u8>, event: &Event) {
    let Origin { file, line } = &event.origin;
    member(out, "{\"at\":", time(event.at).as_ref());
    member(out, ",\"at_text\":", event.at_text.as_ref());
    member(out, ",\"kind\":", Some(&event.kind));
    member(out, ",\"phase\":", event.phase.as_ref());
    member(out, ",\"subject\":", Some(&event.subject));
    member(out, ",\"status\":", event.status.as_ref());
    member(out, ",\"text\":", Some(&event.text));
    let file_bytes = file.as_os_str().as_bytes();
    member(out, ",\"source\":{\"file\":", Some(file_bytes));
    let line = line.map(|line| line.to_string());
    out.extend_from_slice(b",\"line\":");
    out.extend_from_slice(line.as_deref().unwrap_or("null").as_bytes());
    if let Some(bytes) = path_b64(file) {
        member(out, ",\"path_b64\":", Some(&bytes));
    }
    out.push(b'}');
    if let Some(zone) = zone([event.at]) {
        member(out, ",\"zone\":", Some(zone));
    }
    out.push(b'}');
}

fn member(out: &mut Vec<u8>, key: &str, value: Option<impl AsRef<[u8]>>) {
    out.extend_from_slice(key.as_bytes());
    match value {
        Some(text) => json::text(out, text.as_ref()),
        None => out.extend_from_slice(b"null"),
    }
}

/// `verify`.
pub(crate) fn verify(checks: &[Check], verdict: Verdict) -> Value {
    json!({ "schema": SCHEMA, "checks": all(checks, check), "verdict": verdict.word() })
}

/// `verify` of several pipelines.
pub(crate) fn verify_all(pipelines: &[(PipelineId, Result<Vec<Check>>)], worst: Verdict) -> Value {
    let one = |(id, checks): &(PipelineId, Result<Vec<Check>>)| match checks {
        Ok(checks) => json!({
            "id": id.0,
            "checks": all(checks, check),
            "verdict": Verdict::overall(checks).word(),
        }),
        Err(error) => json!({ "id": id.0, "error": error_body(error) }),
    };
    json!({ "schema": SCHEMA, "pipelines": all(pipelines, one), "verdict": worst.word() })
}

fn check(check: &Check) -> Value {
    json!({
        "id": check.id.0,
        "subject": text(&check.subject()),
        "verdict": check.verdict.word(),
        "evidence": text(&check.evidence),
        "remedy": check.remedy.as_ref().map(text),
    })
}

/// `points`.
pub(crate) fn points(points: &[ResumePoint]) -> Value {
    json!({ "schema": SCHEMA, "points": all(points, point) })
}

pub(super) fn point(point: &ResumePoint) -> Value {
    let boundary = &point.boundary;
    json!({
        "id": boundary.id.0,
        "label": text(&boundary.label),
        "phase": boundary.phase.as_ref().map(text),
        "kind": boundary.kind.word(),
        "recommended": point.recommended,
        "verified": boundary.verified.word(),
        "reason": text(&point.reason),
        "checkpoint": boundary.checkpoint.found().map(checkpoint),
        "kept": boundary.kept.unwrap_or_default(),
        "redone": boundary.redone.unwrap_or_default(),
        "at_least": !boundary.is_counted(),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{EventMark, EventRows};

    /// A log of which only every third event can be read, and none at its beginning.
    struct Gaps(usize);

    impl EventRows for Gaps {
        fn len(&self) -> usize {
            self.0
        }

        fn get(&self, index: usize) -> Option<Event> {
            let readable = index > 1_500 && index.is_multiple_of(3);
            let origin = Origin::line("log", index as u64);
            readable.then(|| Event::new("\u{1b}\"", "", origin))
        }

        fn mark(&self, _: usize) -> EventMark {
            EventMark::Plain
        }

        fn longest_s(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn events_of_many_parts_are_one_list() {
        for len in [0, 1, 1_500, 1_504, 20_000] {
            let mut out = Vec::new();
            TimelineReport(Arc::new(Gaps(len))).write(&mut out).unwrap();
            let report: Value = serde_json::from_slice(&out).unwrap();
            let lines = report["events"].as_array().unwrap().iter();
            let lines: Vec<u64> = lines.filter_map(|e| e["source"]["line"].as_u64()).collect();
            let readable = (1_501..len as u64).filter(|n| n.is_multiple_of(3));
            assert_eq!(lines, readable.collect::<Vec<_>>());
        }
    }
}
