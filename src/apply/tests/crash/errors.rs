//! Every call fails with every error, once and from then on, doing its work all the same or not.

use super::cases;
use super::judge::{Side, Truth, unlocked};
use super::kit::{Case, recover, sized, summary};
use crate::apply::disk::sim::{Errno, Fault, Rng};
use crate::model::ErrorKind;

const ERRORS: [Errno; 7] = [
    Errno::NOSPC,
    Errno::IO,
    Errno::ACCESS,
    Errno::ROFS,
    Errno::MFILE,
    Errno::INTR,
    Errno::XDEV,
];

/// How many calls of each kind of fault are left out between two that are tried.
fn stride() -> usize {
    sized(149, 1)
}

/// Carries a case out with one fault. Gives false where there was no such call any more.
fn strike(truth: &Truth, fault: Fault, seed: u64) -> bool {
    let disk = truth.start.branch();
    disk.fail(fault);
    let result = truth.case.carry(&disk, &truth.draft);
    if !disk.fault_struck() {
        return false;
    }
    let what = format!("{fault:?}");
    truth.nothing_lost(&disk, &what);
    let said = match &result {
        Ok(_) => Some(Side::After),
        Err(why) if why.kind == ErrorKind::Unclear => {
            if why.hints.is_empty() {
                truth.fail(&disk, &what, "it was not said what to do");
            }
            None
        }
        Err(why) => {
            if why.text.as_bytes().is_empty() {
                truth.fail(&disk, &what, "nothing was said");
            }
            Some(Side::Before)
        }
    };
    if said == Some(Side::Before) && unlocked(&disk) != unlocked(&truth.start) {
        truth.fail(&disk, &what, &format!("it is not as {result:?} says"));
    }
    // The disk is well again, and the next run settles whatever is left; or power goes first.
    let cuts = disk.crash_states(sized(1, 4), seed);
    for next in std::iter::once(disk.after_kill()).chain(cuts) {
        next.heal();
        let side = truth.held(&next, &what);
        if said.is_some_and(|said| said != side) {
            truth.fail(&next, &what, &format!("{side:?}, but it said {result:?}"));
        }
    }
    true
}

fn strike_all(name: &str, cases: Vec<Case>, seed: u64) {
    let (mut runs, mut strikes) = (0, 0);
    let mut rng = Rng(seed);
    for case in cases {
        let truth = Truth::of(case);
        for errno in ERRORS {
            for (lasting, done) in [(false, false), (true, false), (false, true), (true, true)] {
                let first = rng.below(stride());
                for at in (first as u64..).step_by(stride()) {
                    let fault = Fault {
                        at,
                        errno,
                        lasting,
                        done,
                    };
                    if !strike(&truth, fault, rng.draw()) {
                        break;
                    }
                    strikes += 1;
                }
            }
        }
        runs += truth.runs();
    }
    println!("crash simulator, {name}: {strikes} failing calls, {runs} recoveries");
    summary("simulated recoveries", runs);
}

#[test]
fn a_call_that_fails_leaves_the_tree_as_it_is_said() {
    strike_all("errors", cases::plain(), 11);
}

#[test]
fn a_call_of_an_undo_that_fails_leaves_the_tree_as_it_is_said() {
    strike_all("errors of undo", cases::undone(), 12);
}

#[test]
fn a_recovery_whose_calls_fail_succeeds_when_they_no_longer_do() {
    let (mut runs, mut strikes) = (0, 0);
    let mut rng = Rng(13);
    for case in cases::plain() {
        let truth = Truth::of(case);
        let cut = truth.start.branch();
        // Late enough for a part of the renames to have been made.
        cut.die_at(truth.steps - 4 - rng.below(8) as u64);
        truth.case.carry(&cut, &truth.draft).unwrap_err();
        for errno in ERRORS {
            for (lasting, done) in [(false, false), (true, false), (false, true)] {
                for at in (rng.below(stride()) as u64..).step_by(stride()) {
                    let disk = cut.after_kill();
                    let fault = Fault {
                        at,
                        errno,
                        lasting,
                        done,
                    };
                    disk.fail(fault);
                    // It may well succeed without the call that failed, or say that it could not.
                    let _said = recover(&disk);
                    if !disk.fault_struck() {
                        break;
                    }
                    truth.held(&disk.after_kill(), &format!("recovery, {fault:?}"));
                    strikes += 1;
                }
            }
        }
        runs += truth.runs();
    }
    println!("crash simulator, errors of recovery: {strikes} failing calls, {runs} recoveries");
    summary("simulated recoveries", runs);
}
