//! Which checks a point depends on: those of the plan as a whole, of its stage, and of all upstream stages. They are
//! accumulated once along the graph, so a long chain of stages costs no more than its length.

use std::collections::HashMap;
use std::ops::BitOr;

use crate::model::{Check, CheckId, Subject, Verdict};
use crate::systems::kit::depends_on::{DependsOn, Scope};
use crate::systems::superscientist::checks::WORKFLOW;
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::points::{Point, Verb};

/// Every check that can be about a single stage.
const OF_A_STAGE: &[&str] = &[
    "S2", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "S13", "S14", "S18", "S19", "S23",
];

#[rustfmt::skip]
const EVERY_VERB: &[Verb] = &[
    Verb::Monitor, Verb::Verify, Verb::Retry, Verb::Rerun, Verb::Skip, Verb::Fail, Verb::Amend,
    Verb::Completion,
];
/// A point does not depend on the checks that it repairs: a retry replaces the outputs and the job, a rerun also the
/// recorded times and dependencies. Skipping a stage, or marking it failed, needs only a valid plan and earlier results.
#[rustfmt::skip]
const DEPENDS_ON: &[DependsOn<Verb>] = &[
    DependsOn::new(EVERY_VERB, &["S1", "S2", "S3", "S4", "S5"], Scope::Topic(WORKFLOW)),
    DependsOn::new(&[Verb::Monitor, Verb::Verify], OF_A_STAGE, Scope::Own),
    DependsOn::new(&[Verb::Retry], &["S2", "S4", "S5", "S6", "S7", "S13", "S18", "S23"], Scope::Own),
    DependsOn::new(&[Verb::Rerun], &["S2", "S4", "S5", "S13", "S18", "S19", "S23"], Scope::Own),
    // The completion step comes after every stage and every amendment.
    DependsOn::new(&[Verb::Completion], &["S12"], Scope::Topic(WORKFLOW)),
    // Every point keeps the results of earlier stages.
    DependsOn::new(EVERY_VERB, OF_A_STAGE, Scope::Earlier),
];

/// Checks that warn and checks that fail: bit `n` is `Sn`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Failing {
    warn: u32,
    fail: u32,
}

impl BitOr for Failing {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            warn: self.warn | other.warn,
            fail: self.fail | other.fail,
        }
    }
}

impl Failing {
    fn of(check: &Check) -> Self {
        let bit = bit(&check.id.0);
        match check.verdict {
            Verdict::Pass | Verdict::Skipped => Self::default(),
            Verdict::Warn => Self { warn: bit, fail: 0 },
            Verdict::Fail => Self { warn: 0, fail: bit },
        }
    }

    /// Only these checks.
    fn only(self, ids: &[&str]) -> Self {
        let mask = ids.iter().fold(0, |mask, id| mask | bit(id));
        Self {
            warn: self.warn & mask,
            fail: self.fail & mask,
        }
    }
}

fn bit(id: &str) -> u32 {
    let number = id.strip_prefix('S').and_then(|number| number.parse().ok());
    number.and_then(|n| 1_u32.checked_shl(n)).unwrap_or(0)
}

/// The accumulated checks of a workflow.
pub(crate) struct Folded {
    plan: Failing,
    own: Vec<Failing>,
    /// The checks of all upstream stages, without the stage itself.
    upstream: Vec<Failing>,
}

impl Folded {
    /// Accumulates the checks along the graph.
    pub(crate) fn new(flow: &Flow, checks: &[Check]) -> Self {
        let mut plan = Failing::default();
        let mut by_id: HashMap<&str, Failing> = HashMap::new();
        for check in checks {
            // Amendments concern the plan as a whole.
            if check.about == Subject::Topic(WORKFLOW) || check.id.0 == "S12" {
                plan = plan | Failing::of(check);
            } else if let Subject::Stage { id, .. } = &check.about {
                let of = by_id.entry(id).or_default();
                *of = *of | Failing::of(check);
            }
        }
        let stages = flow.state.stages.iter();
        let own: Vec<Failing> = stages
            .map(|stage| by_id.get(stage.id.as_str()).copied().unwrap_or_default())
            .collect();
        let mut upstream = vec![Failing::default(); own.len()];
        for at in &flow.graph.order {
            let at_of = |all: &[Failing], at: usize| all.get(at).copied().unwrap_or_default();
            let all = flow
                .graph
                .needs(*at)
                .iter()
                .fold(Failing::default(), |all, need| {
                    all | at_of(&upstream, *need) | at_of(&own, *need)
                });
            if let Some(slot) = upstream.get_mut(*at) {
                *slot = all;
            }
        }
        Self {
            plan,
            own,
            upstream,
        }
    }

    /// The worst verdict of the checks that a point depends on, and those that warn or fail.
    pub(crate) fn of(&self, point: Point) -> (Verdict, Vec<(CheckId, Verdict)>) {
        let stage = |all: &[Failing]| {
            let at = point.stage.and_then(|at| all.get(at));
            at.copied().unwrap_or_default()
        };
        let rows = DEPENDS_ON
            .iter()
            .filter(|row| row.points.contains(&point.verb));
        let all = rows.fold(Failing::default(), |all, row| {
            let of = match row.scope {
                Scope::Topic(_) => self.plan,
                Scope::Own => stage(&self.own),
                Scope::Earlier if point.stage.is_none() => self
                    .own
                    .iter()
                    .fold(Failing::default(), |all, one| all | *one),
                Scope::Earlier => stage(&self.upstream),
                Scope::Any | Scope::Document(_) => Failing::default(),
            };
            all | of.only(row.checks)
        });
        let verdict = match all {
            Failing { warn: 0, fail: 0 } => Verdict::Pass,
            Failing { fail: 0, .. } => Verdict::Warn,
            _ => Verdict::Fail,
        };
        let failing = (1..=24).filter(|n| (all.warn | all.fail) & (1 << n) != 0);
        let failing = failing.map(|n| {
            let failed = all.fail & (1 << n) != 0;
            let verdict = if failed { Verdict::Fail } else { Verdict::Warn };
            (CheckId(format!("S{n}")), verdict)
        });
        (verdict, failing.collect())
    }
}
