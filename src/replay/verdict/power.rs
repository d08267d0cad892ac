//! What a number of blocks can show, computed exactly by enumerating all tallies.

use super::evidence::wins_needed;

/// The chance at which something counts as shown.
const POWER: f64 = 0.8;

/// Blocks beyond which the walk, which is cubic in them, would take longer than a reader waits.
const MOST: u32 = 100;

/// The chance of each verdict within so many blocks, where the arms pass with these rates independently of each
/// other and a verdict needs `enough` evidence: `(better, worse)`.
pub(crate) fn chances(control: f64, mutated: f64, blocks: u32, enough: f64) -> (f64, f64) {
    let (up, down) = (mutated * (1.0 - control), control * (1.0 - mutated));
    by_signs(up, down, blocks, enough)
}

/// The same where a block is a win and a loss with these chances.
fn by_signs(up: f64, down: f64, blocks: u32, enough: f64) -> (f64, f64) {
    let same = 1.0 - up - down;
    let needed = (0..=blocks).map(|losses| wins_needed(losses, enough) as usize);
    let needed: Vec<usize> = needed.collect();
    let decides = |more: usize, fewer: usize| needed.get(fewer).is_some_and(|need| more >= *need);
    let size = blocks as usize + 2;
    let (mut better, mut worse) = (0.0, 0.0);
    // The chance of each tally that has no verdict yet, by wins and losses. A tie changes nothing, so it has no axis.
    let mut open = vec![0.0; size * size];
    if let Some(start) = open.first_mut() {
        *start = 1.0;
    }
    for _ in 0..blocks {
        let mut next = vec![0.0; size * size];
        for (place, chance) in open.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
            let (wins, losses) = (place / size, place % size);
            for (wins, losses, step) in [
                (wins + 1, losses, up),
                (wins, losses + 1, down),
                (wins, losses, same),
            ] {
                let chance = chance * step;
                if decides(wins, losses) {
                    better += chance;
                } else if decides(losses, wins) {
                    worse += chance;
                } else if let Some(cell) = next.get_mut(wins * size + losses) {
                    *cell += chance;
                }
            }
        }
        open = next;
    }
    (better, worse)
}

/// The lowest rate of the mutated arm, in percent, that so many blocks call better in 80 of 100 experiments, where
/// the control passes at this rate; `None` where no rate will do.
pub(crate) fn rate_to_show(control: f64, blocks: u32, enough: f64) -> Option<u32> {
    lowest(|rate| chances(control, rate, blocks.min(MOST), enough).0)
}

/// Whether so many blocks can call any rate of the mutated arm better, where the control passes at this one.
pub(crate) fn is_shown(control: f64, blocks: u32, enough: f64) -> bool {
    chances(control, 1.0, blocks.min(MOST), enough).0 >= POWER
}

/// The smallest share of blocks, in percent, in which a number has to be better, and worse in the others, to be called
/// better in 80 of 100 experiments.
pub(crate) fn share_to_show(blocks: u32, enough: f64) -> Option<u32> {
    lowest(|share| by_signs(share, 1.0 - share, blocks.min(MOST), enough).0)
}

/// The lowest percentage at which the chance is 80 of 100.
fn lowest(chance: impl Fn(f64) -> f64) -> Option<u32> {
    let shown = |percent: u32| chance(f64::from(percent) / 100.0) >= POWER;
    // The chance grows with the rate, so that halving finds the edge.
    let (mut low, mut high) = (0, 100);
    if !shown(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if shown(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::super::evidence::{ENOUGH, evidence};
    use super::*;

    const BLOCKS: [u32; 6] = [6, 8, 10, 15, 20, 30];

    #[test]
    fn equal_arms_get_a_verdict_in_fewer_than_five_of_a_hundred_experiments() {
        for rate in [0.1, 0.3, 0.5, 0.9] {
            let (better, worse) = chances(rate, rate, 100, ENOUGH);
            assert!(better + worse < 0.05, "{rate}: {better} {worse}");
            assert!((better - worse).abs() < 1e-12);
        }
        // The bound is nearly used up where every block is a win or a loss.
        let (mut open, mut fell) = (vec![((0_u32, 0_u32), 1.0_f64)], 0.0);
        for _ in 0..100 {
            let mut next: std::collections::BTreeMap<(u32, u32), f64> =
                std::collections::BTreeMap::default();
            for ((w, l), chance) in open {
                for (w, l) in [(w + 1, l), (w, l + 1)] {
                    if evidence(w, l) >= ENOUGH {
                        fell += chance / 2.0;
                    } else {
                        *next.entry((w, l)).or_default() += chance / 2.0;
                    }
                }
            }
            open = next.into_iter().collect();
        }
        assert!((0.046..0.05).contains(&fell), "{fell}");
    }

    #[test]
    fn power_is_as_published() {
        let table = [
            (0.1, 0.9, [28, 78, 91, 99, 100, 100]),
            (0.2, 0.8, [7, 35, 57, 78, 90, 98]),
            (0.5, 0.9, [1, 8, 20, 46, 61, 81]),
            (0.5, 0.8, [0, 4, 10, 23, 31, 46]),
        ];
        for (control, mutated, expected) in table {
            let found =
                BLOCKS.map(|n| format!("{:.0}", chances(control, mutated, n, ENOUGH).0 * 100.0));
            assert_eq!(found, expected.map(|percent| percent.to_string()));
        }
    }

    #[test]
    fn what_blocks_can_show_is_as_published() {
        let table: [(f64, [u32; 6]); 8] = [
            (0.0, [97, 81, 68, 48, 37, 26]),
            (0.1, [0, 91, 82, 69, 61, 50]),
            (0.2, [0, 0, 92, 82, 74, 64]),
            (0.3, [0, 0, 99, 90, 84, 75]),
            (0.5, [0, 0, 0, 99, 96, 90]),
            (0.6, [0, 0, 0, 0, 99, 95]),
            (0.7, [0, 0, 0, 0, 0, 99]),
            (0.8, [0; 6]),
        ];
        for (control, expected) in table {
            let found = BLOCKS.map(|n| rate_to_show(control, n, ENOUGH).unwrap_or(0));
            assert_eq!(found, expected, "{control}");
        }
    }
}
