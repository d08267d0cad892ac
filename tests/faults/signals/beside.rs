//! The same for what is written beside the person's files: an export, a checkpoint, a briefing, a rehearsal.

use std::collections::BTreeSet;

use super::super::calls::{changing, strace};
use super::super::ground::{Ground, Ran};
use super::super::slice;
use super::{nothing_pending, with_signals};

/// A command and what it leaves.
struct Kind {
    words: &'static [&'static str],
    project: &'static str,
    /// The member of its JSON that says what was made.
    made: &'static str,
    /// What is there now that it can make.
    there: fn(&Ground) -> BTreeSet<String>,
}

const KINDS: [Kind; 4] = [
    Kind {
        words: &["export", ".", "taken", "--json"],
        project: "handbook",
        made: "export",
        there: |ground| names(&ground.root().join("projects/handbook"), "taken"),
    },
    Kind {
        words: &["checkpoint", "mgw-57", "--reason", "now", "--json"],
        project: "notes",
        made: "recorded",
        there: |ground| {
            let ran = ground.run("notes", &["checkpoints", "mgw-57", "--json"]);
            let all = ran.json()["checkpoints"].as_array().cloned();
            let all = all.unwrap().into_iter().map(|one| one["id"].to_string());
            all.collect()
        },
    },
    Kind {
        words: &["resume", "mgw-57", "--yes", "--json"],
        project: "notes",
        made: "handoff",
        there: |ground| {
            names(
                &ground.root().join("home/.local/state/relight/handoffs"),
                "",
            )
        },
    },
    Kind {
        words: &["rehearse", ".", "--check", "--json", "--", "true"],
        project: "handbook",
        made: "rehearsal",
        there: |ground| {
            names(
                &ground.root().join("home/.local/state/relight/rehearsals"),
                "",
            )
        },
    },
];

/// The names in a directory that hold this.
fn names(dir: &std::path::Path, part: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(part)).collect()
}

/// What it says was made; none if it says that nothing was changed.
fn says(ran: &Ran, kind: &Kind, case: &str) -> usize {
    assert_eq!(ran.code, 130, "{case}: {ran:?}");
    let value = ran.json();
    assert_eq!(value["error"]["kind"], "cancelled", "{case}: {ran:?}");
    if value[kind.made].is_null() {
        assert_eq!(
            value["error"]["text"], "Canceled; nothing was changed.",
            "{case}"
        );
        return 0;
    }
    assert!(ran.err.contains("canceled too late"), "{case}: {ran:?}");
    1
}

#[test]
fn a_signal_at_any_call_that_writes_beside_the_files_leaves_it_whole_or_nothing() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    for kind in &KINDS {
        ground.reset();
        let (ran, calls) = changing(&ground, kind.project, kind.words);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!ran.json()[kind.made].is_null(), "{ran:?}");
        // A file is opened before relight listens for signals, too.
        let calls = calls.into_iter().filter(|call| call.name != "openat");
        for (call, signal) in slice(with_signals(calls.collect()), 8) {
            let case = format!("{:?} {signal} at {call:?}", kind.words);
            ground.reset();
            let before = (kind.there)(&ground);
            let ran = call.signal(&ground, signal, kind.project, kind.words);
            let said = says(&ran, kind, &case);
            let after = (kind.there)(&ground);
            assert_eq!(after.difference(&before).count(), said, "{case}: {after:?}");
            nothing_pending(&ground, kind.project, &case);
        }
    }
}
