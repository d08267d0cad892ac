//! The configuration: built-in values, then the file, then flags, each value with its origin.

mod metric;
mod runner;
mod slurm;
mod view;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use metric::{Better, MetricConfig};
pub use runner::RunnerConfig;
use slurm::SlurmConfig;
use view::WrittenView;

use crate::model::SavedView;

/// The default configuration file, whose comments document every key.
pub const DEFAULT: &str = include_str!("../assets/config.toml");

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Built in.
    Default,
    /// This file.
    File(PathBuf),
}

/// A value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// The colors of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Colors that fit the terminal, whose background is queried.
    Terminal,
    /// Full colors on a dark background.
    Dark,
    /// Full colors on a light background.
    Light,
    /// No colors at all.
    None,
}

/// How the console notifies a person, who may look elsewhere, that a long task has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// Not at all.
    None,
    /// Ring the terminal's bell.
    #[default]
    Bell,
    /// Show a notification of the terminal (OSC 9: iTerm2, Windows Terminal, kitty, Ghostty).
    Osc9,
    /// Show a notification of the terminal (OSC 777: foot, urxvt, VTE).
    Osc777,
}

/// How a plan that is not destructive is confirmed. A destructive one always needs a typed `yes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirm {
    /// By the key `y`.
    Key,
    /// By a typed `yes`, as for a destructive plan.
    Typed,
}

/// The configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Directories that the machine scope walks.
    pub roots: Sourced<Vec<PathBuf>>,
    /// Paths and ids whose pipelines are not listed.
    pub ignore: Sourced<Vec<PathBuf>>,
    /// The console's colors.
    pub theme: Sourced<Theme>,
    /// Whether the console uses the mouse.
    pub mouse: Sourced<bool>,
    /// Whether the console prints its screens as plain lines of text.
    pub plain: Sourced<bool>,
    /// How the end of a long task is notified.
    pub notify: Sourced<Notify>,
    /// Whether nothing may be written or started.
    pub read_only: Sourced<bool>,
    /// Changed keys: the name of a console command, and the names of its keys.
    pub keys: Sourced<BTreeMap<String, Vec<String>>>,
    /// How a plan is confirmed.
    pub confirm: Sourced<Confirm>,
    /// Hours without activity after which a pipeline counts as stale; 0 for each system's own.
    pub staleness_hours: Sourced<u32>,
    /// The orchestrator's program and its fixed arguments, by the name of a system. A system without an entry keeps its
    /// default.
    pub agent: Sourced<BTreeMap<String, Vec<String>>>,
    /// The check that a rehearsal runs in its scratch folder; empty for none.
    pub check: Sourced<Vec<String>>,
    /// The runner of replays.
    pub runner: Sourced<RunnerConfig>,
    /// Metrics that comparisons can measure.
    pub metric: Sourced<Vec<MetricConfig>>,
    /// Options for the jobs of replays on Slurm.
    pub slurm: Sourced<Vec<String>>,
    /// Saved views of the list.
    pub view: Sourced<Vec<SavedView>>,
}

/// Why the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {what}", file.display())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it, with its line.
    pub what: String,
}

/// The keys of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    roots: Option<Vec<PathBuf>>,
    ignore: Option<Vec<PathBuf>>,
    theme: Option<Theme>,
    mouse: Option<bool>,
    plain: Option<bool>,
    notify: Option<Notify>,
    read_only: Option<bool>,
    keys: Option<BTreeMap<String, Vec<String>>>,
    confirm: Option<Confirm>,
    staleness_hours: Option<u32>,
    agent: Option<BTreeMap<String, Vec<String>>>,
    check: Option<WrittenCheck>,
    runner: Option<RunnerConfig>,
    metric: Option<Vec<MetricConfig>>,
    slurm: Option<SlurmConfig>,
    view: Option<Vec<WrittenView>>,
}

/// The keys of `[check]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCheck {
    command: Option<Vec<String>>,
}

impl Written {
    /// The first error in the commands.
    fn complaint(&self) -> Option<String> {
        let agents = self.agent.iter().flatten();
        let agents = agents.map(|(system, words)| (format!("agent.{system}"), words));
        let check = self.check.iter().filter_map(|check| check.command.as_ref());
        let check = check
            .filter(|words| !words.is_empty())
            .map(|words| ("check.command".to_owned(), words));
        agents
            .chain(check)
            .find_map(|(key, words)| Some(format!("{key} {}.", misfit(words)?)))
            .or_else(|| self.runner.as_ref()?.complaint())
            .or_else(|| metric::complaint(self.metric.as_ref()?))
            .or_else(|| self.slurm.as_ref()?.complaint())
    }
}

