//! The isolation of a session, as its record has it.

use serde::{Deserialize, Serialize};

use super::text::Text;
use super::words;
use crate::model::{
    Isolation, IsolationAsk, NamedFolder, OutsideChange, OutsideKind, ReplayPlan, Sandbox,
    SandboxAsk,
};

/// A record from before there was any is of a session without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecordIsolation {
    /// The sandbox's program; none for a session without a sandbox.
    bwrap: Option<Text>,
    keep_paths: bool,
    setup: Vec<Text>,
    named: Vec<RecordNamed>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecordNamed {
    path: Text,
    mentions: usize,
    dispatches: usize,
}

/// A change of the original's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::replay::session) struct RecordOutside {
    path: Text,
    change: String,
    by_run: bool,
}

impl RecordOutside {
    pub(in crate::replay::session) fn of(change: &OutsideChange) -> Self {
        Self {
            path: Text::from(change.path.as_path()),
            change: change.kind.word().to_owned(),
            by_run: change.by_run,
        }
    }

    pub(in crate::replay::session) fn change(&self) -> Option<OutsideChange> {
        Some(OutsideChange {
            path: self.path.path(),
            kind: OutsideKind::of_word(&self.change)?,
            by_run: self.by_run,
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
        let named = plan.isolation.named.iter().map(|one| RecordNamed {
            path: Text::from(one.path.as_path()),
            mentions: one.mentions,
            dispatches: one.dispatches,
        });
        Self {
            bwrap: match &plan.isolation.sandbox {
                Sandbox::Bwrap(program) => Some(Text::from(program.as_path())),
                Sandbox::Off(_) => None,
            },
            keep_paths: ask.keep_paths,
            setup: ask
                .setup
                .iter()
                .map(|word| Text::from(word.as_os_str()))
                .collect(),
            named: named.collect(),
        }
    }

    pub(super) fn ask(&self) -> IsolationAsk {
        IsolationAsk {
            sandbox: match self.bwrap {
                Some(_) => SandboxAsk::Bwrap,
                None => SandboxAsk::Off,
            },
            keep_paths: self.keep_paths,
            setup: words(&self.setup),
        }
    }

    pub(super) fn isolation(&self) -> Isolation {
        let named = self.named.iter().map(|one| NamedFolder {
            path: one.path.path(),
            mentions: one.mentions,
            dispatches: one.dispatches,
        });
        Isolation {
            sandbox: self
                .bwrap
                .as_ref()
                .map_or_else(Sandbox::default, |program| Sandbox::Bwrap(program.path())),
            named: named.collect(),
            rewritten: Vec::new(),
        }
    }
}
