//! The engine's settings from the configuration.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Engine, EngineError};
use crate::config::{Better, Config, MetricConfig, RunnerConfig};
use crate::model::{
    Badge, Foreign, Handoff, OwnMetric, Pipeline, Runner, RunnerAsk, Status, SystemName,
};
use crate::replay::runner;
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
    /// What replays give their dispatches to; one without words holds only the limits that are to be kept to.
    pub runner: Option<Runner>,
    /// Metrics that experiments may ask for by name.
    pub metrics: Vec<OwnMetric>,
    /// Options for every job that is submitted to Slurm.
    pub slurm: Vec<String>,
}

impl Settings {
    /// The engine's part of a configuration. A system that there is not is an error: its command would be
    /// left out without a word.
    pub fn of(config: &Config) -> Result<Self, EngineError> {
        let known = || super::SYSTEMS.iter().map(|system| system.name().0);
        let named = config.agent.keys();
        if let Some(name) = named.into_iter().find(|name| !known().any(|k| k == **name)) {
            let text =
                format!("The configuration names a command for {name}, which is not a system.");
            let systems: Vec<&str> = known().collect();
            return Err(
                EngineError::usage(text).hint(format!("The systems are {}.", systems.join(", ")))
            );
        }
        Ok(Self {
            agents: config.agent.clone(),
            check: config.check.command.iter().map(OsString::from).collect(),
            staleness_hours: config.staleness_hours,
            ignore: config.ignore.clone(),
            runner: configured_runner(&config.runner)?,
            metrics: config.metric.iter().map(own_metric).collect(),
            slurm: config.slurm.options.clone(),
        })
    }

    /// The programs that it names as agent or runner: at work in a pipeline's folders they are a sign of life.
    fn programs(&self) -> Agents {
        let agents = self.agents.values();
        let agents = agents.map(|words| words.iter().map(|w| Foreign::from(w.as_str())).collect());
        let runner = self.runner.iter();
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
            .position(|word| *word == "--resume".into());
        match continued {
            Some(at) if words.first() == handoff.argv.first() => {
                handoff.argv.splice(..at, words);
            }
            Some(_) => {}
            None if handoff.argv.is_empty() => {}
            None => handoff.argv = words,
        }
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
            entry.to_string_lossy()
        );
        Some(text.into())
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
    runner::settle(&ask, limits, own.as_deref()).ok().flatten()
}

