//! M9 and M24: times compared with each other and with the clock.

use chrono::TimeDelta;

use super::Scene;
use super::worktree::is_done;
use crate::formats::stamp;
use crate::systems::kit::badges::STALE_AFTER;
use crate::systems::kit::checks::{Made, Outcome, pass, skipped, warn};
use crate::systems::mgw::shape::Checkpoint;
use crate::text::format::{count, longest_unit};

/// M9: nothing in the checkpoint is newer than its last update.
pub(super) fn order(scene: &Scene<'_>) -> Made {
    let checkpoint = scene.checkpoint()?;
    let zone = scene.world.clock();
    let read = |text: &str| stamp::parse(text, zone).map(|stamp| stamp.at);
    let Some(updated) = checkpoint.updated_at.as_deref().and_then(read) else {
        let why = "The checkpoint does not record when it was updated.";
        return Err(skipped(why).remedy("Compare the file's own time instead."));
    };
    let newer = |text: &str| read(text).is_some_and(|at| at > updated);
    let odd = dated(checkpoint).filter(|(_, text)| newer(text));
    let mut odd: Vec<String> = odd.map(|(what, _)| what).collect();
    odd.extend((updated > zone.now()).then(|| "the clock, which is earlier".to_owned()));
    if odd.is_empty() {
        let text = "The checkpoint's update time is not older than any event in it.";
        return Ok(pass(text));
    }
    let odd = odd.join("; ");
    Ok(warn(
        format!("Events newer than the checkpoint's update time: {odd}."),
        "Do not trust the order of these times; the order in the file and the commits count.",
    ))
}

/// Everything that must not be newer than the update.
fn dated(checkpoint: &Checkpoint) -> impl Iterator<Item = (String, &str)> {
    let started = checkpoint.started_at.as_deref();
    let started = started.map(|at| ("started_at".to_owned(), at));
    let past = checkpoint.history.iter().filter_map(|past| {
        let at = past.completed_at.as_deref()?;
        Some((format!("the end of {}", past.step_text), at))
    });
    let artifacts = checkpoint.artifacts.iter().filter_map(|artifact| {
        let at = artifact.created_at.as_deref()?;
        Some((format!("the artifact {}", artifact.path), at))
    });
    started.into_iter().chain(past).chain(artifacts)
}

/// M24: it is not stale.
pub(super) fn age(scene: &Scene<'_>) -> Outcome {
    let zone = scene.world.clock();
    let stated = scene.facts.recorded().and_then(|state| {
        let checkpoint = state.checkpoint().and_then(|c| c.updated_at.as_deref());
        let text = checkpoint.or_else(|| state.text("updated_at"))?;
        Some(stamp::parse(text, zone)?.at.to_utc())
    });
    let written = scene.facts.file().and_then(|file| file.modified);
    let Some(last) = stated.max(written) else {
        let why = "The time of its last change is unknown.";
        return skipped(why).remedy("Look at the file's own time.");
    };
    let age = zone.now().to_utc() - last;
    let old = longest_unit(age);
    if age <= STALE_AFTER || is_done(scene) {
        return pass(format!("Its last change is {old} old."));
    }
    let abandoned = age >= TimeDelta::days(7);
    let lead = if abandoned {
        "It looks abandoned: its"
    } else {
        "Its"
    };
    let remedy =
        "Check whether the issue, its comments or the main branch changed before you continue.";
    let limit = count(STALE_AFTER.num_hours().unsigned_abs(), "hour");
    let text = format!("{lead} last change is {old} old; this check warns after {limit}.");
    warn(text, remedy)
}
