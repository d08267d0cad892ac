//! A person cancels before any call: it ends exactly before or exactly after, at once and without a recovery, and
//! the answer says which (W1).

use super::cases;
use super::judge::{Side, Truth, tree};
use super::kit::{Case, committed, folder, recover_unless, sized};
use crate::apply::disk::sim::{Rng, SimDisk};
use crate::apply::error::ApplyError;
use crate::model::{Cancel, ErrorKind, Reach};

/// A switch that is set right before a mutating call.
fn cancelled_at(disk: &SimDisk, step: u64) -> Cancel {
    let cancel = Cancel::new();
    // As a front end does before it asks for anything that writes.
    cancel.open();
    let switch = cancel.clone();
    disk.meddle_at(step, move |_| {
        switch.cancel();
    });
    cancel
}

/// Which side it ended on, by its own words. On neither side is anything left for a recovery.
fn ended(truth: &Truth, disk: &SimDisk, cancel: &Cancel, step: u64) -> Side {
    let what = format!("canceled before call {step}");
    let result = truth.case.carry_unless(disk, &truth.draft, cancel);
    let id = truth.case.id();
    let (side, wanted) = match &result {
        Ok(_) => (Side::After, &truth.after),
        Err(why)
            if why.kind == ErrorKind::Cancelled
                && why.text.as_bytes() == b"Canceled; nothing was changed." =>
        {
            (Side::Before, &truth.before)
        }
        other => truth.fail(disk, &what, &format!("{other:?}")),
    };
    if side == Side::After && cancel.reach() != Reach::Late {
        truth.fail(
            disk,
            &what,
            "it was done, and nobody was told that it was too late",
        );
    }
    // Locks of git are part of the tree.
    if tree(disk) != *wanted {
        truth.fail(disk, &what, &format!("it is not as {result:?} says"));
    }
    if committed(disk, &id) != (side == Side::After) {
        truth.fail(disk, &what, "the directory says otherwise");
    }
    if side == Side::Before && folder(disk, &id).is_some() {
        truth.fail(disk, &what, "what was prepared is still there");
    }
    truth.nothing_lost(disk, &what);
    side
}

fn prove(name: &str, cases: Vec<Case>, seed: u64) {
    let mut runs = 0;
    let mut rng = Rng(seed);
    for case in cases {
        let truth = Truth::of(case);
        let mut last = Side::Before;
        for step in 0..truth.steps {
            if rng.below(sized(12, 1)) > 0 && step + 1 < truth.steps {
                continue;
            }
            let disk = truth.start.branch();
            let cancel = cancelled_at(&disk, step);
            let side = ended(&truth, &disk, &cancel, step);
            if (last, side) == (Side::After, Side::Before) {
                truth.fail(&disk, &step.to_string(), "an earlier cancel came too late");
            }
            last = side;
            runs += 1;
            // The next run finds nothing to do, also where power goes right afterwards.
            for next in std::iter::once(disk.after_kill()).chain(disk.crash_states(2, rng.draw())) {
                let found = truth.recovered(&next, &format!("after a cancel before call {step}"));
                if found != side {
                    truth.fail(
                        &next,
                        &step.to_string(),
                        &format!("{found:?}, not {side:?}"),
                    );
                }
            }
        }
        assert_eq!(last, Side::After, "{}", truth.case.name);
        let disk = truth.start.branch();
        assert_eq!(
            ended(&truth, &disk, &cancelled_at(&disk, 0), 0),
            Side::Before
        );
    }
    println!("crash simulator, {name}: {runs} cancels");
}

#[test]
fn w1_a_cancel_at_any_call_leaves_before_or_after_and_says_which() {
    prove("cancelled", cases::plain(), 51);
}

#[test]
fn w1_a_cancel_of_an_undo_or_a_redo_leaves_before_or_after_and_says_which() {
    prove("undo canceled", cases::undone(), 52);
    prove("redo canceled", cases::redone(), 53);
}

#[test]
fn w1_a_recovery_that_is_cancelled_is_whole_or_was_not_begun() {
    let mut runs = 0;
    let mut rng = Rng(54);
    for case in cases::plain() {
        let truth = Truth::of(case);
        let cut = truth.start.branch();
        cut.die_at(truth.steps - 4 - rng.below(8) as u64);
        truth.case.carry(&cut, &truth.draft).unwrap_err();
        let cut = cut.after_kill();
        let whole = cut.branch();
        recover_unless(&whole, &Cancel::new()).unwrap();
        for step in 0..=whole.steps() {
            let disk = cut.branch();
            let cancel = cancelled_at(&disk, step);
            let before = tree(&disk);
            let what = format!("a recovery, canceled before call {step}");
            match recover_unless(&disk, &cancel) {
                Ok(_) if tree(&disk) == tree(&whole) => {}
                Err(why) if why.kind == ErrorKind::Cancelled && tree(&disk) == before => {}
                result => truth.fail(&disk, &what, &format!("it is not as {result:?} says")),
            }
            truth.recovered(&disk.after_kill(), &what);
            runs += 1;
        }
    }
    println!("crash simulator, recoveries canceled: {runs}");
}

#[test]
fn w1_what_was_settled_before_a_cancel_is_said() {
    let truth = Truth::of(cases::plain().remove(0));
    let cut = truth.start.branch();
    cut.die_at(truth.steps - 4);
    truth.case.carry(&cut, &truth.draft).unwrap_err();
    let cut = cut.after_kill();
    let whole = cut.branch();
    let settled = recover_unless(&whole, &Cancel::new()).unwrap();
    let disk = cut.branch();
    let cancel = cancelled_at(&disk, whole.steps() - 1);
    let next = Case {
        earlier: vec![Box::new(|_| unreachable!())],
        ..Case::new("next", |_| unreachable!())
    };
    let result = next.carry_unless(&disk, &truth.draft, &cancel);
    let Err(ApplyError {
        kind: ErrorKind::Cancelled,
        text,
        ..
    }) = result
    else {
        panic!("{result:?}");
    };
    let settled = settled[0].lossy().into_owned();
    assert_eq!(
        text.lossy(),
        format!("{settled} The new operation was then canceled; it changed nothing.")
    );
    assert_eq!(tree(&disk), tree(&whole));
}
