//! The rules of a verdict, each by its name, and every number by a second implementation.

use super::evidence::{ENOUGH, evidence, first_verdict};
use super::power::chances;
use super::*;
use crate::model::{
    Arm, Block, ComparisonVerdict as Verdict, ExperimentFacts, OwnMetric, Party, PipelineId, Run,
    RunKind, RunPlace, RunTree, RunValue, SessionId, Sign, StartAnew, Statistics, TestOutcome,
    VerdictText, Work, WorkStatus,
};
use crate::replay::compare::testing;

mod advice;
mod chance;
mod later_blocks;
mod missing;
mod outcomes;

fn facts(planned: u32) -> ExperimentFacts {
    ExperimentFacts {
        pipeline: PipelineId("p".to_owned()),
        id: SessionId("7".to_owned()),
        planned,
        fixed: Some(planned),
        primary: None,
        primaries: 1,
        others: Vec::new(),
        earlier: Vec::new(),
        left_out: 0,
        disturbed: 0,
        deleted: Vec::new(),
        unswapped: 0,
        confounders: Vec::new(),
        no_evidence: None,
        at_least: 0,
        unmeasured: 0,
        running: 0,
        original: None,
        unjudged: None,
        anew: Some(StartAnew {
            options: "relight replay p --mutate a.md=/b.md --repeat 10 --fresh".to_owned(),
            runner: " -- agent --quick".to_owned(),
        }),
    }
}

fn value(mark: char) -> RunValue {
    match mark {
        'o' => RunValue::Pass,
        'x' => RunValue::Fail,
        _ => RunValue::Missing,
    }
}

fn block(number: usize, control: RunValue, mutated: RunValue) -> Block {
    Block {
        experiment: SessionId("7".to_owned()),
        number,
        control_run: Some(number),
        mutated_run: Some(number),
        control,
        mutated,
        sign: run_value::sign(control, mutated, false),
    }
}

/// Blocks from two rows of marks, as the strip shows them.
fn strip(control: &str, mutated: &str) -> Vec<Block> {
    let pairs = control.chars().zip(mutated.chars()).enumerate();
    pairs
        .map(|(at, (c, m))| block(at + 1, value(c), value(m)))
        .collect()
}

fn judged(blocks: Vec<Block>, facts: &ExperimentFacts) -> (Verdict, String, Statistics) {
    let statistics = statistics(blocks, facts);
    let (verdict, text) = judge(&statistics, facts);
    (verdict, text.whole().lossy().into_owned(), statistics)
}

fn verdict_of(control: &str, mutated: &str) -> (Verdict, String, Statistics) {
    let planned = u32::try_from(control.len()).unwrap();
    judged(strip(control, mutated), &facts(planned))
}

/// Numbers that a second implementation gives for the same rows.
fn naive(control: &str, mutated: &str) -> (u32, u32, f64) {
    let (mut won, mut lost) = (0, 0);
    for pair in control.chars().zip(mutated.chars()) {
        match pair {
            ('x', 'o') => won += 1,
            ('o', 'x') => lost += 1,
            _ => {}
        }
    }
    let (a, b) = (f64::from(won), f64::from(lost));
    let evidence = 0.275 * (1.7f64.powf(a) * 0.3f64.powf(b) + 0.3f64.powf(a) * 1.7f64.powf(b))
        + 0.225 * (1.98f64.powf(a) * 0.02f64.powf(b) + 0.02f64.powf(a) * 1.98f64.powf(b));
    (won, lost, evidence)
}

#[test]
fn acceptance_ten_to_nothing_is_better() {
    let (verdict, text, statistics) = verdict_of("xxxxxxxxxx", "oooooooooo");
    assert_eq!(verdict, Verdict::Better);
    assert_eq!(
        text,
        "The mutated arm is better: better in 10, worse in 0, the same in 0 of 10 blocks (6 to 0 was enough, at 6 blocks). Use the replacement."
    );
    assert_eq!(statistics.passed, Some([(0, 10), (10, 10)]));
    let (verdict, ..) = verdict_of("oooooooooo", "xxxxxxxxxx");
    assert_eq!(verdict, Verdict::Worse);
}

#[test]
fn every_number_is_the_one_a_second_implementation_gives() {
    for (control, mutated) in [
        ("xxoxxxxoxx", "ooooxooooo"),
        ("oxoxoxoxox", "xoxoxoxoxo"),
        ("xxxxxx", "oooooo"),
        ("oooooooooooooooo", "ooooooooooooooxx"),
    ] {
        let (_, _, statistics) = verdict_of(control, mutated);
        let (w, l, e) = naive(control, mutated);
        assert_eq!((statistics.tally.wins, statistics.tally.losses), (w, l));
        assert!((statistics.evidence / e - 1.0).abs() < 1e-9);
        let passed = |row: &str| u32::try_from(row.matches('o').count()).unwrap();
        let of = u32::try_from(control.len()).unwrap();
        assert_eq!(
            statistics.passed,
            Some([(passed(control), of), (passed(mutated), of)])
        );
    }
}

