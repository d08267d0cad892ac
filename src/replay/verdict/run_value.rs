//! The value of a run, and the blocks that runs form.

use std::collections::BTreeMap;

use crate::model::{
    Block, ExperimentFacts, OwnMetric, Party, Run, RunValue, SessionId, Sign, TestOutcome, Work,
    WorkStatus,
};
use crate::replay::compare::runs::newest;

/// The blocks of two arms, those of earlier experiments first. One whose runs were deleted is missing: what it showed
/// was against a verdict or for it.
pub(crate) fn blocks(a: &Party, b: &Party, facts: &ExperimentFacts) -> Vec<Block> {
    let primary = facts.primary.as_ref();
    let missing = |(experiment, number): &(SessionId, usize)| Block {
        experiment: experiment.clone(),
        number: *number,
        control_run: None,
        mutated_run: None,
        control: RunValue::Missing,
        mutated: RunValue::Missing,
        sign: None,
    };
    let deleted = facts.deleted.iter();
    let deleted = deleted.map(|one| ((began(&one.0), one.1), missing(one)));
    let mut blocks: BTreeMap<(u64, usize), Block> = deleted.collect();
    // A metric that gave a number in any run is a number, and a run without one says nothing.
    let mut runs = a.runs.iter().chain(&b.runs);
    let numeric = primary.is_some_and(|metric| {
        runs.any(|run| matches!(measured(run, metric), Some(RunValue::Number(_))))
    });
    for (runs, mutated) in [(&a.runs, false), (&b.runs, true)] {
        for (at, run) in runs.iter().enumerate() {
            // A run outside of an experiment has no mate.
            let Some(place) = &run.place else { continue };
            let block = blocks
                .entry((began(&place.experiment), place.block))
                .or_insert_with(|| missing(&(place.experiment.clone(), place.block)));
            let value = value(run, primary, numeric);
            if mutated {
                (block.mutated_run, block.mutated) = (Some(at), value);
            } else {
                (block.control_run, block.control) = (Some(at), value);
            }
        }
    }
    let lower = primary.is_some_and(|metric| metric.lower_is_better);
    let signed = |mut block: Block| {
        block.sign = sign(block.control, block.mutated, lower);
        block
    };
    blocks.into_values().map(signed).collect()
}

/// Experiments are ordered by the second they began at, which is their id.
fn began(id: &SessionId) -> u64 {
    id.0.parse().unwrap_or(u64::MAX)
}

/// How a block ended; `None` where a run is missing.
pub(super) fn sign(control: RunValue, mutated: RunValue, lower_is_better: bool) -> Option<Sign> {
    let rank = |value| match value {
        RunValue::Number(number) if lower_is_better => Some(-number),
        RunValue::Missing => None,
        // A run that failed loses to any number, else a template could win by failing fast.
        RunValue::Fail => Some(f64::NEG_INFINITY),
        RunValue::Pass => Some(1.0),
        RunValue::Number(number) => Some(number),
    };
    Some(match rank(mutated)?.partial_cmp(&rank(control)?)? {
        std::cmp::Ordering::Greater => Sign::Win,
        std::cmp::Ordering::Less => Sign::Loss,
        std::cmp::Ordering::Equal => Sign::Tie,
    })
}

/// The value of a run: the metric (`numeric` where it is a number), else its acceptance tests, else whether all work was
/// completed.
pub(super) fn value(run: &Run, primary: Option<&OwnMetric>, numeric: bool) -> RunValue {
    let work: Vec<&Work> = newest(&run.work).collect();
    // Of a run without work nothing is known.
    if run.unfinished || work.is_empty() {
        return RunValue::Missing;
    }
    let Some(metric) = primary else {
        return outcome(&work);
    };
    // A metric of unfinished work does not count.
    if has_failed(run) {
        return RunValue::Fail;
    }
    // A metric that could not be measured is missing, not bad: its command may have failed for a reason of its own.
    match measured(run, metric) {
        Some(RunValue::Pass | RunValue::Fail) if numeric => RunValue::Missing,
        measured => measured.unwrap_or(RunValue::Missing),
    }
}

/// What a metric came to in a run.
fn measured(run: &Run, metric: &OwnMetric) -> Option<RunValue> {
    let found = run.measured.iter().find(|(name, _)| *name == metric.name);
    found.map(|(_, value)| *value)
}

/// The value of the original, as far as it is recorded.
pub(crate) fn original_value(run: &Run) -> Option<RunValue> {
    let value = value(run, None, false);
    (value != RunValue::Missing).then_some(value)
}

/// Whether a dispatch of it did not end as it should, whatever it said, so that no metric of its tree counts.
pub(crate) fn has_failed(run: &Run) -> bool {
    newest(&run.work).any(|one| !has_ended(one))
}

/// The acceptance tests where there are any, else whether all work was completed.
fn outcome(work: &[&Work]) -> RunValue {
    // The last run of the tests counts: earlier ones are there to fail and be repaired.
    let passed = match work.iter().rev().find(|one| one.runs_tests()) {
        Some(tests) => tests.succeeded() == Some(true),
        None => work.iter().all(|one| done(one)),
    };
    if passed {
        RunValue::Pass
    } else {
        RunValue::Fail
    }
}

/// A reviewer's FAIL is an answer; without an answer a dispatch is not done, whoever it was given to.
fn done(work: &Work) -> bool {
    let said_fail = work.status == WorkStatus::Completed && work.verdict == TestOutcome::Fail;
    has_ended(work) && (work.is_review() || !said_fail)
}

fn has_ended(work: &Work) -> bool {
    match work.status {
        WorkStatus::Completed | WorkStatus::Skipped => true,
        WorkStatus::Failed => work.is_review() && work.verdict != TestOutcome::Unknown,
        WorkStatus::Error | WorkStatus::Open => false,
    }
}
