//! What a disk may look like after a power cut, state by state.

use super::{disk, make, name, open, outcomes, shift, some, swap};
use crate::apply::disk::Disk as _;

#[test]
fn an_append_without_a_sync_is_lost_or_torn_or_ends_in_nul_bytes() {
    let disk = disk();
    disk.file("/p/log", "old\n");
    disk.die_at(1);
    let dir = open(&disk, "/p");
    disk.append(&dir, name("log"), b"line").unwrap_err();
    let found = outcomes(&disk, "/p/log");
    let ext4 = "old\n\0\0\0\0";
    let others = "old\n";
    assert_eq!(
        found,
        some(&[others, ext4, "old\nli", "old\nli\0\0", "old\nline"])
    );
}

#[test]
fn an_append_that_came_back_stays() {
    let disk = disk();
    disk.file("/p/log", "old\n");
    let dir = open(&disk, "/p");
    disk.append(&dir, name("log"), b"line\n").unwrap();
    disk.append(&dir, name("new"), b"first\n").unwrap();
    assert_eq!(outcomes(&disk, "/p/log"), some(&["old\nline\n"]));
    assert_eq!(outcomes(&disk, "/p/new"), some(&["first\n"]));
    assert!(disk.is_durable());
}

#[test]
fn a_new_file_without_a_sync_is_missing_or_empty_or_nul_bytes_or_torn() {
    let disk = disk();
    make(&disk, "/p/new", b"word", false);
    let mut expected = some(&["", "\0\0\0\0", "wo", "wo\0\0", "word"]);
    expected.insert(None);
    assert_eq!(outcomes(&disk, "/p/new"), expected);
}

#[test]
fn a_file_that_was_synced_is_whole_or_has_no_name() {
    let disk = disk();
    make(&disk, "/p/new", b"word", true);
    let mut expected = some(&["word"]);
    expected.insert(None);
    assert_eq!(outcomes(&disk, "/p/new"), expected);
    disk.barrier(&[open(&disk, "/p")]).unwrap();
    assert_eq!(outcomes(&disk, "/p/new"), some(&["word"]));
}

#[test]
fn an_exchange_without_a_sync_of_the_file_may_leave_nothing_of_the_new_content() {
    let disk = disk();
    disk.file("/p/a", "before");
    make(&disk, "/kept/1", b"after!", false);
    swap(&disk, ("/kept", "1"), ("/p", "a"));
    let found = outcomes(&disk, "/p/a");
    for row in ["after!", "", "before"] {
        assert!(
            found.contains(&Some(row.to_owned())),
            "{row:?} of {found:?}"
        );
    }
    for state in disk.crash_states(10_000, 1) {
        assert!(state.contents().contains(b"before".as_slice()));
    }
}

#[test]
fn an_exchange_without_a_barrier_leaves_the_old_or_the_new() {
    let disk = disk();
    disk.file("/p/a", "before");
    make(&disk, "/kept/1", b"after", true);
    disk.barrier(&[open(&disk, "/kept")]).unwrap();
    swap(&disk, ("/kept", "1"), ("/p", "a"));
    assert_eq!(outcomes(&disk, "/p/a"), some(&["before", "after"]));
    for state in disk.crash_states(10_000, 1) {
        let both = (state.content("/p/a"), state.content("/kept/1"));
        assert_ne!(both.0, both.1, "the one that is not there is beside");
    }
}

#[test]
fn with_a_sync_and_a_barrier_there_is_only_the_new() {
    for dirs in [&["/p", "/kept"][..], &["/p"], &["/kept"]] {
        let disk = disk();
        disk.file("/p/a", "before");
        make(&disk, "/kept/1", b"after", true);
        swap(&disk, ("/kept", "1"), ("/p", "a"));
        let dirs: Vec<_> = dirs.iter().map(|dir| open(&disk, dir)).collect();
        disk.barrier(&dirs).unwrap();
        assert_eq!(outcomes(&disk, "/p/a"), some(&["after"]));
        assert_eq!(outcomes(&disk, "/kept/1"), some(&["before"]));
    }
}

#[test]
fn operations_on_one_directory_survive_in_order() {
    let disk = disk();
    for leaf in ["1", "2", "3"] {
        disk.mkdir(&open(&disk, "/p"), name(leaf), 0o755).unwrap();
    }
    let mut found = Vec::new();
    for state in disk.crash_states(100, 1) {
        found.push(state.list(&open(&state, "/p")).unwrap().len());
    }
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3], "a prefix each, each once");
}

#[test]
fn operations_on_different_directories_survive_in_any_combination() {
    let disk = disk();
    for dir in ["a", "b", "c"] {
        disk.folder(format!("/p/{dir}"));
        make(&disk, &format!("/p/{dir}/x"), b"", true);
    }
    let states: Vec<_> = disk.crash_states(100, 1).collect();
    assert_eq!(states.len(), 8);
}

#[test]
fn a_rename_binds_its_two_directories_together() {
    let disk = disk();
    disk.folder("/p/a").folder("/p/b").file("/p/a/x", "x");
    make(&disk, "/p/a/first", b"", true);
    shift(&disk, ("/p/a", "x"), ("/p/b", "x"));
    make(&disk, "/p/b/last", b"", true);
    for state in disk.crash_states(100, 1) {
        let there = |path: &str| state.content(path).is_some();
        assert!(there("/p/a/x") != there("/p/b/x"), "it is in one place");
        assert!(!there("/p/b/x") || there("/p/a/first"));
        assert!(!there("/p/b/last") || there("/p/b/x"));
    }
    assert_eq!(disk.crash_states(100, 1).count(), 4);
}

#[test]
fn the_extremes_are_among_few_and_a_seed_gives_the_same_again() {
    let disk = disk();
    for number in 0..12 {
        disk.folder(format!("/p/{number}"));
        make(&disk, &format!("/p/{number}/x"), b"content", false);
    }
    let texts = |limit, seed| -> Vec<String> {
        let losses = disk.losses(limit, seed);
        losses.iter().map(ToString::to_string).collect()
    };
    for limit in [2, 50] {
        let found = texts(limit, 7);
        assert_eq!(found.len(), limit);
        let mut states = disk.crash_states(limit, 7);
        let full = |n: u32| format!("/p/{n}/x");
        let all = states.next().unwrap();
        assert!((0..12).all(|n| all.content(full(n)).unwrap() == b"content"));
        let none = states.next().unwrap();
        assert!((0..12).all(|n| none.content(full(n)).is_none()));
        assert_eq!(found, texts(limit, 7));
    }
    assert_ne!(texts(50, 7), texts(50, 8));
}

#[test]
fn what_is_lost_is_said() {
    let disk = disk();
    make(&disk, "/p/new", b"word", false);
    let said: Vec<String> = disk
        .losses(100, 1)
        .iter()
        .map(ToString::to_string)
        .collect();
    let nothing = "power cut: 0 of 1 changes survived [0]";
    assert!(said.iter().any(|line| line == nothing), "{said:?}");
    let state = disk.crash_states(100, 1).last().unwrap();
    assert!(
        state.trace().contains("--- power cut:"),
        "{}",
        state.trace()
    );
}
