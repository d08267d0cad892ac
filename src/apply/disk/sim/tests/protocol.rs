//! The order of flushes and renames in small: the simulated disk accepts the right one and no other.

use super::{disk, name};
use crate::apply::disk::Disk as _;
use crate::apply::disk::sim::SimDisk;

/// Replaces `/p/a`, leaving out the steps that are named.
fn replace(disk: &SimDisk, without: &[&str]) -> std::io::Result<()> {
    let (place, kept) = (disk.root("/p".as_ref())?, disk.root("/kept".as_ref())?);
    let mut file = disk.create(&kept, name("1"), 0o600)?;
    disk.write(&mut file, b"after")?;
    if !without.contains(&"sync") {
        disk.sync(&file)?;
    }
    if !without.contains(&"first barrier") {
        disk.barrier(&[kept])?;
    }
    disk.swap((&kept, name("1")), (&place, name("a")))?;
    if !without.contains(&"last barrier") {
        disk.barrier(&[place, kept])?;
    }
    Ok(())
}

/// What `/p/a` may hold when power is cut before each call and after the last, with whether the call came back.
fn found(without: &[&str], short: bool) -> Vec<(bool, Vec<u8>)> {
    let mut found = Vec::new();
    for step in 0.. {
        let disk = disk();
        disk.file("/p/a", "before");
        if short {
            disk.write_short();
        }
        disk.die_at(step);
        let done = replace(&disk, without).is_ok();
        for state in disk.crash_states(1000, step) {
            assert!(
                state.contents().contains(b"before".as_slice()),
                "{}",
                state.trace()
            );
            found.push((done, state.content("/p/a").unwrap()));
        }
        if done {
            break;
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn the_right_order_gives_the_old_or_the_new_and_the_new_once_it_came_back() {
    for short in [false, true] {
        let expected = [
            (false, b"after".to_vec()),
            (false, b"before".to_vec()),
            (true, b"after".to_vec()),
        ];
        assert_eq!(found(&[], short), expected);
    }
}

#[test]
fn each_step_that_is_left_out_is_missed() {
    let torn = found(&["sync"], false);
    assert!(torn.contains(&(true, Vec::new())), "{torn:?}");
    assert!(torn.contains(&(true, b"\0\0\0\0\0".to_vec())), "{torn:?}");
    let late = found(&["last barrier"], false);
    assert!(late.contains(&(true, b"before".to_vec())), "{late:?}");
    // The exchange drags the making of its slot along: both are operations of one directory.
    assert_eq!(found(&["first barrier"], false), found(&[], false));
}

#[test]
fn writing_in_place_loses_what_was_there() {
    let disk = disk();
    disk.file("/p/a", "before").file_unsynced("/p/a", "after");
    let mut states = disk.crash_states(1000, 1);
    assert!(states.any(|state| state.content("/p/a").unwrap() == b"\0\0\0\0\0"));
}
