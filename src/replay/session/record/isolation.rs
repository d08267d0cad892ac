//! The isolation of a session, as its record has it.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::recorded::{Recorded, recorded};
use super::text::Text;
use crate::model::{
    Isolation, IsolationAsk, NamedFolder, OutsideChange, OutsideWriter, ReplayPlan, Sandbox,
    SandboxAsk,
};

/// A record from before there was any is of a session without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecordIsolation {
    /// The sandbox's program; none for a session without a sandbox.
    bwrap: Option<Text>,
    keep_paths: bool,
    setup: Vec<Text>,
    named: Vec<RecordNamed>,
}

recorded! {
    /// A folder that dispatches name.
    struct RecordNamed of NamedFolder {
        path: PathBuf,
        mentions: usize,
        dispatches: usize,
    }
}

/// A change of the original's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::replay::session) struct RecordOutside {
    path: Text,
    change: String,
    by_run: bool,
    /// Not there in a record from before it was known that it may be unknown.
    #[serde(default)]
    by: String,
}

impl RecordOutside {
    pub(in crate::replay::session) fn of(change: &OutsideChange) -> Self {
        Self {
            path: change.path.record(),
            change: change.kind.word().to_owned(),
            by_run: change.by == OutsideWriter::Run,
            by: change.by.word().to_owned(),
        }
    }

    pub(in crate::replay::session) fn change(&self) -> Option<OutsideChange> {
        Some(OutsideChange {
            path: PathBuf::of_record(&self.path),
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
                Sandbox::Bwrap(program) => Some(program.record()),
                Sandbox::Off(_) => None,
            },
            keep_paths: ask.keep_paths,
            setup: ask.setup.record(),
            named: plan.isolation.named.record(),
        }
    }

    pub(super) fn ask(&self) -> IsolationAsk {
        IsolationAsk {
            sandbox: match self.bwrap {
                Some(_) => SandboxAsk::Bwrap,
                None => SandboxAsk::Off,
            },
            keep_paths: self.keep_paths,
            setup: Vec::<OsString>::of_record(&self.setup),
        }
    }

    pub(super) fn isolation(&self) -> Isolation {
        let program = Option::<PathBuf>::of_record(&self.bwrap);
        Isolation {
            sandbox: program.map_or_else(Sandbox::default, Sandbox::Bwrap),
            named: Recorded::of_record(&self.named),
            rewritten: Vec::new(),
        }
    }
}
