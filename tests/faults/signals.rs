//! SIGINT, SIGTERM and SIGHUP before every call that changes something: in an action, its undo and redo, a recovery
//! and a purge. Each time relight exits with 130, says whether the change was made, and leaves nothing to recover.
//! SIGXFSZ (a limit on file sizes) is an error like any other.

mod beside;

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;

use super::calls::{Call, changing, stopped_child, strace};
use super::census::differences;
use super::deeds::{DEEDS, Deed};
use super::ground::{Ground, Ran, age};
use super::judge::{Judge, State};
use super::{slice, spread, tally::Tally, until};

const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];

/// What was reached.
#[derive(Debug, Default)]
struct Figures {
    runs: usize,
    before: usize,
    after: usize,
}

/// The two states of a deed, and the calls between them. Leaves the sandbox as planned.
fn learn(ground: &Ground, deed: &Deed) -> (Judge, Vec<Call>) {
    ground.reset();
    let logs = deed.logs(ground);
    let before = ground.persons();
    let all = ground.everything();
    let (ran, calls) = changing(ground, deed.project, &deed.resume(ground));
    assert_eq!(ran.code, 0, "{deed:?}: {ran:?}");
    let after = ground.persons();
    let judge = Judge {
        before,
        after,
        logs,
        all,
    };
    (judge, calls)
}

/// Each call with one of the signals, all of them in turn.
pub(crate) fn with_signals(calls: Vec<Call>) -> Vec<(Call, &'static str)> {
    let signals = SIGNALS.into_iter().cycle();
    calls.into_iter().zip(signals).collect()
}

/// Which side it says that it ended on. How many `openat` come before one depends on what runs on the machine: it may
/// be struck before relight listens for signals, or not at all.
fn says(ran: &Ran, call: &str, case: &str) -> State {
    if call == "openat" && ran.code <= 0 {
        let done = ran.code == 0;
        return if done { State::After } else { State::Before };
    }
    assert_eq!(ran.code, 130, "{case}: {ran:?}");
    let value = ran.json();
    let error = &value["error"];
    assert_eq!(error["kind"], "cancelled", "{case}: {ran:?}");
    if value["recovery"].is_null() {
        assert_eq!(error["text"], "Canceled; nothing was changed.", "{case}");
        return State::Before;
    }
    let id = value["recovery"]["id"].as_str().unwrap();
    let said = format!("canceled too late: recovery {id} was applied");
    assert!(ran.err.contains(&said), "{case}: {ran:?}");
    assert!(
        ran.err.contains(&format!("relight undo {id}")),
        "{case}: {ran:?}"
    );
    State::After
}

/// Nobody has to recover anything, and git is free.
fn nothing_pending(ground: &Ground, project: &str, case: &str) {
    let list = ground.run(project, &["list", "--json"]).json();
    assert!(list["pending_recovery"].is_null(), "{case}: {list}");
    assert_eq!(ground.locks(), Vec::<PathBuf>::new(), "{case}");
}

#[test]
fn w1_a_signal_at_any_call_of_an_action_ends_before_or_after_and_says_which() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 3) {
        let (judge, calls) = learn(&ground, &deed);
        let last = calls.len().saturating_sub(1);
        for (nth, (call, signal)) in slice(with_signals(calls), 4).into_iter().enumerate() {
            let case = format!("{:?} {signal} at {call:?} of {last}", deed.what);
            ground.reset();
            let ran = call.signal(&ground, signal, deed.project, &deed.resume(&ground));
            let said = says(&ran, &call.name, &case);
            nothing_pending(&ground, deed.project, &case);
            assert_eq!(judge.settled(&ground, 0, &case), said, "{case}: {ran:?}");
            figures.runs += 1;
            match said {
                State::Before => figures.before += 1,
                State::After => figures.after += 1,
            }
            if nth == 0 {
                Judge::git(&ground, &deed, &case);
            }
        }
    }
    println!("signals in actions: {figures:?}");
    Tally::new("signals").add(figures.runs);
    assert!(figures.before > 0 && figures.after > 0, "{figures:?}");
}

#[test]
fn w1_a_signal_at_any_call_of_an_undo_or_a_redo_ends_before_or_after() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    let undone = |judge: &Judge| !differences(&judge.before, &judge.after, &judge.logs).is_empty();
    for deed in slice(DEEDS.to_vec(), 2) {
        let (judge, _) = learn(&ground, &deed);
        if undone(&judge) {
            toggle(&ground, &deed, &judge, &mut figures);
        }
    }
    println!("signals in undo and redo: {figures:?}");
    Tally::new("signals").add(figures.runs);
}

