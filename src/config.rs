//! The configuration: built-in values, then the file, then flags, each value with its origin.

mod metric;
mod runner;
mod slurm;
mod view;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;

pub use metric::{Better, MetricConfig};
pub use runner::RunnerConfig;
pub use slurm::SlurmConfig;
use view::WrittenView;

use crate::model::SavedView;
use crate::text::Shown as _;

/// The default configuration file, whose comments document every key.
pub const DEFAULT: &str = include_str!("../assets/config.toml");

/// A variable of the environment.
type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

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
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Directories that the machine scope walks.
    pub roots: Vec<PathBuf>,
    /// Paths and ids whose pipelines are not listed.
    pub ignore: Vec<PathBuf>,
    /// The console's colors.
    pub theme: Theme,
    /// Whether the console uses the mouse.
    pub mouse: bool,
    /// Whether the console prints its screens as plain lines of text.
    pub plain: bool,
    /// How the end of a long task is notified.
    pub notify: Notify,
    /// Whether nothing may be written or started.
    pub read_only: bool,
    /// Changed keys: the name of a console command, and the names of its keys.
    pub keys: BTreeMap<String, Vec<String>>,
    /// How a plan is confirmed.
    pub confirm: Confirm,
    /// Hours without activity after which a pipeline counts as stale; 0 for each system's own.
    pub staleness_hours: u32,
    /// The orchestrator's program and its fixed arguments, by the name of a system. A system without an entry keeps its
    /// default.
    pub agent: BTreeMap<String, Vec<String>>,
    /// The check that a rehearsal runs in its scratch folder.
    pub check: CheckConfig,
    /// The runner of replays.
    pub runner: RunnerConfig,
    /// Metrics that comparisons can measure.
    pub metric: Vec<MetricConfig>,
    /// Options for the jobs of replays on Slurm.
    pub slurm: SlurmConfig,
    /// Saved views of the list.
    #[serde(skip)]
    pub view: Vec<SavedView>,
    /// The file that it is read from, there or not.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    #[serde(rename = "view")]
    written_views: Vec<WrittenView>,
}

/// The check of a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckConfig {
    /// Its program and arguments; empty for none.
    pub command: Vec<String>,
}

/// Why the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {what}", file.shown())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it, with its line.
    pub what: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl ConfigError {
    fn new(file: &Path, what: String, hint: &'static str) -> Self {
        Self {
            file: file.to_owned(),
            what,
            hint,
        }
    }

    /// The content is wrong.
    fn content(file: &Path, what: String) -> Self {
        let hint = "Correct or delete the file; every key has a default.";
        Self::new(file, what, hint)
    }

    /// The file, `named` or the usual one, cannot be read.
    fn unread(file: &Path, why: &io::Error, named: bool) -> Self {
        let hint = match (why.kind(), named) {
            (io::ErrorKind::InvalidData, _) => {
                return Self::content(file, "is not text in UTF-8.".to_owned());
            }
            (io::ErrorKind::NotFound | io::ErrorKind::IsADirectory, true) => {
                "Name an existing file, or leave out --config; every key has a default."
            }
            (io::ErrorKind::IsADirectory, false) => {
                "Move the directory away; every key has a default."
            }
            _ => "Run relight as a user who may read it, or change its permissions.",
        };
        Self::new(file, format!("cannot be read: {why}."), hint)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            ignore: Vec::new(),
            theme: Theme::Terminal,
            mouse: true,
            plain: false,
            notify: Notify::Bell,
            read_only: false,
            keys: BTreeMap::new(),
            confirm: Confirm::Key,
            staleness_hours: 0,
            agent: BTreeMap::new(),
            check: CheckConfig::default(),
            runner: RunnerConfig::default(),
            metric: Vec::new(),
            slurm: SlurmConfig::default(),
            view: Vec::new(),
            file: None,
            written_views: Vec::new(),
        }
    }
}

/// Why a list of words is not a command; `None` if it is one.
fn misfit(words: &[String]) -> Option<&'static str> {
    match words.first().map(String::as_str) {
        None | Some("") => Some("has no program"),
        Some(program) if program.contains('/') && !Path::new(program).is_absolute() => {
            Some("names a program by a relative path; give a bare name or an absolute path")
        }
        Some(_) if words.iter().any(|word| is_unsafe(word)) => {
            Some("has a control or invisible character")
        }
        Some(_) => None,
    }
}

/// Whether a word has a character that a terminal does not show.
fn is_unsafe(word: &str) -> bool {
    word.contains(|c: char| c.is_control() || crate::text::is_hidden(c))
}

impl Config {
    /// What a person must correct in values that have the right form.
    fn complaint(&self) -> Option<String> {
        let home = |path: &Path| path.is_absolute() || path.starts_with("~");
        let mut roots = self.roots.iter();
        if let Some(path) = roots.find(|path| !home(path)) {
            return Some(relative("roots", path));
        }
        // Without a slash it is the id of a pipeline.
        let mut paths = self.ignore.iter().filter(|path| path.iter().count() > 1);
        if let Some(path) = paths.find(|path| !home(path)) {
            return Some(relative("ignore", path));
        }
        let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        let odd = |path: &&PathBuf| path.as_os_str().is_empty() || climbs(path);
        if let Some(path) = self.ignore.iter().find(odd) {
            let path = path.shown();
            return Some(format!(
                "ignore has \"{path}\", which matches nothing; give a path without `..`, or an id."
            ));
        }
        let agents = self.agent.iter();
        let agents = agents.map(|(system, words)| (format!("agent.{system}"), words));
        let check = Some(&self.check.command).filter(|words| !words.is_empty());
        let check = check.map(|words| ("check.command".to_owned(), words));
        agents
            .chain(check)
            .find_map(|(key, words)| Some(format!("{key} {}.", misfit(words)?)))
            .or_else(|| self.runner.complaint())
            .or_else(|| metric::complaint(&self.metric))
            .or_else(|| self.slurm.complaint())
    }

