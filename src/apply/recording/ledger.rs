//! The ledger of a project: a line for each record that was made.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::{JOURNAL, LEDGER, QUEUE};
use crate::apply::appends;
use crate::apply::disk::Disk;
use crate::apply::history::Unreadable;
use crate::apply::home::{Home, own, projects};
use crate::apply::journal::{CAP, Journal};

/// The ledgers of all projects, without records that are not made yet, and what of them cannot be read.
pub fn ledgers<D: Disk>(disk: &D, state: &Path) -> io::Result<(Vec<u8>, Vec<Unreadable>)> {
    let mut all = Vec::new();
    let unreadable = visit(disk, state, |_, dir| {
        let name = OsStr::new(LEDGER);
        if disk.look(dir, name)?.is_some() {
            let lines = disk.read_from(dir, name, 0, CAP)?;
            let pending = pending_line(disk, dir)?.unwrap_or_default();
            all.extend(lines.strip_suffix(pending.as_slice()).unwrap_or(&lines));
        }
        Ok(())
    })?;
    Ok((all, unreadable))
}

/// The line of a record that was interrupted, with the name of its project's folder.
pub type Interrupted = (String, Vec<u8>);

/// The records that were interrupted, of all projects, and what of them cannot be read. One that is just being made is
/// none of them.
pub fn interrupted<D: Disk>(
    disk: &D,
    state: &Path,
) -> io::Result<(Vec<Interrupted>, Vec<Unreadable>)> {
    let mut all = Vec::new();
    let unreadable = visit(disk, state, |project, dir| {
        if !disk.is_locked(dir, OsStr::new(QUEUE)) {
            let line = pending_line(disk, dir)?;
            all.extend(line.map(|line| (project.to_owned(), line)));
        }
        Ok(())
    })?;
    Ok((all, unreadable))
}

/// The line in the ledger of a record that was not ended, or is just being made.
fn pending_line<D: Disk>(disk: &D, dir: &D::Dir) -> io::Result<Option<Vec<u8>>> {
    let name = OsStr::new(JOURNAL);
    if disk.look(dir, name)?.is_none() {
        return Ok(None);
    }
    let journal = Journal::decode(&disk.read(dir, name, CAP)?);
    Ok(journal.ok().map(|journal| journal.ledger.0))
}

/// Visits the folders of the records of all projects, one after the other. What cannot be read is given back: it must
/// not hide the others.
fn visit<D: Disk>(
    disk: &D,
    state: &Path,
    mut see: impl FnMut(&str, &D::Dir) -> io::Result<()>,
) -> io::Result<Vec<Unreadable>> {
    let mut unreadable = Vec::new();
    for project in projects(disk, state)? {
        let mut path = own(state).join(&project);
        let mut seen = || {
            let Some(home) = Home::open(disk, state, &project)? else {
                return Ok(());
            };
            path = home.records_path();
            let dir = home.records_if_any(disk)?;
            dir.map_or(Ok(()), |dir| see(&project, &dir))
        };
        if let Err(why) = seen() {
            unreadable.push(Unreadable {
                path,
                project,
                reason: why.to_string(),
            });
        }
    }
    Ok(unreadable)
}

/// Adds a line; a `lasting` one is on the disk afterwards.
pub(super) fn note<D: Disk>(disk: &D, dir: &D::Dir, line: &[u8], lasting: bool) -> io::Result<()> {
    let name = OsStr::new(LEDGER);
    let end = if let Some(node) = disk.look(dir, name)? {
        disk.read_from(dir, name, node.size.saturating_sub(1), CAP)?
    } else {
        // It holds what a person said: an append alone would let others read it.
        drop(disk.create(dir, name, 0o600)?);
        if lasting {
            disk.barrier(std::slice::from_ref(dir))?;
        }
        Vec::new()
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

/// Removes the line of a record that was not made, whole or in part. The disk may be full, and this needs no space.
pub(super) fn void<D: Disk>(disk: &D, dir: &D::Dir, line: &[u8]) -> io::Result<()> {
    let name = OsStr::new(LEDGER);
    let Some(size) = disk.look(dir, name)?.map(|node| node.size) else {
        return Ok(());
    };
    let from = size.saturating_sub(line.len() as u64 + 1);
    let tail = disk.read_from(dir, name, from, CAP)?;
    let written = match tail.strip_suffix(line) {
        Some(_) => line.len(),
        None => appends::begun(&tail, line, from == 0),
    };
    match line.get(..written) {
        Some(part) if written > 0 => disk.cut(dir, name, size - written as u64, part),
        _ => Ok(()),
    }
}

/// The lines of a ledger, the latest first.
pub fn from_the_end(ledger: &[u8]) -> impl Iterator<Item = &[u8]> {
    ledger.split_inclusive(|byte| *byte == b'\n').rev()
}
