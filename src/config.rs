//! The configuration: built-in values, then the file, then flags, each value with its origin.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The commented default, which is also the documentation of every key.
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

/// The colours of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// The terminal's own colours, on any background.
    Terminal,
    /// Full colours on a dark background.
    Dark,
    /// Full colours on a light background.
    Light,
    /// No colours at all.
    None,
}

/// The configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Directories that the machine scope walks.
    pub roots: Sourced<Vec<PathBuf>>,
    /// The console's colours.
    pub theme: Sourced<Theme>,
    /// Whether the console takes the mouse.
    pub mouse: Sourced<bool>,
    /// Keys that the person wants changed: the name of a command of the console, the names of its keys.
    pub keys: Sourced<BTreeMap<String, Vec<String>>>,
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

/// What a file may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    roots: Option<Vec<PathBuf>>,
    theme: Option<Theme>,
    mouse: Option<bool>,
    keys: Option<BTreeMap<String, Vec<String>>>,
}

impl Config {
    /// The built-in values.
    pub fn built_in() -> Self {
        let source = Source::Default;
        Self {
            roots: Sourced {
                value: Vec::new(),
                source: source.clone(),
            },
            theme: Sourced {
                value: Theme::Terminal,
                source: source.clone(),
            },
            mouse: Sourced {
                value: true,
                source: source.clone(),
            },
            keys: Sourced {
                value: BTreeMap::new(),
                source,
            },
        }
    }

    /// Reads the file that was named, else `$XDG_CONFIG_HOME/relight/config.toml` if it is there.
    pub fn load(
        named: Option<&Path>,
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let Some(file) = named.map(Path::to_owned).or_else(|| usual(env)) else {
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
        let mut config = Self::built_in();
        let source = || Source::File(file.to_owned());
        if let Some(roots) = written.roots {
            let value = roots
                .into_iter()
                .map(|root| home_expanded(root, env))
                .collect();
            config.roots = Sourced {
                value,
                source: source(),
            };
        }
        if let Some(value) = written.theme {
            config.theme = Sourced {
                value,
                source: source(),
            };
        }
        if let Some(value) = written.mouse {
            config.mouse = Sourced {
                value,
                source: source(),
            };
        }
        if let Some(value) = written.keys {
            config.keys = Sourced {
                value,
                source: source(),
            };
        }
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

/// `~/x` means what the person thinks it means: this file is theirs.
fn home_expanded(path: PathBuf, env: &dyn Fn(&str) -> Option<OsString>) -> PathBuf {
    match (path.strip_prefix("~"), env("HOME")) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, Path::new("/c.toml"), &|key| {
            (key == "HOME").then(|| "/h".into())
        })
    }

    #[test]
    fn the_commented_default_is_the_built_in_configuration() {
        let uncommented: String = DEFAULT
            .lines()
            .map(|l| l.strip_prefix("#:").unwrap_or(l))
            .collect::<Vec<_>>()
            .join("\n");
        let (written, built_in) = (parse(&uncommented).unwrap(), Config::built_in());
        assert_eq!(written.roots.value, built_in.roots.value);
        assert_eq!(
            (written.theme.value, written.mouse.value, written.keys.value),
            (
                built_in.theme.value,
                built_in.mouse.value,
                built_in.keys.value.clone()
            )
        );
        assert_eq!(parse(DEFAULT).unwrap(), built_in);
    }

    #[test]
    fn says_the_line_and_keeps_the_origin() {
        let config = parse("theme = \"light\"\nroots = [\"~/work\", \"/srv\"]").unwrap();
        assert_eq!(
            config.roots.value,
            [PathBuf::from("/h/work"), "/srv".into()]
        );
        assert_eq!(config.theme.source, Source::File("/c.toml".into()));
        assert_eq!(config.mouse.source, Source::Default);
        let keys = parse("[keys]\nsort = [\"o\", \"ctrl-s\"]").unwrap().keys;
        assert_eq!(keys.value["sort"], ["o", "ctrl-s"]);
        assert!(
            parse("\n\nthema = 1")
                .unwrap_err()
                .what
                .starts_with("line 3: unknown field")
        );
    }
}
