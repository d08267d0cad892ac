//! M9 and M24: times against each other and against the clock.

use chrono::TimeDelta;

use crate::formats::stamp;
use crate::model::{Check, Stamp, Verdict};
use crate::systems::mgw::checks::{Case, check, pass, skipped, warn};
use crate::systems::mgw::facts::reading::STALE_HOURS;
use crate::systems::mgw::shape::state::{Checkpoint, State};

/// M9: nothing in the checkpoint is younger than its last update.
pub(crate) fn stamps(case: &Case<'_>) -> Vec<Check> {
    let Some(checkpoint) = case.facts.recorded().and_then(State::checkpoint) else {
        return skipped(
            "times",
            "There is no checkpoint object.",
            "Nothing to do: the evidence decides.",
        );
    };
    let zone = case.world.clock();
    let read = |text: Option<&String>| text.and_then(|text| stamp::parse(text, zone));
    let Some(updated) = read(checkpoint.updated_at.as_ref()) else {
        return skipped(
            "times",
            "The checkpoint does not say when it was updated.",
            "Compare the file's own time instead.",
        );
    };
    let now = zone.now();
    let mut odd: Vec<String> = dated(checkpoint)
        .into_iter()
        .filter_map(|(what, text)| Some((what, stamp::parse(text, zone)?)))
        .filter(|(_, at): &(String, Stamp)| at.at > updated.at)
        .map(|(what, _)| what)
        .collect();
    odd.extend((updated.at > now).then(|| "the clock, which it is ahead of".to_owned()));
    if odd.is_empty() {
        return pass(
            "times",
            "Its last update is not before anything that it records.",
        );
    }
    let text = format!("Its last update disagrees with: {}.", odd.join("; "));
    vec![check("times", Verdict::Warn, text).remedy(
        "Do not trust the order of these times; the order in the file and the commits count.",
    )]
}

/// Everything that must not be younger than the update.
fn dated(checkpoint: &Checkpoint) -> Vec<(String, &str)> {
    let started = checkpoint.started_at.as_deref();
    let started = started.map(|at| ("started_at".to_owned(), at));
    let past = checkpoint.history.iter().filter_map(|past| {
        let at = past.completed_at.as_deref()?;
        Some((format!("the end of {}", past.step_text), at))
    });
    let artifacts = checkpoint.artifacts.iter().filter_map(|artifact| {
        Some((
            format!("the artifact {}", artifact.path),
            artifact.created_at.as_deref()?,
        ))
    });
    started.into_iter().chain(past).chain(artifacts).collect()
}

/// M24: it was touched within a day.
pub(crate) fn age(case: &Case<'_>) -> Vec<Check> {
    let zone = case.world.clock();
    let stated = case.facts.recorded().and_then(|state| {
        let checkpoint = state.checkpoint().and_then(|c| c.updated_at.as_deref());
        let text = checkpoint.or_else(|| state.text("updated_at"))?;
        Some(stamp::parse(text, zone)?.at.to_utc())
    });
    let written = case.facts.file().and_then(|file| file.modified);
    let Some(last) = stated.max(written) else {
        return skipped(
            "age",
            "No time of its last change is known.",
            "Look at the file's own time.",
        );
    };
    let age = zone.now().to_utc() - last;
    let hours = age.num_hours();
    if age <= TimeDelta::hours(STALE_HOURS) {
        return pass("age", format!("Its last change is {hours} h old."));
    }
    let words = if hours >= 7 * 24 {
        "It looks abandoned: nothing changed for more than a week"
    } else {
        "Nothing changed for more than a day"
    };
    warn(
        "age",
        format!("{words} ({hours} h)."),
        "Look whether the issue, its comments and the main branch moved on before you go on.",
    )
}
