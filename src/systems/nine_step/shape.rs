//! The files on disk: the names of the state file, its content parsed leniently with unknown fields kept, the plan, the
//! rollback log, commit subjects.

pub(crate) mod commit_subjects;
pub(crate) mod feature_names;
pub(crate) mod plan_document;
pub(crate) mod rollback_log;
pub(crate) mod sniff;
pub(crate) mod status;
pub(crate) mod step_record;
pub(crate) mod steps;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::formats::json::{self, Duplicate};
use crate::formats::stamp;
use crate::model::{LocalTime, Place, Stamp};
use crate::systems::kit::damage::Damage;
use crate::world::World;
use crate::world::files::ReadError;

pub(crate) use plan_document::PlanFound;
pub(crate) use sniff::Shape;
pub(crate) use status::Class;
pub(crate) use step_record::{Record, SKIPPED};
pub(crate) use steps::StepNo;

/// The possible names of a state file. The plugin never replaces its placeholder, so all are tried.
pub(crate) const STATE_NAMES: [&str; 5] = [
    "workflow-state.json",
    ".workflow-state.json",
    "workflow_state.json",
    ".workflow_state.json",
    "{{WORKFLOW_STATE_FILE}}",
];

/// Folders where the plugin creates worktrees, the most likely first.
pub(crate) const WORKTREE_DIRS: [&str; 3] = [".worktree", ".worktrees", "worktrees"];

/// The folder of the plans.
pub(crate) const PLAN_DIR: &str = ".plan";

/// Folders where a rollback may put its copies, the most likely first.
pub(crate) const BACKUP_DIRS: [&str; 4] = [
    ".backup",
    ".backups",
    ".worktree-backup",
    ".workflow/backup",
];

/// The keys without which the plugin refuses a state file.
const REQUIRED: [&str; 4] = [
    "feature_name",
    "current_phase",
    "current_step",
    "last_execution",
];

/// A state file or a backup that was read.
#[derive(Debug, Clone)]
pub(crate) struct Doc {
    /// Its folder, as an opened root.
    pub(crate) dir: PathBuf,
    /// Its name in that folder.
    pub(crate) name: String,
    /// Its bytes; empty if it could not be read.
    pub(crate) bytes: Vec<u8>,
    /// When it was last written.
    pub(crate) modified: Option<DateTime<Utc>>,
    /// Its content.
    pub(crate) content: Result<Arc<State>, Damage>,
}

/// The content of a state file.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// The whole object, including unknown fields, but without the entries of `completed_steps`.
    pub(crate) map: Map<String, Value>,
    /// How many entries `completed_steps` has, records or not.
    pub(crate) listed: usize,
    /// Their members, each with its last value.
    pub(crate) members: Map<String, Value>,
    /// `feature_name`.
    pub(crate) feature: String,
    /// `current_phase`.
    pub(crate) phase: Option<i64>,
    /// `current_step`.
    pub(crate) step: Option<StepNo>,
    /// `total_phases`.
    pub(crate) total: Option<i64>,
    /// Descriptions of `phases`, by number.
    pub(crate) descriptions: BTreeMap<i64, String>,
    /// `last_execution`.
    pub(crate) last: Record,
    /// `completed_steps`, in the order of the file.
    pub(crate) completed: Vec<Record>,
    /// Failures in an optional `attempts` or `history` list.
    pub(crate) history: Vec<Record>,
    /// `resume_plan`, as a rollback writes it.
    pub(crate) resume_plan: Option<ResumePlan>,
    /// Duplicate keys, with both values.
    pub(crate) duplicates: Vec<Duplicate>,
    /// Unexpected values (numbers as strings, unknown steps).
    pub(crate) odd: Vec<Odd>,
}

/// A value of the wrong type or range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Odd {
    /// A sentence about it.
    pub(crate) text: String,
    /// True if its meaning is still clear.
    pub(crate) coercible: bool,
}

impl Odd {
    pub(crate) fn new(text: impl Into<String>, coercible: bool) -> Self {
        let text = text.into();
        Self { text, coercible }
    }
}

