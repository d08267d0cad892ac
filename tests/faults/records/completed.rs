//! A signal to a command that first completes a record that was cut short.

use super::super::calls::{Call, changing, strace};
use super::super::ground::Ground;
use super::super::signals::with_signals;
use super::super::slice;
use super::{is_cut, ready_stage};

#[test]
fn a_signal_while_a_record_is_completed_says_what_became_of_it() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let record = ready_stage();
    let calls = record.learn(&ground).calls;
    let crash = |cut: &Call| {
        record.reset(&ground);
        let ran = cut.kill(&ground, record.project, &record.once(&ground));
        ran.killed() && is_cut(&ground)
    };
    let cut = calls.iter().find(|cut| crash(cut)).unwrap();
    let mut completed = 0;
    for words in [
        &["record", ".", "log", "A later line.", "--json"][..],
        &["checkpoint", ".", "--reason", "now", "--json"],
        &["resume", ".", "--yes", "--assume-stopped", "--json"],
        &["recover", "--json"],
    ] {
        assert!(crash(cut));
        let (ran, calls) = changing(&ground, record.project, words);
        assert_eq!(ran.code, 0, "{ran:?}");
        let calls = calls.into_iter().filter(|call| call.name != "openat");
        for (call, signal) in slice(with_signals(calls.collect()), 8) {
            let case = format!("{words:?} {signal} at {call:?}");
            assert!(crash(cut), "{case}");
            let ran = call.signal(&ground, signal, record.project, words);
            assert_eq!(ran.code, 130, "{case}: {ran:?}");
            let value = ran.json();
            let text = value["error"]["text"].as_str().unwrap();
            let nothing = text == "Canceled; nothing was changed.";
            assert_eq!(nothing, is_cut(&ground), "{case}: {ran:?}");
            completed += usize::from(text.contains("nterrupted record"));
        }
    }
    assert!(completed > 0);
}

#[test]
fn a_plan_that_changes_nothing_is_handed_over_as_it_is_after_the_record() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let record = ready_stage();
    let calls = record.learn(&ground).calls;
    let mut completed = 0;
    for cut in slice(
        calls
            .into_iter()
            .filter(|call| call.name != "openat")
            .collect(),
        4,
    ) {
        for yes in [&["--yes"][..], &[]] {
            record.reset(&ground);
            let killed = cut.kill(&ground, record.project, &record.once(&ground));
            if !killed.killed() || !is_cut(&ground) {
                continue;
            }
            let words = [&["resume", ".", "--assume-stopped", "--json"], yes].concat();
            let first = ground.run(record.project, &words);
            assert!(!is_cut(&ground), "{cut:?} {yes:?}: {first:?}");
            let second = ground.run(record.project, &words);
            let handoff = |ran: &crate::ground::Ran| ran.json()["handoff"].clone();
            let case = format!("{cut:?} {yes:?}: {first:?} {second:?}");
            assert_eq!((first.code, second.code), (0, 0), "{case}");
            assert_eq!(handoff(&first), handoff(&second), "{case}");
            completed += 1;
        }
    }
    assert!(completed > 1);
}
