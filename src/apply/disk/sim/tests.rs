use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;

use super::{Errno, SimDir, SimDisk};
use crate::apply::disk::Disk as _;

mod calls;
mod cuts;
mod durability;
mod faults;
mod protocol;

/// A disk with `/p` and `/kept`.
fn disk() -> SimDisk {
    let disk = SimDisk::new();
    disk.folder("/p").folder("/kept");
    disk
}

fn name(text: &str) -> &OsStr {
    OsStr::new(text)
}

fn open(disk: &SimDisk, path: &str) -> SimDir {
    disk.root(path.as_ref()).unwrap()
}

/// Makes a file through the calls of the disk; synced only if asked.
fn make(disk: &SimDisk, path: &str, bytes: &[u8], synced: bool) {
    let (dir, leaf) = path.rsplit_once('/').unwrap();
    let dir = open(disk, if dir.is_empty() { "/" } else { dir });
    let mut file = disk.create(&dir, name(leaf), 0o600).unwrap();
    disk.write(&mut file, bytes).unwrap();
    if synced {
        disk.sync(&file).unwrap();
    }
}

fn swap(disk: &SimDisk, (a, a_leaf): (&str, &str), (b, b_leaf): (&str, &str)) {
    let (a, b) = (open(disk, a), open(disk, b));
    disk.swap((&a, name(a_leaf)), (&b, name(b_leaf))).unwrap();
}

fn shift(disk: &SimDisk, (a, a_leaf): (&str, &str), (b, b_leaf): (&str, &str)) {
    let (a, b) = (open(disk, a), open(disk, b));
    disk.shift((&a, name(a_leaf)), (&b, name(b_leaf))).unwrap();
}

/// Every content that a path may have after a power cut; `None` for nothing there.
fn outcomes(disk: &SimDisk, path: &str) -> BTreeSet<Option<String>> {
    let states = disk.crash_states(10_000, 1);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    states.map(|state| state.content(path).map(text)).collect()
}

fn some(texts: &[&str]) -> BTreeSet<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

/// The error number that a call gave.
fn errno<T: std::fmt::Debug>(result: io::Result<T>) -> Errno {
    Errno::from_io_error(&result.unwrap_err()).unwrap()
}
