//! The changes of a point to the state file. Changed members get new text; every other byte is kept.

mod executed;
pub(crate) mod forms;
pub(crate) mod rollback;
pub(crate) mod state_file;
pub(crate) mod trails;

use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Map, Number, Value, json};

use crate::formats::json::{self, At, CLOCK, Edit, NOW, NonAscii};
use crate::model::{NextStep, Place};
use crate::systems::nine_step::facts::ledger::Spot;
use crate::systems::nine_step::facts::{Approval, Facts};
use crate::systems::nine_step::points::{Means, Target};
use crate::systems::nine_step::shape::{Record, SKIPPED, Shape, State, StepNo, sniff};
use crate::world::World;

/// Text of the pipeline for a dated text: a placeholder in it must not be replaced.
pub(crate) fn undated(text: &str) -> String {
    text.replace(NOW, "{ now }")
}

/// A time in the name of a file: local, as the plugin's own are.
fn in_name(at: DateTime<Utc>, world: &dyn World) -> String {
    let zone = *world.clock().local(at.naive_utc()).offset();
    at.with_timezone(&zone).format("%Y%m%d_%H%M%S").to_string()
}

/// The changes of a state file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Change {
    /// `current_phase`, `current_step` and `last_execution`.
    pub(crate) last: Option<Last>,
    /// Completed steps from this one on are dropped.
    pub(crate) drop_from: Option<(i64, StepNo)>,
    /// A completed step to add.
    pub(crate) add: Option<Last>,
    /// Where to continue: `resume_plan`, with its reason.
    pub(crate) resume_plan: Option<(i64, StepNo, String)>,
    /// `total_phases`.
    pub(crate) total: Option<i64>,
}

/// A record to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Last {
    /// Its phase and step.
    pub(crate) spot: Spot,
    /// Its status.
    pub(crate) status: &'static str,
    /// Why it was written.
    pub(crate) note: Option<String>,
}

impl Last {
    /// The record of a step that has this status now.
    pub(crate) fn new(spot: Spot, status: &'static str, note: Option<String>) -> Self {
        Self { spot, status, note }
    }
}

impl Change {
    /// True if a time is written.
    pub(crate) fn is_dated(&self) -> bool {
        self.last.is_some() || self.add.is_some()
    }

    /// The change that ends the records before a target, which `resume_plan` names.
    pub(crate) fn to(facts: &Facts, target: Target, means: Option<Means>) -> Self {
        let at = facts.position();
        let left = at.filter(|at| target != Target::Step(at.phase, at.step));
        let from = left.map_or_else(String::new, |at| {
            format!(" (it was at phase {}, step {})", at.phase, at.step)
        });
        let Target::Step(phase, step) = target else {
            let total = at.map(|at| at.phase);
            return Self {
                total,
                ..Self::default()
            };
        };
        let note = format!("Set to continue at phase {phase}, step {step}{from}");
        let note = Some(note);
        let reason = format!("Continue at phase {phase}, step {step} as chosen by the user");
        let ledger = facts.ledger.as_ref();
        let approved = ledger.is_some_and(|ledger| ledger.approved() == Approval::Recorded);
        let (last, add) = match (means, step.previous()) {
            (Some(Means::Approve), _) => {
                let last = Last::new((phase, StepNo::Approval), "approved", note);
                (last.clone(), Some(Last { note: None, ..last }))
            }
            (Some(Means::Skip(skipped)), _) => {
                let ran = ledger.is_some_and(|ledger| ledger.has((phase, skipped)));
                let status = if ran { "completed" } else { SKIPPED };
                (Last::new((phase, skipped), status, note), None)
            }
            _ if phase > 1 && matches!(step, StepNo::Plan | StepNo::Code) => {
                let before = (phase.saturating_sub(1), StepNo::Commit);
                (Last::new(before, "completed", note), None)
            }
            // Nothing is approved for the person: an approval is repeated only where one is on record.
            (_, Some(before)) if before != StepNo::Approval || approved => {
                (Last::new((phase, before), "completed", note), None)
            }
            _ => (Last::new((phase, step), "in_progress", note), None),
        };
        Self {
            last: Some(last),
            drop_from: Some((phase, step)),
            add,
            resume_plan: Some((phase, step, reason)),
            total: None,
        }
    }

