//! Checks of the event log: A2 to A7 and A25.

use serde_json::Value;

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::ends::{self, EndKind};
use crate::systems::autoconference::shape::{EVENTS, Event, Log};
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::text::format::{count, count_of};
use crate::world::World;

use super::some;
use crate::text::Shown as _;

pub(crate) fn present(case: &Conference) -> Outcome {
    let dir = case.raw.dir.shown();
    let missing = case.missing(EVENTS).or_else(|| case.raw.unread(EVENTS));
    match (&case.raw.log, missing) {
        (None, Some(file)) => {
            let text = format!("Cannot resume: {EVENTS} {} ({dir}).", file.problem);
            fail(text, file.remedy.clone())
        }
        (None, None) => fail(
            format!("Cannot resume: {EVENTS} is missing from {dir}."),
            "Start the conference with /autoconference, or restore the log if there was one.",
        ),
        (Some(log), _) if log.lines == 0 && case.state.log_lost => warn(
            "The log is empty although other files show that work was done.",
            "Restore the log from a copy if there is one; the other files show how far the conference got.",
        ),
        (Some(log), _) if log.lines == 0 => {
            pass("The log exists and is empty: the conference has not started.")
        }
        (Some(log), _) => pass(format!(
            "The log exists and has {}.",
            count(log.lines, "line")
        )),
    }
}

fn none(case: &Conference) -> String {
    case.raw.without(EVENTS, "There is no event log.")
}

/// The log, if it has events. A log that does not exist is neither in order nor complete.
fn events(case: &Conference) -> Result<&Log, Outcome> {
    match &case.raw.log {
        None => Err(skipped(none(case))),
        Some(log) if log.events.is_empty() => Err(skipped("The log has no events.")),
        Some(log) => Ok(log),
    }
}

pub(crate) fn lines(case: &Conference) -> Made {
    let log = match &case.raw.log {
        None => return Err(skipped(none(case))),
        Some(log) if log.lines == 0 => return Err(skipped("The log has no lines.")),
        Some(log) => log,
    };
    if log.events.is_empty() {
        return Ok(fail(
            "No line of the log is an event.",
            "Restore the log from a copy; without it no round can be recognized.",
        ));
    }
    let bad: Vec<u64> = log.bad.iter().map(|b| b.line).collect();
    let mut text = Vec::new();
    if !bad.is_empty() {
        let unlisted = if log.bad_more > 0 { ", and others" } else { "" };
        text.push(format!("not an event: line {}{unlisted}", some(&bad)));
    }
    if !log.timeless.is_empty() {
        text.push(format!("no readable time: line {}", some(&log.timeless)));
    }
    if text.is_empty() {
        let lines = count(log.lines, "line");
        return Ok(pass(format!(
            "Every line is an event with a time ({lines})."
        )));
    }
    Ok(warn(
        format!("Some lines cannot be used: {}.", text.join("; ")),
        "Nothing is lost: the lines are kept and skipped. Look at them before you resume.",
    ))
}

pub(crate) fn end(case: &Conference) -> Made {
    let log = events(case)?;
    Ok(if log.torn() {
        warn(
            "The last line was truncated while it was written.",
            "Nothing to do: the next append starts with a newline and keeps the truncated bytes.",
        )
    } else if log.unended {
        warn(
            "The last line is complete but has no newline.",
            "Nothing to do: the next append starts with a newline.",
        )
    } else {
        pass("The log ends with a complete line.")
    })
}

pub(crate) fn times(case: &Conference, world: &dyn World) -> Made {
    let log = events(case)?;
    let now = world.clock().now();
    let times = || log.events.iter().filter_map(|e| Some((e.line, e.at?)));
    let pairs = times().zip(times().skip(1));
    let back = pairs.filter(|((_, a), (_, b))| b.unix() < a.unix());
    let back: Vec<u64> = back.map(|(_, (line, _))| line).collect();
    let future = times().filter(|(_, at)| at.at > now);
    let future: Vec<u64> = future.map(|(line, _)| line).collect();
    let mut text = Vec::new();
    if !back.is_empty() {
        let lines = some(&back);
        text.push(format!("earlier than the event before: line {lines}"));
    }
    if !future.is_empty() {
        text.push(format!("in the future: line {}", some(&future)));
    }
    if text.is_empty() {
        return Ok(pass("The times increase and none is in the future."));
    }
    Ok(warn(
        format!("{}.", text.join("; ")),
        "Trust the order of the lines; times written by a script are not evidence.",
    ))
}

