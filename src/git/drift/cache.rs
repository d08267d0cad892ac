//! The index file as a cache of stat data (git's index format, versions 2 and 3). An entry counts if it equals the
//! file's current stat data; everything else in the index is ignored. An index that cannot be read is an empty cache.

use std::ops::Range;
use std::path::Path;

use rustix::fs::Stat;

use crate::model::Place;
use crate::world::files::{FileKind, Files as _};
use crate::world::real_files::RealFiles;

const CAP: u64 = 1 << 30;
/// Length of an entry before its path.
const FIXED: usize = 62;
const EMPTY_BLOB: [u8; 20] = [
    0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2,
    0xe4, 0x8c, 0x53, 0x91,
];

#[derive(Debug, Clone, Copy)]
struct Slot {
    at: usize,
    path: usize,
    len: usize,
}

/// An index whose entries are located but not yet parsed.
#[derive(Debug, Default)]
pub(super) struct StatCache {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    /// When the index was written. A file modified at that time or later may have changed without a change of its stat
    /// data.
    written: (i64, u32),
}

impl StatCache {
    /// Reads the index of this name of a git directory.
    pub(super) fn read(git_dir: &Path, name: &str) -> Self {
        // The time is read before the content: if the index is replaced in between, more entries count as racy, never
        // fewer.
        Place::known(git_dir, name)
            .ok()
            .and_then(|place| {
                let stat = RealFiles.stat(&place).ok()?;
                let bytes = RealFiles.read(&place, CAP).ok()?;
                let modified = stat.modified;
                let written = (modified.timestamp(), modified.timestamp_subsec_nanos());
                (stat.kind == FileKind::File).then(|| Self::parse(bytes, written))?
            })
            .unwrap_or_default()
    }

    /// Locates the entries. `None` for an unsupported format.
    pub(super) fn parse(bytes: Vec<u8>, written: (i64, u32)) -> Option<Self> {
        let header = bytes.get(..12)?;
        if !header.starts_with(b"DIRC") || !matches!(number(header, 4)?, 2 | 3) {
            return None;
        }
        let count = usize::try_from(number(header, 8)?).ok()?;
        // A wrong count must not allocate more memory than the file's size.
        let mut slots = Vec::with_capacity(count.min(bytes.len() / FIXED));
        let mut at = 12;
        for _ in 0..count {
            let flags = short(&bytes, at + 60)?;
            let path = at + FIXED + if flags & 0x4000 == 0 { 0 } else { 2 };
            let len = match usize::from(flags & 0x0fff) {
                0x0fff => memchr::memchr(0, bytes.get(path..)?)?,
                len => len,
            };
            // Merge stages, and directories of a sparse index, do not describe a file.
            let kind = number(&bytes, at + 24)? & 0o170_000;
            if flags & 0x3000 == 0 && matches!(kind, 0o100_000 | 0o120_000) {
                bytes.get(path..path + len)?;
                slots.push(Slot { at, path, len });
            }
            at += (path - at + len + 8) & !7;
        }
        Some(Self {
            bytes,
            slots,
            written,
        })
    }

    /// All entries.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.slots.len()
    }

    /// The entries below a directory, whose path ends with a slash.
    pub(super) fn beneath(&self, within: &Range<usize>, directory: &[u8]) -> Range<usize> {
        // git sorts the index by whole path, so the entries below a directory are one range.
        let slots = self.slots.get(within.clone()).unwrap_or_default();
        let from = slots.partition_point(|slot| self.path(slot) < directory);
        let rest = slots.get(from..).unwrap_or_default();
        let len = rest.partition_point(|slot| self.path(slot).starts_with(directory));
        within.start + from..within.start + from + len
    }

    /// A cursor over the files of one directory, for lookups in byte order.
    pub(super) fn cursor(&self, within: Range<usize>, directory: usize) -> Cursor<'_> {
        Cursor {
            cache: self,
            within,
            directory,
        }
    }

    fn path(&self, slot: &Slot) -> &[u8] {
        self.bytes
            .get(slot.path..slot.path + slot.len)
            .unwrap_or_default()
    }
}

/// See [`StatCache::cursor`].
pub(super) struct Cursor<'a> {
    cache: &'a StatCache,
    within: Range<usize>,
    directory: usize,
}

impl Cursor<'_> {
    /// The blob id of a file according to the cache, if the file has not changed since.
    pub(super) fn vouched(&mut self, name: &[u8], stat: &Stat) -> Option<&[u8]> {
        let cache = self.cache;
        while self.within.start < self.within.end {
            let slot = cache.slots.get(self.within.start)?;
            let path = cache.path(slot);
            let rest = path.get(self.directory..)?;
            if let Some(slash) = memchr::memchr(b'/', rest) {
                let beneath = path.get(..=self.directory + slash)?;
                let skipped = cache.beneath(&self.within, beneath).end;
                self.within.start = skipped.max(self.within.start + 1);
                continue;
            }
            match rest.cmp(name) {
                std::cmp::Ordering::Less => self.within.start += 1,
                std::cmp::Ordering::Equal => return cache.vouched(slot, stat),
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }
}

impl StatCache {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the index keeps the low 32 bits of every stat field"
    )]
    fn vouched(&self, slot: &Slot, stat: &Stat) -> Option<&[u8]> {
        let fixed = self.bytes.get(slot.at..slot.at + FIXED)?;
        let field = |at| number(fixed, at);
        let id = fixed.get(40..60)?;
        let same = field(36)? == stat.st_size as u32
            && field(8)? == stat.st_mtime as u32
            && field(12)? == stat.st_mtime_nsec as u32
            && field(0)? == stat.st_ctime as u32
            && field(4)? == stat.st_ctime_nsec as u32
            && field(20)? == stat.st_ino as u32
            && field(28)? == stat.st_uid
            && field(32)? == stat.st_gid
            && field(24)? & 0o170_000 == stat.st_mode & 0o170_000;
        // A file that changed right after the index was written may still have the time in the index, so an entry as
        // new as the index proves nothing. git reads such files again for the same reason.
        let racy = (stat.st_mtime, stat.st_mtime_nsec as u32) >= self.written;
        // git writes the size 0 for an entry that it could not verify itself.
        let smudged = field(36)? == 0 && id != EMPTY_BLOB;
        // The index has only the low 32 bits of a size of 4 GiB or more.
        (same && !racy && !smudged && stat.st_size < 1 << 32).then_some(id)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes(two.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_parse_without_a_panic() {
        let mut index = b"DIRC\0\0\0\x02\0\0\0\x02".to_vec();
        for name in [&b"a/b"[..], b"c"] {
            let mut entry = vec![0; FIXED];
            entry[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
            entry[61] = u8::try_from(name.len()).unwrap();
            entry.extend_from_slice(name);
            entry.resize((entry.len() + 8) & !7, 0);
            index.extend(entry);
        }
        let whole = StatCache::parse(index.clone(), (0, 0)).unwrap();
        assert_eq!(whole.slots.len(), 2);
        assert_eq!(whole.beneath(&whole.all(), b"a/"), 0..1);
        for cut in 0..index.len() {
            drop(StatCache::parse(index[..cut].to_vec(), (0, 0)));
        }
        for at in 0..index.len() {
            for value in [0xff, 0x7f, 0x40] {
                let mut damaged = index.clone();
                damaged[at] = value;
                drop(StatCache::parse(damaged, (0, 0)));
            }
        }
    }
}
