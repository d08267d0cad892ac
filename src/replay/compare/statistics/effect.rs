//! The mean of paired differences and what may be said of it.

use super::random::Chance;
use crate::model::Effect;

/// Pairs that differ up to which every way of swapping the sides is tried.
const EXACT: usize = 16;

/// Ways of swapping that are tried where there are more.
const SWAPS: u32 = 20_000;

/// Samples that the interval is taken from.
const SAMPLES: usize = 10_000;

/// Samples that lie outside the interval at each end: 2.5 % of them.
const OUTSIDE: usize = SAMPLES / 40;

/// The square of the sum of the normal quantiles of 97.5 % and 80 %: pairs for a power of 80 % at an effect of
/// one standard deviation.
const POWER: f64 = 7.85;

/// The fewest runs that a verdict may rest on.
pub(in crate::replay::compare) const FEWEST_RUNS: u64 = 3;

/// Differences that are nearer than this are the same one, added up in another order.
const NEAR: f64 = 1e-9;

/// What paired differences come to, seen in `runs` repeats; `None` without any.
pub(super) fn of(differences: &[f64], runs: usize) -> Option<Effect> {
    let mean = mean(differences.to_vec())?;
    Some(Effect {
        pairs: differences.len(),
        mean,
        interval: interval(differences),
        p: p(differences),
        runs_needed: runs_needed(differences, mean, runs),
    })
}

/// The mean. Added up from the smallest on, so that the order it came in does not matter.
pub(super) fn mean(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let sum: f64 = numbers.iter().sum();
    (!numbers.is_empty()).then(|| sum / number(numbers.len()))
}

/// Whether all differences are the same one.
pub(super) fn is_flat(differences: &[f64]) -> bool {
    let first = differences.first().copied().unwrap_or_default();
    differences.iter().all(|one| (one - first).abs() <= NEAR)
}

/// The share that could come out otherwise though none of `seen` did, with 95 % confidence.
pub(super) fn rule_of_three(seen: usize) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / number(seen.max(1)))
}

/// How often the sides, swapped in each pair by chance, differ as much as they do. Pairs that do not differ say
/// nothing of it.
fn p(differences: &[f64]) -> f64 {
    let apart: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|one| one.abs() > NEAR)
        .collect();
    let seen = apart.iter().sum::<f64>().abs() - NEAR;
    if apart.len() <= EXACT {
        let ways = 1_u32 << apart.len();
        let hits =
            (0..ways).filter(|swapped| swapped_sum(&apart, u64::from(*swapped)).abs() >= seen);
        return number(hits.count()) / f64::from(ways);
    }
    let mut chance = Chance::new(SEED);
    let hits = (0..SWAPS).filter(|_| drawn(&apart, &mut chance).abs() >= seen);
    // The sides as they are stand for one way, too.
    (number(hits.count()) + 1.0) / (f64::from(SWAPS) + 1.0)
}

/// Where chance begins; any number would do, as long as it stays.
const SEED: u64 = 0x7265_6C69_6768_7421;

/// The sum with each sign drawn.
fn drawn(apart: &[f64], chance: &mut Chance) -> f64 {
    let parts = apart.chunks(64);
    parts.map(|some| swapped_sum(some, chance.next())).sum()
}

/// The sum of at most 64 differences, with the sides of those swapped whose bit is set.
fn swapped_sum(apart: &[f64], mut swapped: u64) -> f64 {
    let mut sum = 0.0;
    for one in apart {
        sum += if swapped & 1 == 1 { -one } else { *one };
        swapped >>= 1;
    }
    sum
}

/// The middle 95 % of the means of samples drawn with replacement.
fn interval(differences: &[f64]) -> (f64, f64) {
    let mut chance = Chance::new(SEED);
    let draw = |chance: &mut Chance| {
        let at = chance.below(differences.len());
        differences.get(at).copied().unwrap_or_default()
    };
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let sum: f64 = differences.iter().map(|_| draw(&mut chance)).sum();
            sum / number(differences.len())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |place: usize| means.get(place).copied().unwrap_or_default();
    (at(OUTSIDE), at(SAMPLES - 1 - OUTSIDE))
}

/// Repeats for a power of 80 % at the effect that was seen. The spread of the pairs is that of `runs` repeats, so
/// as many stand behind each pair that is asked for.
fn runs_needed(differences: &[f64], mean: f64, runs: usize) -> Option<u64> {
    if mean.abs() <= NEAR {
        return None;
    }
    let pairs = differences.len();
    let squares = differences.iter().map(|one| (one - mean).powi(2)).collect();
    let degrees = number(pairs.saturating_sub(1).max(1));
    let variance = self::mean(squares)? * number(pairs) / degrees;
    let wanted = POWER * variance / mean.powi(2);
    let needed = (wanted * number(runs) / number(pairs) - NEAR).ceil();
    Some(whole(needed).max(FEWEST_RUNS))
}

#[expect(clippy::cast_precision_loss, reason = "counts of pairs and samples")]
fn number(count: usize) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast saturates, and fewer than no runs are none"
)]
fn whole(number: f64) -> u64 {
    number as u64
}