pub(crate) fn dialect(case: &Conference) -> Made {
    let log = events(case)?;
    let named = log.events.iter().filter(|e| e.legacy).count();
    let rebuilt = log.events.iter().filter(|e| e.rebuilt).count();
    let phases = case.state.completed.is_empty() || case.state.phase_events;
    let carry = |n| {
        count_of(
            n,
            "event carries the round in its name",
            "events carry the round in their name",
        )
    };
    let text = match (named, phases) {
        (0, true) => "The events have their documented names.".to_owned(),
        (0, false) => "Legacy dialect: no event reports poster sessions, reviews or starts of rounds; the files are used instead.".to_owned(),
        (n, true) => format!("Legacy dialect: {}.", carry(n)),
        (n, false) => format!("Legacy dialect: {}, and no event reports phases.", carry(n)),
    };
    if rebuilt == 0 {
        return Ok(pass(text));
    }
    let rebuilt = count(rebuilt, "event");
    Ok(pass(format!(
        "{text} relight rebuilt {rebuilt} from the other records."
    )))
}

pub(crate) fn rounds(case: &Conference) -> Made {
    events(case)?;
    let state = &case.state;
    let beyond: Vec<u64> = state.completed.range(state.done + 1..).copied().collect();
    let duplicates: Vec<u64> = state.duplicates.iter().copied().collect();
    let mut text = Vec::new();
    if !beyond.is_empty() {
        text.push(format!(
            "round {} is completed although round {} is not",
            some(&beyond),
            state.round
        ));
    }
    let ends = ends::problems(&case.raw, state).into_iter();
    let ends = ends.filter(|(kind, _)| *kind != EndKind::Undocumented);
    text.extend(ends.map(|(_, clause)| clause));
    if !duplicates.is_empty() {
        let rounds = some(&duplicates);
        text.push(format!("round {rounds} is completed more than once"));
    }
    Ok(if !text.is_empty() {
        warn(
            format!("The rounds are inconsistent: {}.", text.join("; ")),
            "Look at the log and the end documents; the loop script counts repeated completions as rounds.",
        )
    } else if state.done > state.logged {
        warn(
            format!(
                "The log completes {}, and the other records show that {} over.",
                count(state.logged, "round"),
                count_of(state.done, "is", "are")
            ),
            "Lines of the log are missing, or it was restored from an older copy. The other records show how far the conference got.",
        )
    } else if state.done == 0 {
        pass("No round is completed yet.")
    } else {
        let text = format!("Rounds 1 to {} are completed, each once.", state.done);
        pass(text)
    })
}

#[rustfmt::skip]
const INSTRUCTIONS: &[&str] = &[
    "ignore previous", "ignore all previous", "disregard", "you must", "you are now", "system prompt",
    "run the following", "execute the following", "rm -rf", "curl ",
];

/// Such text is data like any other; it is only reported.
pub(crate) fn instructions(case: &Conference) -> Made {
    let log = events(case)?;
    let odd = |event: &&Event| event.body().0.values().any(|value| instructs(value, 0));
    let odd = log.events.iter().filter(odd).map(|event| event.line);
    let lines: Vec<u64> = odd.collect();
    Ok(if lines.is_empty() {
        pass("No text in the log reads like an instruction.")
    } else {
        pass(format!(
            "Line {} has text that reads like an instruction; it is treated as data.",
            some(&lines)
        ))
    })
}

fn instructs(value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) => {
            let lower = text.to_lowercase();
            INSTRUCTIONS.iter().any(|words| lower.contains(words))
        }
        Value::Array(list) if depth < 4 => list.iter().any(|v| instructs(v, depth + 1)),
        Value::Object(map) if depth < 4 => map.values().any(|v| instructs(v, depth + 1)),
        Value::Array(_) | Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            false
        }
    }
}