/// Why a list of words is not a command; `None` if it is one.
fn misfit(words: &[String]) -> Option<&'static str> {
    let unsafe_char = |c: char| c.is_control() || crate::text::is_hidden(c);
    match words.first().map(String::as_str) {
        None | Some("") => Some("has no program"),
        Some(program) if program.contains('/') && !Path::new(program).is_absolute() => {
            Some("names a program by a relative path; give a bare name or an absolute path")
        }
        Some(_) if words.iter().any(|word| word.chars().any(unsafe_char)) => {
            Some("has a control or invisible character")
        }
        Some(_) => None,
    }
}

impl<T> Sourced<T> {
    fn built_in(value: T) -> Self {
        Self {
            value,
            source: Source::Default,
        }
    }

    /// Takes the value of the file, if the file has one.
    fn take(&mut self, written: Option<T>, file: &Path) {
        if let Some(value) = written {
            *self = Self {
                value,
                source: Source::File(file.to_owned()),
            };
        }
    }
}

impl Config {
    /// The built-in values.
    pub fn built_in() -> Self {
        Self {
            roots: Sourced::built_in(Vec::new()),
            ignore: Sourced::built_in(Vec::new()),
            theme: Sourced::built_in(Theme::Terminal),
            mouse: Sourced::built_in(true),
            plain: Sourced::built_in(false),
            notify: Sourced::built_in(Notify::Bell),
            read_only: Sourced::built_in(false),
            keys: Sourced::built_in(BTreeMap::new()),
            confirm: Sourced::built_in(Confirm::Key),
            staleness_hours: Sourced::built_in(0),
            agent: Sourced::built_in(BTreeMap::new()),
            check: Sourced::built_in(Vec::new()),
            runner: Sourced::built_in(RunnerConfig::default()),
            metric: Sourced::built_in(Vec::new()),
            slurm: Sourced::built_in(Vec::new()),
            view: Sourced::built_in(Vec::new()),
        }
    }

    /// Reads the given file, else `$XDG_CONFIG_HOME/relight/config.toml` if it exists.
    pub fn load(
        named: Option<&Path>,
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let Some(file) = Self::usual_file(named, env) else {
            return Ok(Self::built_in());
        };
        match std::fs::read_to_string(&file) {
            Ok(text) => Self::parse(&text, &file, env),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => {
                Ok(Self::built_in())
            }
            Err(error) => Err(ConfigError {
                file,
                what: format!("cannot be read: {error}."),
            }),
        }
    }

    /// The given file, else the default one, whether it exists or not.
    pub fn usual_file(
        named: Option<&Path>,
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Option<PathBuf> {
        named.map(Path::to_owned).or_else(|| usual(env))
    }

    fn parse(
        text: &str,
        file: &Path,
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.bytes()
                    .take(span.start)
                    .filter(|b| *b == b'\n')
                    .count()
                    + 1
            });
            ConfigError {
                file: file.to_owned(),
                what: format!("line {line}: {}.", error.message()),
            }
        })?;
        if let Some(complaint) = written.complaint() {
            return Err(ConfigError {
                file: file.to_owned(),
                what: complaint,
            });
        }
        let views = written.view.as_deref().map(view::views).transpose();
        let views = views.map_err(|what| ConfigError {
            file: file.to_owned(),
            what,
        })?;
        let mut config = Self::built_in();
        let expanded = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            let all = paths.into_iter().map(|path| home_expanded(path, env));
            all.collect()
        };
        config.roots.take(written.roots.map(expanded), file);
        config.ignore.take(written.ignore.map(expanded), file);
        config.theme.take(written.theme, file);
        config.mouse.take(written.mouse, file);
        config.plain.take(written.plain, file);
        config.notify.take(written.notify, file);
        config.read_only.take(written.read_only, file);
        config.keys.take(written.keys, file);
        config.confirm.take(written.confirm, file);
        config.staleness_hours.take(written.staleness_hours, file);
        config.agent.take(written.agent, file);
        let check = written.check.and_then(|check| check.command);
        config.check.take(check, file);
        config.runner.take(written.runner, file);
        config.metric.take(written.metric, file);
        let slurm = written.slurm.and_then(|slurm| slurm.options);
        config.slurm.take(slurm, file);
        config.view.take(views, file);
        Ok(config)
    }
}

/// `$XDG_CONFIG_HOME/relight/config.toml`, else `~/.config/relight/config.toml`.
fn usual(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let xdg = env("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute());
    let config = xdg.or_else(|| env("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(config.join("relight/config.toml"))
}

/// Expands `~/x`, as in a shell.
fn home_expanded(path: PathBuf, env: &dyn Fn(&str) -> Option<OsString>) -> PathBuf {
    match (path.strip_prefix("~"), env("HOME")) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests;