/// The runner of a configuration; `None` where it says nothing of one.
fn configured_runner(said: &RunnerConfig) -> Result<Option<Runner>, EngineError> {
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
    let settled = runner::settle(&ask, Some(&limits), own.as_deref());
    settled.map_err(|text| {
        EngineError::usage(text).hint("It is the configuration's `[runner]` that names it.")
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ErrorKind;

    fn words(words: &[&str]) -> Vec<Foreign> {
        words.iter().map(|word| Foreign::from(*word)).collect()
    }

    #[test]
    fn the_configured_command_replaces_the_program_and_its_arguments() {
        let agents = [
            ("crucible", vec!["npx", "claude"]),
            ("autoconference", vec!["claude", "--model", "opus"]),
        ];
        let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
        let agents = agents.map(|(system, words)| (system.to_owned(), owned(words)));
        let settings = Settings {
            agents: agents.into_iter().collect(),
            ..Settings::default()
        };
        let table: &[(&str, &[&str], &[&str])] = &[
            ("crucible", &["claude", "--verbose"], &["npx", "claude"]),
            ("crucible", &["claude"], &["npx", "claude"]),
            ("crucible", &[], &[]),
            ("mgw", &["gemini"], &["gemini"]),
            (
                "crucible",
                &["claude", "--resume", "1f0c"],
                &["claude", "--resume", "1f0c"],
            ),
            (
                "autoconference",
                &["claude", "--resume", "1f0c"],
                &["claude", "--model", "opus", "--resume", "1f0c"],
            ),
        ];
        for (system, own, expected) in table {
            let mut handoff = Handoff {
                argv: words(own),
                prompt: "typed".into(),
                ..Handoff::default()
            };
            settings.command(SystemName(system), &mut handoff);
            assert_eq!(handoff.argv, words(expected), "{system} {own:?}");
            assert_eq!(handoff.prompt, "typed");
        }
    }

    #[test]
    fn w7_the_configured_agents_and_runner_are_signs_of_life() {
        let runner = Runner {
            name: "own".into(),
            argv: ["/opt/own-runner", "{prompt}"].map(OsString::from).to_vec(),
            timeout_s: 60,
            retries: 3,
            models: BTreeMap::new(),
        };
        let agents = [(
            "mgw".to_owned(),
            vec!["npx".to_owned(), "own-agent".to_owned()],
        )];
        let settings = Settings {
            agents: agents.into_iter().collect(),
            runner: Some(runner),
            ..Settings::default()
        };
        let world = crate::world::fake::FakeWorld::from("2026-01-01T00:00:00Z");
        let engine = Engine::new(Box::new(world), Vec::new()).with_settings(settings);
        let agents = engine.world.processes().agents();
        for (name, is_agent) in [("own-agent", true), ("own-runner", true), ("own", false)] {
            let process = crate::world::process::Process {
                name: name.into(),
                ..crate::world::process::Process::default()
            };
            assert_eq!(agents.program(&process).is_some(), is_agent, "{name}");
        }
    }

    #[test]
    fn a_system_that_there_is_not_is_an_error() {
        let mut config = Config::default();
        assert_eq!(Settings::of(&config).unwrap(), Settings::default());
        config.agent.insert("crucibel".into(), vec!["x".into()]);
        let error = Settings::of(&config).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        assert!(error.text.lossy().contains("crucibel"));
    }

    #[test]
    fn the_sandbox_has_a_runner_where_the_configuration_names_none() {
        use crate::engine::testing::Scene;
        let runner = |name: &str, argv: &[&str]| Runner {
            name: name.into(),
            argv: argv.iter().map(OsString::from).collect(),
            timeout_s: 60,
            retries: 3,
            models: BTreeMap::new(),
        };
        let scene = Scene::new();
        let mut engine = Some(scene.engine);
        let mut settled = |runner: Option<Runner>| {
            let set = engine.take().unwrap().with_settings(Settings {
                runner,
                ..Settings::default()
            });
            let runner = engine.insert(set).settings().runner.clone().unwrap();
            (runner.name.lossy().into_owned(), runner.retries)
        };
        assert_eq!(settled(None), ("stand-in".to_owned(), 0));
        assert_eq!(settled(Some(runner("", &[]))), ("stand-in".to_owned(), 3));
        assert_eq!(settled(Some(runner("own", &["x"]))), ("own".to_owned(), 3));
    }

    #[test]
    fn the_configured_runner_is_a_preset_or_a_command_within_its_limits() {
        let of = |preset: &str, command: &[&str], retries| {
            let mut config = Config::default();
            config.runner = RunnerConfig {
                preset: preset.to_owned(),
                command: command.iter().map(|word| (*word).to_owned()).collect(),
                retries,
                ..RunnerConfig::default()
            };
            Settings::of(&config).map(|settings| {
                let one = settings.runner;
                one.map(|one| (one.name.lossy().into_owned(), one.argv.len(), one.retries))
            })
        };
        assert_eq!(of("", &[], 0).unwrap(), None);
        assert_eq!(of("", &[], 2).unwrap(), Some((String::new(), 0, 2)));
        assert_eq!(
            of("", &["/opt/a", "b"], 2).unwrap(),
            Some(("a".into(), 2, 2))
        );
        assert_eq!(of("codex", &[], 0).unwrap().unwrap().0, "codex");
        let error = of("codecks", &[], 0).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        assert!(error.text.lossy().contains("claude, codex"));
    }

    #[test]
    fn a_briefing_names_no_other_client_than_the_configured_one() {
        use crate::engine::testing::Scene;
        use crate::model::{PlanOptions, PointChoice};
        let scene = Scene::new();
        let id = scene.id("superscientist-polymer").clone();
        let names_claude = |engine: &Engine| {
            let plan = engine.plan(&id, &PointChoice::Recommended, &PlanOptions::default());
            plan.unwrap().handoff.briefing.lossy().contains("claude")
        };
        assert!(names_claude(&scene.engine));
        let own = ["opencode", "run"].map(str::to_owned);
        let engine = scene.engine.with_settings(Settings {
            agents: [("superscientist".to_owned(), own.to_vec())].into(),
            ..Settings::default()
        });
        assert!(!names_claude(&engine));
    }

    #[test]
    fn plans_name_the_configured_command_and_rows_go_stale_by_the_configured_hours() {
        use crate::engine::testing::Scene;
        use crate::model::{PlanOptions, PointChoice};
        let scene = Scene::new();
        let id = scene.id("nine-step-price-alerts").clone();
        let conference = scene.id("autoconference-tokenizer").clone();
        let own = |engine: &Engine| {
            let plan = engine.plan(&id, &PointChoice::Recommended, &PlanOptions::default());
            plan.unwrap()
        };
        let before = own(&scene.engine);
        let stale = |engine: &Engine, id| {
            let dossier = engine.dossier(id).unwrap();
            dossier.pipeline.reading.badges.contains(&Badge::Stale)
        };
        assert!(!stale(&scene.engine, &conference) && !stale(&scene.engine, &id));
        let agents = [(
            "nine-step".to_owned(),
            vec!["my-agent".to_owned(), "-i".to_owned()],
        )];
        let engine = scene.engine.with_settings(Settings {
            agents: agents.into_iter().collect(),
            staleness_hours: 1,
            ..Settings::default()
        });
        let after = own(&engine);
        assert_eq!(after.handoff.argv[..2], words(&["my-agent", "-i"]));
        assert_eq!(after.handoff.argv.last(), before.handoff.argv.last());
        assert!(stale(&engine, &conference) && stale(&engine, &id));
        let engine = engine.with_settings(Settings {
            staleness_hours: 24 * 365,
            ..Settings::default()
        });
        assert!(!stale(&engine, &conference));
    }
}
