//! What was fixed in the record of an experiment, as far as its judgment needs it.

use super::RunValue;
use crate::model::{Foreign, PipelineId, SessionId};
use crate::text::format::split_words;

/// A metric of a person's own.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OwnMetric {
    /// Its name.
    pub name: String,
    /// Program and arguments that measure it, run in the finished tree without a shell; empty where the runner leaves
    /// the number in `relight.metrics.json`.
    pub command: Vec<String>,
    /// Whether a lower number is better.
    pub lower_is_better: bool,
    /// For a metric that passes or fails: pass rates that differ by less count as no meaningful change.
    pub margin: Option<f64>,
    /// Whether it was declared to decide. Where none is, the first does.
    #[serde(default)]
    pub primary: bool,
}

impl OwnMetric {
    /// Whether the person described it as a number.
    pub fn expects_number(&self) -> bool {
        self.lower_is_better || self.margin.is_some()
    }

    /// The metrics that decide; none of them where the outcome of the run does.
    pub fn primaries(all: &[Self]) -> Vec<&Self> {
        let declared: Vec<&Self> = all.iter().filter(|one| one.primary).collect();
        if declared.is_empty() {
            return all.first().into_iter().collect();
        }
        declared
    }

    /// Reads `NAME=CMD`. The command is split as shell words with nothing expanded, and no shell runs it. The error
    /// is a sentence.
    pub fn parse(word: &str) -> Result<Self, String> {
        let shape = || format!("--metric {word} is not NAME=CMD.");
        let (name, command) = word.split_once('=').ok_or_else(shape)?;
        let command = split_words(command).map_err(|why| format!("--metric {name}: {why}."))?;
        if name.trim().is_empty() || command.is_empty() {
            return Err(shape());
        }
        Ok(Self {
            name: name.trim().to_owned(),
            command,
            lower_is_better: false,
            margin: None,
            primary: false,
        })
    }
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
    /// Blocks of it that are planned.
    pub planned: u32,
    /// The number of blocks that was fixed before the first run; `None` where none was.
    pub fixed: Option<u32>,
    /// The metric that decides; `None` for the outcome of the run.
    pub primary: Option<OwnMetric>,
    /// How many metrics were declared to decide; the evidence needed grows with them.
    pub primaries: u32,
    /// The other metrics of the experiment; of them only those that were declared to decide are judged.
    pub others: Vec<OwnMetric>,
    /// Earlier experiments of the same question that are counted, with the blocks planned of each, less those that are
    /// left out.
    pub earlier: Vec<(SessionId, u32)>,
    /// Earlier experiments of the same question that are left out.
    pub left_out: u32,
    /// Blocks of it that are left out because files of the original changed while they ran.
    pub disturbed: u32,
    /// Blocks of which a run that had counted was deleted, here and in earlier experiments.
    pub deleted: Vec<(SessionId, usize)>,
    /// Dispatches that were to be swapped and whose text is the same in both arms.
    pub unswapped: usize,
    /// Blocks to add at least: another metric that decides needs as many.
    pub at_least: u32,
    /// Runs that are complete and only lack a value of the metric.
    pub unmeasured: u32,
    /// Runs of it that are running now. Where there are any, none of its runs is missing.
    pub running: u32,
    /// What the arms differ in beside the template, a sentence each.
    pub confounders: Vec<Foreign>,
    /// Why the runs say nothing about a template, whatever their results are.
    pub no_evidence: Option<Foreign>,
    /// The result of the original by the same measure, where that is known.
    pub original: Option<RunValue>,
    /// Why it is not judged, where it is not: a pool, a control alone.
    pub unjudged: Option<String>,
    /// The command that starts it anew, where its record has all of it.
    pub anew: Option<StartAnew>,
}

/// The command that starts a recorded experiment anew, in two parts: another runner may take the place of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartAnew {
    /// `relight replay PIPELINE` and its options, with `--fresh`.
    pub options: String,
    /// The options of its runner.
    pub runner: String,
}

impl ExperimentFacts {
    /// The same by each metric that decides.
    pub fn deciding(&self) -> Vec<Self> {
        let others = self.others.iter().filter(|metric| metric.primary);
        let others = others.map(|metric| self.by(metric));
        std::iter::once(self.clone()).chain(others).collect()
    }

    /// The same by another metric of the experiment.
    #[must_use]
    pub fn by(&self, metric: &OwnMetric) -> Self {
        let (name, unjudged) = (&metric.name, self.unjudged.clone());
        let declared = self.others.iter().any(|one| one.name == *name);
        let why = || match &self.primary {
            Some(first) if declared => {
                format!(
                    "{} decides in this experiment; {name} is only shown.",
                    first.name
                )
            }
            _ => format!(
                "{name} was chosen afterwards. A metric decides that is named with --metric before the first run."
            ),
        };
        Self {
            unjudged: unjudged.or_else(|| (!metric.primary).then(why)),
            primary: Some(metric.clone()),
            others: Vec::new(),
            original: None,
            ..self.clone()
        }
    }
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
