//! Kills and power cuts, in the transaction and in its recovery, three deep.

use super::cases;
use super::judge::{Side, Truth};
use super::kit::{Case, recover, sized, summary};
use crate::apply::disk::sim::{Rng, SimDisk};

/// How much is tried at each depth: 0 is the transaction, the others recoveries of recoveries.
struct Budget {
    /// Calls before which it is cut; the rest is left out by lot.
    points: [usize; 4],
    /// Power cuts at each.
    losses: [usize; 4],
}

fn budget() -> Budget {
    sized(
        Budget {
            points: [6, 1, 1, 0],
            losses: [3, 1, 1, 1],
        },
        Budget {
            points: [usize::MAX, 4, 1, 0],
            losses: [8, 2, 1, 1],
        },
    )
}

/// Some of the numbers below an end, ascending.
fn some(end: u64, count: usize, rng: &mut Rng) -> Vec<u64> {
    let mut all: Vec<u64> = (0..end).collect();
    while all.len() > count {
        all.remove(rng.below(all.len()));
    }
    all
}

/// Carries a case out and cuts it everywhere.
fn prove(case: Case, seed: u64) -> u64 {
    let truth = Truth::of(case);
    let budget = budget();
    let mut rng = Rng(seed);
    for step in some(truth.steps + 1, budget.points[0], &mut rng) {
        let disk = truth.start.branch();
        disk.die_at(step);
        if step % 2 == 1 {
            disk.write_short();
        }
        let result = truth.case.carry(&disk, &truth.draft);
        let what = format!("cut before call {step}, seed {seed}");
        let promised = match result {
            Ok(_) => Some(Side::After),
            Err(_) if disk.is_dead() => None,
            Err(why) => truth.fail(&disk, &what, &format!("{why:?}")),
        };
        descend(&truth, &disk, promised, 0, &budget, &mut rng, &what);
    }
    truth.runs()
}

/// Whatever a cut at this instant leaves is recovered from, and the recovery is cut in turn.
fn descend(
    truth: &Truth,
    disk: &SimDisk,
    promised: Option<Side>,
    depth: usize,
    budget: &Budget,
    rng: &mut Rng,
    what: &str,
) {
    let losses = disk.crash_states(budget.losses[depth], rng.draw());
    let found: Vec<SimDisk> = std::iter::once(disk.after_kill()).chain(losses).collect();
    for found in found {
        truth.nothing_lost(&found, what);
        let whole = found.branch();
        let side = truth.recovered(&whole, what);
        if promised.is_some_and(|promised| promised != side) {
            truth.fail(&whole, what, &format!("{promised:?} was promised"));
        }
        let points = budget.points.get(depth + 1).copied().unwrap_or_default();
        if points == 0 {
            continue;
        }
        for step in some(steps_of_recovery(&found), points, rng) {
            let next = found.branch();
            next.die_at(step);
            if recover(&next).is_ok() {
                truth.fail(&next, what, "the dead recovered");
            }
            // What was committed stays so whatever happens to its recovery, once that could be known.
            let lasting = side == Side::After && found.is_durable();
            let promised = lasting.then_some(side);
            descend(truth, &next, promised, depth + 1, budget, rng, what);
        }
    }
}

/// Mutating calls of the recovery from here.
fn steps_of_recovery(found: &SimDisk) -> u64 {
    let tried = found.branch();
    recover(&tried).unwrap();
    tried.steps()
}

fn prove_all(name: &str, cases: Vec<Case>) {
    let runs: u64 = cases.into_iter().map(|case| prove(case, 7)).sum();
    println!("crash simulator, {name}: {runs} recoveries");
    summary("simulated recoveries", runs);
}

#[test]
fn a_plan_that_is_cut_anywhere_leaves_the_tree_as_before_or_as_planned() {
    prove_all("plain", cases::plain());
}

#[test]
fn an_undo_that_is_cut_anywhere_leaves_the_tree_as_before_or_as_planned() {
    prove_all("undone", cases::undone());
}

#[test]
fn a_redo_that_is_cut_anywhere_leaves_the_tree_as_before_or_as_planned() {
    prove_all("redone", cases::redone());
}
