//! SIGKILL before every call that changes something: of an action, of its undo and redo, and of the recovery
//! that follows.

use std::collections::VecDeque;

use super::calls::{Call, changing, strace};
use super::deeds::{DEEDS, Deed};
use super::ground::{Ground, age};
use super::judge::{Judge, State};
use super::tally::Tally;
use super::{full, slice, spread};

/// What was reached.
#[derive(Debug, Default)]
struct Figures {
    kills: usize,
    before: usize,
    after: usize,
    not_reached: usize,
}

impl Figures {
    /// Prints them, and adds them to the total.
    fn print(&self, what: &str) {
        println!("{what}: {self:?}");
        Tally::new("real kills").add(self.kills);
    }

    fn add(&mut self, state: State) {
        match state {
            State::Before => self.before += 1,
            State::After => self.after += 1,
        }
    }
}

/// The two states of a deed, and the calls between them. Leaves the sandbox as planned.
fn learn(ground: &Ground, deed: &Deed) -> (Judge, Vec<Call>) {
    ground.reset();
    let logs = deed.logs(ground);
    let before = ground.persons();
    let all = ground.everything();
    let (ran, calls) = changing(ground, deed.project, &deed.resume(ground));
    assert_eq!(ran.code, 0, "{deed:?}: {ran:?}");
    let judge = Judge {
        before,
        after: ground.persons(),
        logs,
        all,
    };
    assert_eq!(judge.state(ground, "clean"), State::After);
    Judge::git(ground, deed, "clean");
    (judge, calls)
}

#[test]
fn an_action_that_is_killed_before_any_of_its_calls_leaves_before_or_after() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 3) {
        println!("{:?}: {figures:?} so far", deed.what);
        let (judge, calls) = learn(&ground, &deed);
        for (nth, call) in slice(calls, 4).into_iter().enumerate() {
            let case = format!("{:?} {call:?}", deed.what);
            ground.reset();
            let ran = call.kill(&ground, deed.project, &deed.resume(&ground));
            if ran.killed() {
                figures.kills += 1;
            } else {
                figures.not_reached += 1;
                assert_eq!(ran.code, 0, "{case}: {ran:?}");
            }
            Judge::recover(&ground, deed.project, &case);
            let state = judge.settled(&ground, 0, &case);
            figures.add(state);
            if nth % 4 == 0 {
                Judge::git(&ground, &deed, &case);
            }
            if state == State::Before {
                let ran = deed.act(&ground);
                assert_eq!(ran.code, 0, "{case}: resumed afterwards: {ran:?}");
                assert_eq!(judge.settled(&ground, 0, &case), State::After);
            }
        }
    }
    figures.print("kills of actions");
}

#[test]
fn a_resume_after_a_kill_names_what_settles_it_or_goes_on() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 2) {
        let (judge, calls) = learn(&ground, &deed);
        for call in slice(calls, 4) {
            let case = format!("{:?} {call:?} then resume", deed.what);
            ground.reset();
            let ran = call.kill(&ground, deed.project, &deed.resume(&ground));
            figures.kills += usize::from(ran.killed());
            let again = deed.act(&ground);
            let hints = again.json()["error"]["hints"].to_string();
            let case = format!("{case}: {again:?}");
            match again.code {
                2 | 3 | 5 if hints.contains("relight recover") => {
                    Judge::recover(&ground, deed.project, &case);
                    figures.add(judge.settled(&ground, 0, &case));
                }
                // The plan after recovering is another one, which nobody has seen.
                3 if hints.contains("Review the new plan") => {
                    figures.add(judge.settled(&ground, 0, &case));
                }
                // It had been committed, and was done once more: a backup that is exchanged twice is where it was.
                0 if ground.committed() == 2 && deed.what.ends_with(&["from-backup"]) => {
                    assert_eq!(judge.settled(&ground, 2, &case), State::Before, "{case}");
                }
                // Done, or it had been committed: the point is gone, or the files are too young to be sure.
                _ => assert_eq!(judge.settled(&ground, 0, &case), State::After, "{case}"),
            }
        }
    }
    figures.print("kills with a resume after them");
}

