//! The isolation of a session, as its record has it.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Isolation, IsolationAsk, NamedFolder, ReplayPlan, Sandbox, SandboxAsk};
use crate::text::stored;

/// A record from before there was any is of a session without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecordIsolation {
    /// The sandbox's program; none for a session without a sandbox.
    #[serde(with = "stored")]
    bwrap: Option<PathBuf>,
    /// What was asked.
    sandbox: SandboxAsk,
    keep_paths: bool,
    #[serde(with = "stored")]
    setup: Vec<OsString>,
    named: Vec<NamedFolder>,
}

impl Default for RecordIsolation {
    fn default() -> Self {
        Self {
            bwrap: None,
            sandbox: SandboxAsk::Auto,
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
            sandbox: ask.sandbox,
            keep_paths: ask.keep_paths,
            setup: ask.setup.clone(),
            named: plan.isolation.named.clone(),
        }
    }

    pub(super) fn ask(&self) -> IsolationAsk {
        IsolationAsk {
            sandbox: self.sandbox,
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
