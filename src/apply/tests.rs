//! The transaction over a simulated disk.

mod crash;
mod order;

use std::path::Path;

use super::disk::sim::SimDisk;
use super::history::{Entry, Memory, Reader};

/// The history of a disk.
fn entries(disk: &SimDisk) -> Vec<Entry<SimDisk>> {
    let reader = Reader {
        disk,
        state: Path::new("/state"),
        zone: chrono::FixedOffset::east_opt(0).unwrap(),
        memory: &Memory::default(),
    };
    let all = reader.entries().unwrap();
    // The marks alone say that nothing is pending.
    let ended = all.iter().all(|entry| entry.state.has_ended());
    assert!(ended || !reader.all_ended().unwrap());
    all
}
