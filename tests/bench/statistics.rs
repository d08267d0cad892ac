//! How long the statistics of an experiment take: a comparison of two arms with 1,000 blocks, from their runs to the
//! verdict and its sentences. At most 50 ms.
//!
//! `cargo bench --bench statistics` prints the time, then divan's table.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::{Duration, Instant};

use relight::model::{
    Arm, Comparison, ComparisonVerdict, ExperimentFacts, Party, PipelineId, Run, RunKind, RunPlace,
    SessionId, TestOutcome, Work, WorkStatus,
};
use relight::replay::compare::compare;

const BLOCKS: usize = 1_000;
const ROUNDS: usize = 9;
const MOST: Duration = Duration::from_millis(50);

fn main() {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let (arms, facts) = inputs();
            let begun = Instant::now();
            let compared = compare(arms, Some(facts));
            let took = begun.elapsed();
            check(&compared);
            took
        })
        .collect();
    times.sort();
    let median = times.get(ROUNDS / 2).copied().unwrap_or_default();
    let word = if median <= MOST { "ok" } else { "TOO SLOW" };
    println!("statistics of {BLOCKS} blocks: {median:.1?} (at most {MOST:?}): {word}");
    divan::main();
}

#[divan::bench(sample_count = 20)]
fn a_thousand_blocks(bencher: divan::Bencher<'_, '_>) {
    let compared = |(arms, facts)| compare(arms, Some(facts));
    bencher.with_inputs(inputs).bench_values(compared);
}

fn check(compared: &Comparison) {
    assert_eq!(compared.verdict, ComparisonVerdict::Better);
    let statistics = compared.statistics.as_ref();
    assert_eq!(statistics.map(|all| all.blocks.len()), Some(BLOCKS));
}

/// The control passes in a third of the blocks, the mutated arm in nine of ten.
fn inputs() -> (Comparison, ExperimentFacts) {
    let passes = |arm: Arm, block: usize| match arm {
        Arm::Control => block.is_multiple_of(3),
        Arm::Mutated => !block.is_multiple_of(10),
    };
    let run = |arm: Arm, block: usize| Run {
        name: format!("7-{block}-{}", arm.word()),
        kind: RunKind::Replay,
        place: Some(RunPlace {
            experiment: SessionId("7".to_owned()),
            arm,
            block,
        }),
        work: vec![Work {
            key: "15".to_owned(),
            role: "test-runner".into(),
            phase: "4".into(),
            status: WorkStatus::Completed,
            verdict: if passes(arm, block) {
                TestOutcome::Pass
            } else {
                TestOutcome::Fail
            },
            ..Work::default()
        }],
        ..Run::default()
    };
    let party = |arm: Arm| Party {
        name: arm.word().to_owned(),
        title: arm.word().into(),
        runs: (1..=BLOCKS).map(|block| run(arm, block)).collect(),
    };
    let pipeline = PipelineId("crucible-1~abcd".to_owned());
    let facts = ExperimentFacts {
        pipeline: pipeline.clone(),
        id: SessionId("7".to_owned()),
        planned: 1_000,
        fixed: Some(1_000),
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
        anew: None,
    };
    let arms = Comparison::new(pipeline, party(Arm::Control), party(Arm::Mutated));
    (arms, facts)
}