/// The step at which a rollback wants to resume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumePlan {
    /// `next_phase`.
    pub(crate) phase: i64,
    /// `next_step`.
    pub(crate) step: StepNo,
    /// `reason`.
    pub(crate) reason: String,
}

impl State {
    /// The newest time that is recorded.
    pub(crate) fn newest(&self) -> Option<Stamp> {
        let all = self.completed.iter().chain([&self.last]);
        all.filter_map(|record| record.at).max()
    }

    /// What tells which of two saves is the newer one: the newest time, and within one second how many steps are
    /// completed, because a save adds to them. `None` where the last record states no time.
    pub(crate) fn age(&self) -> Option<(Stamp, usize)> {
        self.last.at?;
        Some((self.newest()?, self.listed))
    }
}

impl Doc {
    /// Its path, for display.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(&self.name)
    }

    /// Where it was read from.
    pub(crate) fn place(&self) -> Option<Place> {
        Place::known(&self.dir, &self.name).ok()
    }

    /// The state, if it is usable.
    pub(crate) fn state(&self) -> Option<&State> {
        self.content.as_deref().ok()
    }

    /// What makes it readable, if its content is unknown: what could not be kept is never replaced.
    pub(crate) fn cure(&self) -> Option<&str> {
        self.content.as_ref().err()?.cure.as_deref()
    }
}

/// Reads a state file or backup; `None` if it does not exist.
pub(crate) fn load(world: &dyn World, dir: &Path, name: &str) -> Option<Doc> {
    let place = Place::known(dir, name).ok()?;
    let (bytes, content) = match world.files().whole(&place) {
        Ok(bytes) => {
            let content = parse(&bytes, world.clock()).map(Arc::new);
            (bytes, content)
        }
        Err(ReadError::NotFound) => return None,
        Err(error) => (Vec::new(), Err(Damage::unreadable(world, &place, &error))),
    };
    Some(Doc {
        dir: dir.to_owned(),
        name: name.to_owned(),
        bytes,
        modified: world.files().modified(&place),
        content,
    })
}

/// Parses the bytes of a state file.
pub(crate) fn parse(bytes: &[u8], zone: &dyn LocalTime) -> Result<State, Damage> {
    let mut map = json::object(bytes)?;
    let wrong = |why: &str| Damage::new("wrong-type", why);
    if let Some(why) = missing(&map) {
        return Err(Damage::new("missing-field", why));
    }
    let last = json::child(&map, "last_execution");
    let last = last.ok_or_else(|| wrong("last_execution is not an object"))?;
    json::int(&map, "current_phase").ok_or_else(|| wrong("current_phase is not a whole number"))?;
    let feature = json::text(&map, "feature_name");
    let feature = feature.ok_or_else(|| wrong("feature_name is not a text"))?;
    let mut odd = Vec::new();
    let history = ["attempts", "history"].into_iter();
    let history =
        history.flat_map(|key| step_record::list(&map, key, bytes, zone, &mut Vec::new()));
    let mut state = State {
        feature: feature.to_owned(),
        phase: whole(&map, "current_phase", &mut odd),
        step: step(&map, "current_step", &mut odd),
        total: whole(&map, "total_phases", &mut odd),
        descriptions: descriptions(&map),
        last: step_record::read(last, None, zone, &mut odd),
        completed: step_record::list(&map, "completed_steps", bytes, zone, &mut odd),
        history: history.collect(),
        resume_plan: resume_plan(&map),
        duplicates: json::duplicates(bytes),
        ..State::default()
    };
    (state.listed, state.members) = emptied(&mut map, "completed_steps");
    state.map = map;
    let records = state.completed.iter_mut().chain([&mut state.last]);
    stamp::in_order(records.map(|record| &mut record.at), zone);
    Ok(State {
        odd: ranged(&state, together(odd)),
        ..state
    })
}

/// Empties a list: there may be very many records, which were read. Gives how many there were, and their members.
fn emptied(map: &mut Map<String, Value>, key: &str) -> (usize, Map<String, Value>) {
    let Some(Value::Array(list)) = map.get_mut(key) else {
        return (0, Map::new());
    };
    let entries = std::mem::take(list);
    let count = entries.len();
    let members = entries.into_iter().filter_map(|entry| match entry {
        Value::Object(entry) => Some(entry),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            None
        }
    });
    (count, members.flatten().collect())
}

