//! What makes what durable, and what a kill leaves.

use super::super::{Errno, Fault, Promises, SimDisk};
use super::{disk, errno, make, name, open, outcomes, shift, some};
use crate::apply::disk::Disk as _;

#[test]
fn a_barrier_makes_what_its_directories_rest_on_durable_and_nothing_else() {
    let disk = disk();
    disk.folder("/p/a").folder("/p/b").file("/p/a/x", "x");
    make(&disk, "/p/a/before", b"", true);
    shift(&disk, ("/p/a", "x"), ("/p/b", "x"));
    make(&disk, "/p/a/after", b"", true);
    disk.barrier(&[open(&disk, "/p/b")]).unwrap();
    let states: Vec<_> = disk.crash_states(100, 1).collect();
    assert_eq!(states.len(), 2, "only `after` may still be lost");
    for state in states {
        assert!(state.content("/p/b/x").is_some());
        assert!(state.content("/p/a/before").is_some());
    }
}

#[test]
fn a_barrier_promises_content_only_where_the_disk_does() {
    for promised in [false, true] {
        let disk = disk();
        disk.promise(Promises {
            barrier_syncs_content: promised,
            ..Promises::default()
        });
        make(&disk, "/p/new", b"word", false);
        disk.barrier(&[open(&disk, "/p")]).unwrap();
        assert_eq!(disk.is_durable(), promised);
        assert_eq!(outcomes(&disk, "/p/new").len() == 1, promised);
    }
}

#[test]
fn what_was_put_into_a_new_folder_may_be_lost_with_it() {
    for promised in [false, true] {
        let disk = disk();
        disk.promise(Promises {
            children_need_parents: promised,
            ..Promises::default()
        });
        disk.file("/kept/1", "x");
        disk.mkdir(&open(&disk, "/p"), name("new"), 0o755).unwrap();
        shift(&disk, ("/kept", "1"), ("/p/new", "x"));
        let lost = |state: &SimDisk| !state.contents().contains(b"x".as_slice());
        assert_ne!(
            disk.crash_states(100, 1).any(|state| lost(&state)),
            promised
        );
        disk.barrier(&[open(&disk, "/p")]).unwrap();
        assert!(!disk.crash_states(100, 1).any(|state| lost(&state)));
    }
}

#[test]
fn a_folder_that_is_durable_before_its_name_keeps_what_is_in_it() {
    let disk = disk();
    disk.mkdir(&open(&disk, "/p"), name("new"), 0o755).unwrap();
    make(&disk, "/p/new/x", b"x", true);
    disk.barrier(&[open(&disk, "/p/new")]).unwrap();
    disk.barrier(&[open(&disk, "/p")]).unwrap();
    assert_eq!(outcomes(&disk, "/p/new/x"), some(&["x"]));
    assert!(disk.is_durable());
}

#[test]
fn a_flush_reaches_all_of_its_file_system_and_no_other() {
    let disk = disk();
    disk.mounted("/other").file_unsynced("/p/theirs", "theirs");
    make(&disk, "/p/new", b"word", false);
    make(&disk, "/other/new", b"word", false);
    disk.flush(&open(&disk, "/kept")).unwrap();
    assert_eq!(outcomes(&disk, "/p/new"), some(&["word"]));
    assert_eq!(outcomes(&disk, "/p/theirs"), some(&["theirs"]));
    assert!(outcomes(&disk, "/other/new").contains(&None));
    disk.flush(&open(&disk, "/other")).unwrap();
    assert!(disk.is_durable());
}

#[test]
fn the_mode_of_a_dressed_file_is_durable_with_its_sync() {
    let disk = disk();
    let dir = open(&disk, "/p");
    let file = disk.create(&dir, name("x"), 0o600).unwrap();
    disk.barrier(&[dir]).unwrap();
    disk.copy_metadata((&dir, name("x")), 0o755, None).unwrap();
    let modes = |disk: &SimDisk| -> Vec<u32> {
        let states = disk.crash_states(100, 1);
        let node = |state: SimDisk| state.look(&dir, name("x")).unwrap().unwrap();
        states.map(|state| node(state).mode).collect()
    };
    assert_eq!(modes(&disk), [0o600, 0o755]);
    disk.sync(&file).unwrap();
    assert_eq!(modes(&disk), [0o755]);
}

#[test]
fn a_sync_that_failed_is_not_made_good_by_another() {
    let disk = disk();
    let dir = open(&disk, "/p");
    let mut file = disk.create(&dir, name("x"), 0o600).unwrap();
    disk.write(&mut file, b"word").unwrap();
    disk.barrier(&[dir]).unwrap();
    disk.heal();
    disk.fail(Fault {
        at: 0,
        errno: Errno::IO,
        lasting: false,
        done: false,
    });
    assert_eq!(errno(disk.sync(&file)), Errno::IO);
    disk.sync(&file).unwrap();
    disk.flush(&dir).unwrap();
    assert!(outcomes(&disk, "/p/x").contains(&Some(String::new())));
}

#[test]
fn a_kill_loses_nothing_but_a_later_cut_still_may() {
    let disk = disk();
    make(&disk, "/p/new", b"word", false);
    disk.die_at(disk.steps());
    let dir = open(&disk, "/p");
    disk.mkdir(&dir, name("never"), 0o755).unwrap_err();
    let next = disk.after_kill();
    assert!(!next.is_dead());
    assert_eq!(next.steps(), 0);
    assert_eq!(next.content("/p/new").unwrap(), b"word");
    assert_eq!(next.list(&dir).unwrap(), [name("new")]);
    assert!(outcomes(&next, "/p/new").contains(&None));
}

#[test]
fn a_cut_ends_every_lock_and_a_kill_too() {
    let disk = disk();
    let dir = open(&disk, "/kept");
    let held = disk.lock(&dir, name("lock")).unwrap();
    assert!(held.is_some());
    disk.flush(&dir).unwrap();
    assert!(disk.branch().lock(&dir, name("lock")).unwrap().is_none());
    assert!(
        disk.after_kill()
            .lock(&dir, name("lock"))
            .unwrap()
            .is_some()
    );
    for state in disk.crash_states(10, 1) {
        assert!(state.lock(&dir, name("lock")).unwrap().is_some());
    }
}

#[test]
fn a_number_is_given_out_again_only_when_its_removal_is_durable() {
    let disk = disk();
    let dir = open(&disk, "/p");
    let number = |leaf: &str| disk.look(&dir, name(leaf)).unwrap().unwrap().id.ino;
    disk.file("/p/old", "old");
    let old = number("old");
    disk.remove(&dir, name("old")).unwrap();
    make(&disk, "/p/early", b"", true);
    assert_ne!(number("early"), old, "a cut may bring `old` back");
    disk.flush(&dir).unwrap();
    make(&disk, "/p/late", b"", true);
    assert_eq!(number("late"), old);
}
