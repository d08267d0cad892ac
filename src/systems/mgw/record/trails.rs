//! The files to which a resumed issue writes its first new record: its state file (the stage, the checkpoint and its
//! history), the command log, a commit in its worktree.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use crate::formats::json::{self, At};
use crate::formats::stamp;
use crate::model::{LocalTime, Place};
use crate::systems::kit::trails::{Record, Trail, commits, object};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::shape::{FOLDER, Home, Name, State};
use crate::world::World;

/// The files to watch.
pub(crate) fn trails(facts: &Facts, world: &dyn World) -> Vec<Trail> {
    let top = |folder: &str| Place::known(&facts.root, Path::new(FOLDER).join(folder)).ok();
    let list = |folder: &Place| world.files().list(folder).unwrap_or_default();
    let known = facts.files.iter().map(|file| file.place.clone());
    let mut states: BTreeSet<Place> = known.collect();
    for folder in Home::ALL.iter().filter_map(|home| top(home.word())) {
        for entry in list(&folder) {
            let name = Name::parse(&entry.name);
            if name.is_some_and(|name| !name.tmp && name.number == facts.number) {
                states.extend(folder.join(&entry.name));
            }
        }
    }
    let number = facts.number.parse::<i64>().ok();
    let jsonl = Some(OsStr::new("jsonl"));
    let logs = top("logs").into_iter().flat_map(|folder| {
        let days = list(&folder).into_iter().map(|entry| entry.name);
        let days = days.filter(move |name| Path::new(name).extension() == jsonl);
        days.filter_map(move |name| folder.join(name).ok())
    });
    let log = |place| Trail::log(place, move |line, zone| command(line, number, zone));
    let logs = logs.map(log);
    let states = states
        .into_iter()
        .map(|place| Trail::state(place, of_state));
    let tree = facts.branch.present().and_then(|dir| commits(dir, world));
    states.chain(logs).chain(tree).collect()
}

/// A line of the command log about this issue.
fn command(line: &[u8], number: Option<i64>, zone: &dyn LocalTime) -> Option<Record> {
    let map = object(line)?;
    if number.is_none() || json::int(&map, "issue") != number {
        return None;
    }
    let text = |key| json::text(&map, key).unwrap_or_default();
    let at = stamp::parse(text("timestamp"), zone);
    let said = format!("command {}: {}", text("command"), text("status"));
    Some(Record::new("", said, at))
}

/// The progress of the issue in its state file.
fn of_state(bytes: &[u8], zone: &dyn LocalTime) -> Vec<Record> {
    let Ok(state) = json::object(bytes).map(State::new) else {
        return Vec::new();
    };
    let at = |text: Option<&str>| text.and_then(|text| stamp::parse(text, zone));
    let line = |path: &[At<'_>]| json::line(bytes, path);
    let mut records = Vec::new();
    if let Some(checkpoint) = state.checkpoint() {
        let listed = line(&[At::Key("checkpoint"), At::Key("step_history")]);
        for past in &checkpoint.history {
            let done = past.completed_at.as_deref();
            let key = format!("history {} {:?} {done:?}", past.step_text, past.output);
            let text = format!("step {} is done", past.step_text);
            records.push(Record::new(key, text, at(done)).at_line(listed));
        }
        let updated = checkpoint.updated_at.as_deref();
        let action = checkpoint.action_text.as_deref().unwrap_or("none");
        let key = format!("checkpoint {} {action} {updated:?}", checkpoint.step_text);
        let text = format!("checkpoint at {}, action {action}", checkpoint.step_text);
        records.push(Record::new(key, text, at(updated)).at_line(line(&[At::Key("checkpoint")])));
    }
    if let Some(stage) = state.stage_text() {
        let moved = state.text("last_transition");
        let key = format!("stage {stage} {moved:?} {}", state.retry_count());
        let record = Record::new(key, format!("stage {stage}"), at(moved));
        records.push(record.at_line(line(&[At::Key("pipeline_stage")])));
    }
    let linked = state.linked_prs().into_iter();
    let linked = linked.map(|pr| (format!("pr {pr}"), format!("pull request #{pr}")));
    records.extend(linked.map(|(key, text)| Record::new(key, text, None)));
    records
}
