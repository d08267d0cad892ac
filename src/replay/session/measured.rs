//! The values of a person's own metrics, `metrics.json`: a number, true or false for pass or fail, null if the output
//! of the command cannot be read. A runner may write numbers of its own into `relight.metrics.json`.

use std::ffi::OsStr;
use std::io;

use serde_json::{Map, Value, json};

use super::Session;
use super::folder::{Folder, METRICS, OUTPUTS, TREE};
use crate::apply::disk::Disk as _;
use crate::model::RunValue;

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

    /// Keeps what the metrics of the experiment came to in its finished tree.
    pub fn keep_measured(&mut self, measured: Vec<(String, RunValue)>) -> io::Result<()> {
        self.folder.put(METRICS, &bytes(&measured))?;
        self.about.measured = measured;
        Ok(())
    }
}

fn bytes(measured: &[(String, RunValue)]) -> Vec<u8> {
    let value = |value| match value {
        RunValue::Pass => json!(true),
        RunValue::Fail => json!(false),
        RunValue::Number(number) => json!(number),
        RunValue::Missing => Value::Null,
    };
    let fields = measured
        .iter()
        .map(|(name, one)| (name.clone(), value(*one)));
    let object: Map<String, Value> = fields.collect();
    format!("{}\n", Value::Object(object)).into_bytes()
}

/// What was kept; nothing where the file is missing or cannot be read.
pub(super) fn of(folder: &Folder) -> Vec<(String, RunValue)> {
    let bytes = match folder.has(METRICS) {
        Ok(true) => folder.read(METRICS).unwrap_or_default(),
        _ => return Vec::new(),
    };
    values(&bytes)
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
