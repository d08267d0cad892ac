//! `[runner]`: the program that runs the dispatches of a replay.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::misfit;

/// The keys of `[runner]`: a preset or a command (or neither), and limits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunnerConfig {
    /// The name of a preset; empty for none.
    pub preset: String,
    /// The program and its arguments; empty for none.
    pub command: Vec<String>,
    /// Seconds after which a dispatch is stopped.
    pub timeout_s: u64,
    /// How often a dispatch that gave no answer is retried.
    pub retries: u32,
    /// The value of `{model}` in the command, by the tier of a dispatch.
    pub models: BTreeMap<String, String>,
}

impl Default for RunnerConfig {
    /// The default has no runner. An implementer of crucible may print nothing for more than half an hour, so the limit
    /// is two hours.
    fn default() -> Self {
        Self {
            preset: String::new(),
            command: Vec::new(),
            timeout_s: 2 * 3600,
            retries: 0,
            models: BTreeMap::new(),
        }
    }
}

impl RunnerConfig {
    /// What is wrong with it, if anything.
    pub(super) fn complaint(&self) -> Option<String> {
        let both = !self.preset.is_empty() && !self.command.is_empty();
        if both {
            let text = "runner has a preset and a command; remove one of them.";
            return Some(text.to_owned());
        }
        if self.timeout_s == 0 {
            return Some("runner.timeout_s must be at least 1.".to_owned());
        }
        let words = Some(&self.command).filter(|words| !words.is_empty())?;
        Some(format!("runner.command {}.", misfit(words)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use std::path::Path;

    fn parse(text: &str) -> Result<Config, String> {
        let config = Config::parse(text, Path::new("/c.toml"), &|_| None);
        config.map_err(|error| error.what)
    }

    #[test]
    fn a_preset_or_a_command_and_the_limits() {
        let config = parse("[runner]\npreset = \"codex\"\nretries = 2").unwrap();
        let runner = config.runner;
        assert_eq!((runner.preset.as_str(), runner.retries), ("codex", 2));
        assert_eq!((runner.timeout_s, runner.command.len()), (7_200, 0));
        let config =
            parse("[runner]\ncommand = [\"aider\", \"{prompt}\"]\ntimeout_s = 60").unwrap();
        assert_eq!(config.runner.command, ["aider", "{prompt}"]);
        assert_eq!(config.runner.timeout_s, 60);
    }

    #[test]
    fn an_invalid_runner_is_an_error() {
        let table = [
            (
                "preset = \"x\"\ncommand = [\"y\"]",
                "runner has a preset and a command",
            ),
            ("command = [\"\"]", "runner.command has no program"),
            (
                "command = [\"bin/x\"]",
                "runner.command names a program by a relative path",
            ),
            (
                "command = [\"x\", \"a\\u0000\"]",
                "runner.command has a control",
            ),
            ("timeout_s = 0", "runner.timeout_s must be at least 1"),
            ("timeout_s = -1", "line 2: "),
            ("jobs = 2", "line 2: `jobs` is not a key here"),
        ];
        for (text, says) in table {
            let what = parse(&format!("[runner]\n{text}")).unwrap_err();
            assert!(what.starts_with(says), "{text}: {what}");
        }
    }
}
