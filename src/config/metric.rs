//! `[[metric]]`: what a comparison can measure.

use serde::Deserialize;

use super::misfit;
use crate::text::format::split_words;

/// The keys of a `[[metric]]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricConfig {
    /// The name that `compare --metric` uses.
    pub name: String,
    /// The command that measures a finished tree: a line that is split as a shell would, or a program and its
    /// arguments. Without a command, the runner writes the number to `relight.metrics.json`.
    #[serde(default, deserialize_with = "command")]
    pub command: Vec<String>,
    /// Which direction is better.
    #[serde(default)]
    pub better: Better,
    /// For a pass/fail metric: a smaller difference of pass rates counts as no meaningful change.
    pub margin: Option<f64>,
}

/// Which direction of a number is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    #[default]
    Higher,
    /// Less is better.
    Lower,
}

fn command<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a line or a list of words")]
    enum Command {
        Line(String),
        Words(Vec<String>),
    }
    match Command::deserialize(deserializer)? {
        Command::Words(words) => Ok(words),
        Command::Line(line) => split_words(&line).map_err(serde::de::Error::custom),
    }
}

/// What is wrong with the metrics, if anything.
pub(super) fn complaint(metrics: &[MetricConfig]) -> Option<String> {
    for (at, metric) in metrics.iter().enumerate() {
        let name = &metric.name;
        if name.trim() != name || name.is_empty() || name.contains('=') {
            return Some(format!(
                "metric.name \"{name}\" must be a word without `=` and without blanks around it."
            ));
        }
        if metrics.iter().take(at).any(|other| other.name == *name) {
            let what = "is defined twice; rename one of them.";
            return Some(format!("metric {name} {what}"));
        }
        let unfit = |margin| margin <= 0.0 || f64::is_nan(margin);
        if metric.margin.is_some_and(unfit) {
            return Some(format!("metric {name}: margin must be above 0."));
        }
        let command = Some(&metric.command).filter(|words| !words.is_empty());
        if let Some(why) = command.and_then(|words| misfit(words)) {
            return Some(format!("metric {name}: command {why}."));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Result<Vec<MetricConfig>, String> {
        let config = Config::parse(text, Path::new("/c.toml"), &|_| None);
        config.map(|one| one.metric).map_err(|error| error.what)
    }

    #[test]
    fn a_metric_has_a_command_a_direction_and_a_margin() {
        let text = "[[metric]]\nname = \"lines\"\ncommand = \"wc -l 'a b.txt'\"\nbetter = \"lower\"\nmargin = 2.5\n\
                    [[metric]]\nname = \"score\"\n[[metric]]\nname = \"judge\"\ncommand = [\"judge\", \"--all\"]";
        let found = parse(text).unwrap();
        assert_eq!(found[0].command, ["wc", "-l", "a b.txt"]);
        assert_eq!(
            (found[0].better, found[0].margin),
            (Better::Lower, Some(2.5))
        );
        assert_eq!(
            (found[1].better, found[1].command.len()),
            (Better::Higher, 0)
        );
        assert_eq!(found[2].command, ["judge", "--all"]);
    }

    #[test]
    fn an_invalid_metric_is_an_error() {
        for (text, says) in [
            ("name = \"\"", "metric.name \"\" must be a word"),
            ("name = \"a=b\"", "metric.name \"a=b\" must be a word"),
            (
                "name = \"a\"\n[[metric]]\nname = \"a\"",
                "metric a is defined twice",
            ),
            (
                "name = \"a\"\nmargin = 0",
                "metric a: margin must be above 0",
            ),
            (
                "name = \"a\"\ncommand = \"./x\"",
                "metric a: command names a program by a relative path",
            ),
            ("name = \"a\"\ncommand = \"'x\"", "line "),
            ("name = \"a\"\ncommand = 3", "line "),
            (
                "name = \"a\"\nbetter = \"more\"",
                "line 3: `more` is not a value here; expected ",
            ),
            ("command = \"x\"", "line 1: the key `name` is missing."),
        ] {
            let what = parse(&format!("[[metric]]\n{text}")).unwrap_err();
            assert!(what.starts_with(says), "{text}: {what}");
        }
    }
}