/// Goes there and back, cancelled at one call after the other.
fn toggle(ground: &Ground, deed: &Deed, judge: &Judge, figures: &mut Figures) {
    age(&judge.logs);
    let undo: &[&str] = &["undo", "--yes", "--json"];
    let redo: &[&str] = &["redo", "--yes", "--json"];
    let (ran, undo_calls) = changing(ground, deed.project, undo);
    assert_eq!(ran.code, 0, "{:?}: {ran:?}", deed.what);
    let (ran, redo_calls) = changing(ground, deed.project, redo);
    assert_eq!(ran.code, 0, "{:?}: {ran:?}", deed.what);
    let queue = |calls| -> VecDeque<_> { slice(with_signals(calls), 2).into() };
    let (mut undos, mut redos) = (queue(undo_calls), queue(redo_calls));
    let mut at = State::After;
    while !(undos.is_empty() && redos.is_empty()) {
        let (words, queue, done) = match at {
            State::After => (undo, &mut undos, State::Before),
            State::Before => (redo, &mut redos, State::After),
        };
        let Some((call, signal)) = queue.pop_front() else {
            let ran = ground.run(deed.project, words);
            assert_eq!(ran.code, 0, "{:?} {words:?}: {ran:?}", deed.what);
            at = done;
            continue;
        };
        let case = format!("{:?} {} {signal} at {call:?}", deed.what, words[0]);
        let ran = call.signal(ground, signal, deed.project, words);
        let wanted = match says(&ran, &call.name, &case) {
            State::Before => at,
            State::After => done,
        };
        nothing_pending(ground, deed.project, &case);
        at = judge.state(ground, &case);
        assert_eq!(at, wanted, "{case}: {ran:?}");
        figures.runs += 1;
        match at {
            State::Before => figures.before += 1,
            State::After => figures.after += 1,
        }
    }
}

#[test]
fn w1_a_signal_at_any_call_of_a_recovery_ends_with_all_of_it_or_none() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let recover: &[&str] = &["recover", "--assume-stopped", "--yes", "--json"];
    let (settled_once, mut runs) = (Cell::new(false), 0);
    for deed in slice(DEEDS.to_vec(), 1) {
        let (judge, calls) = learn(&ground, &deed);
        let renames: Vec<Call> = calls
            .into_iter()
            .filter(|call| call.name == "renameat2")
            .collect();
        let cut = &renames[renames.len() - 4];
        let crash = || {
            ground.reset();
            let ran = cut.kill(&ground, deed.project, &deed.resume(&ground));
            assert!(ran.killed(), "{ran:?}");
        };
        crash();
        let (ran, calls) = changing(&ground, deed.project, recover);
        assert_eq!(ran.code, 0, "{ran:?}");
        for (call, signal) in until(with_signals(calls), 4, &settled_once) {
            let case = format!("{:?} recover {signal} at {call:?}", deed.what);
            crash();
            let ran = call.signal(&ground, signal, deed.project, recover);
            assert_eq!(ran.code, 130, "{case}: {ran:?}");
            let value = ran.json();
            assert_eq!(value["error"]["kind"], "cancelled", "{case}: {ran:?}");
            if value["recovery"].is_null() {
                assert_eq!(value["error"]["text"], "Canceled; nothing was changed.");
                Judge::recover(&ground, deed.project, &case);
            } else {
                assert!(ran.err.contains("is rolled back"), "{case}: {ran:?}");
                settled_once.set(true);
            }
            runs += 1;
            nothing_pending(&ground, deed.project, &case);
            assert_eq!(judge.settled(&ground, 0, &case), State::Before, "{case}");
        }
    }
    Tally::new("signals").add(runs);
    assert!(settled_once.get());
}