    /// The change that skips the phase of `from` for now. Its steps stay recorded; nothing marks it as done.
    pub(crate) fn skip(skipped: Spot, next: Target) -> Self {
        let (phase, _) = skipped;
        let reason = format!("Phase {phase} skipped for now as chosen by the user");
        Self {
            last: Some(Last::new(skipped, SKIPPED, Some(reason.clone()))),
            resume_plan: next.spot().map(|(next, first)| (next, first, reason)),
            ..Self::default()
        }
    }
}

/// The new bytes; the error is a clause.
pub(crate) fn apply(bytes: &[u8], state: &State, change: &Change) -> Result<Vec<u8>, String> {
    let mut edits = Vec::new();
    if let Some(last) = &change.last {
        edits.extend(position(state, last.spot));
        edits.push(Edit::member("last_execution", record(state, last)));
    }
    edits.push(completed(state, change)?);
    if let Some((phase, step, reason)) = &change.resume_plan {
        let (next, agent) = (number(*step), step.agent());
        let plan = json!({
            "next_phase": phase, "next_step": next, "next_agent": agent, "reason": reason,
        });
        edits.push(Edit::member("resume_plan", plan));
    }
    if let Some(total) = change.total {
        let total = like(state, &["total_phases"], json!(total));
        edits.push(Edit::member("total_phases", total));
    }
    json::edit(bytes, &edits, NonAscii::Escaped)
}

/// Whether a file is a state file of this system, or unreadable and possibly one.
fn is_state(file: &Path, world: &dyn World) -> bool {
    let bytes = Place::of(file).and_then(|place| world.files().whole(&place).ok());
    bytes.is_some_and(|bytes| !matches!(sniff::of(&bytes), Shape::Foreign(_)))
}

/// The next step after a record: a step of a phase.
fn next_step(phase: i64, step: StepNo) -> NextStep {
    let label = format!("Phase {phase}, step {step}: {}", step.title());
    NextStep::new(Target::Step(phase, step).id(), label, phase.to_string())
}

/// The members that say where the work is.
fn position(state: &State, (phase, step): Spot) -> [Edit<'static>; 2] {
    let phase = like(state, &["current_phase"], json!(phase));
    let step = like(state, &["current_step"], number(step));
    [
        Edit::member("current_phase", phase),
        Edit::member("current_step", step),
    ]
}

/// A number, as a string where the state has a string.
fn like(state: &State, path: &[&str], number: Value) -> Value {
    match json::at_keys(&state.map, path) {
        Some(Value::String(_)) => number.to_string().into(),
        Some(_) | None => number,
    }
}

/// `2.5`, else an integer.
fn number(step: StepNo) -> Value {
    let number = step.word().parse::<Number>();
    number.map_or(Value::Null, Value::Number)
}

/// A record of a step, with the members that each has in the plugin's order. Numbers have the type of those in the last
/// record.
fn entry(state: &State, spot: Spot, agent: &str, status: &str, at: &str) -> Map<String, Value> {
    let (phase, step) = spot;
    let like = |key, number| like(state, &["last_execution", key], number);
    let members = [
        ("phase", like("phase", json!(phase))),
        ("step", like("step", number(step))),
        ("agent", agent.into()),
        ("status", status.into()),
        ("timestamp", at.into()),
    ];
    Map::from_iter(members.map(|(key, value)| (key.to_owned(), value)))
}

/// The record that a change writes.
fn record(state: &State, last: &Last) -> Value {
    let (_, step) = last.spot;
    let mut record = entry(state, last.spot, step.agent(), last.status, &CLOCK);
    let note = last.note.iter();
    record.extend(note.map(|note| ("note".to_owned(), json!(note))));
    Value::Object(record)
}

/// Drops and adds completed steps; the others keep their bytes.
fn completed(state: &State, change: &Change) -> Result<Edit<'static>, String> {
    let key = "completed_steps";
    if state.map.get(key).is_some_and(|list| !list.is_array()) {
        return Err(format!("{key} is not a list"));
    }
    if state.listed != state.completed.len() {
        return Err(format!("{key} has entries that are not records"));
    }
    let goes = |record: &Record| {
        let places = record.spot().zip(change.drop_from);
        places.is_some_and(|(spot, from)| spot >= from)
    };
    let records = state.completed.iter().enumerate();
    let drop = records.filter(|(_, record)| goes(record)).map(|(at, _)| at);
    Ok(Edit::List {
        path: vec![At::Key(key)],
        drop: drop.collect(),
        add: change.add.iter().map(|add| record(state, add)).collect(),
    })
}
