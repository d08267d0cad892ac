//! The ledger of a project: a line for each record that was made.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::{LEDGER, cut};
use crate::apply::appends;
use crate::apply::disk::Disk;
use crate::apply::home::{Home, projects};
use crate::apply::journal::CAP;

/// The line that voids the line before it.
const VOID: &[u8] = b"{\"void\":true}\n";

/// The ledgers of all projects, without records that are not made yet.
pub fn ledgers<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    for dir in folders(disk, state)? {
        let name = OsStr::new(LEDGER);
        if disk.look(&dir, name)?.is_some() {
            let lines = disk.read_from(&dir, name, 0, CAP)?;
            let pending = cut::pending_line(disk, &dir)?.unwrap_or_default();
            all.extend(lines.strip_suffix(pending.as_slice()).unwrap_or(&lines));
        }
    }
    Ok(all)
}

/// The lines of records that were interrupted, of all projects.
pub fn interrupted<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<Vec<u8>>> {
    let dirs = folders(disk, state)?.into_iter();
    let lines = dirs.map(|dir| cut::pending_line(disk, &dir));
    lines.filter_map(io::Result::transpose).collect()
}

/// The folders of the records of all projects.
fn folders<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<D::Dir>> {
    let mut all = Vec::new();
    for project in projects(disk, state)? {
        if let Some(home) = Home::open(disk, state, &project)? {
            all.extend(home.records_if_any(disk)?);
        }
    }
    Ok(all)
}

/// Adds a line; a `lasting` one is on the disk afterwards.
pub(super) fn note<D: Disk>(disk: &D, dir: &D::Dir, line: &[u8], lasting: bool) -> io::Result<()> {
    let name = OsStr::new(LEDGER);
    let end = match disk.look(dir, name)? {
        Some(node) => disk.read_from(dir, name, node.size.saturating_sub(1), CAP)?,
        None => Vec::new(),
    };
    // A line that a crash truncated must not run into this one.
    let line = appends::after(&end, line);
    let line = line.get(end.len()..).unwrap_or_default();
    if lasting {
        disk.append(dir, name, line)
    } else {
        disk.note(dir, name, line)
    }
}

/// Whether the ledger ends with a line. Nothing is added to it before an interrupted record is recovered.
pub(super) fn ends_with<D: Disk>(disk: &D, dir: &D::Dir, line: &[u8]) -> io::Result<bool> {
    let name = OsStr::new(LEDGER);
    let Some(node) = disk.look(dir, name)? else {
        return Ok(false);
    };
    let from = node.size.saturating_sub(line.len() as u64);
    Ok(disk.read_from(dir, name, from, CAP)? == line)
}

/// Voids the line of a record that was not made.
pub(super) fn void<D: Disk>(disk: &D, dir: &D::Dir, line: &[u8]) -> io::Result<()> {
    if line.is_empty() || !ends_with(disk, dir, line)? {
        return Ok(());
    }
    note(disk, dir, VOID, true)
}

/// The lines of a ledger without those that were voided, the latest first.
pub fn standing(ledger: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut lines = ledger.split_inclusive(|byte| *byte == b'\n').rev();
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            if line != VOID {
                return Some(line);
            }
            lines.next();
        }
    })
}
