//! The flags of a pipeline, and the age limits that flags and liveness use.

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::{Badge, Finding, Severity};

/// A pipeline that is not complete is stale once its last write is older than this. A system whose work routinely waits
/// for people has a longer limit, and crucible counts from the start of a run, as its own hook does.
pub(crate) const STALE_AFTER: TimeDelta = TimeDelta::hours(24);

/// Whether a last write is older than a limit: [`STALE_AFTER`], unless the system has its own.
pub(crate) fn is_stale(last: Option<DateTime<Utc>>, now: DateTime<Utc>, limit: TimeDelta) -> bool {
    last.is_some_and(|at| now - at > limit)
}

/// The flags whose condition is true, in the given order.
pub(crate) fn badges(table: impl IntoIterator<Item = (bool, Badge)>) -> Vec<Badge> {
    let set = table.into_iter().filter(|(on, _)| *on);
    set.map(|(_, badge)| badge).collect()
}

/// Whether a reader found damage: an error, or one of these codes.
pub(crate) fn is_damaged(findings: &[Finding], codes: &[&str]) -> bool {
    findings
        .iter()
        .any(|one| one.severity == Severity::Error || codes.contains(&one.code))
}
