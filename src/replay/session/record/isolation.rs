//! The isolation of a session, as its record has it.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{
    Isolation, IsolationAsk, NamedFolder, OutsideChange, OutsideWriter, ReplayPlan, Sandbox,
    SandboxAsk,
};
use crate::text::stored;

/// A record from before there was any is of a session without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecordIsolation {
    /// The sandbox's program; none for a session without a sandbox.
    #[serde(with = "stored")]
    bwrap: Option<PathBuf>,
    keep_paths: bool,
    #[serde(with = "stored")]
    setup: Vec<OsString>,
    named: Vec<NamedFolder>,
}

/// A change of the original's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::replay::session) struct RecordOutside {
    #[serde(with = "stored")]
    path: PathBuf,
    change: String,
    by_run: bool,
    /// Not there in a record from before it was known that it may be unknown.
    #[serde(default)]
    by: String,
}

impl RecordOutside {
    pub(in crate::replay::session) fn of(change: &OutsideChange) -> Self {
        Self {
            path: change.path.clone(),
            change: change.kind.word().to_owned(),
            by_run: change.by == OutsideWriter::Run,
            by: change.by.word().to_owned(),
        }
    }

    pub(in crate::replay::session) fn change(&self) -> Option<OutsideChange> {
        Some(OutsideChange {
            path: self.path.clone(),
            kind: self.change.parse().ok()?,
            by: self.by.parse().unwrap_or(if self.by_run {
                OutsideWriter::Run
            } else {
                OutsideWriter::Other
            }),
        })
    }
}

impl Default for RecordIsolation {
    fn default() -> Self {
        Self {
            bwrap: None,
            keep_paths: true,
            setup: Vec::new(),
            named: Vec::new(),
        }
    }
}

impl RecordIsolation {
    pub(super) fn of(plan: &ReplayPlan) -> Self {
        let ask = &plan.ask.isolation;
        Self {
            bwrap: match &plan.isolation.sandbox {
                Sandbox::Bwrap(program) => Some(program.clone()),
                Sandbox::Off(_) => None,
            },
            keep_paths: ask.keep_paths,
            setup: ask.setup.clone(),
            named: plan.isolation.named.clone(),
        }
    }

    pub(super) fn ask(&self) -> IsolationAsk {
        IsolationAsk {
            sandbox: match self.bwrap {
                Some(_) => SandboxAsk::Bwrap,
                None => SandboxAsk::Off,
            },
            keep_paths: self.keep_paths,
            setup: self.setup.clone(),
        }
    }

    pub(super) fn isolation(&self) -> Isolation {
        let program = self.bwrap.clone();
        Isolation {
            sandbox: program.map_or_else(Sandbox::default, Sandbox::Bwrap),
            named: self.named.clone(),
            rewritten: Vec::new(),
        }
    }
}
