use proptest::prelude::*;

use crate::systems::nine_step::facts::ledger::*;
use crate::systems::nine_step::shape;
use crate::systems::nine_step::tests::scene::{records, state};
use crate::world::fake::FakeWorld;

fn ledger(last: &str, completed: &str) -> Ledger {
    let text = state("", &records(last), &records(completed));
    let world = FakeWorld::from("2025-11-09T18:00:00Z");
    Ledger::of(&shape::parse(text.as_bytes(), &world.clock).unwrap())
}

fn words(steps: impl IntoIterator<Item = StepNo>) -> Vec<&'static str> {
    steps.into_iter().map(StepNo::word).collect()
}

#[test]
fn the_newest_record_decides() {
    let table = [
        // The save routine stamps the entry a moment after last_execution: the same step, not a contradiction.
        ("2 3 completed 10", "2 3 completed 11", (2, "3"), false),
        ("2 3 failed 10", "2 3 completed 11", (2, "3"), true),
        ("2 3 in_progress 10", "2 4 approved 30", (2, "4"), true),
        ("2 5 in_progress 40", "2 4 approved 30", (2, "5"), false),
        ("2 5 in_progress", "2 4 approved 30", (2, "5"), false),
        ("2 4.5 failed 40", "2 3 completed 30", (2, "3"), false),
        ("2 77 failed 40", "", (1, "1"), false),
    ];
    for (last, completed, (phase, step), older) in table {
        let ledger = ledger(last, completed);
        let at = (ledger.position.phase, ledger.position.step.word());
        assert_eq!(at, (phase, step), "{last} | {completed}");
        let noted = ledger
            .notes
            .iter()
            .any(|(code, _)| *code == "older-last-execution");
        assert_eq!(noted, older, "{last} | {completed}");
    }
}

#[test]
fn rework_makes_later_steps_outdated() {
    let table = [
        (
            "2 5 completed 40",
            "2 3 completed 10; 2 4 approved 20; 2 5 completed 40",
            vec!["3", "4", "5"],
        ),
        // The code was rewritten after its review.
        (
            "2 3 completed 30",
            "2 3 completed 10; 2 4 approved 20; 2 3 completed 30",
            vec!["3"],
        ),
        // A later failure of the reviewer sends its step back.
        ("2 4 failed 40", "2 3 completed 10", vec![]),
        (
            "2 6 NEEDS_REVISION 40",
            "2 3 completed 10; 2 4 approved 20; 2 5 completed 30",
            vec!["3", "4"],
        ),
        (
            "2 7 failed 40",
            "2 3 completed 10; 2 4 approved 20",
            vec!["3", "4"],
        ),
    ];
    for (last, completed, valid) in table {
        assert_eq!(
            words(ledger(last, completed).valid(2)),
            valid,
            "{last} | {completed}"
        );
    }
}

#[test]
fn gaps_and_gates() {
    let table = [
        (
            "2 7 completed 50",
            "2 3 completed 10; 2 4 approved 20; 2 5 completed 30; 2 6 approved 40",
            (2, StepNo::TestReview),
            vec![],
            None,
        ),
        (
            "2 7 completed 50",
            "2 3 completed 10",
            (2, StepNo::TestReview),
            vec!["4", "5", "6"],
            Some("4"),
        ),
        (
            "1 3 in_progress 50",
            "1 1 completed 10; 1 2 approved 20",
            (1, StepNo::Code),
            vec!["2.5"],
            None,
        ),
        ("1 3 in_progress 50", "", (1, StepNo::Code), vec![], None),
        // The file was created at the approval.
        (
            "1 3 in_progress 50",
            "1 2.5 approved 10",
            (1, StepNo::Code),
            vec![],
            None,
        ),
    ];
    for (last, completed, spot, missing, gate) in table {
        let ledger = ledger(last, completed);
        assert_eq!(words(ledger.missing(spot)), missing, "{last} | {completed}");
        assert_eq!(
            ledger.missing_gate(spot).map(StepNo::word),
            gate,
            "{last} | {completed}"
        );
    }
}

#[test]
fn failures_are_counted_from_records_or_repetitions() {
    let thrice = "2 3 completed 10; 2 3 completed 20; 2 3 completed 30";
    assert_eq!(
        ledger("2 4 failed 40", thrice).failures_at((2, StepNo::CodeReview)),
        3
    );
    assert_eq!(
        ledger("2 4 failed 40", "2 3 completed 10").failures_at((2, StepNo::CodeReview)),
        1
    );
    assert_eq!(
        ledger("2 3 completed 10", "").failures_at((2, StepNo::CodeReview)),
        0
    );
}

#[test]
fn durations_are_times_between_records_but_not_nights() {
    let ledger = ledger(
        "2 5 completed 40",
        "2 3 completed 10; 2 4 approved 25; 2 5 completed 40",
    );
    let took: Vec<Option<u64>> = (0..3).map(|rank| ledger.duration_s(rank)).collect();
    assert_eq!(took, [None, Some(900), Some(900)]);
}

proptest! {
    #[test]
    fn the_order_of_stamped_records_does_not_matter(order in Just(vec![0_usize, 1, 2, 3, 4]).prop_shuffle()) {
        let all = ["2 3 completed 10", "2 4 approved 20", "2 5 completed 30", "2 3 completed 35", "2 4 approved 38"];
        let shuffled: Vec<&str> = order.iter().map(|at| all[*at]).collect();
        let (a, b) = (ledger("2 4 approved 38", &all.join(";")), ledger("2 4 approved 38", &shuffled.join(";")));
        prop_assert_eq!(a.valid(2), b.valid(2));
        prop_assert_eq!(a.position.step, b.position.step);
    }
}

#[test]
fn a_record_with_a_note_repeats_no_execution() {
    let noted = records("2 3 completed 50").replacen('}', r#","note":"Set to continue"}"#, 1);
    let world = FakeWorld::from("2025-11-09T18:00:00Z");
    for (last, times) in [(noted, 1), (records("2 3 completed 50"), 2)] {
        let text = state("", &last, &records("2 3 completed 10"));
        let ledger = Ledger::of(&shape::parse(text.as_bytes(), &world.clock).unwrap());
        assert_eq!(ledger.times((2, StepNo::Code)), times, "{text}");
    }
}
