//! What a person asks of a replay.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::IsolationAsk;
use crate::model::{Arm, Clean, Foreign, OwnMetric};
use crate::text::stored;
use crate::{foreign, string_enum};

/// A template swapped for another (`--mutate ORIGINAL=REPLACEMENT`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mutation {
    /// The template's file name, bare: `red-team-prompt.md`.
    pub original: Foreign,
    /// The file that is used instead.
    #[serde(with = "stored")]
    pub replacement: PathBuf,
}

impl Mutation {
    /// As a manifest records it: `red-team-prompt.md -> rt-v2.md`.
    pub fn text(&self) -> Foreign {
        let name = self.replacement.file_name().unwrap_or_default();
        foreign!("{} -> {}", &self.original, name)
    }
}

/// Where a replay begins, if not at the boundary that encloses the first affected dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReplayFrom {
    /// The boundary that encloses the first affected dispatch.
    FirstAffected,
    /// The first boundary of a phase; phases are words, `3.5` exists.
    Phase(String),
    /// The boundary that encloses a dispatch.
    Seq(u64),
}

/// Which runner is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RunnerAsk {
    /// The configured one, if there is one.
    #[default]
    Configured,
    /// A preset by its name.
    Preset(String),
    /// An argument vector; `{prompt}` stands for the pointer prompt, `{file}` for the dispatch file.
    Words(Vec<OsString>),
    /// None: the dispatch files are written and handed over.
    Nobody,
}

/// The program that is given each dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runner {
    /// Its name, for a person and for the record: a preset's name, else the program's.
    pub name: Foreign,
    /// Program and arguments; `{prompt}`, `{file}`, `{dir}` and `{model}` are filled in for each dispatch, and the
    /// prompt is the last argument where neither it nor the file occurs. Never read by a shell.
    #[serde(with = "stored")]
    pub argv: Vec<OsString>,
    /// Seconds after which a dispatch is stopped and counted as `error`.
    pub timeout_s: u64,
    /// How often a dispatch that ended in `error` is tried again.
    pub retries: u32,
    /// What `{model}` in its words stands for, by the tier of a dispatch; a tier without an entry stands for itself.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
}

impl Runner {
    /// Whether it is the stub runner.
    pub fn is_stub(&self) -> bool {
        self.name == *STUB_RUNNER
    }
}

/// The name of the stub runner in records and JSON.
pub const STUB_RUNNER: &str = "stand-in";

/// Why runs of the stub runner are no evidence.
pub const STUB_SAYS_NOTHING: &str = "The runner is the stub runner, which is not an agent: its answers show how replays work and say nothing about a template.";

/// The name of a runner for a person.
pub fn runner_title(name: &Foreign) -> Clean {
    if *name == *STUB_RUNNER {
        return Clean::new("stub runner");
    }
    name.clean()
}

string_enum! {
    /// Where runs are executed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, clap::ValueEnum)]
    pub enum RunsOn {
        /// On this machine.
        #[default]
        Local = "local",
        /// On a cluster, each run as a job of Slurm.
        Slurm = "slurm",
    }
}

/// How one conflict is resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolved {
    /// The replacement's text is taken wherever both changed.
    Replacement,
    /// The original dispatch's text is taken wherever both changed.
    Original,
    /// This whole text, edited by the person.
    Edited(#[serde(with = "stored")] Vec<u8>),
}

/// A conflict that a person has resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Resolution {
    /// The original dispatch whose text it is about; `None` for every conflict not named by itself.
    pub seq: Option<u64>,
    /// How.
    pub how: Resolved,
}

/// A part of what is asked of a replay: the one that an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayPart {
    /// The swap of a template, by its file name.
    Mutation(Foreign),
    /// The folder of the templates.
    Templates,
    /// The commit of the templates.
    TemplateRef,
    /// Where it begins.
    From,
    /// The runner.
    Runner,
}

/// What a person asks of a replay.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own on the command line"
)]
pub struct ReplayAsk {
    /// The templates to swap; empty for a replay that changes nothing.
    pub mutations: Vec<Mutation>,
    /// Where the templates are; `None` for the installed plugin.
    pub templates: Option<PathBuf>,
    /// A commit of the templates' repository to which all of them are pinned (`--template-ref`).
    pub template_ref: Option<String>,
    /// Where it begins.
    pub from: ReplayFrom,
    /// The runner.
    pub runner: RunnerAsk,
    /// Seconds after which it is stopped, instead of the configured ones.
    pub timeout_s: Option<u64>,
    /// How often it is tried again, instead of as configured.
    pub retries: Option<u32>,
    /// Dispatches of one wave that run at the same time; at least 1.
    pub jobs: usize,
    /// Blocks, each a run of either arm; at least 1. With one, only the mutated arm runs, and nothing is judged.
    pub repeat: usize,
    /// True where the control arm is left out (`--no-control`).
    pub no_control: bool,
    /// True where every block is run, whatever the verdict (`--all`).
    pub all: bool,
    /// True where the evidence of earlier experiments is not continued (`--fresh`).
    pub fresh: bool,
    /// Runs side by side; at least 1.
    pub parallel: usize,
    /// Where they are executed.
    pub on: RunsOn,
    /// Metrics of the person's own; the first decides.
    pub metrics: Vec<OwnMetric>,
    /// In the user's work tree, through the recovery transaction, instead of a tree of its own.
    pub in_place: bool,
    /// Conflicts that the person has resolved.
    pub resolutions: Vec<Resolution>,
    /// How its runs are kept apart from the original.
    pub isolation: IsolationAsk,
}

impl Default for ReplayAsk {
    fn default() -> Self {
        Self {
            mutations: Vec::new(),
            templates: None,
            template_ref: None,
            from: ReplayFrom::FirstAffected,
            runner: RunnerAsk::Configured,
            timeout_s: None,
            retries: None,
            jobs: 1,
            repeat: 1,
            no_control: false,
            all: false,
            fresh: false,
            parallel: 1,
            on: RunsOn::Local,
            metrics: Vec::new(),
            in_place: false,
            resolutions: Vec::new(),
            isolation: IsolationAsk::default(),
        }
    }
}

impl ReplayAsk {
    /// The arms that are run: of a single block and of a replay in place only the mutated one.
    pub fn arms(&self) -> Vec<Arm> {
        let swaps = !self.mutations.is_empty() || self.template_ref.is_some();
        if !swaps {
            vec![Arm::Control]
        } else if self.no_control || self.in_place || self.repeat < 2 {
            vec![Arm::Mutated]
        } else {
            vec![Arm::Control, Arm::Mutated]
        }
    }
}
