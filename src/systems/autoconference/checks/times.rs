//! Checks of age and budget: A22 to A24.

use crate::model::{Check, Status};
use crate::world::World;

use super::{pass, skipped, warn};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::converge::recorded_span;
use crate::systems::autoconference::facts::reading::{STALE_HOURS, idle_hours};
use crate::systems::plural;

pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Check> {
    vec![age(case, world), budget(case), limits(case)]
}

fn over(case: &Conference) -> bool {
    case.reading.claim.status == Status::Complete
}

/// A22.
fn age(case: &Conference, world: &dyn World) -> Check {
    let subject = "last activity";
    match idle_hours(case.reading.last_activity_at, world) {
        None => skipped("A22", subject, "Nothing says when it was last worked on."),
        Some(hours) if hours > STALE_HOURS && !over(case) => warn(
            "A22",
            subject,
            format!("Warning: This conference was interrupted {hours} hours ago."),
            "Look whether dependencies or files outside it have changed; go on, or start anew with /autoconference.",
        ),
        Some(hours) => pass(
            "A22",
            subject,
            format!("The last activity is {hours} hours old."),
        ),
    }
}

/// A23: by the orchestrator's own events, as the convergence is told, so that one screen shows one figure.
fn budget(case: &Conference) -> Check {
    let subject = "time budget";
    let limit = case.raw.config.as_ref().and_then(|c| c.time_budget);
    let (Some(limit), Some(spent)) = (limit, recorded_span(&case.raw)) else {
        return skipped(
            "A23",
            subject,
            "No time budget is set, or no event says when it began.",
        );
    };
    if spent <= limit || over(case) {
        return pass(
            "A23",
            subject,
            format!(
                "{} of {} minutes, from the first event to the last one of its own work.",
                spent / 60,
                limit / 60
            ),
        );
    }
    warn(
        "A23",
        subject,
        format!(
            "WARNING: time_budget of {} min elapsed ({} min actual).",
            limit / 60,
            spent / 60
        ),
        "The orchestrator checks this before the next round. Resume at `synthesis`, or raise time_budget in conference.md.",
    )
}

fn count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A24.
fn limits(case: &Conference) -> Check {
    let config = case.raw.config.as_ref();
    let total = case.state.work.total();
    let mut used = Vec::new();
    if let Some(limit) = config
        .and_then(|c| c.max_total)
        .filter(|limit| total >= *limit)
    {
        used.push(format!("{total} of {limit} iterations"));
    }
    if let Some(limit) = config
        .and_then(|c| c.max_rounds)
        .filter(|limit| case.state.done >= *limit)
    {
        used.push(format!("{} of {limit} rounds", case.state.done));
    }
    if used.is_empty() {
        pass(
            "A24",
            "limits",
            format!(
                "{} and {} so far; no limit is reached.",
                plural::of(count(total), "iteration", "iterations"),
                plural::of(count(case.state.done), "round", "rounds")
            ),
        )
    } else {
        pass("A24", "limits", format!("Used up: {}.", used.join(", ")))
    }
}
