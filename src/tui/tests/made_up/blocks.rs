//! Synthetic blocks of an experiment.

use crate::model::*;

/// Blocks by what their runs came to, `o` for passed and `x` for failed.
pub(super) fn statistics(experiment: &str, control: &str, mutated: &str) -> Statistics {
    let value = |mark| {
        if mark == 'o' {
            RunValue::Pass
        } else {
            RunValue::Fail
        }
    };
    let rows = control.chars().zip(mutated.chars()).enumerate();
    let blocks: Vec<Block> = rows
        .map(|(at, (control, mutated))| Block {
            experiment: SessionId(experiment.to_owned()),
            number: at + 1,
            control_run: Some(0),
            mutated_run: Some(at % 5),
            control: value(control),
            mutated: value(mutated),
            sign: Some(match (control, mutated) {
                ('x', 'o') => Sign::Win,
                ('o', 'x') => Sign::Loss,
                _ => Sign::Tie,
            }),
        })
        .collect();
    let signs = blocks.iter().filter_map(|block| block.sign);
    let tally = signs.fold(BlockTally::default(), BlockTally::with);
    let passed = |marks: &str| {
        let passed = marks.chars().filter(|mark| *mark == 'o').count();
        (u32::try_from(passed).unwrap(), tally.blocks())
    };
    let decided = tally.wins >= 6 && tally.losses == 0;
    Statistics {
        metric: "outcome".to_owned(),
        blocks,
        tally,
        evidence: if decided { 21.3 } else { 1.62 },
        enough: 20.0,
        decided_at: decided.then_some(tally),
        equal_at: None,
        passed: Some([passed(control), passed(mutated)]),
        missing: [0, 0],
        numbers: None,
        interval: Some((-0.15, 0.82)),
        can_show: Some(Some(82)),
        planned: 10,
        earlier: 0,
        left_out: 0,
        unreachable: false,
        lacking: 0,
    }
}
