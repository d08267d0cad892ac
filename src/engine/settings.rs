//! The engine's settings from the configuration.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Engine, EngineError, Result};
use crate::config::{Better, Config, MetricConfig, RunnerConfig};
use crate::foreign;
use crate::model::{
    Badge, Foreign, Handoff, OwnMetric, Pipeline, Runner, RunnerAsk, Status, SystemName,
};
use crate::replay::runner;
use crate::text::Shown as _;
use crate::world::agents::Agents;

/// What the configuration sets; the default changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The orchestrator's program and its fixed arguments, by the name of a system.
    pub agents: BTreeMap<String, Vec<String>>,
    /// The check that a rehearsal runs; empty for none. Never read from a project.
    pub check: Vec<OsString>,
    /// Hours without activity after which a pipeline counts as stale; 0 for each system's own.
    pub staleness_hours: u32,
    /// Paths and ids whose pipelines are not listed.
    pub ignore: Vec<PathBuf>,
    /// The runner of replays; one without a command only sets the limits.
    pub runner: Option<Runner>,
    /// Metrics that experiments may ask for by name.
    pub metrics: Vec<OwnMetric>,
    /// Options for every job that is submitted to Slurm.
    pub slurm: Vec<String>,
}

impl Settings {
    /// The engine's part of a configuration. A system that there is not is an error: its command would be
    /// left out without a word.
    pub fn of(config: &Config) -> Result<Self> {
        let known = || super::SYSTEMS.iter().map(|system| system.name().0);
        let named = config.agent.keys();
        if let Some(name) = named.into_iter().find(|name| !known().any(|k| k == **name)) {
            let what = format!("agent.{name} names a command for {name}, which is not a system.");
            let systems: Vec<&str> = known().collect();
            let hint = format!("The systems are {}.", systems.join(", "));
            return Err(in_file(config, what).hint(hint));
        }
        Ok(Self {
            agents: config.agent.clone(),
            check: config.check.command.iter().map(OsString::from).collect(),
            staleness_hours: config.staleness_hours,
            ignore: config.ignore.clone(),
            runner: configured_runner(&config.runner)
                .map_err(|why| in_file(config, foreign!("[runner]: {}", &why)))?,
            metrics: config.metric.iter().map(own_metric).collect(),
            slurm: config.slurm.options.clone(),
        })
    }

    /// The programs that it names as agent or runner: at work in a pipeline's folders they are a sign of life.
    fn programs(&self) -> Agents {
        let agents = self.agents.values();
        let agents = agents.map(|words| words.iter().map(|w| Foreign::from(w.as_str())).collect());
        // The stub is relight itself, which is no agent whatever its file is called.
        let runner = self.runner.iter().filter(|runner| !runner.is_stub());
        let runner = runner.map(|runner| {
            runner
                .argv
                .iter()
                .map(|w| Foreign::from(w.as_os_str()))
                .collect()
        });
        let commands: Vec<Vec<Foreign>> = agents.chain(runner).collect();
        Agents::of(commands.iter().map(Vec::as_slice))
    }

    /// Puts the configured command into a hand-off, in place of the system's own program and its arguments. The
    /// prompt is added to either as its last word.
    pub(super) fn command(&self, system: SystemName, handoff: &mut Handoff) {
        let Some(words) = self.agents.get(system.0) else {
            return;
        };
        let words: Vec<Foreign> = words.iter().map(|word| word.as_str().into()).collect();
        // Only the client that holds a conversation can continue it, so that part of the command stays.
        let continued = handoff
            .argv
            .iter()
            .position(|word| word.as_bytes() == b"--resume");
        match continued {
            Some(at) if words.first() == handoff.argv.first() => {
                handoff.argv.splice(..at, words);
            }
            Some(_) => {}
            None if handoff.argv.is_empty() => {}
            None => handoff.argv = words,
        }
    }

    /// The program that the configuration names for a system.
    pub(super) fn client(&self, system: SystemName) -> Option<&str> {
        Some(self.agents.get(system.0)?.first()?.as_str())
    }

