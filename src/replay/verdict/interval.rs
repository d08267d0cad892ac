//! Intervals for the difference of two pass rates.

use super::evidence::BETS;
use crate::model::BlockTally;

/// The differences of the two rates that the blocks do not rule out, at any look: all δ in which the same bets,
/// made on the difference of each block (1, 0 or −1) being above or below δ, stay poor. Contains 0 exactly as long as there
/// is no verdict.
pub(crate) fn interval(tally: BlockTally, enough: f64) -> (f64, f64) {
    let (wins, losses, ties) = (
        f64::from(tally.wins),
        f64::from(tally.losses),
        f64::from(tally.ties),
    );
    let money = |delta: f64| -> f64 {
        let side = |sign: f64, stake: f64| {
            // The stake is scaled by the room to the edge, so that no bet can lose more than all.
            let factor = |difference: f64| {
                let room = 1.0 + sign * delta;
                (stake * sign * (difference - delta) / room).ln_1p()
            };
            // At an edge every block must be on it: a single other one makes the bet infinitely rich.
            if 1.0 + sign * delta <= f64::EPSILON {
                let elsewhere = ties + if sign > 0.0 { wins } else { losses };
                return if elsewhere > 0.0 { f64::INFINITY } else { 1.0 };
            }
            // What did not happen is left out: its factor may be zero there.
            let part = |count: f64, difference: f64| {
                if count > 0.0 {
                    count * factor(difference)
                } else {
                    0.0
                }
            };
            (part(wins, 1.0) + part(losses, -1.0) + part(ties, 0.0)).exp()
        };
        BETS.iter()
            .map(|(weight, stake)| weight / 2.0 * (side(1.0, *stake) + side(-1.0, *stake)))
            .sum()
    };
    // The money is a convex function of δ with its least value near the mean, so each edge is found by halving.
    let blocks = wins + losses + ties;
    if blocks < 1.0 {
        return (-1.0, 1.0);
    }
    let mean = (wins - losses) / blocks;
    let edge = |far: f64| {
        if money(far) < enough {
            return far;
        }
        let (mut inside, mut outside) = (mean, far);
        // Sixty halvings are below the precision of a double.
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            if money(middle) < enough {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    };
    (edge(-1.0), edge(1.0))
}

/// Newcombe's 90 % interval for the difference of two rates (mutated less control), each `(passed, of)`.
pub(crate) fn newcombe(control: (u32, u32), mutated: (u32, u32)) -> Option<(f64, f64)> {
    const Z: f64 = 1.644_853_626_951_472_7;
    let wilson = |(passed, of): (u32, u32)| {
        let n = f64::from(of);
        let rate = f64::from(passed) / n;
        let middle = rate + Z * Z / (2.0 * n);
        let spread = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        (rate, (middle - spread) / scale, (middle + spread) / scale)
    };
    if control.1 == 0 || mutated.1 == 0 {
        return None;
    }
    let (c, c_low, c_high) = wilson(control);
    let (m, m_low, m_high) = wilson(mutated);
    let difference = m - c;
    Some((
        difference - (m - m_low).hypot(c_high - c),
        difference + (m_high - m).hypot(c - c_low),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::evidence::{ENOUGH, evidence};
    use super::*;

    #[test]
    fn the_interval_holds_zero_exactly_while_there_is_no_verdict() {
        for wins in 0..40 {
            for losses in 0..=wins {
                for ties in [0, 3] {
                    let (low, high) = interval(BlockTally { wins, losses, ties }, ENOUGH);
                    assert!((-1.0..=1.0).contains(&low) && low <= high && high <= 1.0);
                    let undecided = evidence(wins, losses) < ENOUGH;
                    assert_eq!(
                        low <= 1e-12 && high >= -1e-12,
                        undecided,
                        "{wins} {losses} {ties}: {low} {high}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_interval_agrees_with_a_naive_grid() {
        let money = |w: u32, l: u32, t: u32, d: f64| -> f64 {
            let mut sum = 0.0;
            for (weight, stake) in [(0.55, 0.70), (0.45, 0.98)] {
                let mut up = 1.0;
                let mut down = 1.0;
                for (n, x) in [(w, 1.0), (l, -1.0), (t, 0.0)] {
                    for _ in 0..n {
                        up *= 1.0 + stake * (x - d) / (1.0 + d);
                        down *= 1.0 - stake * (x - d) / (1.0 - d);
                    }
                }
                sum += weight * 0.5 * (up + down);
            }
            sum
        };
        for (w, l, t) in [
            (7, 0, 3),
            (5, 1, 4),
            (3, 3, 0),
            (0, 9, 1),
            (0, 0, 10),
            (20, 2, 8),
        ] {
            let inside: Vec<f64> = (-1999..2000)
                .map(|k| f64::from(k) / 2000.0)
                .filter(|d| money(w, l, t, *d) < 20.0)
                .collect();
            let tally = BlockTally {
                wins: w,
                losses: l,
                ties: t,
            };
            let (low, high) = interval(tally, ENOUGH);
            assert!(
                (inside[0] - low).abs() < 1.1e-3,
                "{w} {l} {t}: {low} {}",
                inside[0]
            );
            assert!(
                (inside[inside.len() - 1] - high).abs() < 1.1e-3,
                "{w} {l} {t}: {high}"
            );
        }
    }

    #[test]
    fn newcombe_is_as_in_the_paper() {
        // Newcombe 1998, method 10, example a: 56/70 against 48/80, 95 %: 0.0524 to 0.3339; here 90 %.
        let (low, high) = newcombe((48, 80), (56, 70)).unwrap();
        assert!(
            (low - 0.0772).abs() < 2e-3 && (high - 0.3124).abs() < 2e-3,
            "{low} {high}"
        );
        assert!(newcombe((0, 0), (1, 1)).is_none());
    }
}
