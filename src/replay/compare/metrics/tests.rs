use super::super::runs;
use super::super::testing::{dispatch, experiment, original, party, replays};
use super::*;
use crate::model::{Dispatch, DispatchStatus, RunTree};

fn of(dispatches: Vec<Dispatch>) -> Party {
    let run = runs::original(&experiment(dispatches), RunTree::None);
    party("original", vec![run])
}

fn find<'a>(metrics: &'a [Metric], name: &str, part: bool) -> &'a Metric {
    let mut metrics = metrics.iter();
    let found = metrics.find(|one| one.name == name && one.from_resume_point == part);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn figures_count_what_the_note_says_whole_and_from_the_resume_point_on() {
    let all = vec![
        dispatch(1, "plan-writer", "2", "x"),
        dispatch(2, "red-team", "2", "FAIL"),
        dispatch(3, "implementer", "3", "x"),
        dispatch(4, "red-team", "3", "x"),
        dispatch(5, "quality-gate", "3", "x"),
        dispatch(6, "acceptance-tests", "4", "PASS"),
    ];
    let a = of(all.clone());
    let b = of(all[2..5].to_vec());
    let metrics = metrics(&a, &b, Some(3));
    let count = |n: i32| Some(MetricValue::Count(f64::from(n)));
    let seconds = |n: i32| Some(MetricValue::Seconds(f64::from(n)));
    let table = [
        ("dispatches", false, count(6), count(3), count(-3)),
        ("dispatches", true, count(4), count(3), count(-1)),
        (
            "dispatches of phase 2",
            false,
            count(2),
            count(0),
            count(-2),
        ),
        ("dispatches of phase 2", true, count(0), count(0), count(0)),
        ("gate rounds", false, count(3), count(2), count(-1)),
        ("gate rounds", true, count(2), count(2), count(0)),
        (
            "gate rounds by red-team",
            false,
            count(2),
            count(1),
            count(-1),
        ),
        (
            "gate rounds by quality-gate",
            false,
            count(1),
            count(1),
            count(0),
        ),
        (
            "gate rounds of phase 2",
            false,
            count(1),
            count(0),
            count(-1),
        ),
        // From minute 1 to minute 6 and 6 seconds; from minute 3 to minute 5 and 5 seconds.
        (
            "wall clock",
            false,
            seconds(306),
            seconds(125),
            seconds(-181),
        ),
        ("wall clock", true, seconds(186), seconds(125), seconds(-61)),
        (
            "summed duration",
            false,
            seconds(21),
            seconds(12),
            seconds(-9),
        ),
        (
            "acceptance tests",
            false,
            Some(MetricValue::Outcome(TestOutcome::Pass)),
            None,
            None,
        ),
        (
            "acceptance tests",
            true,
            Some(MetricValue::Outcome(TestOutcome::Pass)),
            None,
            None,
        ),
    ];
    for (name, part, a, b, delta) in table {
        let metric = find(&metrics, name, part);
        assert_eq!(
            (metric.a, metric.b, metric.delta),
            (a, b, delta),
            "{name} {part}"
        );
    }
}

#[test]
fn what_is_not_known_is_never_zero() {
    let open = |mut one: Dispatch| {
        one.status = DispatchStatus::Dispatched;
        one.duration_s = None;
        one
    };
    let timeless = |mut one: Dispatch| {
        one.begun_at = None;
        one
    };
    let unmeasured = |mut one: Dispatch| {
        one.duration_s = None;
        one
    };
    let plain = |seq| dispatch(seq, "implementer", "3", "x");
    let known = |n: i32| Some(MetricValue::Seconds(f64::from(n)));
    // Dispatches, wall clock, summed duration.
    let table = [
        (vec![], None, None),
        (vec![open(plain(1))], None, None),
        (vec![timeless(plain(1))], None, known(1)),
        (vec![plain(2), open(plain(3))], known(2), known(2)),
        // The last that ended has no length, so nobody knows when it did.
        (vec![plain(2), unmeasured(plain(3))], None, None),
        // One before it has none: the end is known, the sum is not.
        (vec![unmeasured(plain(2)), plain(3)], known(63), None),
    ];
    for (dispatches, wall, sum) in table {
        let party = of(dispatches.clone());
        let metrics = metrics(&party, &party, None);
        assert_eq!(
            find(&metrics, "wall clock", false).a,
            wall,
            "{dispatches:?}"
        );
        assert_eq!(
            find(&metrics, "summed duration", false).a,
            sum,
            "{dispatches:?}"
        );
    }
}

#[test]
fn repeats_give_their_median_and_outcomes_what_most_say() {
    use TestOutcome::{Fail, Pass, Unknown};
    assert_eq!(median(vec![]), None);
    assert_eq!(median(vec![3.0]), Some(3.0));
    assert_eq!(median(vec![9.0, 1.0, 4.0]), Some(4.0));
    assert_eq!(median(vec![9.0, 1.0]), Some(5.0));
    let b = replays(&["PPP", "P", "PP"]);
    let metrics = metrics(&original("PPP"), &b, None);
    assert_eq!(
        find(&metrics, "dispatches", false).b,
        Some(MetricValue::Count(2.0))
    );
    let middle = |outcomes: &[TestOutcome]| {
        middle(
            outcomes
                .iter()
                .map(|one| MetricValue::Outcome(*one))
                .collect(),
        )
    };
    assert_eq!(
        middle(&[Pass, Fail, Pass]),
        Some(MetricValue::Outcome(Pass))
    );
    assert_eq!(middle(&[Pass, Fail]), None);
    assert_eq!(middle(&[Unknown, Fail]), Some(MetricValue::Outcome(Fail)));
}

#[test]
fn measures_are_compared_by_name() {
    let mut a = original("");
    let mut b = original("");
    let measure = |name: &str, value, unit| Measure {
        name: name.to_owned(),
        value,
        unit,
    };
    for party in [&mut a, &mut b] {
        party.runs[0].kind = RunKind::Round;
    }
    a.runs[0].measures = vec![
        measure("best metric", Some(0.5), MeasureUnit::Number),
        measure("kept", None, MeasureUnit::Count),
    ];
    b.runs[0].measures = vec![
        measure("best metric", Some(0.75), MeasureUnit::Number),
        measure("attempts", Some(2.0), MeasureUnit::Count),
    ];
    let metrics = metrics(&a, &b, None);
    let names: Vec<_> = metrics.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["best metric", "kept", "attempts"]);
    assert_eq!(metrics[0].delta, Some(MetricValue::Number(0.25)));
    assert_eq!(
        (metrics[1].a, metrics[1].b, metrics[1].delta),
        (None, None, None)
    );
    assert_eq!((metrics[2].a, metrics[2].delta), (None, None));
}

#[test]
fn a_metric_of_ones_own_is_shown_where_only_one_side_has_it() {
    let mut b = replays(&["P", "P", "E"]);
    let values = [RunValue::Number(3.0), RunValue::Pass, RunValue::Number(9.0)];
    for (run, value) in b.runs.iter_mut().zip(values) {
        run.measured = vec![("speed".to_owned(), value)];
    }
    let a = original("PP");
    let metrics = metrics(&a, &b, Some(1));
    let speed = find(&metrics, "speed", false);
    // A run that failed has no value, and a word is no number.
    assert_eq!((speed.a, speed.b), (None, Some(MetricValue::Number(3.0))));
    let notes = super::super::notes::unmeasured(&a, &b);
    let note = "The metric speed was not measured in original.";
    assert_eq!(notes, [Foreign::from(note)]);
}
