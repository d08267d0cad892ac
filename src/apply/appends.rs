//! Lines for logs: appended after the commit, never removed again, and never appended twice.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::bytes::Bytes;
use super::disk::{Disk, linked};
use super::draft::DraftAppend;
use super::exchange::Opened;
use super::journal::{Append, Journal};
use crate::text::Shown as _;

/// How much of a log is searched for a line that may already be there, in bytes.
const CAP: u64 = 256 << 20;

/// What an append must know: the current length of its log.
pub fn plan<D: Disk>(opened: &Opened<'_, D>, draft: &DraftAppend) -> io::Result<Append> {
    let parent = draft.place.rel.parent().unwrap_or_else(|| Path::new(""));
    let name = draft.place.rel.file_name().unwrap_or_default();
    let node = opened.look(draft.place.base, parent, name)?;
    Ok(Append {
        base: draft.place.base,
        parent: Bytes::from(parent),
        name: Bytes::from(name),
        before: node.map_or(0, |node| node.size),
        block: Bytes(draft.block.clone()),
    })
}

/// Refuses to append to a log that has a second name (hard link) by now. Called before the commit, while everything can
/// still be rolled back: afterwards the line can only be skipped.
pub fn check<D: Disk>(disk: &D, opened: &Opened<'_, D>, append: &Append) -> io::Result<()> {
    let dir = opened.folder(append.base, &append.parent.path())?;
    match dir {
        Some(dir) if !disk.has_one_name(&dir, append.name.name())? => Err(linked()),
        Some(_) | None => Ok(()),
    }
}

/// The same for all logs of a transaction; the error names the log.
pub fn check_all<D: Disk>(disk: &D, opened: &Opened<'_, D>, appends: &[Append]) -> io::Result<()> {
    let check_one = |append: &Append| {
        check(disk, opened, append).map_err(|why| {
            let log = shown(append);
            io::Error::new(why.kind(), format!("{}: {why}", log.shown()))
        })
    };
    appends.iter().try_for_each(check_one)
}

/// Appends a block unless it is there already, and makes it durable. Safe to repeat after a crash at any instant. If an
/// earlier attempt wrote a part, the rest is added. A truncated last line of another program is ended with a newline
/// first and otherwise kept.
pub fn redo<D: Disk>(disk: &D, opened: &Opened<'_, D>, append: &Append) -> io::Result<()> {
    let name = append.name.name();
    let block = append.block.0.as_slice();
    let Some((dir, tail)) = tail(disk, opened, append)? else {
        let dir = opened.folder(append.base, &append.parent.path())?;
        let dir = dir.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        return disk.append(&dir, name, block);
    };
    if is_there(&tail, block, append.before == 0) {
        // The attempt that wrote it may have died before it was durable.
        return disk.flush(&dir);
    }
    let begun = begun(&tail, block, append.before == 0);
    if let Some(rest) = block.get(begun..).filter(|_| begun > 0) {
        return disk.append(&dir, name, rest);
    }
    let closed = tail.last().is_none_or(|last| *last == b'\n');
    if closed {
        disk.append(&dir, name, block)
    } else {
        disk.append(&dir, name, &[b"\n", block].concat())
    }
}

/// Removes what was appended of a block, whole or in part. It needs no space, so it works on a full disk. False, and
/// nothing is removed, where anything else follows: the bytes of another program are never cut.
pub fn undo<D: Disk>(disk: &D, opened: &Opened<'_, D>, append: &Append) -> io::Result<bool> {
    let Some((dir, tail)) = tail(disk, opened, append)? else {
        return Ok(true);
    };
    let Some(added) = own(&tail, append) else {
        return Ok(false);
    };
    if !added.is_empty() {
        disk.cut(&dir, append.name.name(), append.before, added)?;
    }
    Ok(true)
}

/// Whether all lines of a journal are in their logs.
pub fn are_there<D: Disk>(disk: &D, journal: &Journal) -> bool {
    let opened = Opened::open_some(disk, &journal.bases);
    let mut appends = journal.appends.iter();
    appends.all(|append| {
        let found = tail(disk, &opened, append).ok().flatten();
        found.is_some_and(|(_, tail)| is_there(&tail, &append.block.0, append.before == 0))
    })
}