#[test]
fn w1_a_signal_at_any_call_of_a_purge_leaves_it_whole_or_not_begun() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let deed = DEEDS[0];
    let kept = || {
        let recovery = ground.history().remove(0);
        (recovery.id.0.clone(), recovery.kept_bytes, recovery.purged)
    };
    let done = || {
        ground.reset();
        assert_eq!(deed.act(&ground).code, 0);
        kept()
    };
    let (id, bytes, _) = done();
    assert!(bytes > 0);
    let (ran, calls) = changing(&ground, deed.project, &["purge", &id, "--yes", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (mut purged, mut whole) = (0, 0);
    for (call, signal) in slice(with_signals(calls), 6) {
        let case = format!("purge {signal} at {call:?}");
        let (id, bytes, _) = done();
        let words = ["purge", &id, "--yes", "--json"];
        let ran = call.signal(&ground, signal, deed.project, &words);
        assert_eq!(ran.code, 130, "{case}: {ran:?}");
        let value = ran.json();
        assert_eq!(value["error"]["kind"], "cancelled", "{case}: {ran:?}");
        let now = kept();
        if value["purged"].is_null() {
            assert_eq!(now, (id, bytes, false), "{case}");
            whole += 1;
        } else {
            assert!(
                ran.err.contains("can no longer be undone"),
                "{case}: {ran:?}"
            );
            assert_eq!(now, (id, 0, true), "{case}");
            purged += 1;
        }
        nothing_pending(&ground, deed.project, &case);
    }
    println!("signals in purges: {purged} purged, {whole} not begun");
    Tally::new("signals").add(purged + whole);
}

#[test]
fn w1_a_second_signal_is_told_that_relight_is_finishing() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let deed = DEEDS[0];
    let (judge, calls) = learn(&ground, &deed);
    let renames: Vec<&Call> = calls.iter().filter(|c| c.name == "renameat2").collect();
    let from = renames[renames.len() - 4].at;
    ground.reset();
    // Each call waits a moment, so that the signals are two and not one.
    let inject = format!("inject=renameat2:signal=INT:delay_exit=60000:when={from}+");
    let mut words = vec!["strace", "-e", "trace=renameat2"];
    words.extend(["-e", &inject, "-o", "/dev/null"]);
    let ran = ground.behind(&words, deed.project, &deed.resume(&ground));
    assert_eq!(says(&ran, "twice", "twice"), State::After);
    assert!(
        ran.err.contains("Too late to cancel: relight is finishing"),
        "{ran:?}"
    );
    assert!(ran.err.contains("Still finishing."), "{ran:?}");
    assert_eq!(judge.settled(&ground, 0, "twice"), State::After);
}

#[test]
fn w1_a_limit_on_file_sizes_is_an_error_and_not_the_end() {
    let ground = Ground::new();
    let words = ["prlimit", "--fsize=1000000", "true"];
    let tried = std::process::Command::new(words[0])
        .args(&words[1..])
        .output();
    if !tried.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: no prlimit");
        return;
    }
    let mut refused = 0;
    for deed in spread(DEEDS.to_vec(), 2) {
        let (judge, _) = learn(&ground, &deed);
        // Nothing; some state files; all but the ballast; the ballast; everything.
        for limit in [0, 1, 500, 20_000, 1_000_000, 1 << 20, 1 << 30] {
            let case = format!("{:?} within {limit} bytes", deed.what);
            ground.reset();
            let limit = format!("--fsize={limit}");
            let words = ["prlimit", &limit];
            let ran = ground.behind(&words, deed.project, &deed.resume(&ground));
            let state = match ran.code {
                0 => State::After,
                3 | 6 => State::Before,
                _ => panic!("{case}: {ran:?}"),
            };
            refused += usize::from(state == State::Before);
            nothing_pending(&ground, deed.project, &case);
            assert_eq!(judge.settled(&ground, 0, &case), state, "{case}: {ran:?}");
            if state == State::Before {
                let text = ran.json()["error"]["text"].to_string();
                assert!(
                    text.contains("larger than the limit of this process")
                        || text.contains("File too large"),
                    "{case}: {ran:?}"
                );
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_stop_in_the_middle_of_the_exchange_waits_until_git_is_free() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let deed = DEEDS[0];
    let (judge, calls) = learn(&ground, &deed);
    let renames: Vec<&Call> = calls.iter().filter(|c| c.name == "renameat2").collect();
    let at = renames[renames.len() - 4].at;
    ground.reset();
    // The thread that hears of signals must have heard of this one before the last renames are through, however busy
    // the machine is.
    let inject = format!("inject=renameat2:signal=TSTP:delay_exit=1000000:when={at}");
    let trace = [
        "strace",
        "-e",
        "trace=renameat2",
        "-e",
        &inject,
        "-o",
        "/dev/null",
    ];
    let cwd = ground.root().join("projects").join(deed.project);
    let mut run = super::ground::command(&trace, &cwd);
    run.args(deed.resume(&ground));
    let mut run = run.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let relight = stopped_child(&mut run);
    assert_eq!(
        ground.locks(),
        Vec::<PathBuf>::new(),
        "it stopped with git locked"
    );
    assert_eq!(judge.state(&ground, "stopped"), State::After);
    let relight = rustix::process::Pid::from_raw(relight).unwrap();
    rustix::process::kill_process(relight, rustix::process::Signal::CONT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
}