#[test]
fn undo_and_redo_that_are_killed_leave_before_or_after() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 2) {
        let (judge, _) = learn(&ground, &deed);
        if judge.logs.iter().len() > 0 && only_logs(&judge) {
            continue;
        }
        toggle(&ground, &deed, judge, &mut figures);
        println!("undo of {:?}: {figures:?} so far", deed.what);
    }
    figures.print("kills of undo and redo");
}

/// Whether lines for a log are all that differs.
fn only_logs(judge: &Judge) -> bool {
    super::census::differences(&judge.before, &judge.after, &judge.logs).is_empty()
}

/// Goes there and back on one sandbox, for the very inodes matter. The plan that is applied depends on the state.
fn toggle(ground: &Ground, deed: &Deed, mut judge: Judge, figures: &mut Figures) {
    age(&judge.logs);
    let undo: &[&str] = &["undo", "--yes", "--json"];
    let redo: &[&str] = &["redo", "--yes", "--json"];
    let (ran, undo_calls) = changing(ground, deed.project, undo);
    assert_eq!(ran.code, 0, "{:?}: {ran:?}", deed.what);
    let (ran, redo_calls) = changing(ground, deed.project, redo);
    assert_eq!(ran.code, 0, "{:?}: {ran:?}", deed.what);
    let mut undos: VecDeque<Call> = slice(undo_calls, 2).into();
    let mut redos: VecDeque<Call> = slice(redo_calls, 2).into();
    let mut at = State::After;
    while !(undos.is_empty() && redos.is_empty()) {
        let (words, queue) = match at {
            State::After => (undo, &mut undos),
            State::Before => (redo, &mut redos),
        };
        let committed = ground.committed();
        judge.all = ground.everything();
        let Some(call) = queue.pop_front() else {
            let ran = ground.run(deed.project, words);
            assert_eq!(ran.code, 0, "{:?} {words:?}: {ran:?}", deed.what);
            at = judge.state(ground, "toggled");
            continue;
        };
        let case = format!("{:?} {} {call:?}", deed.what, words[0]);
        let ran = call.kill(ground, deed.project, words);
        figures.kills += usize::from(ran.killed());
        figures.not_reached += usize::from(!ran.killed());
        Judge::recover(ground, deed.project, &case);
        let now = judge.state(ground, &case);
        let moved = ground.committed() - committed;
        assert_eq!(moved, usize::from(now != at), "{case}: {now:?}");
        assert!(ground.locks().is_empty(), "{case}: {:?}", ground.locks());
        let gone = super::census::lost(&judge.all, &ground.everything());
        assert!(gone.is_empty(), "{case}: bytes are lost: {gone:?}");
        figures.add(now);
        at = now;
    }
    Judge::git(ground, deed, "after all");
}

#[test]
fn a_recovery_that_is_killed_three_times_still_settles() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 1) {
        let (judge, calls) = learn(&ground, &deed);
        let renames = calls
            .iter()
            .filter(|call| call.name == "renameat2" || call.name == "fsync");
        let calls: Vec<Call> = renames.cloned().collect();
        let from = calls.len() / 2;
        let few = if full() { 4 } else { 2 };
        for call in spread(calls.into_iter().skip(from).collect(), few) {
            nested(&ground, &deed, &judge, &call, &mut figures);
        }
    }
    figures.print("kills in recovery");
}

/// Kills a deed, then kills the recovery at each of its calls: three different ones in a row.
fn nested(ground: &Ground, deed: &Deed, judge: &Judge, call: &Call, figures: &mut Figures) {
    let recover: &[&str] = &["recover", "--assume-stopped", "--yes", "--json"];
    ground.reset();
    call.kill(ground, deed.project, &deed.resume(ground));
    let (_, calls) = changing(ground, deed.project, recover);
    for (nth, first) in slice(calls.clone(), 2).iter().enumerate() {
        let case = format!("{:?} {call:?} recover {first:?}", deed.what);
        ground.reset();
        let ran = call.kill(ground, deed.project, &deed.resume(ground));
        figures.kills += usize::from(ran.killed());
        let ran = first.kill(ground, deed.project, recover);
        figures.kills += usize::from(ran.killed());
        for more in 1..3 {
            let next = &calls[(nth + more * 3) % calls.len()];
            let ran = next.kill(ground, deed.project, recover);
            figures.kills += usize::from(ran.killed());
        }
        Judge::recover(ground, deed.project, &case);
        figures.add(judge.settled(ground, 0, &case));
    }
}
