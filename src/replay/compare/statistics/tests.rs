use super::super::pairs::pairs;
use super::super::testing::{original, replays};
use super::*;

/// Near enough for figures that were worked out elsewhere to as many digits.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn the_figures_are_those_worked_out_by_hand() {
    /// Differences, repeats, mean, p of every way of swapping, repeats for 80 % power.
    type Row<'a> = (&'a [f64], usize, f64, f64, Option<u64>);
    let table: &[Row<'_>] = &[
        (&[0.0], 3, 0.0, 1.0, None),
        (&[1.0, -1.0, 0.0], 5, 0.0, 1.0, None),
        (
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0],
            1,
            2.0 / 9.0,
            0.5,
            Some(4),
        ),
        (
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0],
            5,
            2.0 / 9.0,
            0.5,
            Some(18),
        ),
        (&[1.0; 6], 3, 1.0, 0.031_25, Some(3)),
        (&[-1.0; 6], 3, -1.0, 0.031_25, Some(3)),
        (
            &[0.2, 0.4, 0.0, -0.2, 0.6, 0.2, 0.2, 0.0],
            5,
            0.175,
            0.156_25,
            Some(10),
        ),
        (
            &[0.5, 1.0, 1.0, 0.5, 1.0, 0.25, -0.25, 1.0, 1.0, 1.0],
            4,
            0.7,
            0.005_859_375,
            Some(3),
        ),
    ];
    for (differences, runs, mean, p, needed) in table {
        let effect = effect::of(differences, *runs).unwrap();
        assert!(near(effect.mean, *mean), "{differences:?} {}", effect.mean);
        assert!(near(effect.p, *p), "{differences:?} {}", effect.p);
        assert_eq!(effect.runs_needed, *needed, "{differences:?}");
        assert_eq!(effect.pairs, differences.len());
    }
    assert_eq!(effect::of(&[], 3), None);
}

#[test]
fn beyond_sixteen_pairs_chance_is_drawn_and_comes_near_the_exact_figure() {
    // Sixteen of twenty up: the two-sided sign test gives 0.011818.
    let mut differences = vec![1.0; 16];
    differences.extend([-1.0; 4]);
    let effect = effect::of(&differences, 5).unwrap();
    assert!((effect.p - 0.011_818).abs() < 0.002, "{}", effect.p);
    assert_eq!(effect::of(&differences, 5).unwrap(), effect);
    let many = vec![1.0; 200];
    assert!(effect::of(&many, 5).unwrap().p < 0.000_1);
}

#[test]
fn the_interval_holds_the_middle_of_resampled_means() {
    // Shares of successes: the means of samples are binomial, whose quantiles are known.
    let share = |ones: usize, all: usize| {
        let mut differences = vec![0.0; all - ones];
        differences.extend(vec![1.0; ones]);
        effect::of(&differences, 3).unwrap().interval
    };
    let table = [(2, 9, 0.0, 5.0 / 9.0), (8, 12, 5.0 / 12.0, 11.0 / 12.0)];
    for (ones, all, low, high) in table {
        let found = share(ones, all);
        assert!(near(found.0, low) && near(found.1, high), "{found:?}");
    }
}

#[test]
fn where_no_pair_differs_the_bound_is_exact() {
    for (seen, bound) in [(1, 0.95), (6, 0.393_037_769), (45, 0.064_404_289)] {
        assert!((effect::rule_of_three(seen) - bound).abs() < 1e-8, "{seen}");
    }
    let (a, b) = (original("PPFP"), replays(&["PPFP"; 5]));
    let statistics = statistics(&a, &b, &pairs(&a, &b)).unwrap();
    let success = statistics.success.unwrap();
    let bound = effect::rule_of_three(20);
    assert_eq!((success.mean, success.p), (0.0, 1.0));
    assert_eq!(success.interval, (-bound, bound));
    assert_eq!(success.runs_needed, None);
}

#[test]
fn only_pairs_with_answers_on_both_sides_count() {
    let (a, b) = (original("PPFP-"), replays(&["PFPEP", "PF-EP"]));
    let statistics = statistics(&a, &b, &pairs(&a, &b)).unwrap();
    assert_eq!(statistics.runs, (1, 2));
    let success = statistics.success.unwrap();
    assert_eq!(success.pairs, 3);
    assert!(near(success.mean, 0.0));
    let count = |bucket| {
        let mut buckets = statistics.buckets.iter();
        buckets.find(|(one, _)| *one == bucket).unwrap().1
    };
    assert_eq!(count(Bucket::Unchanged), 1);
    assert_eq!(count(Bucket::Regressed), 1);
    assert_eq!(count(Bucket::Fixed), 1);
    assert_eq!(count(Bucket::NoAnswer), 1);
    assert_eq!(count(Bucket::New), 1);
    assert_eq!(statistics.buckets.len(), Bucket::ALL.len());
}

#[test]
fn time_is_a_relative_change() {
    let (a, mut b) = (original("PPP"), replays(&["PPP", "PPP"]));
    for run in &mut b.runs {
        for work in &mut run.work {
            work.duration_s = Some(120);
        }
    }
    let slower = statistics(&a, &b, &pairs(&a, &b)).unwrap();
    assert!(near(slower.duration.unwrap().mean, 1.0));
    let faster = statistics(&b, &a, &pairs(&b, &a)).unwrap();
    assert!(near(faster.duration.unwrap().mean, -0.5));
    for work in b.runs.iter_mut().flat_map(|run| &mut run.work) {
        work.duration_s = None;
    }
    let unknown = statistics(&a, &b, &pairs(&a, &b)).unwrap();
    assert_eq!(unknown.duration, None);
}

#[test]
fn single_runs_have_no_statistics_and_runs_say_how_their_tests_ended() {
    let a = original("PP");
    assert_eq!(statistics(&a, &replays(&["PP"]), &[]), None);
    let mut b = replays(&["PP", "PP", "PP"]);
    b.runs[0].outcome = TestOutcome::Pass;
    b.runs[1].outcome = TestOutcome::Fail;
    let statistics = statistics(&a, &b, &pairs(&a, &b)).unwrap();
    assert_eq!(statistics.passed, [(0, 0), (1, 2)]);
}