/// The first required key that is missing, as a sentence.
fn missing(map: &Map<String, Value>) -> Option<String> {
    let is_missing = |key: &&str| map.get(*key).is_none_or(Value::is_null);
    let key = REQUIRED.into_iter().find(is_missing)?;
    Some(format!("Missing required field: {key}"))
}

/// An integer; adds a remark if it is not written as one.
pub(crate) fn whole(map: &Map<String, Value>, key: &str, odd: &mut Vec<Odd>) -> Option<i64> {
    let value = map.get(key).filter(|value| !value.is_null())?;
    let number = json::as_int(value);
    if !value.is_i64() {
        let text = format!("{key} is {}, not a whole number", shown(value));
        odd.push(Odd::new(text, number.is_some()));
    }
    number
}

/// A step; adds a remark if it is unknown or not written as a number.
pub(crate) fn step(map: &Map<String, Value>, key: &str, odd: &mut Vec<Odd>) -> Option<StepNo> {
    let value = map.get(key).filter(|value| !value.is_null())?;
    let (read, shown) = (StepNo::read(value), shown(value));
    match read {
        Some((_, false)) => {}
        Some((_, true)) => odd.push(Odd::new(format!("{key} is written as {shown}"), true)),
        None => odd.push(Odd::new(
            format!("{key} is {shown}, which is not a step"),
            false,
        )),
    }
    read.map(|(step, _)| step)
}

/// A value as written, shortened.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    let long = text.chars().nth(60).is_some();
    let start = text.chars().take(60);
    start.chain(long.then_some('…')).collect()
}

/// Several numbers in another form are one remark: what writes one of them so writes all of them so.
fn together(odd: Vec<Odd>) -> Vec<Odd> {
    let (clear, mut odd): (Vec<Odd>, Vec<Odd>) = odd.into_iter().partition(|odd| odd.coercible);
    if let [first, _, ..] = clear.as_slice() {
        let (count, first) = (clear.len(), &first.text);
        let text = format!("{count} numbers are not written as plain numbers; the first: {first}");
        odd.push(Odd::new(text, true));
    } else {
        odd.extend(clear);
    }
    odd
}

/// Adds phases outside of `1..=total_phases` to the odd values.
fn ranged(state: &State, mut odd: Vec<Odd>) -> Vec<Odd> {
    let most = state.total.unwrap_or(i64::MAX);
    let phases = [
        ("current_phase", state.phase),
        ("last_execution.phase", state.last.phase),
    ];
    for (key, phase) in phases {
        if let Some(phase) = phase.filter(|phase| !(1..=most).contains(phase)) {
            let text = match state.total {
                Some(total) => format!("{key} is {phase}, outside 1 to {total}"),
                None => format!("{key} is {phase}, below 1"),
            };
            odd.push(Odd::new(text, false));
        }
    }
    odd
}

/// `phases`: an object with string keys, or a list with `number` or by position.
fn descriptions(map: &Map<String, Value>) -> BTreeMap<i64, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(phase) => {
            let mut keys = ["description", "name", "title"].iter();
            keys.find_map(|key| json::owned(phase, key))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    };
    match map.get("phases") {
        Some(Value::Object(phases)) => {
            let of = |(key, value): (&String, _)| Some((key.trim().parse().ok()?, text(value)?));
            phases.iter().filter_map(of).collect()
        }
        Some(Value::Array(phases)) => {
            let phases = (1_i64..).zip(phases).filter_map(|(place, value)| {
                let number = value.get("number").and_then(json::as_int);
                Some((number.unwrap_or(place), text(value)?))
            });
            phases.collect()
        }
        _ => BTreeMap::new(),
    }
}

fn resume_plan(map: &Map<String, Value>) -> Option<ResumePlan> {
    let plan = json::child(map, "resume_plan")?;
    Some(ResumePlan {
        phase: json::int(plan, "next_phase").filter(|phase| *phase >= 1)?,
        step: StepNo::read(plan.get("next_step")?)?.0,
        reason: json::text(plan, "reason").unwrap_or_default().to_owned(),
    })
}
