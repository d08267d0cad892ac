//! What was fixed in the record of an experiment, as far as its judgment needs it.

use super::RunValue;
use crate::model::{Foreign, PipelineId, SessionId};

/// A metric of a person's own.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnMetric {
    /// Its name.
    pub name: String,
    /// Program and arguments that measure it, run in the finished tree without a shell.
    pub command: Vec<String>,
    /// Whether a lower number is better.
    pub lower_is_better: bool,
    /// The difference that is not worth speaking of; for pass or fail a share of runs.
    pub margin: Option<f64>,
}

impl OwnMetric {
    /// Reads `NAME=CMD`. The command is split as shell words with nothing expanded, and no shell runs it. The error
    /// is a sentence.
    pub fn parse(word: &str) -> Result<Self, String> {
        let shape = || format!("--metric {word} is not NAME=CMD.");
        let (name, command) = word.split_once('=').ok_or_else(shape)?;
        let command =
            words(command).ok_or_else(|| format!("--metric {name} has an open quote."))?;
        if name.trim().is_empty() || command.is_empty() {
            return Err(shape());
        }
        Ok(Self {
            name: name.trim().to_owned(),
            command,
            lower_is_better: false,
            margin: None,
        })
    }
}

/// Splits as a shell does, by blanks outside of quotes; `None` where a quote stays open.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut signs = text.chars();
    let mut quote = None;
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().push(signs.next()?),
            (None, '"' | '\'') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The margin of pass or fail where none is named: 20 points.
pub const MARGIN: f64 = 0.2;

/// What a judgment needs to know of an experiment beside its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentFacts {
    /// The pipeline, for the commands that are named.
    pub pipeline: PipelineId,
    /// Its id.
    pub id: SessionId,
    /// Blocks that are planned, those of earlier experiments of the same question counted.
    pub planned: u32,
    /// The number of blocks that was fixed before the first run; `None` where none was.
    pub fixed: Option<u32>,
    /// The metric that decides; `None` for the outcome of the run.
    pub primary: Option<OwnMetric>,
    /// How many metrics were declared to decide; the evidence needed grows with them.
    pub primaries: u32,
    /// Earlier experiments of the same question that are counted.
    pub earlier: u32,
    /// Earlier experiments of the same question that are left out.
    pub left_out: u32,
    /// What the arms differ in beside the template, a sentence each.
    pub confounders: Vec<Foreign>,
    /// What the original came to by the same measure, where that is known.
    pub original: Option<RunValue>,
    /// Why it is not judged, where it is not: a pool, a control alone.
    pub unjudged: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_split_as_shell_words_with_nothing_expanded() {
        type Split<'a> = Option<(&'a str, &'a [&'a str])>;
        let table: &[(&str, Split<'_>)] = &[
            ("n=wc -l out.txt", Some(("n", &["wc", "-l", "out.txt"]))),
            (
                "n=sh -c 'echo \"$HOME\"'",
                Some(("n", &["sh", "-c", "echo \"$HOME\""])),
            ),
            (
                "n=a \"b c\"d \\ e ''",
                Some(("n", &["a", "b cd", " e", ""])),
            ),
            ("n=x=1", Some(("n", &["x=1"]))),
            ("n=", None),
            ("=x", None),
            ("x", None),
            ("n='open", None),
        ];
        for (word, expected) in table {
            let found = OwnMetric::parse(word).ok();
            let found = found.as_ref().map(|one| {
                let command: Vec<&str> = one.command.iter().map(String::as_str).collect();
                (one.name.as_str(), command)
            });
            let expected = expected.map(|(name, command)| (name, command.to_vec()));
            assert_eq!(found, expected, "{word}");
        }
    }
}
