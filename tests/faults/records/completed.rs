//! A signal to a command that first completes a record that was cut short.

use super::super::calls::{Call, changing, strace};
use super::super::ground::Ground;
use super::super::signals::with_signals;
use super::super::slice;
use super::RECORDS;

#[test]
fn a_signal_while_a_record_is_completed_says_what_became_of_it() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut records = RECORDS.iter();
    let record = records.find(|record| record.words == [".", "stage-2", "ready"]);
    let record = record.unwrap();
    let calls = record.learn(&ground).calls;
    let is_cut = || {
        let all = ground.everything();
        all.keys().any(|path| path.ends_with("records/journal"))
    };
    let crash = |cut: &Call| {
        record.reset(&ground);
        let ran = cut.kill(&ground, record.project, &record.once(&ground));
        ran.killed() && is_cut()
    };
    let cut = calls.iter().find(|cut| crash(cut)).unwrap();
    let mut completed = 0;
    for words in [
        &["record", ".", "log", "A later line.", "--json"][..],
        &["checkpoint", ".", "--reason", "now", "--json"],
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
            if value["recorded"].is_null() {
                let text = value["error"]["text"].as_str().unwrap();
                let says = text.contains("An interrupted record of the same project is");
                assert_eq!(says, !is_cut(), "{case}: {text}");
                completed += usize::from(says);
            }
        }
    }
    assert!(completed > 0);
}
