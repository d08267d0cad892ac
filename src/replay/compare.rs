//! Compares two parties: pairs their work, computes the figures, and states only what the data supports. Pure.

pub mod artifacts;
mod beside;
mod confounders;
mod differences;
mod metrics;
pub(super) mod pairs;
pub mod reported_outcome;
pub mod runs;

use super::verdict;
use crate::model::{
    Artifacts, Comparison, ComparisonVerdict, ExperimentFacts, Foreign, MetricJudged, Pair, Party,
    PipelineId, Run, Statistics, TemplateSwap, VerdictText,
};

pub(super) use metrics::Figure;

/// What is compared, gathered by the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The left side.
    pub a: Party,
    /// The right side.
    pub b: Party,
    /// The original run, where the sides are the two arms of an experiment.
    pub original: Option<Run>,
    /// The experiment whose two arms the sides are; `None` if they are not the arms of one.
    pub experiment: Option<ExperimentFacts>,
    /// Templates that differ.
    pub templates: Vec<TemplateSwap>,
    /// Files that differ.
    pub artifacts: Option<Artifacts>,
    /// Inputs that could not be read.
    pub skipped: Vec<Foreign>,
}

impl Inputs {
    /// Two sides without further facts.
    pub fn new(pipeline: &PipelineId, a: Party, b: Party) -> Self {
        Self {
            pipeline: pipeline.clone(),
            a,
            b,
            original: None,
            experiment: None,
            templates: Vec::new(),
            artifacts: None,
            skipped: Vec::new(),
        }
    }
}

/// Compares.
pub fn compare(mut inputs: Inputs) -> Comparison {
    let experiment = inputs.experiment.take();
    let Inputs { a, b, .. } = &inputs;
    let from = metrics::resume_point(a, b);
    let pairs = pairs::pairs(a, b);
    let divergence = pairs::divergence(&pairs, from);
    let metrics = metrics::metrics(a, b, from);
    let beside = beside::beside(a, b, from, &metrics, inputs.original.is_some());
    let mut judged = match experiment {
        Some(facts) => arms(a, b, &pairs, facts),
        None => Judged {
            verdict: ComparisonVerdict::NotJudged,
            text: VerdictText::default(),
            statistics: None,
            confounders: confounders::all(a, b, &pairs),
            notes: Vec::new(),
            others: Vec::new(),
        },
    };
    if judged.statistics.is_none() {
        judged.text = differences::sentences(&differences::Facts {
            a,
            b,
            pairs: &pairs,
            from,
            diverges: divergence.is_some(),
            metrics: &metrics,
            artifacts: inputs.artifacts.as_ref(),
        })
        .into();
    }
    Comparison {
        pipeline: inputs.pipeline,
        a: inputs.a,
        b: inputs.b,
        original: inputs.original,
        templates: inputs.templates,
        metrics,
        pairs,
        divergence,
        artifacts: inputs.artifacts,
        beside,
        others: judged.others,
        statistics: judged.statistics,
        verdict: judged.verdict,
        verdict_text: judged.text,
        confounders: judged.confounders,
        notes: judged.notes,
        skipped: inputs.skipped,
    }
}

/// What is said of two sides.
struct Judged {
    verdict: ComparisonVerdict,
    text: VerdictText,
    statistics: Option<Statistics>,
    confounders: Vec<Foreign>,
    notes: Vec<Foreign>,
    others: Vec<MetricJudged>,
}

/// The two arms of an experiment. A difference from the original is no confounder here, because both arms share it.
fn arms(a: &Party, b: &Party, pairs: &[Pair], mut facts: ExperimentFacts) -> Judged {
    let unswapped = facts.unswapped > 0;
    facts
        .confounders
        .extend(confounders::of_arms(a, b, pairs, unswapped));
    let mut notes = confounders::of_runs(a, b);
    notes.retain(|note| !facts.confounders.contains(note));
    let first = by_metric(a, b, &facts);
    let others = facts
        .others
        .iter()
        .map(|metric| by_metric(a, b, &facts.by(metric)));
    Judged {
        others: others.collect(),
        verdict: first.verdict,
        text: first.text,
        statistics: Some(first.statistics),
        confounders: facts.confounders,
        notes,
    }
}

/// What the blocks show by the metric that the facts name.
fn by_metric(a: &Party, b: &Party, facts: &ExperimentFacts) -> MetricJudged {
    let blocks = verdict::blocks(a, b, facts.primary.as_ref());
    let statistics = verdict::statistics(blocks, facts);
    let judged = verdict::judge(&statistics, facts);
    MetricJudged {
        verdict: judged.verdict,
        text: judged.text,
        statistics,
    }
}

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