    /// Reads the given file, else `$XDG_CONFIG_HOME/relight/config.toml` if it exists.
    pub fn load(named: Option<&Path>, env: Env<'_>) -> Result<Self, ConfigError> {
        let Some(file) = Self::usual_file(named, env) else {
            return Ok(Self::default());
        };
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok(Self {
                file: Some(file.clone()),
                ..Self::parse(&text, &file, env)?
            }),
            Err(error) if is_missing(&error) && named.is_none() => {
                let absent = || Self {
                    file: Some(file.clone()),
                    ..Self::default()
                };
                dangling(&file).map_or_else(|| Ok(absent()), Err)
            }
            Err(error) => Err(ConfigError::unread(&file, &error, named.is_some())),
        }
    }

    /// When the file that it was read from was last written, if that file is there.
    pub fn written_at(&self) -> Option<SystemTime> {
        let file = std::fs::metadata(self.file.as_ref()?);
        file.and_then(|file| file.modified()).ok()
    }

    /// The given file, else the default one, whether it exists or not.
    pub fn usual_file(named: Option<&Path>, env: Env<'_>) -> Option<PathBuf> {
        named.map(Path::to_owned).or_else(|| usual(env))
    }

    fn parse(text: &str, file: &Path, env: Env<'_>) -> Result<Self, ConfigError> {
        let mut config: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start);
            let line = 1 + text
                .bytes()
                .take(before)
                .filter(|byte| *byte == b'\n')
                .count();
            let what = format!("line {line}: {}.", plain(error.message()));
            ConfigError::content(file, what)
        })?;
        let complaint = |what| ConfigError::content(file, what);
        if let Some(what) = config.complaint() {
            return Err(complaint(what));
        }
        config.view = view::views(&config.written_views).map_err(complaint)?;
        for path in config.roots.iter_mut().chain(&mut config.ignore) {
            *path = home_expanded(path, env);
        }
        Ok(config)
    }
}

/// Whether there is no such file. `XDG_CONFIG_HOME=/dev/null` says that there is none.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Why a file that is not there is not merely missing: it, or a directory of its path, is a link whose target is missing.
/// The target may only be unmounted, and what it sets, such as `read_only`, would be silently off.
fn dangling(file: &Path) -> Option<ConfigError> {
    let is_dangling = |at: &&Path| {
        let target = std::fs::metadata(at);
        at.is_symlink() && target.is_err_and(|why| why.kind() == io::ErrorKind::NotFound)
    };
    let link = file.ancestors().find(is_dangling)?;
    let what = "is a link, and what it leads to is missing.".to_owned();
    let hint = "Restore or mount its target, or remove the link; every key has a default.";
    Some(ConfigError::new(link, what, hint))
}

fn relative(key: &str, path: &Path) -> String {
    let path = path.shown();
    format!("{key} has the relative path \"{path}\"; give an absolute one, or begin it with ~/.")
}

/// What the parser says, in the words of the configuration.
fn plain(message: &str) -> String {
    let unknown = [("unknown variant ", "a value"), ("unknown field ", "a key")];
    if let Some((rest, what)) = unknown
        .iter()
        .find_map(|(start, what)| Some((message.strip_prefix(start)?, what)))
    {
        return match rest.rsplit_once(", expected ") {
            Some((found, known)) => format!("{found} is not {what} here; expected {known}"),
            None => format!("{rest} is not {what} here"),
        };
    }
    match message.strip_prefix("missing field ") {
        Some(name) => format!("the key {name} is missing"),
        None => wrong_type(message),
    }
}

/// The same of a value of another type.
fn wrong_type(message: &str) -> String {
    const KINDS: [&str; 5] = [
        "integer ",
        "floating point ",
        "string ",
        "boolean ",
        "datetime ",
    ];
    const WANTED: [(&str, &str); 7] = [
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", "a whole number from 0 on"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a string", "a text in quotes"),
        ("a sequence", "a list in brackets"),
        ("a map", "a table"),
    ];
    let of_type = ["invalid type: ", "invalid value: "];
    let rest = of_type.iter().find_map(|start| message.strip_prefix(start));
    // One of several words, and a value that is not even a text.
    if message == "wanted string or table" {
        return "a word in quotes is expected".to_owned();
    }
    let Some((found, wanted)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return message.to_owned();
    };
    let bare = KINDS.iter().find_map(|kind| found.strip_prefix(kind));
    let found = match (bare, found) {
        (Some(value), _) => value.split(" as ").next().unwrap_or(value),
        (None, "sequence") => "a list",
        (None, "map") => "a table",
        (None, other) => other,
    };
    let known = WANTED.iter().find(|(jargon, _)| *jargon == wanted);
    let wanted = known.map_or(wanted, |(_, plain)| plain);
    format!("{found} is not valid here; {wanted} is expected")
}

/// `$XDG_CONFIG_HOME/relight/config.toml`, else `~/.config/relight/config.toml`.
fn usual(env: Env<'_>) -> Option<PathBuf> {
    let xdg = env("XDG_CONFIG_HOME").map(PathBuf::from);
    let xdg = xdg.filter(|dir| dir.is_absolute());
    let config = xdg.or_else(|| env("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(config.join("relight/config.toml"))
}

/// Expands `~/x`, as in a shell.
fn home_expanded(path: &Path, env: Env<'_>) -> PathBuf {
    match (path.strip_prefix("~"), env("HOME")) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
