//! Which checks a point depends on: those of the plan as a whole, of its stage, and of all upstream stages. They are
//! accumulated once along the graph, so a long chain of stages costs no more than its length.

use std::collections::HashMap;

use crate::model::{Check, CheckId, Subject, Verdict};
use crate::systems::kit::depends_on::{DependsOn, Scope};
use crate::systems::superscientist::checks::WORKFLOW;
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::points::{Point, Verb};
use crate::systems::superscientist::shape::Stage;

/// Every check that can be about a single stage.
const OF_A_STAGE: &[&str] = &[
    "S2", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "S13", "S14", "S18", "S19", "S23",
];

const EVERY_VERB: &[Verb] = &Verb::ALL;

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

/// Checks that do not pass: bit `n` is a warning of `Sn`, and bit `FAIL + n` its failure.
type Failing = u64;

const FAIL: u32 = 32;

fn failing(check: &Check) -> Failing {
    match check.verdict {
        Verdict::Pass | Verdict::Skipped => 0,
        Verdict::Warn => bit(&check.id.0),
        Verdict::Fail => bit(&check.id.0) << FAIL,
    }
}

fn bit(id: &str) -> Failing {
    let number: Option<u32> = id.strip_prefix('S').and_then(|number| number.parse().ok());
    number.filter(|n| *n < FAIL).map_or(0, |n| 1 << n)
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
        let mut plan = 0;
        let mut by_id: HashMap<&str, Failing> = HashMap::new();
        for check in checks {
            // Amendments concern the plan as a whole.
            if check.about == Subject::Topic(WORKFLOW) || check.id.0 == "S12" {
                plan |= failing(check);
            } else if let Subject::Stage { id, .. } = &check.about {
                *by_id.entry(id).or_default() |= failing(check);
            }
        }
        let of = |stage: &Stage| by_id.get(stage.id.as_str()).copied();
        let own = flow.state.stages.iter().map(|stage| of(stage).unwrap_or(0));
        let own: Vec<Failing> = own.collect();
        let mut upstream = vec![0; own.len()];
        for at in &flow.graph.order {
            let needs = flow.graph.needs(*at).iter();
            let all = needs.fold(0, |all, need| {
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
        let stage = |all: &[Failing]| point.stage.map_or(0, |at| at_of(all, at));
        let rows = DEPENDS_ON.iter();
        let rows = rows.filter(|row| row.points.contains(&point.verb));
        let all = rows.fold(0, |all, row| {
            let of = match row.scope {
                Scope::Topic(_) => self.plan,
                Scope::Own => stage(&self.own),
                Scope::Earlier if point.stage.is_none() => {
                    self.own.iter().fold(0, |all, one| all | one)
                }
                Scope::Earlier => stage(&self.upstream),
                Scope::Any | Scope::Document(_) => 0,
            };
            let mask = row.checks.iter().fold(0, |mask, id| mask | bit(id));
            all | (of & (mask | (mask << FAIL)))
        });
        let failing = (1..FAIL).filter_map(|n| {
            let is = |bit: u32| (all >> bit) & 1 == 1;
            let verdicts = [(FAIL + n, Verdict::Fail), (n, Verdict::Warn)];
            let (_, verdict) = verdicts.into_iter().find(|(bit, _)| is(*bit))?;
            Some((CheckId(format!("S{n}")), verdict))
        });
        let failing: Vec<(CheckId, Verdict)> = failing.collect();
        let worst = failing.iter().map(|(_, verdict)| *verdict).max();
        (worst.unwrap_or(Verdict::Pass), failing)
    }
}

fn at_of(all: &[Failing], at: usize) -> Failing {
    all.get(at).copied().unwrap_or(0)
}
