//! Reads a manifest of any size in blocks, on two threads if it is large, and keeps compact rows. An unusable line is
//! counted and skipped; it never replaces an earlier good one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::block::{BAD_KEPT, BLOCK, BadLine, Block, Replay, block, last_per_seq};
use super::{Entry, Manifest, Row, Sym};
use crate::model::Place;
use crate::world::files::{Files, ReadError};

/// Reads a whole manifest of `size` bytes; bytes appended meanwhile are ignored.
pub(crate) fn read(files: &dyn Files, place: &Place, size: u64) -> Result<Manifest, ReadError> {
    let count = size.div_ceil(BLOCK);
    let next = AtomicU64::new(0);
    let joined = Mutex::new(Joined {
        all: Manifest::empty(place),
        entries: Gathered::default(),
        lines: 0,
        next: 0,
        waiting: BTreeMap::new(),
    });
    let work = || -> Result<(), ReadError> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            let block = block(files, place, index, size)?;
            let mut joined = joined.lock().unwrap_or_else(PoisonError::into_inner);
            joined.add(block);
        }
    };
    if count < 3 {
        work()?;
    } else {
        std::thread::scope(|scope| {
            let other = scope.spawn(work);
            let mine = work();
            let stopped = || ReadError::Other("a reading thread stopped".to_owned());
            let theirs = other.join().unwrap_or_else(|_| Err(stopped()));
            mine.and(theirs)
        })?;
    }
    let joined = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(joined.finish(ends_in_newline(files, place, size)?))
}

fn ends_in_newline(files: &dyn Files, place: &Place, size: u64) -> Result<bool, ReadError> {
    let last = files.read_range(place, size.saturating_sub(1), 1)?;
    Ok(last.first().is_none_or(|byte| *byte == b'\n'))
}

/// Joins the blocks of all threads in file order as they arrive, so that few wait.
#[derive(Debug)]
struct Joined {
    all: Manifest,
    entries: Gathered,
    /// Newlines so far.
    lines: u64,
    /// The block that comes next.
    next: u64,
    waiting: BTreeMap<u64, Block>,
}

impl Joined {
    fn add(&mut self, block: Block) {
        self.waiting.insert(block.index, block);
        while let Some(block) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.append(block);
        }
    }

    /// Appends the next block and maps its words to the vocabulary of the file.
    fn append(&mut self, block: Block) {
        let all = &mut self.all;
        let words = block.words.texts();
        let map: Vec<Sym> = words.map(|text| all.words.text(text)).collect();
        let row_base = u32::try_from(all.rows.len()).unwrap_or(u32::MAX);
        let replay_base = u32::try_from(all.replays.len()).unwrap_or(u32::MAX);
        let line_base = u32::try_from(self.lines).unwrap_or(u32::MAX);
        all.rows.extend(block.rows.iter().map(|row| Row {
            number: row.number.saturating_add(line_base),
            ..*row
        }));
        self.entries.add(block.entries.iter().map(|entry| Entry {
            row: entry.row.saturating_add(row_base),
            role: moved(entry.role, &map),
            phase: moved(entry.phase, &map),
            task: moved(entry.task, &map),
            replay: entry.replay.map(|at| at.saturating_add(replay_base)),
            ..*entry
        }));
        all.replays
            .extend(block.replays.iter().map(|replay| Replay {
                session: moved(replay.session, &map),
                mutation: moved(replay.mutation, &map),
                ..*replay
            }));
        let room = BAD_KEPT.saturating_sub(all.bad.len());
        let bad = block.bad.into_iter().take(room);
        all.bad.extend(bad.map(|bad| BadLine {
            number: bad.number + self.lines,
            ..bad
        }));
        all.bad_count += block.bad_count;
        self.lines += block.newlines;
    }

    fn finish(self, ended: bool) -> Manifest {
        let mut all = self.all;
        all.only_torn = all.bad_count == 1 && all.bad.iter().all(|bad| bad.torn);
        all.ended = ended;
        all.rows.shrink_to_fit();
        all.entries = self.entries.finish();
        all
    }
}

fn moved(sym: Sym, map: &[Sym]) -> Sym {
    let at = usize::try_from(sym.0).ok().and_then(|at| at.checked_sub(1));
    at.and_then(|at| map.get(at).copied()).unwrap_or(Sym::NONE)
}

/// Merges the entries of blocks. Outcomes follow their dispatches closely, so a block usually overlaps only the end of
/// the merged entries; if one reaches further back, everything is sorted once at the end.
#[derive(Debug, Default)]
struct Gathered {
    entries: Vec<Entry>,
    unsorted: bool,
}

impl Gathered {
    fn add(&mut self, block: impl ExactSizeIterator<Item = Entry>) {
        let len = block.len();
        let from = self.entries.len();
        self.entries.extend(block);
        let Some(first) = self.entries.get(from).map(|entry| entry.seq) else {
            return;
        };
        if self.unsorted {
            return;
        }
        let known = self.entries.get(..from).unwrap_or_default();
        let overlap = known.partition_point(|entry| entry.seq < first);
        if from - overlap > len {
            self.unsorted = true;
        } else if overlap < from {
            let mut tail = self.entries.split_off(overlap);
            last_per_seq(&mut tail);
            self.entries.extend(tail);
        }
    }

    fn finish(mut self) -> Vec<Entry> {
        if self.unsorted {
            last_per_seq(&mut self.entries);
        }
        self.entries.shrink_to_fit();
        self.entries
    }
}
