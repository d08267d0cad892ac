//! The evidence of an experiment: a test that stays valid however often one looks.
//!
//! The unit is a block: one control run and one mutated run. Under "no difference" the labels within a block are
//! exchangeable, so given that the two runs differ, a win is as likely as a loss. A bet on wins that starts with one
//! unit of money then has an expected value of one unit at every time, and reaches 20 units with a probability of at
//! most 1 in 20 (Ville's inequality). [`evidence`] is the money of a mixture of four such bets; a verdict falls when
//! it reaches [`ENOUGH`]. A test of fixed size repeated after each block would promise far more than it keeps.

use crate::model::{BlockTally, Sign};

/// The evidence at which a verdict falls: at most 5 of 100 experiments without a difference ever reach it.
pub(crate) const ENOUGH: f64 = 20.0;

/// The evidence at which a verdict falls where so many metrics decide. Each needs that many times the evidence
/// (Bonferroni): any of them may be wrong.
pub(crate) fn needed(primaries: u32) -> f64 {
    ENOUGH * f64::from(primaries.max(1))
}

/// Below so many complete blocks no interval is shown and no verdict can fall.
pub(crate) const FEWEST_BLOCKS: u32 = 6;

/// The bets: the weight of each pair, and how much of the money is staked.
pub(super) const BETS: [(f64, f64); 2] = [(0.55, 0.70), (0.45, 0.98)];

/// The evidence against "no difference".
pub(crate) fn evidence(wins: u32, losses: u32) -> f64 {
    // By logarithms: the factors overflow and vanish long before their product does.
    let money = |stake: f64, won: u32, lost: u32| {
        (f64::from(won) * stake.ln_1p() + f64::from(lost) * (-stake).ln_1p()).exp()
    };
    BETS.iter()
        .map(|(weight, stake)| {
            weight / 2.0 * (money(*stake, wins, losses) + money(*stake, losses, wins))
        })
        .sum()
}

/// A verdict that fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decided {
    /// Whether the mutated arm won.
    pub(crate) better: bool,
    /// The tally at which it fell.
    pub(crate) at: BlockTally,
}

/// The first verdict in a sequence of blocks. It stays, whatever comes after.
pub(crate) fn first_verdict(signs: impl IntoIterator<Item = Sign>, enough: f64) -> Option<Decided> {
    let mut tally = BlockTally::default();
    signs.into_iter().find_map(|sign| {
        tally = tally.with(sign);
        (evidence(tally.wins, tally.losses) >= enough).then_some(Decided {
            better: tally.wins > tally.losses,
            at: tally,
        })
    })
}

/// How many wins decide beside so many losses.
pub(crate) fn wins_needed(losses: u32, enough: f64) -> u32 {
    let mut wins = losses;
    while evidence(wins, losses) < enough {
        wins += 1;
    }
    wins
}

/// The fewest blocks with which a verdict can fall where so much evidence is needed, and how many are usual.
pub(crate) fn blocks_for(enough: f64) -> (u32, u32) {
    let fewest = wins_needed(0, enough);
    (fewest, (fewest + 4).max(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wins_that_decide_are_the_published_table() {
        let table: Vec<u32> = (0..=12).map(|l| wins_needed(l, ENOUGH)).collect();
        assert_eq!(table, [6, 10, 13, 15, 18, 20, 22, 24, 27, 29, 31, 34, 36]);
    }

    #[test]
    fn evidence_is_the_formula_and_stays_finite() {
        for (w, l) in [(0, 0), (6, 0), (5, 1), (3, 9), (12, 30)] {
            let (a, b) = (f64::from(w), f64::from(l));
            let naive = 0.275 * (1.7f64.powf(a) * 0.3f64.powf(b) + 0.3f64.powf(a) * 1.7f64.powf(b))
                + 0.225 * (1.98f64.powf(a) * 0.02f64.powf(b) + 0.02f64.powf(a) * 1.98f64.powf(b));
            assert!((evidence(w, l) / naive - 1.0).abs() < 1e-9);
        }
        assert!(evidence(3_000, 1_000) > ENOUGH);
        assert!(evidence(2_000, 2_000) < 1e-9);
    }

    #[test]
    fn a_verdict_stays_once_it_fell() {
        let wins = std::iter::repeat_n(Sign::Win, 6);
        let losses = std::iter::repeat_n(Sign::Loss, 30);
        let decided = first_verdict(wins.chain(losses), ENOUGH).unwrap();
        assert!(decided.better);
        assert_eq!((decided.at.wins, decided.at.blocks()), (6, 6));
        assert_eq!(first_verdict([Sign::Tie; 50], ENOUGH), None);
    }
}
