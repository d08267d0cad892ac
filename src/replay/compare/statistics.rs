//! What repeats add up to: paired differences, how sure one may be of their mean, and how many runs it would take.
//! Pure, and the same for the same input: chance comes from a generator with a fixed seed.

mod effect;
mod random;

pub(super) use effect::FEWEST_RUNS;

use super::pairs::{share, success};
use crate::model::{Bucket, Effect, Pair, Party, Run, Statistics, TestOutcome, Work};

/// The statistics of two parties; `None` for single runs, which bear none.
pub(super) fn statistics(a: &Party, b: &Party, pairs: &[Pair]) -> Option<Statistics> {
    let runs = (a.runs.len(), b.runs.len());
    let most = runs.0.max(runs.1);
    if most < 2 {
        return None;
    }
    let mut by_key: Vec<&Pair> = pairs.iter().collect();
    // The sides may hold their work in another order; chance must not care.
    by_key.sort_by(|a, b| a.key.cmp(&b.key));
    let successes: Vec<f64> = by_key.iter().filter_map(|pair| in_success(pair)).collect();
    let answers = by_key.iter().filter(|pair| in_success(pair).is_some());
    let answers = answers.map(|pair| answered(pair)).sum();
    let times: Vec<f64> = by_key.iter().filter_map(|pair| in_time(pair)).collect();
    let count = |bucket: Bucket| pairs.iter().filter(|pair| pair.bucket == bucket).count() as u64;
    Some(Statistics {
        runs,
        success: effect::of(&successes, most).map(|effect| of_success(effect, &successes, answers)),
        duration: effect::of(&times, most).map(of_time),
        passed: [passed(&a.runs), passed(&b.runs)],
        buckets: Bucket::ALL.map(|bucket| (bucket, count(bucket))).to_vec(),
    })
}

/// The difference of a pair in its share of successes.
fn in_success(pair: &Pair) -> Option<f64> {
    Some(share(&pair.b)? - share(&pair.a)?)
}

/// How many answers of one side stand against answers of the other.
fn answered(pair: &Pair) -> usize {
    let of = |side: &[Option<Work>]| side.iter().flatten().filter_map(success).count();
    of(&pair.a).max(of(&pair.b))
}

/// The difference of a pair in the logarithm of its time; what took less than a second counts as one.
fn in_time(pair: &Pair) -> Option<f64> {
    let of = |side: &[Option<Work>]| {
        let answered = side.iter().flatten().filter(|one| success(one).is_some());
        let times = answered.filter_map(|one| one.duration_s);
        effect::mean(times.map(|seconds| log(seconds.max(1))).collect())
    };
    Some(of(&pair.b)? - of(&pair.a)?)
}

#[expect(clippy::cast_precision_loss, reason = "seconds that a dispatch took")]
fn log(seconds: u64) -> f64 {
    (seconds as f64).ln()
}

/// Where every pair differs by as much, resampling would be certain of it. Then the exact bound is given: were the
/// share of answers that come out otherwise any larger, one would have been seen with 95 % certainty.
fn of_success(mut effect: Effect, differences: &[f64], answers: usize) -> Effect {
    let (low, high) = effect.interval;
    if effect::is_flat(differences) {
        let bound = effect::rule_of_three(answers);
        effect.interval = ((low - bound).max(-1.0), (high + bound).min(1.0));
    }
    effect
}

/// From logarithms to relative change.
fn of_time(effect: Effect) -> Effect {
    let (low, high) = effect.interval;
    Effect {
        mean: effect.mean.exp_m1(),
        interval: (low.exp_m1(), high.exp_m1()),
        ..effect
    }
}

/// Runs whose acceptance tests passed, of those that say.
fn passed(runs: &[Run]) -> (u64, u64) {
    let count = |wanted| runs.iter().filter(|run| run.outcome == wanted).count() as u64;
    let passed = count(TestOutcome::Pass);
    (passed, passed + count(TestOutcome::Fail))
}

#[cfg(test)]
mod tests;
