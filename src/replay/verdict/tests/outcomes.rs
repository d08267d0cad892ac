//! What a run comes to, and the blocks that runs make.

use super::*;

fn work(role: &str, status: WorkStatus, verdict: TestOutcome) -> Work {
    Work {
        role: role.into(),
        verdict,
        ..testing::work(&format!("{role}-{status:?}"), status, "")
    }
}

fn run(work: Vec<Work>) -> Run {
    Run {
        work,
        ..testing::run(RunKind::Replay, "7-1", "")
    }
}

fn of(work: Vec<Work>) -> RunValue {
    run_value::value(&run(work), None, false)
}

use TestOutcome::{Fail, Pass, Unknown};
use WorkStatus::{Completed, Error, Failed, Open};

#[test]
fn the_acceptance_tests_decide_where_there_are_any() {
    let implementer = || work("implementer", Completed, Unknown);
    let table = [
        (
            vec![implementer(), work("acceptance-tests", Completed, Pass)],
            RunValue::Pass,
        ),
        (
            vec![implementer(), work("acceptance-tests", Completed, Fail)],
            RunValue::Fail,
        ),
        // It ended by itself without a verdict.
        (
            vec![implementer(), work("acceptance-tests", Completed, Unknown)],
            RunValue::Fail,
        ),
        (
            vec![implementer(), work("acceptance-tests", Error, Pass)],
            RunValue::Fail,
        ),
        // What an implementer says of its own tests is not the acceptance.
        (
            vec![
                work("implementer", Completed, Pass),
                work("test-runner", Completed, Fail),
            ],
            RunValue::Fail,
        ),
    ];
    for (work, expected) in table {
        let roles: Vec<_> = work.iter().map(|one| one.key.clone()).collect();
        assert_eq!(of(work), expected, "{roles:?}");
    }
}

#[test]
fn a_reviewers_fail_is_work_well_done() {
    for role in [
        "red-team",
        "quality-gate",
        "reviewer",
        "inquisitor",
        "code-reviewer",
    ] {
        let found = of(vec![
            work("implementer", Completed, Unknown),
            work(role, Completed, Fail),
        ]);
        assert_eq!(found, RunValue::Pass, "{role}");
    }
}

#[test]
fn a_rubber_stamp_is_not_better() {
    // The control's reviewer always finds something, the mutated one never: the outcome of the runs is the same.
    let side = |arm: Arm, verdict| {
        let runs = (1..=10).map(|number| Run {
            place: Some(RunPlace {
                experiment: SessionId("7".to_owned()),
                arm,
                block: number,
            }),
            ..run(vec![
                work("implementer", Completed, Unknown),
                work("reviewer", Completed, verdict),
            ])
        });
        testing::party(arm.word(), runs.collect())
    };
    let (a, b): (Party, Party) = (side(Arm::Control, Fail), side(Arm::Mutated, Pass));
    let blocks = blocks(&a, &b, &facts(6));
    assert_eq!(blocks.len(), 10);
    assert!(blocks.iter().all(|block| block.sign == Some(Sign::Tie)));
    assert_eq!(judged(blocks, &facts(10)).0, Verdict::Undecided);
}

#[test]
fn without_acceptance_tests_all_work_must_be_completed() {
    let table = [
        (
            vec![work("implementer", Completed, Unknown)],
            RunValue::Pass,
        ),
        (vec![work("implementer", Failed, Unknown)], RunValue::Fail),
        (vec![work("implementer", Completed, Fail)], RunValue::Fail),
        (vec![work("implementer", Error, Unknown)], RunValue::Fail),
        (vec![work("reviewer", Error, Unknown)], RunValue::Fail),
        (vec![work("implementer", Open, Unknown)], RunValue::Fail),
        // Nothing is known of it.
        (vec![], RunValue::Missing),
    ];
    for (work, expected) in table {
        assert_eq!(of(work), expected);
    }
}

#[test]
fn only_a_run_that_was_cut_short_is_missing() {
    let cut = Run {
        unfinished: true,
        ..run(vec![work("implementer", Error, Unknown)])
    };
    assert_eq!(run_value::value(&cut, None, false), RunValue::Missing);
}

