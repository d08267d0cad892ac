//! Checks of the event log: A2 to A7 and A25.

use std::collections::BTreeSet;

use crate::model::Check;
use crate::world::World;

use super::{fail, pass, skipped, some, warn};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::EVENTS;
use crate::systems::autoconference::shape::log::Log;

pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Check> {
    let Some(log) = &case.raw.log else {
        let missing = absent(case);
        let rest = ["A3", "A4", "A5", "A6", "A7", "A25"];
        let rest = rest
            .iter()
            .map(|id| skipped(id, EVENTS, "There is no event log."));
        return std::iter::once(missing).chain(rest).collect();
    };
    let mut checks = vec![present(case, log), lines(log)];
    if log.events.is_empty() {
        // What is not there is neither in order nor whole.
        let rest = ["A4", "A5", "A6", "A7", "A25"];
        checks.extend(rest.map(|id| skipped(id, EVENTS, "The log has no events.")));
        return checks;
    }
    checks.extend([
        tail(log),
        order(log, world),
        legacy(case, log),
        rounds(case),
        instructions(case),
    ]);
    checks
}

/// A2 without a log that can be read.
fn absent(case: &Conference) -> Check {
    let dir = case.raw.dir.display();
    if let Some(file) = case.missing.iter().find(|file| file.name == EVENTS) {
        let text = format!("Cannot resume: {EVENTS} {} ({dir}).", file.problem);
        return fail("A2", EVENTS, text, file.remedy.clone());
    }
    fail(
        "A2",
        EVENTS,
        format!("Cannot resume: {EVENTS} is missing from {dir}."),
        "Start the conference with /autoconference, or put the log back if there was one.",
    )
}

fn present(case: &Conference, log: &Log) -> Check {
    if log.lines == 0 && case.state.log_lost {
        warn(
            "A2",
            EVENTS,
            "The log is empty although other files say that work was done.",
            "Put the log back from a copy if there is one; the other files say how far the conference is.",
        )
    } else if log.lines == 0 {
        pass(
            "A2",
            EVENTS,
            "The log is there and empty: the conference has not begun.",
        )
    } else {
        pass(
            "A2",
            EVENTS,
            format!("The log is there with {} lines.", log.lines),
        )
    }
}

fn lines(log: &Log) -> Check {
    if log.lines == 0 {
        return skipped("A3", "lines of the log", "The log has no lines.");
    }
    let bad: Vec<u64> = log.bad.iter().map(|b| b.line).collect();
    let remedy = "Nothing is lost: the lines stay as they are and are skipped. Look at them before going on.";
    if log.events.is_empty() {
        return fail(
            "A3",
            "lines of the log",
            "Not one line of the log is an event.",
            "Put the log back from a copy; without it no round can be told.",
        );
    }
    if bad.is_empty() && log.timeless.is_empty() {
        return pass(
            "A3",
            "lines of the log",
            format!("All {} lines are events with a time.", log.lines),
        );
    }
    let mut text = Vec::new();
    if !bad.is_empty() {
        let unlisted = if log.bad_more > 0 { ", and others" } else { "" };
        text.push(format!("not an event: line {}{unlisted}", some(&bad)));
    }
    if !log.timeless.is_empty() {
        text.push(format!("no readable time: line {}", some(&log.timeless)));
    }
    warn(
        "A3",
        "lines of the log",
        format!("Some lines cannot be used: {}.", text.join("; ")),
        remedy,
    )
}

fn tail(log: &Log) -> Check {
    if log.torn() {
        return warn(
            "A4",
            "end of the log",
            "The last line was cut off while being written.",
            "Nothing: the next append begins with a newline and leaves the torn bytes alone.",
        );
    }
    if log.unended {
        return warn(
            "A4",
            "end of the log",
            "The last line is whole but has no newline.",
            "Nothing: the next append begins with a newline.",
        );
    }
    pass("A4", "end of the log", "The log ends with a whole line.")
}

