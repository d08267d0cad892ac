//! Compares two parties: pairs their work, computes the figures, and states only what the data supports. Pure.

pub mod artifacts;
mod beside;
mod confounders;
mod differences;
mod metrics;
mod notes;
pub(super) mod pairs;
pub mod reported_outcome;
pub mod runs;

use super::verdict;
use crate::model::{
    Comparison, ComparisonVerdict, ExperimentFacts, MetricJudged, Party, STUB_SAYS_NOTHING,
};

pub(super) use metrics::{Figure, median};

/// Compares two sides. `gathered` has what the engine knows of them; what follows from that is added. With an
/// experiment, the sides are its two arms.
pub fn compare(gathered: Comparison, experiment: Option<ExperimentFacts>) -> Comparison {
    let (a, b) = (&gathered.a, &gathered.b);
    let from = metrics::resume_point(a, b);
    let pairs = pairs::pairs(a, b);
    let metrics = metrics::metrics(a, b, from);
    let beside = beside::beside(a, b, from, &metrics, gathered.original.is_some());
    let mut compared = Comparison {
        divergence: pairs::divergence(&pairs, from),
        pairs,
        metrics,
        beside,
        ..gathered
    };
    if let Some(facts) = experiment {
        judge(&mut compared, facts);
    } else {
        let (a, b) = (&compared.a, &compared.b);
        compared.confounders = confounders::all(a, b, &compared.pairs);
        if confounders::are_replays(a, b) {
            compared.notes = confounders::unlike_original(a, b);
        }
    }
    let unmeasured = notes::unmeasured(&compared.a, &compared.b);
    compared.notes.extend(unmeasured);
    if compared.statistics.is_none() {
        compared.verdict_text = differences::text(&compared, from);
    }
    compared
}

/// Judges the two arms of an experiment. A difference from the original is no confounder here, because both arms share
/// it.
fn judge(compared: &mut Comparison, mut facts: ExperimentFacts) {
    let Comparison { a, b, pairs, .. } = &*compared;
    let unswapped = facts.unswapped > 0;
    facts
        .confounders
        .extend(confounders::of_arms(a, b, pairs, unswapped));
    let has_stub = a.has_stub() || b.has_stub();
    facts.no_evidence = has_stub.then(|| STUB_SAYS_NOTHING.into());
    let mut notes = confounders::of_runs(a, b);
    notes.retain(|note| {
        !facts.confounders.contains(note) && facts.no_evidence.as_ref() != Some(note)
    });
    // Blocks are added for all metrics that decide, so each of them advises as many as any of them needs.
    let deciding = facts.deciding();
    if deciding.len() > 1 {
        let adds = deciding
            .iter()
            .filter_map(|by| by_metric(a, b, by).text.adds);
        facts.at_least = adds.max().unwrap_or_default();
    }
    let first = by_metric(a, b, &facts);
    let others = facts.others.iter();
    let others = others.map(|metric| by_metric(a, b, &facts.by(metric)));
    compared.others = others.collect();
    compared.verdict = first.verdict;
    compared.verdict_text = first.text;
    compared.statistics = Some(first.statistics);
    compared.confounders = facts.confounders;
    compared.notes.extend(notes);
}

/// What the blocks show by the metric that the facts name.
fn by_metric(a: &Party, b: &Party, facts: &ExperimentFacts) -> MetricJudged {
    let facts = &ExperimentFacts {
        unmeasured: notes::lacking(a, b, facts.primary.as_ref()),
        ..facts.clone()
    };
    let blocks = verdict::blocks(a, b, facts);
    let mut statistics = verdict::statistics(blocks, facts);
    let (verdict, text) = verdict::judge(&statistics, facts);
    // The evidence alone is no verdict: the arms may be confounded, or the metric chosen afterwards.
    if !matches!(
        verdict,
        ComparisonVerdict::Better | ComparisonVerdict::Worse
    ) {
        statistics.decided_at = None;
    }
    if verdict != ComparisonVerdict::NoMeaningfulChange {
        statistics.equal_at = None;
    }
    MetricJudged {
        statistics,
        verdict,
        text,
    }
}

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
