//! The next phase of a run: its marker, and the hand-off with which the next phase starts.

use serde_json::Value;

use crate::foreign;
use crate::formats::json::{Edit, NonAscii, edit};
use crate::formats::markdown;
use crate::model::{ClockStyle, EngineError, NextStep};
use crate::systems::crucible::facts::Sources;
use crate::systems::crucible::facts::phase_order::{all, title, understand};
use crate::systems::crucible::record::dispatch::in_order;
use crate::systems::crucible::record::forms::candidate;
use crate::systems::crucible::record::lifecycle::all_ended;
use crate::systems::kit::forms::{Ask, Written, refused, replace};

pub(super) fn write(ask: &Ask<'_>) -> Result<Written, EngineError> {
    let [phase] = ask.words else {
        return Err(ask.usage("The phase is missing."));
    };
    let found = Sources::find(&candidate(&ask.site.key, &ask.site.file), ask.world);
    in_order(ask, &found)?;
    let Some((marker, path)) = found.marker else {
        return Err(refused("The run has no marker .pipeline-active."));
    };
    if marker.ancient {
        let text = "The marker has the format of the first versions, which is only read.";
        return Err(refused(text));
    }
    let now = marker.phase.as_deref().unwrap_or_default();
    if !follows(&marker.skill, now, phase) {
        let typed = phase.as_str();
        let error = refused(foreign!("Phase {} does not follow phase {}.", typed, now));
        return Err(match after(&marker.skill, now) {
            Some(next) => error.hint(format!("The next phase is {next}.")),
            None => error,
        });
    }
    let rank = |phase: &str| understand(&marker.skill, phase).map(|phase| phase.rank);
    if rank(phase) > rank(now) {
        all_ended(ask)?;
    }
    let mut steps = Vec::new();
    if let Some(text) = ask.text("from")? {
        let name = format!("handoff-{now}-to-{phase}.md");
        let path = path.with_file_name(name);
        let text = handoff(ask, &text, now, phase)?;
        steps.push(replace(&path, ask.read(&path)?, text, "The hand-off."));
    }
    let bytes = ask.read(&path)?.unwrap_or_default();
    let after = edit(
        &bytes,
        &[Edit::member("phase", Value::from(phase.as_str()))],
        NonAscii::Raw,
    )
    .map_err(|why| refused(format!("The marker is not changed: {why}.")))?;
    steps.push(replace(&path, Some(bytes), after, "The phase."));
    Ok(Written::new(steps, Some(next(&marker.skill, phase))))
}

/// The text of a hand-off, with its time: one that is older than the run does not count.
fn handoff(ask: &Ask<'_>, text: &str, now: &str, phase: &str) -> Result<Vec<u8>, EngineError> {
    let heading = format!("# Phase Handoff: {now} → {phase}");
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim_end() != heading {
        return Err(refused("The hand-off is not for this phase.")
            .hint(format!("Its first line must be: {heading}")));
    }
    if markdown::value(rest.lines(), "goal").is_none_or(str::is_empty) {
        return Err(refused("The hand-off has no goal.").hint("Add a line **Goal:** TEXT"));
    }
    let timed = markdown::value(rest.lines(), "timestamp").is_some_and(|time| !time.is_empty());
    let time = if timed {
        String::new()
    } else {
        format!("**Timestamp:** {}\n", ClockStyle::UtcSeconds.write(ask.at))
    };
    Ok(format!("{heading}\n{time}{rest}").into_bytes())
}

/// The next step of a run in a phase.
pub(super) fn next(skill: &str, phase: &str) -> NextStep {
    let known = understand(skill, phase);
    let base = known.map_or_else(|| phase.to_owned(), |phase| phase.base);
    NextStep {
        id: format!("phase-{base}"),
        label: title(skill, &base),
        phase: base,
    }
}

/// The next phase in the skill's table.
pub(super) fn after(skill: &str, now: &str) -> Option<String> {
    let now = understand(skill, now)?.rank;
    let mut phases = all(skill).into_iter();
    phases
        .find(|phase| phase.rank > now)
        .map(|phase| phase.base)
}

/// A build enters every phase; others may skip some. A run that was resumed at an earlier point enters the phases from
/// there on again.
fn follows(skill: &str, now: &str, then: &str) -> bool {
    let Some(to) = understand(skill, then).filter(|phase| phase.base == then) else {
        return false;
    };
    let again = understand(skill, now).is_some_and(|now| to.rank <= now.rank);
    again || skill != "build" || after(skill, now).as_deref() == Some(then)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_by_the_table_of_the_skill() {
        let table = [
            ("build", "1", "2", true),
            ("build", "1", "3", false),
            ("build", "3", "3", true),
            ("build", "3", "2", true),
            ("build", "4", "5", false),
            ("build", "3 — Execute", "4", true),
            ("debugging", "1", "Synthesis", true),
            ("debugging", "3", "3.5", true),
            ("debugging", "3.5", "3", true),
            ("debugging", "4", "soon", false),
            ("other", "3", "10", true),
        ];
        for (skill, now, then, right) in table {
            assert_eq!(follows(skill, now, then), right, "{skill}: {now} → {then}");
        }
    }
}
