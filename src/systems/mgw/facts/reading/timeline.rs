//! The events: dated entries of the state file, lines of the command log about the issue, and its commits.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Map, Value};

use crate::formats::{json, jsonl, stamp};
use crate::model::{Event, EventMark, Finding, Foreign, LocalTime, Origin, Place, Timeline};
use crate::systems::kit::timeline;
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::shape::{FOLDER, State, StateFile};
use crate::world::World;

/// How many days of the command log are read, newest first.
const LOG_DAYS: usize = 60;

pub(crate) fn read(world: &dyn World, facts: &Facts, findings: &mut Vec<Finding>) -> Timeline {
    let mut events = Vec::new();
    let zone = world.clock();
    for file in &facts.files {
        if let Some(state) = file.state() {
            dated(file, state, zone, &mut events);
        }
    }
    logs(world, facts, &mut events, findings);
    let commits = facts.branch.commits(&facts.root, world);
    let commits = commits.iter().rev();
    events.extend(commits.map(|commit| timeline::commit(commit, &facts.root)));
    timeline::in_order(events)
}

/// An event whose time is a text.
fn event(
    kind: &str,
    at: Option<&str>,
    text: impl Into<Foreign>,
    origin: Origin,
    zone: &dyn LocalTime,
) -> Event {
    let stamp = at.and_then(|at| stamp::parse(at, zone));
    Event::new(kind, text, origin).at(stamp, at)
}

/// All dated entries of the state file.
fn dated(file: &StateFile, state: &State, zone: &dyn LocalTime, events: &mut Vec<Event>) {
    let origin = || Origin::file(&file.path);
    let checkpoint = state.checkpoint();
    let started = checkpoint.and_then(|one| one.started_at.as_deref());
    let begun = [
        ("created", state.text("created_at"), "State file created."),
        ("started", started, "Checkpoint started."),
    ];
    let begun = begun.into_iter().filter(|(_, at, _)| at.is_some());
    events.extend(begun.map(|(kind, at, text)| event(kind, at, text, origin(), zone)));
    if let Some(checkpoint) = checkpoint {
        for past in &checkpoint.history {
            let text = past.output.clone().unwrap_or_default();
            let mut one = event("step", past.completed_at.as_deref(), text, origin(), zone);
            one.phase = Some(past.step_text.as_str().into());
            one.subject = past.agent.as_deref().unwrap_or_default().into();
            one.status = Some("completed".into());
            events.push(one);
        }
        for artifact in &checkpoint.artifacts {
            let at = artifact.created_at.as_deref();
            let mut one = event("artifact", at, artifact.path.as_str(), origin(), zone);
            one.subject = artifact.kind.as_str().into();
            events.push(one);
        }
        if let Some(at) = &checkpoint.updated_at {
            let action = checkpoint.action_text.as_deref().unwrap_or("none");
            let text = format!("Checkpoint at {}, action {action}.", checkpoint.step_text);
            let mut one = event("checkpoint", Some(at), text, origin(), zone);
            one.phase = Some(checkpoint.step_text.as_str().into());
            events.push(one);
        }
    }
    let stage = state.stage_text().unwrap_or_default();
    for (kind, key) in [("transition", "last_transition"), ("updated", "updated_at")] {
        if let Some(at) = state.text(key) {
            let mut one = event(kind, Some(at), format!("Stage {stage}."), origin(), zone);
            one.status = Some(stage.into());
            one.mark = match stage {
                "failed" => EventMark::Error,
                "blocked" => EventMark::Warning,
                _ => EventMark::Plain,
            };
            events.push(one);
        }
    }
}

/// Lines of the command log that name the issue.
fn logs(world: &dyn World, facts: &Facts, events: &mut Vec<Event>, findings: &mut Vec<Finding>) {
    let Ok(folder) = Place::known(&facts.root, Path::new(FOLDER).join("logs")) else {
        return;
    };
    let mut days = world.files().list(&folder).unwrap_or_default();
    let jsonl = Some(OsStr::new("jsonl"));
    days.retain(|day| !day.is_dir && Path::new(&day.name).extension() == jsonl);
    let skip = days.len().saturating_sub(LOG_DAYS);
    for day in days.iter().skip(skip) {
        let Ok(place) = folder.join(&day.name) else {
            continue;
        };
        let path = place.path();
        match world.files().whole(&place) {
            Ok(bytes) => day_log(&path, &bytes, facts, world.clock(), events, findings),
            Err(why) => {
                let text = format!("A day of the command log was not read: {why}.");
                findings.push(Finding::info("unreadable-file", Origin::file(path), text));
            }
        }
    }
}

fn day_log(
    path: &Path,
    bytes: &[u8],
    facts: &Facts,
    zone: &dyn LocalTime,
    events: &mut Vec<Event>,
    findings: &mut Vec<Finding>,
) {
    let number: Option<i64> = facts.number.parse().ok();
    for line in jsonl::lines(bytes) {
        // Most lines are about other issues; only those that contain the number are parsed.
        let about = memchr::memmem::find(line.bytes, facts.number.as_bytes()).is_some();
        if !about && line.ended {
            continue;
        }
        let origin = Origin::line(path, line.number);
        match jsonl::parse(&line) {
            jsonl::Parsed::Object(map) => {
                if about && json::int(&map, "issue") == number && number.is_some() {
                    events.push(logged(&map, origin, zone));
                }
            }
            jsonl::Parsed::Torn(why) => {
                let text = format!("The last line of a command log is {why}.");
                findings.push(Finding::info("torn-line", origin, text));
            }
            jsonl::Parsed::Bad(why) => {
                let text = format!("A line of the command log is skipped: {why}.");
                findings.push(Finding::info("bad-line", origin, text));
            }
        }
    }
}

fn logged(map: &Map<String, Value>, origin: Origin, zone: &dyn LocalTime) -> Event {
    let status = json::text(map, "status").unwrap_or_default();
    let command = json::text(map, "command").unwrap_or("command");
    let error = json::text(map, "error").unwrap_or_default();
    let ms = json::int(map, "duration_ms");
    let took = ms.map_or_else(String::new, |ms| format!(" in {ms} ms"));
    let text = format!("{command} {status}{took} {error}");
    let at = json::text(map, "timestamp");
    let mut one = event("command", at, text.trim_end(), origin, zone);
    one.phase = json::text(map, "stage").map(Foreign::from);
    one.subject = command.into();
    one.status = Some(status.into());
    one.duration_s = ms.and_then(|ms| u64::try_from(ms / 1_000).ok());
    if status == "error" {
        one.mark = EventMark::Error;
    }
    one
}
