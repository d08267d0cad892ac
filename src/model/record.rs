//! Records: what an orchestrator says happens now, written into the pipeline's own files.

use std::ffi::OsString;
use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};
use serde_json::{Map, Value};

use super::{Action, Foreign};

/// What is to be recorded.
#[derive(Debug, Clone, Default)]
pub struct RecordAsk {
    /// The pipeline: a path, a key of its system, or an id.
    pub pipeline: OsString,
    /// The words after it: the form and its arguments.
    pub words: Vec<String>,
    /// The options by name; repeated ones as a list.
    pub values: Map<String, Value>,
    /// `--at`: when it happened, in place of now.
    pub at: Option<String>,
    /// `--once`: nothing is recorded a second time under this key.
    pub once: Option<String>,
    /// Show the changes and write nothing.
    pub dry_run: bool,
}

/// How an option of a record is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordOptionKind {
    /// Once, with a value.
    One,
    /// Any number of times, with a value each.
    Many,
    /// `KEY=VALUE` words.
    Pairs,
    /// A switch.
    Flag,
}

/// An option that records of a system take.
#[derive(Debug, Clone, Copy)]
pub struct RecordOption {
    /// Its long name.
    pub name: &'static str,
    /// The name of its value in the help.
    pub value: &'static str,
    /// How it is given.
    pub kind: RecordOptionKind,
    /// Its line in the help.
    pub help: &'static str,
}

impl RecordOption {
    /// One that takes a value.
    pub const fn one(name: &'static str, value: &'static str, help: &'static str) -> Self {
        Self::new(name, value, RecordOptionKind::One, help)
    }

    /// One that may be repeated.
    pub const fn many(name: &'static str, value: &'static str, help: &'static str) -> Self {
        Self::new(name, value, RecordOptionKind::Many, help)
    }

    /// One that takes `KEY=VALUE` words.
    pub const fn pairs(name: &'static str, value: &'static str, help: &'static str) -> Self {
        Self::new(name, value, RecordOptionKind::Pairs, help)
    }

    /// A switch.
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self::new(name, "", RecordOptionKind::Flag, help)
    }

    const fn new(
        name: &'static str,
        value: &'static str,
        kind: RecordOptionKind,
        help: &'static str,
    ) -> Self {
        Self {
            name,
            value,
            kind,
            help,
        }
    }
}

/// What comes next by the system's own table alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// Its id: a resume point, a stage, a step.
    pub id: String,
    /// For a person.
    pub label: String,
    /// The phase it belongs to.
    pub phase: String,
}

impl NextStep {
    /// A step with this id, for a person, in this phase.
    pub fn new(id: impl Into<String>, label: impl Into<String>, phase: impl Into<String>) -> Self {
        let (id, label, phase) = (id.into(), label.into(), phase.into());
        Self { id, label, phase }
    }
}

/// One file that a record wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFile {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of its content before; `None` where it did not exist.
    pub before: Option<String>,
    /// SHA-256 of its content afterwards; `None` where it was moved away.
    pub after: Option<String>,
}

/// A record that was written, or would be.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The form: `mgw step`.
    pub form: String,
    /// When.
    pub at: DateTime<FixedOffset>,
    /// The files it wrote.
    pub files: Vec<RecordedFile>,
    /// The number that it gave.
    pub seq: Option<u64>,
    /// The file that it made for the caller.
    pub file: Option<PathBuf>,
    /// What comes next.
    pub next: Option<NextStep>,
    /// The changes.
    pub actions: Vec<Action>,
    /// True where `--once` found it recorded already, so that nothing was written.
    pub repeated: bool,
    /// What the caller should know.
    pub notes: Vec<Foreign>,
}