fn order(log: &Log, world: &dyn World) -> Check {
    let now = world.clock().now();
    let times: Vec<_> = log
        .events
        .iter()
        .filter_map(|e| Some((e.line, e.at?)))
        .collect();
    let back: Vec<u64> = times
        .iter()
        .zip(times.iter().skip(1))
        .filter(|((_, a), (_, b))| b.unix() < a.unix())
        .map(|(_, (line, _))| *line)
        .collect();
    let future: Vec<u64> = times
        .iter()
        .filter(|(_, at)| at.at > now)
        .map(|(line, _)| *line)
        .collect();
    let mut text = Vec::new();
    if !back.is_empty() {
        text.push(format!(
            "earlier than the event before: line {}",
            some(&back)
        ));
    }
    if !future.is_empty() {
        text.push(format!("in the future: line {}", some(&future)));
    }
    if text.is_empty() {
        return pass(
            "A5",
            "times of the events",
            "The times never go back and none is in the future.",
        );
    }
    warn(
        "A5",
        "times of the events",
        format!("{}.", text.join("; ")),
        "Trust the order of the lines; times written by a script are no evidence.",
    )
}

fn legacy(case: &Conference, log: &Log) -> Check {
    let named = log.events.iter().filter(|e| e.legacy).count();
    let phases = case.state.completed.is_empty() || case.state.phase_events;
    let text = match (named, phases) {
        (0, true) => "The events have their documented names.".to_owned(),
        (0, false) => "Legacy dialect: no event tells of poster sessions, reviews or starts of rounds; the files speak for them.".to_owned(),
        (n, true) => format!("Legacy dialect: {n} events carry the round in their name."),
        (n, false) => format!("Legacy dialect: {n} events carry the round in their name, and no event tells of phases."),
    };
    pass("A6", "dialect of the log", text)
}

fn rounds(case: &Conference) -> Check {
    let state = &case.state;
    let beyond: Vec<u64> = state
        .completed
        .iter()
        .copied()
        .filter(|n| *n > state.done)
        .collect();
    let twice: Vec<u64> = state.duplicates.iter().copied().collect();
    let mut text = Vec::new();
    if !beyond.is_empty() {
        text.push(format!(
            "round {} is completed although round {} is not",
            some(&beyond),
            state.round
        ));
    }
    if !twice.is_empty() {
        text.push(format!(
            "round {} is completed more than once",
            some(&twice)
        ));
    }
    if text.is_empty() && state.done > state.logged {
        return warn(
            "A7",
            "row of rounds",
            format!(
                "The log completes {} rounds, and the other files show that {} are over.",
                state.logged, state.done
            ),
            "The log was cut or restored from an older copy. The other files say how far the conference is.",
        );
    }
    if text.is_empty() {
        return pass(
            "A7",
            "row of rounds",
            format!("Rounds 1 to {} are completed, each once.", state.done).replace(
                "Rounds 1 to 0 are completed, each once",
                "No round is completed yet",
            ),
        );
    }
    warn(
        "A7",
        "row of rounds",
        format!("The rounds do not add up: {}.", text.join("; ")),
        "Look at the log; the loop script counts repeated completions as rounds.",
    )
}

const ORDERS: &[&str] = &[
    "ignore previous",
    "ignore all previous",
    "disregard",
    "you must",
    "you are now",
    "system prompt",
    "run the following",
    "execute the following",
    "rm -rf",
    "curl ",
];

/// A25: such text is data like any other; it is only pointed out.
fn instructions(case: &Conference) -> Check {
    let lines: BTreeSet<u64> = case
        .raw
        .events()
        .iter()
        .filter(|e| e.body.values().any(|v| orders(v, 0)))
        .map(|e| e.line)
        .collect();
    let lines: Vec<u64> = lines.into_iter().collect();
    if lines.is_empty() {
        return pass(
            "A25",
            "text of the log",
            "No text in the log reads like an instruction.",
        );
    }
    pass(
        "A25",
        "text of the log",
        format!(
            "Line {} holds text that reads like an instruction; it is data and was not acted on.",
            some(&lines)
        ),
    )
}

fn orders(value: &serde_json::Value, depth: usize) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => {
            let lower = text.to_lowercase();
            ORDERS.iter().any(|order| lower.contains(order))
        }
        Value::Array(list) if depth < 4 => list.iter().any(|v| orders(v, depth + 1)),
        Value::Object(map) if depth < 4 => map.values().any(|v| orders(v, depth + 1)),
        Value::Array(_) | Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            false
        }
    }
}
