//! Compares two parties: pairs their work, computes the figures, and says no more than they bear. Pure.

pub mod artifacts;
mod confounders;
mod judge;
mod metrics;
mod pairs;
mod reported_outcome;
pub mod runs;
mod statistics;

use crate::model::{Artifacts, Comparison, Foreign, Party, PipelineId, TemplateSwap};

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
    /// Templates that differ.
    pub templates: Vec<TemplateSwap>,
    /// Files that differ.
    pub artifacts: Option<Artifacts>,
    /// Inputs that could not be read.
    pub skipped: Vec<Foreign>,
}

/// Compares.
pub fn compare(inputs: Inputs) -> Comparison {
    let Inputs { a, b, .. } = &inputs;
    let from = metrics::resume_point(a, b);
    let pairs = pairs::pairs(a, b);
    let divergence = pairs::divergence(&pairs, from);
    let metrics = metrics::metrics(a, b, from);
    let statistics = statistics::statistics(a, b, &pairs);
    let confounders = confounders::confounders(a, b, &pairs);
    let judged = judge::judge(&judge::Facts {
        a,
        b,
        pairs: &pairs,
        from,
        diverges: divergence.is_some(),
        metrics: &metrics,
        artifacts: inputs.artifacts.as_ref(),
        statistics: statistics.as_ref(),
        confounders: &confounders,
    });
    Comparison {
        pipeline: inputs.pipeline,
        a: inputs.a,
        b: inputs.b,
        templates: inputs.templates,
        metrics,
        pairs,
        divergence,
        artifacts: inputs.artifacts,
        statistics,
        verdict: judged.verdict,
        verdict_text: judged.text.into(),
        confounders,
        skipped: inputs.skipped,
    }
}

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
