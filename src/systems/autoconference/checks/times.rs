//! Checks of age and budget: A22 to A24.

use chrono::TimeDelta;

use crate::model::Status;
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::converge::time_budget;
use crate::systems::autoconference::facts::reading::idle_hours;
use crate::systems::kit::badges::{STALE_AFTER, is_stale};
use crate::systems::kit::checks::{Made, Outcome, pass, skipped, warn};
use crate::text::format::{ago, count, longest_unit};
use crate::world::World;

fn is_over(case: &Conference) -> bool {
    case.contents.reading.claim.status == Status::Complete
}

pub(crate) fn age(case: &Conference, world: &dyn World) -> Outcome {
    let last = case.contents.reading.last_activity_at;
    let now = world.clock().now();
    let stale = is_stale(last.map(|at| at.at.to_utc()), now.to_utc(), STALE_AFTER);
    match idle_hours(last, world) {
        None => skipped("No record shows when it was last active."),
        Some(hours) if stale && !is_over(case) => warn(
            // The orchestrator's own words and limit, whatever the configuration calls stale.
            format!(
                "Warning: This conference was interrupted {} ago. Its orchestrator warns after {}.",
                count(hours, "hour"),
                count(STALE_AFTER.num_hours().unsigned_abs(), "hour")
            ),
            "Check whether dependencies or files outside it have changed; then resume, or start over with /autoconference.",
        ),
        Some(_) => {
            let ago = ago(now, last.map(|at| at.at));
            pass(format!("The last activity was {ago}."))
        }
    }
}

/// By the orchestrator's own events, like convergence, so that a screen shows one number.
pub(crate) fn budget(case: &Conference) -> Made {
    let Some((spent, limit)) = time_budget(&case.raw) else {
        let why = "No time budget is set, or no event says when it started.";
        return Err(skipped(why));
    };
    let (minutes, budget) = (spent / 60, limit / 60);
    if spent <= limit || is_over(case) {
        let text = format!(
            "{} of {}, from the first event to the last one of its own work.",
            longest_unit(TimeDelta::seconds(spent)),
            longest_unit(TimeDelta::seconds(limit))
        );
        return Ok(pass(text));
    }
    // The orchestrator's own words.
    Ok(warn(
        format!("WARNING: time_budget of {budget} min elapsed ({minutes} min actual)."),
        "The orchestrator checks this before the next round. Resume at `synthesis`, or raise time_budget in conference.md.",
    ))
}

pub(crate) fn limits(case: &Conference) -> Outcome {
    let config = &case.raw.config;
    let (total, done) = (case.state.work.total(), case.state.done);
    let used = |used: u64, limit: Option<u64>, what: &str| {
        let limit = limit.filter(|limit| used >= *limit)?;
        Some(format!("{used} of {limit} {what}"))
    };
    let used = [
        used(total, config.max_total, "iterations"),
        used(done, config.max_rounds, "rounds"),
    ];
    let used: Vec<String> = used.into_iter().flatten().collect();
    if !used.is_empty() {
        return pass(format!("Limit reached: {}.", used.join(", ")));
    }
    let (total, done) = (count(total, "iteration"), count(done, "round"));
    pass(format!("{total} and {done} so far; no limit is reached."))
}
