//! What a point rests on: the checks of the plan as a whole, of the stage, and of everything upstream. Folded
//! once along the graph, so that a long chain costs no more than its length.

use std::collections::HashMap;

use super::{Point, Verb};
use crate::model::{Check, CheckId, Verdict};
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::verify::WORKFLOW;

/// Some checks: the worst verdict, and a bit for each that is worse than pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum {
    worst: Verdict,
    bits: u32,
}

const NOTHING: Sum = Sum {
    worst: Verdict::Pass,
    bits: 0,
};

impl Sum {
    fn add(self, other: Self) -> Self {
        Self {
            worst: self.worst.max(other.worst),
            bits: self.bits | other.bits,
        }
    }

    fn of<'a>(checks: impl Iterator<Item = &'a (u32, Verdict)>) -> Self {
        checks.fold(NOTHING, |sum, (number, verdict)| {
            let bits = 1_u32.checked_shl(*number).unwrap_or(0);
            sum.add(Self {
                worst: *verdict,
                bits,
            })
        })
    }
}

/// The checks about the plan as a whole: where one of them fails, no point holds.
const WHOLE: std::ops::RangeInclusive<u32> = 1..=5;

/// The folded checks of a workflow.
pub(crate) struct Rests {
    whole: Sum,
    own: Vec<Vec<(u32, Verdict)>>,
    /// Of everything a stage needs, itself left out.
    above: Vec<Sum>,
}

impl Rests {
    /// Folds the checks along the graph.
    pub(crate) fn new(flow: &Flow, checks: &[Check]) -> Self {
        let mut by_subject: HashMap<&[u8], Vec<(u32, Verdict)>> = HashMap::new();
        for check in checks {
            let number = check.id.0.strip_prefix('S').and_then(|n| n.parse().ok());
            if let (Some(number), Verdict::Warn | Verdict::Fail) = (number, check.verdict) {
                let of = by_subject.entry(check.subject.as_bytes()).or_default();
                of.push((number, check.verdict));
            }
        }
        let whole = by_subject.get(WORKFLOW.as_bytes()).into_iter().flatten();
        let own: Vec<Vec<(u32, Verdict)>> = flow
            .state
            .stages
            .iter()
            .map(|s| {
                by_subject
                    .get(s.label().as_bytes())
                    .cloned()
                    .unwrap_or_default()
            })
            .collect();
        let mut above = vec![NOTHING; own.len()];
        for at in &flow.graph.order {
            let sum = flow.graph.needs(*at).iter().fold(NOTHING, |sum, need| {
                let up = above.get(*need).copied().unwrap_or(NOTHING);
                sum.add(up)
                    .add(Sum::of(own.get(*need).into_iter().flatten()))
            });
            if let Some(slot) = above.get_mut(*at) {
                *slot = sum;
            }
        }
        Self {
            whole: Sum::of(whole.filter(|(number, _)| WHOLE.contains(number))),
            own,
            above,
        }
    }

    /// The worst verdict of what a point rests on, and the checks behind it.
    pub(crate) fn of(&self, point: Point) -> (Verdict, Vec<CheckId>) {
        let mine = point
            .stage
            .and_then(|at| self.own.get(at))
            .into_iter()
            .flatten();
        let mine = Sum::of(mine.filter(|(number, _)| rests_on(point.verb, *number)));
        let above = point.stage.and_then(|at| self.above.get(at)).copied();
        let above = match point.verb {
            // The last step rests on every stage; giving a stage up rests on none.
            Verb::Completion => Sum::of(self.own.iter().flatten()),
            Verb::Skip | Verb::Fail => NOTHING,
            Verb::Monitor | Verb::Verify | Verb::Retry | Verb::Rerun => above.unwrap_or(NOTHING),
        };
        let sum = self.whole.add(mine).add(above);
        let failing = (1..=24_u32).filter(|n| sum.bits & (1 << n) != 0);
        (
            sum.worst,
            failing.map(|n| CheckId(format!("S{n}"))).collect(),
        )
    }
}

/// Whether a point rests on a check of its own stage. What the point is there to put right does not count
/// against it.
fn rests_on(verb: Verb, number: u32) -> bool {
    match verb {
        Verb::Monitor | Verb::Verify | Verb::Completion => true,
        Verb::Retry => !matches!(number, 8..=11 | 14 | 19),
        Verb::Rerun => !matches!(number, 6..=11 | 14),
        Verb::Skip | Verb::Fail => false,
    }
}
