//! The values of a person's own metrics, `metrics.json`: a number, true or false for pass or fail, `{"missing": WHY}` if
//! it has no value. A runner may write numbers of its own into `relight.metrics.json`.

use std::ffi::OsStr;
use std::io;

use serde_json::{Map, Value, json};

use super::Session;
use super::folder::{Folder, METRICS, OUTPUTS, TREE};
use crate::apply::disk::Disk as _;
use crate::model::{Foreign, ReplaySession, RunValue};

/// What a runner may leave.
const REPORTED: &str = "relight.metrics.json";

/// The most that is read of it.
const LARGEST: u64 = 1 << 20;

impl Session<'_> {
    /// The metrics that its runners left in `relight.metrics.json`: in the folder of its outputs, else at the top of its
    /// tree.
    pub fn reported_metrics(&self) -> Vec<(String, RunValue)> {
        let read = |of: &str| -> io::Result<Vec<u8>> {
            let dir = self.folder.sub(of)?;
            self.folder.disk.read(&dir, OsStr::new(REPORTED), LARGEST)
        };
        let bytes = read(OUTPUTS).or_else(|_| read(TREE));
        values(&bytes.unwrap_or_default())
    }

    /// Keeps what the metrics of the experiment came to in its finished tree, and why some have no value.
    pub fn keep_measured(
        &mut self,
        measured: Vec<(String, RunValue)>,
        unmeasured: &[(String, String)],
    ) -> io::Result<()> {
        self.folder.put(METRICS, &bytes(&measured, unmeasured))?;
        self.about.measured = measured;
        let troubles = unmeasured.iter().map(|(name, why)| trouble(name, why));
        self.about.trouble.extend(troubles);
        Ok(())
    }
}

/// Why a metric has no value.
fn trouble(name: &str, why: &str) -> Foreign {
    format!("The metric {name} has no value: {why}.").into()
}

/// Says of each run whose metric only passed or failed that it has no value, where other runs of its experiment have a
/// number: one of them could not be compared with a number.
pub(super) fn note_unnumbered(all: &mut [ReplaySession]) {
    let numbers = |one: &ReplaySession| {
        let group = one.group.clone();
        let numbers = one.measured.clone().into_iter();
        numbers.filter_map(move |(name, value)| match value {
            RunValue::Number(_) => Some((group.clone(), name)),
            RunValue::Pass | RunValue::Fail | RunValue::Missing => None,
        })
    };
    let numbers: Vec<_> = all.iter().flat_map(numbers).collect();
    for one in all {
        for (name, value) in &one.measured {
            let judged = matches!(value, RunValue::Pass | RunValue::Fail);
            let beside = || {
                numbers
                    .iter()
                    .any(|(of, at)| *of == one.group && at == name)
            };
            if judged && beside() {
                let why = "it is not a number, but other runs of the experiment have one";
                one.trouble.push(trouble(name, why));
            }
        }
    }
}

fn bytes(measured: &[(String, RunValue)], unmeasured: &[(String, String)]) -> Vec<u8> {
    let why = |name: &String| unmeasured.iter().find(|(of, _)| of == name);
    let value = |name, value| match value {
        RunValue::Pass => json!(true),
        RunValue::Fail => json!(false),
        RunValue::Number(number) => json!(number),
        RunValue::Missing => why(name).map_or(Value::Null, |(_, why)| json!({ "missing": why })),
    };
    let fields = measured
        .iter()
        .map(|(name, one)| (name.clone(), value(name, *one)));
    let object: Map<String, Value> = fields.collect();
    format!("{}\n", Value::Object(object)).into_bytes()
}

/// What was kept, and why a metric has no value, a sentence each; nothing where the file is missing or cannot be read.
pub(super) fn of(folder: &Folder) -> (Vec<(String, RunValue)>, Vec<Foreign>) {
    let bytes = match folder.has(METRICS) {
        Ok(true) => folder.read(METRICS).unwrap_or_default(),
        _ => return Default::default(),
    };
    let object: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    let why = object.iter().filter_map(|(name, value)| {
        let why = value.get("missing").and_then(Value::as_str)?;
        Some(trouble(name, why))
    });
    (values(&bytes), why.collect())
}

fn values(bytes: &[u8]) -> Vec<(String, RunValue)> {
    let object: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
    let value = |value: &Value| match value {
        Value::Bool(true) => RunValue::Pass,
        Value::Bool(false) => RunValue::Fail,
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            value.as_f64().map_or(RunValue::Missing, RunValue::Number)
        }
    };
    let fields = object.iter();
    fields
        .map(|(name, one)| (name.clone(), value(one)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SessionId;

    #[test]
    fn a_run_without_a_number_beside_one_with_a_number_says_that_it_has_no_value() {
        let run = |group: &str, value| ReplaySession {
            group: SessionId(group.to_owned()),
            measured: vec![("lines".to_owned(), value)],
            ..ReplaySession::default()
        };
        let mut all = [
            run("1", RunValue::Number(4.0)),
            run("1", RunValue::Pass),
            run("1", RunValue::Missing),
            run("2", RunValue::Pass),
            run("2", RunValue::Fail),
        ];
        note_unnumbered(&mut all);
        let told: Vec<usize> = all.iter().map(|one| one.trouble.len()).collect();
        // One that is missing has a reason of its own, and without any number pass and fail are the values.
        assert_eq!(told, [0, 1, 0, 0, 0]);
        let text = all[1].trouble[0].lossy();
        assert!(
            text.starts_with("The metric lines has no value: "),
            "{text}"
        );
    }
}
