//! How often equal arms get a verdict, computed exactly by a walk over all tallies.

use super::*;

/// False verdicts of equal arms whose rate changes from block to block.
fn false_verdicts(rates: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut open = std::collections::BTreeMap::from([((0_u32, 0_u32), 1.0)]);
    let mut fell = 0.0;
    for (up, down) in rates {
        let mut next = std::collections::BTreeMap::new();
        for ((w, l), chance) in open {
            let steps = [
                ((w + 1, l), up),
                ((w, l + 1), down),
                ((w, l), 1.0 - up - down),
            ];
            for ((w, l), step) in steps {
                if evidence(w, l) >= ENOUGH {
                    fell += chance * step;
                } else {
                    *next.entry((w, l)).or_default() += chance * step;
                }
            }
        }
        open = next;
    }
    fell
}

#[test]
fn drift_over_time_makes_no_verdict() {
    let rates = (0..100).map(|at| {
        let rate = 0.9 - 0.8 * f64::from(at) / 100.0;
        (rate * (1.0 - rate), rate * (1.0 - rate))
    });
    assert!(false_verdicts(rates) < 0.05);
}

#[test]
fn a_position_effect_makes_no_verdict_where_the_order_is_drawn_and_many_where_it_is_fixed() {
    // Whoever runs second passes 30 points more often.
    let (first, second) = (0.1, 0.4);
    let (gain, loss) = (second * (1.0 - first), first * (1.0 - second));
    let drawn = std::iter::repeat_n((f64::midpoint(gain, loss), f64::midpoint(gain, loss)), 30);
    assert!(false_verdicts(drawn) < 0.05);
    let fixed = false_verdicts(std::iter::repeat_n((gain, loss), 30));
    assert!((0.56..0.58).contains(&fixed), "{fixed}");
}

#[test]
fn repeating_an_experiment_until_it_is_judged_stays_within_the_promise() {
    // Ten experiments of ten blocks each, looked at after every block, continue one and the same evidence.
    let equal = std::iter::repeat_n((0.25, 0.25), 100);
    assert!(false_verdicts(equal) < 0.05);
}

#[test]
fn whole_blocks_that_fail_together_are_ties() {
    // Half of all blocks meet a machine on which everything fails; the rest are even.
    let rates = std::iter::repeat_n((0.125, 0.125), 100);
    assert!(false_verdicts(rates) < 0.05);
    assert_eq!(verdict_of("xxxxxxxx", "xxxxxxxx").2.tally.ties, 8);
}

#[test]
fn mean_zero_skew_makes_no_verdict() {
    // Numbers whose difference is symmetric in sign, however far a few of them are out.
    let even = std::iter::repeat_n((0.5, 0.5), 100);
    assert!(false_verdicts(even) < 0.05);
}

#[test]
fn equal_templates_get_a_verdict_in_at_most_five_of_a_hundred_experiments() {
    for rate in [0.2, 0.5, 0.8] {
        let (better, worse) = chances(rate, rate, 10, ENOUGH);
        assert!(better + worse < 0.05);
    }
}