    /// Why a pipeline is not listed, where the configuration says so.
    pub(super) fn ignored(&self, pipeline: &Pipeline) -> Option<Foreign> {
        let beneath = |path: &Path| {
            let places = pipeline
                .reading
                .state_files
                .iter()
                .chain(&pipeline.reading.work_tree);
            path.is_absolute()
                && places
                    .chain([&pipeline.reading.root])
                    .any(|place| place.starts_with(path))
        };
        let id = pipeline.id.0.as_str();
        let named = |entry: &Path| {
            let short = id.rsplit_once('~').map_or(id, |(short, _)| short);
            entry
                .to_str()
                .is_some_and(|entry| entry == id || entry == short)
        };
        let entry = self
            .ignore
            .iter()
            .find(|entry| beneath(entry) || named(entry))?;
        let text = format!(
            "{id} is not listed: `ignore` in the configuration names {}.",
            entry.shown()
        );
        Some(text.into())
    }

    /// Whether the configuration names a pipeline of this id as one that is not listed.
    pub(super) fn ignores_id(&self, word: &OsStr) -> bool {
        self.ignore.iter().any(|entry| entry.as_os_str() == word)
    }

    /// Sets or takes the badge `stale` by the configured hours.
    pub(super) fn staleness(&self, pipeline: &mut Pipeline, now: DateTime<Utc>) {
        let Some(last) = pipeline
            .reading
            .last_activity_at
            .filter(|_| self.staleness_hours > 0)
        else {
            return;
        };
        let over = matches!(pipeline.standing.status, Status::Complete | Status::Live);
        let limit = TimeDelta::hours(i64::from(self.staleness_hours));
        let stale = !over && now - last.at.to_utc() > limit;
        let badges = &mut pipeline.reading.badges;
        badges.retain(|badge| *badge != Badge::Stale);
        if stale {
            badges.push(Badge::Stale);
            badges.sort();
        }
    }
}

/// Something of the configuration is wrong, with the file.
fn in_file(config: &Config, what: impl Into<Foreign>) -> EngineError {
    let what = what.into();
    EngineError::usage(match &config.file {
        Some(file) => foreign!("{} {}", file, &what),
        None => foreign!("The configuration: {}", &what),
    })
}

fn own_metric(said: &MetricConfig) -> OwnMetric {
    OwnMetric {
        name: said.name.clone(),
        command: said.command.clone(),
        lower_is_better: said.better == Better::Lower,
        margin: said.margin,
        primary: false,
    }
}

/// The stub runner, where relight knows its own path, within the limits of a configuration.
fn stub_runner(limits: Option<&Runner>) -> Option<Runner> {
    let own = std::env::current_exe().ok();
    let ask = RunnerAsk::Preset(runner::STUB.to_owned());
    runner::chosen(&ask, limits, own.as_deref()).ok().flatten()
}

/// The runner of a configuration; `None` where it says nothing of one.
fn configured_runner(said: &RunnerConfig) -> Result<Option<Runner>, Foreign> {
    if *said == RunnerConfig::default() {
        return Ok(None);
    }
    let limits = Runner {
        name: Foreign::default(),
        argv: Vec::new(),
        timeout_s: said.timeout_s,
        retries: said.retries,
        models: said.models.clone(),
    };
    let ask = if !said.preset.is_empty() {
        RunnerAsk::Preset(said.preset.clone())
    } else if said.command.is_empty() {
        return Ok(Some(limits));
    } else {
        RunnerAsk::Words(said.command.iter().map(OsString::from).collect())
    };
    let own = std::env::current_exe().ok();
    runner::chosen(&ask, Some(&limits), own.as_deref())
}

impl Engine {
    /// The same engine with what the configuration sets. In the demo's sandbox the stub runner runs replays
    /// where the configuration names no runner, so that a newcomer needs no agent to try one.
    #[must_use]
    pub fn with_settings(mut self, mut settings: Settings) -> Self {
        let named = settings
            .runner
            .as_ref()
            .is_some_and(|one| !one.argv.is_empty());
        if self.sandboxed && !named {
            settings.runner = stub_runner(settings.runner.as_ref()).or(settings.runner);
        }
        self.world.know_agents(settings.programs());
        self.settings = settings;
        self
    }

    /// What the configuration sets.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