#[test]
fn no_discordant_block_is_no_evidence() {
    let (verdict, _, statistics) = verdict_of("oxoxoxox", "oxoxoxox");
    assert_eq!(verdict, Verdict::Undecided);
    assert_eq!(statistics.tally.ties, 8);
    assert!((statistics.evidence - 1.0).abs() < 1e-12);
}

#[test]
fn undecided_says_how_far_a_verdict_is_and_what_to_type() {
    let (verdict, text, _) = verdict_of("xxxxxoxxxx", "ooooxxxxxo");
    assert_eq!(verdict, Verdict::Undecided);
    assert_eq!(
        text,
        "Better in 5, worse in 1, the same in 4 of 10 blocks. 5 more wins without a loss would decide. \
         Against a control that passes 10 %, 10 blocks can show a mutated arm that passes 82 % or more. \
         Add 5 blocks: relight replay p --continue 7 --repeat +5"
    );
}

#[test]
fn a_control_that_passes_nearly_always_leaves_no_room() {
    let (_, text, statistics) = verdict_of("oooooooooo", "oooooooooo");
    assert_eq!(statistics.can_show, Some(None));
    assert!(text.contains("--metric NAME=CMD"), "{text}");
}

#[test]
fn failures_that_time_out_in_one_arm_are_failures_and_not_missing() {
    // Were they dropped, only the blocks in which both answered would count, and equal arms would differ.
    let (verdict, ..) = verdict_of("oooooo", "xxxxxx");
    assert_eq!(verdict, Verdict::Worse);
}

#[test]
fn no_meaningful_change_falls_only_at_the_number_that_was_fixed() {
    let same = "o".repeat(11);
    assert_eq!(verdict_of(&same, &same).0, Verdict::NoMeaningfulChange);
    let ten = "o".repeat(10);
    assert_eq!(verdict_of(&ten, &ten).0, Verdict::Undecided);
    // Ten more blocks that were not planned do not open the door.
    let later = ExperimentFacts {
        fixed: Some(10),
        ..facts(20)
    };
    let blocks = strip(&"o".repeat(20), &"o".repeat(20));
    assert_eq!(judged(blocks, &later).0, Verdict::Undecided);
    // Rates near the middle are too uncertain.
    assert_eq!(
        verdict_of("oxoxoxoxoxo", "xoxoxoxoxox").0,
        Verdict::Undecided
    );
    // A narrow margin needs more blocks.
    let narrow = |blocks: u32| ExperimentFacts {
        primary: Some(OwnMetric {
            name: "m".to_owned(),
            command: Vec::new(),
            lower_is_better: false,
            margin: Some(0.10),
            primary: false,
        }),
        ..facts(blocks)
    };
    for (blocks, expected) in [(24, Verdict::Undecided), (25, Verdict::NoMeaningfulChange)] {
        let row = "o".repeat(usize::try_from(blocks).unwrap());
        let found = judged(strip(&row, &row), &narrow(blocks)).0;
        assert_eq!(found, expected, "{blocks}");
    }
}

#[test]
fn better_in_most_blocks_and_worse_on_average_is_undecided() {
    let number = RunValue::Number;
    let mut blocks: Vec<Block> = (1..=6)
        .map(|at| block(at, number(10.0), number(11.0)))
        .collect();
    blocks.push(block(7, number(100.0), number(1.0)));
    let (verdict, text, statistics) = judged(blocks, &facts(7));
    assert_eq!(verdict, Verdict::Undecided);
    assert!(
        text.contains("better in most blocks, worse on average"),
        "{text}"
    );
    assert!((statistics.numbers.unwrap().median - 1.0).abs() < 1e-12);
}

#[test]
fn the_size_of_a_difference_says_how_many_blocks_have_one() {
    let number = RunValue::Number;
    let two: Vec<Block> = (1..=2)
        .map(|at| block(at, number(0.000_31), number(0.000_41)))
        .collect();
    let mut mixed = two.clone();
    mixed.push(block(3, number(0.000_31), RunValue::Fail));
    let tables = [
        (two, "median difference +0.0001, from +0.0001 to +0.0001."),
        (
            mixed,
            "median difference +0.0001, from +0.0001 to +0.0001 (2 of 3 blocks have two numbers).",
        ),
    ];
    for (blocks, expected) in tables {
        let statistics = judged(blocks, &facts(6)).2;
        let text = statistics.figures().join(" ");
        assert!(text.ends_with(expected), "{text}");
        let [control, mutated, _] = &statistics.strip()[0];
        assert_eq!((control.as_str(), mutated.as_str()), ("0.00031", "0.00041"));
    }
}