/// When a journal's lines were last written to a log that nobody else wrote to since, in nanoseconds since the epoch.
pub fn last_ns<D: Disk>(disk: &D, journal: &Journal) -> Option<i64> {
    let opened = Opened::open_some(disk, &journal.bases);
    let written = |append: &Append| {
        let (dir, tail) = tail(disk, &opened, append).ok()??;
        own(&tail, append).filter(|added| !added.is_empty())?;
        let node = disk.look(&dir, append.name.name()).ok()??;
        Some(node.mtime_ns)
    };
    journal.appends.iter().filter_map(written).max()
}

/// The folder of a log, and the log from one byte before its old end, to see whether a line ended there; `None` where
/// there is no log.
fn tail<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    append: &Append,
) -> io::Result<Option<(D::Dir, Vec<u8>)>> {
    let name = append.name.name();
    let dir = match opened.folder(append.base, &append.parent.path())? {
        Some(dir) if disk.look(&dir, name)?.is_some() => dir,
        _ => return Ok(None),
    };
    let tail = disk.read_from(&dir, name, append.before.saturating_sub(1), CAP)?;
    Ok(Some((dir, tail)))
}

/// What such a tail has after the old end of the log, if all of it is of the block.
fn own<'t>(tail: &'t [u8], append: &Append) -> Option<&'t [u8]> {
    let (old, added) = tail.split_at(tail.len().min(usize::from(append.before > 0)));
    let whole = after(old, append.block.0.as_slice());
    let ours = whole.get(old.len()..).unwrap_or_default();
    ours.starts_with(added).then_some(added)
}

/// How many bytes of the block an earlier attempt left at the very end of the log, at the start of a line. Ending that
/// line and writing the block again would duplicate it in the log if only its last newline was lost.
pub(super) fn begun(tail: &[u8], block: &[u8], whole: bool) -> usize {
    let longest = tail.len().min(block.len().saturating_sub(1));
    let at_line_start = |length: usize| match tail.len().checked_sub(length + 1) {
        Some(before) => tail.get(before) == Some(&b'\n'),
        None => whole,
    };
    (1..=longest)
        .rev()
        .find(|length| {
            block
                .get(..*length)
                .is_some_and(|part| tail.ends_with(part))
                && at_line_start(*length)
        })
        .unwrap_or(0)
}

/// Whether a tail that begins one byte before the old end (or at the very beginning) holds the block as whole
/// lines.
fn is_there(tail: &[u8], block: &[u8], whole: bool) -> bool {
    if whole && tail.starts_with(block) {
        return true;
    }
    let needle = [b"\n", block].concat();
    memchr::memmem::find(tail, &needle).is_some()
}

/// The bytes of a log after an append, for display.
pub fn after(before: &[u8], block: &[u8]) -> Vec<u8> {
    let closed = before.last().is_none_or(|last| *last == b'\n');
    let heal: &[u8] = if closed { b"" } else { b"\n" };
    [before, heal, block].concat()
}

/// The name of a log.
pub fn shown(append: &Append) -> std::path::PathBuf {
    append.parent.path().join(OsStr::new(append.name.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_try_left_is_completed() {
        let block = b"{\"a\":1}\n{\"b\":2}\n";
        let table: &[(&[u8], bool, usize)] = &[
            // The log was empty.
            (b"", true, 0),
            (b"{\"a\":1}", true, 7),
            (b"{\"a\":1}\n{\"b", true, 11),
            (b"{\"a\":1}\n{\"b\":2}", true, 15),
            // The first byte is the newline before the old end.
            (b"\n{\"a\":1}", false, 7),
            (b"\n{\"a\":1}\n{\"b\":2}", false, 15),
            // Another program appended a line in between.
            (b"\n{\"x\":1}\n{\"a\":1}\n", false, 8),
            (b"\n{\"x\":1}\n", false, 0),
            // The end of a longer line is not the start of our block; neither is the byte before the old end.
            (b"\n[{\"a\":1}", false, 0),
            (b"{", false, 0),
            // The disk kept the length but lost the bytes.
            (b"\n\0\0\0", false, 0),
        ];
        for (tail, whole, expected) in table {
            let found = begun(tail, block, *whole);
            assert_eq!(found, *expected, "{}", tail.escape_ascii());
        }
    }
}
