//! The wire structs of `--json`: versioned, separate from the model (contract.md, JSON). Additions are
//! allowed, renames are not.

mod acting;
mod comparison;
mod pipeline;
mod plan;
mod replay;
mod rows;

pub(super) use acting::{ActedReport, HistoryReport, PurgedReport, RehearsedReport, SettledReport};
pub(super) use comparison::{CompareReport, NothingReport, OperandsReport};
pub(super) use pipeline::{DemoReport, ListReport, ShowReport};
pub(super) use plan::PlanReport;
pub(super) use replay::{ReplayPlanReport, ReplayReport};
pub(super) use rows::{CheckpointsReport, PointsReport, TimelineReport, VerifyReport};

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use base64::Engine as _;
use serde::Serialize;

use crate::engine::EngineError;
use crate::model::{Foreign, Guard, Stamp, Zone};

/// The version of every shape here.
pub(super) const SCHEMA: u32 = 1;

/// Foreign text as JSON: true values; bytes that are not UTF-8 replaced.
pub(super) fn text(foreign: &Foreign) -> String {
    foreign.lossy().into_owned()
}

pub(super) fn texts(foreign: &[Foreign]) -> Vec<String> {
    foreign.iter().map(text).collect()
}

pub(super) fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The true bytes of a path that is not UTF-8.
pub(super) fn path_b64(path: &Path) -> Option<String> {
    bytes_b64(path.as_os_str().as_bytes())
}

/// The true bytes of those of several paths that are not UTF-8, each in its place; `None` where all are.
pub(super) fn paths_b64(paths: &[std::path::PathBuf]) -> Option<Vec<Option<String>>> {
    let all: Vec<Option<String>> = paths.iter().map(|p| path_b64(p)).collect();
    all.iter().any(Option::is_some).then_some(all)
}

pub(super) fn bytes_b64(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes)
        .is_err()
        .then(|| base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// RFC 3339 with its offset.
pub(super) fn time(stamp: Option<Stamp>) -> Option<String> {
    stamp.map(|stamp| {
        stamp
            .at
            .to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
    })
}

/// `assumed` where any of these times had no zone of its own.
pub(super) fn zone<const N: usize>(stamps: [Option<Stamp>; N]) -> Option<&'static str> {
    stamps
        .iter()
        .flatten()
        .any(|stamp| stamp.zone == Zone::Assumed)
        .then_some("assumed")
}

/// A guard.
#[derive(Debug, Serialize)]
pub(super) struct GuardReport {
    id: String,
    kind: &'static str,
    holds: bool,
    text: String,
    would_hold_if: Option<String>,
}

impl GuardReport {
    pub(super) fn new(guard: &Guard) -> Self {
        Self {
            id: guard.id.to_string(),
            kind: guard.kind.word(),
            holds: guard.holds,
            text: text(&guard.text),
            would_hold_if: guard.would_hold_if.as_ref().map(text),
        }
    }
}

/// A report of something that was done although the person cancelled it, with the error beside it.
#[derive(Debug, Serialize)]
pub(super) struct Beside<T> {
    #[serde(flatten)]
    report: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
}

impl<T> Beside<T> {
    pub(super) fn new(report: T, error: Option<&EngineError>) -> Self {
        Self {
            report,
            error: error.map(ErrorBody::new),
        }
    }
}

/// The error object.
#[derive(Debug, Serialize)]
pub(super) struct ErrorReport {
    schema: u32,
    error: ErrorBody,
}

#[derive(Debug, Serialize)]
pub(super) struct ErrorBody {
    kind: &'static str,
    text: String,
    hints: Vec<String>,
    guards: Vec<GuardReport>,
}

impl ErrorBody {
    pub(super) fn new(error: &EngineError) -> Self {
        Self {
            kind: error.kind.word(),
            text: text(&error.text),
            hints: texts(&error.hints),
            guards: error.guards.iter().map(GuardReport::new).collect(),
        }
    }
}

impl ErrorReport {
    pub(super) fn new(error: &EngineError) -> Self {
        Self {
            schema: SCHEMA,
            error: ErrorBody::new(error),
        }
    }
}