#[test]
fn a_failed_run_ranks_below_every_number() {
    let number = RunValue::Number;
    let blocks: Vec<Block> = (1..=6)
        .map(|at| block(at, RunValue::Fail, number(-9.0)))
        .collect();
    assert_eq!(judged(blocks, &facts(6)).0, Verdict::Better);
}

#[test]
fn several_declared_metrics_need_more_evidence() {
    let three = ExperimentFacts {
        primaries: 3,
        ..facts(10)
    };
    let (control, mutated) = ("xxxxxx", "oooooo");
    assert_eq!(
        judged(strip(control, mutated), &three).0,
        Verdict::Undecided
    );
    assert_eq!(
        judged(strip(control, mutated), &facts(10)).0,
        Verdict::Better
    );
}

#[test]
fn a_confounder_of_the_arms_takes_the_verdict_away() {
    let confounded = ExperimentFacts {
        confounders: vec!["Nothing was swapped in 2 dispatches.".into()],
        ..facts(10)
    };
    let (verdict, text, _) = judged(strip("xxxxxx", "oooooo"), &confounded);
    assert_eq!(verdict, Verdict::Confounded);
    assert!(
        text.contains("Nothing was swapped in 2 dispatches."),
        "{text}"
    );
}

#[test]
fn a_control_unlike_the_original_is_said() {
    let facts = ExperimentFacts {
        original: Some(RunValue::Pass),
        ..facts(6)
    };
    let (_, text, _) = judged(strip("xxxxxx", "oooooo"), &facts);
    assert!(
        text.contains("The control does not reproduce the original"),
        "{text}"
    );
}

#[test]
fn running_on_is_useless_once_a_verdict_stands_or_none_can_be_reached() {
    let useless = |control: &str, mutated: &str, planned: u32| {
        let facts = facts(planned);
        next_is_useless(&statistics(strip(control, mutated), &facts), &facts)
    };
    assert!(useless("xxxxxx", "oooooo", 10));
    assert!(!useless("xxxxx", "ooooo", 10));
    assert!(
        useless("xxxxxo", "ooooox", 10),
        "5 to 1 needs 10 wins, and 4 blocks are left"
    );
    assert!(!useless("xxxxxo", "ooooox", 11));
    // "No meaningful change" is a verdict too, so equal arms run to the number that was fixed.
    assert!(!useless("oooooooo", "oooooooo", 11));
    assert!(useless("oxoxoxoxox", "xoxoxoxoxo", 11));
    // The control run of the eighth block has ended and the mutated one has not begun.
    assert!(!useless("oooooooo", "ooooooo?", 11));
}

#[test]
fn the_tables_of_the_documentation_are_computed() {
    let page = include_str!("../../docs/experiments.md");
    let row = |name: &str| -> Vec<String> {
        let begin = format!("| {name} |");
        let line = page.lines().find(|line| line.starts_with(&begin)).unwrap();
        let cells = line.trim_matches('|').split('|').skip(1);
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let worse: Vec<u32> = row("worse")
        .iter()
        .map(|cell| cell.parse().unwrap())
        .collect();
    let better = worse
        .iter()
        .map(|l| evidence::wins_needed(*l, ENOUGH).to_string());
    assert_eq!(row("better"), better.collect::<Vec<_>>());
    let blocks: Vec<u32> = row("control")
        .iter()
        .map(|cell| cell.parse().unwrap())
        .collect();
    for percent in [0, 10, 20, 30, 50, 60, 70, 80] {
        let rate = |n: &u32| {
            let rate = power::rate_to_show(f64::from(percent) / 100.0, *n, ENOUGH);
            rate.map_or_else(|| "–".to_owned(), |rate| rate.to_string())
        };
        let expected: Vec<String> = blocks.iter().map(rate).collect();
        assert_eq!(row(&format!("{percent} %")), expected, "{percent}");
    }
}

#[test]
fn the_statistics_of_a_thousand_blocks_are_quick() {
    let control: String = (0..1_000)
        .map(|at| if at % 3 == 0 { 'o' } else { 'x' })
        .collect();
    let mutated = "o".repeat(1_000);
    let (verdict, _, statistics) = verdict_of(&control, &mutated);
    assert_eq!(verdict, Verdict::Better);
    assert_eq!(statistics.blocks.len(), 1_000);
    let signs = statistics.blocks.iter().filter_map(|block| block.sign);
    assert!(first_verdict(signs, ENOUGH).is_some());
}