#[test]
fn a_metric_of_ones_own_decides_instead() {
    let metric = OwnMetric {
        name: "speed".to_owned(),
        command: Vec::new(),
        lower_is_better: true,
        margin: None,
        primary: false,
    };
    let measured = |value| Run {
        measured: vec![("speed".to_owned(), value)],
        tree: RunTree::None,
        ..run(vec![work("implementer", Completed, Unknown)])
    };
    let value = |run: &Run| run_value::value(run, Some(&metric), false);
    assert_eq!(
        value(&measured(RunValue::Number(3.0))),
        RunValue::Number(3.0)
    );
    assert_eq!(value(&run(vec![])), RunValue::Missing);
    let crashed = Run {
        work: vec![work("implementer", Error, Unknown)],
        ..measured(RunValue::Number(3.0))
    };
    assert_eq!(value(&crashed), RunValue::Fail);
    // A runner that ended without success did no work to measure; a review that ended so with a verdict has its answer.
    let table = [
        ("implementer", Failed, Unknown, true),
        ("implementer", Failed, Pass, true),
        ("test-runner", Failed, Fail, true),
        ("reviewer", Failed, Unknown, true),
        ("reviewer", Failed, Fail, false),
        ("implementer", Completed, Fail, false),
    ];
    for (role, status, verdict, fails) in table {
        for measured_as in [RunValue::Number(3.0), RunValue::Missing] {
            let failed = Run {
                work: vec![work(role, status, verdict)],
                ..measured(measured_as)
            };
            let expected = if fails { RunValue::Fail } else { measured_as };
            assert_eq!(value(&failed), expected, "{role} {status:?} {verdict:?}");
        }
    }
    assert_eq!(
        run_value::sign(RunValue::Number(5.0), RunValue::Number(3.0), true),
        Some(Sign::Win)
    );
}

#[test]
fn a_metric_that_gave_a_number_in_any_run_is_a_number() {
    let metric = OwnMetric {
        name: "speed".to_owned(),
        command: Vec::new(),
        lower_is_better: false,
        margin: None,
        primary: false,
    };
    let party = |arm: Arm, rows: [(RunValue, WorkStatus); 3]| {
        let runs = (1..).zip(rows).map(|(block, (value, status))| Run {
            place: Some(RunPlace {
                experiment: SessionId("7".to_owned()),
                arm,
                block,
            }),
            measured: vec![("speed".to_owned(), value)],
            ..run(vec![work("implementer", status, Unknown)])
        });
        testing::party(arm.word(), runs.collect())
    };
    let half = (RunValue::Number(0.5), Completed);
    // It printed no number and exited with 0 or 1.
    let control = party(Arm::Control, [half, half, (RunValue::Fail, Completed)]);
    let mutated = party(
        Arm::Mutated,
        [(RunValue::Pass, Completed), (RunValue::Pass, Error), half],
    );
    let facts = ExperimentFacts {
        primary: Some(metric),
        ..facts(3)
    };
    let found: Vec<_> = blocks(&control, &mutated, &facts)
        .iter()
        .map(|block| (block.control, block.mutated, block.sign))
        .collect();
    let number = RunValue::Number(0.5);
    assert_eq!(
        found,
        [
            (number, RunValue::Missing, None),
            // A run that failed ranks below every number.
            (number, RunValue::Fail, Some(Sign::Loss)),
            (RunValue::Missing, number, None),
        ]
    );
}

#[test]
fn numbers_stay_numbers_though_an_arm_fails_everywhere() {
    let blocks = (1..=6).map(|at| block(at, RunValue::Number(2.0), RunValue::Fail));
    let (verdict, _, statistics) = judged(blocks.collect(), &facts(6));
    assert_eq!(verdict, Verdict::Worse);
    assert_eq!((statistics.passed, statistics.numbers), (None, None));
    assert_eq!(statistics.interval, None);
    let [control, mutated, _] = statistics.totals();
    assert_eq!(
        (control.as_str(), mutated.as_str()),
        ("failed 0 of 6", "failed 6 of 6")
    );
}

#[test]
fn what_blocks_can_show_counts_the_metrics_that_decide() {
    let blocks = || strip("xxxxxxxx", "ooooooxx");
    let one = statistics(blocks(), &facts(8));
    assert_eq!(one.can_show, Some(Some(81)));
    let two = statistics(
        blocks(),
        &ExperimentFacts {
            primaries: 2,
            ..facts(8)
        },
    );
    assert!(
        two.can_show.flatten().is_none_or(|rate| rate > 81),
        "{:?}",
        two.can_show
    );
    let ((low, _), (wider, _)) = (one.interval.unwrap(), two.interval.unwrap());
    // The interval excludes zero exactly where there is a verdict.
    assert!(low > 0.0 && wider < 0.0, "{low} {wider}");
}
