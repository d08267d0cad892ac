//! One executed step: `last_execution`, or an entry of `completed_steps`.

use serde_json::{Map, Value};

use crate::formats::json::{self, At};
use crate::formats::stamp;
use crate::model::{LocalTime, Stamp};
use crate::systems::nine_step::shape::{Class, Odd, StepNo, shown, step, whole};

/// The status of a step that a person skipped, alone or with its phase. Only relight writes it.
pub(crate) const SKIPPED: &str = "skipped";

/// One executed step, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Record {
    /// Its phase.
    pub(crate) phase: Option<i64>,
    /// Its step by the written number.
    pub(crate) written: Option<StepNo>,
    /// Its step by its agent, if that is known and different. The agent is trusted, because several files of the plugin
    /// number the steps differently.
    pub(crate) by_agent: Option<StepNo>,
    /// The step as written.
    pub(crate) step_text: String,
    /// The agent that ran it.
    pub(crate) agent: String,
    /// The status as written.
    pub(crate) status: String,
    /// When, if it can be read as a time.
    pub(crate) at: Option<Stamp>,
    /// When, as written.
    pub(crate) at_text: Option<String>,
    /// `error_message`, a list joined by `; `.
    pub(crate) error: Option<String>,
    /// `note`, which a rollback writes.
    pub(crate) note: Option<String>,
    /// `commit_sha`.
    pub(crate) commit: Option<String>,
    /// Line in the file, counted from 1.
    pub(crate) line: Option<u64>,
}

impl Record {
    /// Its step: by its agent, else as written.
    pub(crate) fn step(&self) -> Option<StepNo> {
        self.by_agent.or(self.written)
    }

    /// The meaning of its status.
    pub(crate) fn class(&self) -> Class {
        Class::of(&self.status)
    }

    /// Whether relight wrote it because a person skipped the step or the phase.
    pub(crate) fn is_skipped(&self) -> bool {
        self.status == SKIPPED && self.note.is_some()
    }

    /// Its phase for a sentence.
    pub(crate) fn phase_text(&self) -> String {
        let phase = self.phase.as_ref();
        phase.map_or_else(|| "?".to_owned(), ToString::to_string)
    }

    /// Phase and step, if both are readable.
    pub(crate) fn spot(&self) -> Option<(i64, StepNo)> {
        Some((self.phase.filter(|phase| *phase >= 1)?, self.step()?))
    }
}

/// Reads one record.
pub(crate) fn read(
    map: &Map<String, Value>,
    line: Option<u64>,
    zone: &dyn LocalTime,
    odd: &mut Vec<Odd>,
) -> Record {
    let text = |key| json::owned(map, key);
    let written = step(map, "step", odd);
    let agent = text("agent").unwrap_or_default();
    let by_agent = StepNo::of_agent(&agent, written).filter(|step| Some(*step) != written);
    let at_text = text("timestamp");
    Record {
        phase: whole(map, "phase", odd),
        written,
        by_agent,
        step_text: map.get("step").map(shown).unwrap_or_default(),
        agent,
        status: text("status").unwrap_or_default(),
        at: at_text.as_deref().and_then(|at| stamp::parse(at, zone)),
        at_text,
        error: error(map.get("error_message")),
        note: text("note"),
        commit: text("commit_sha"),
        line,
    }
}

/// A string, or a list of them.
fn error(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let text = |item: &Value| item.as_str().map_or_else(|| shown(item), str::to_owned);
            let texts: Vec<String> = items.iter().map(text).collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        Value::Null => None,
        other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Some(shown(other)),
    };
    text.filter(|text| !text.trim().is_empty())
}

/// Reads a list of records with their lines; entries that are not objects are left out with a remark.
pub(crate) fn list(
    map: &Map<String, Value>,
    key: &str,
    bytes: &[u8],
    zone: &dyn LocalTime,
    odd: &mut Vec<Odd>,
) -> Vec<Record> {
    let Some(value) = map.get(key).filter(|value| !value.is_null()) else {
        return Vec::new();
    };
    let Some(items) = value.as_array() else {
        odd.push(Odd::new(format!("{key} is not a list"), false));
        return Vec::new();
    };
    let lines = json::element_lines(bytes, &[At::Key(key)]);
    let mut records = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(item) = item.as_object() {
            records.push(read(item, lines.get(at).copied(), zone, odd));
        } else {
            let item = shown(item);
            let text = format!("entry {} of {key} is {item}, not an object", at + 1);
            odd.push(Odd::new(text, false));
        }
    }
    records
}
