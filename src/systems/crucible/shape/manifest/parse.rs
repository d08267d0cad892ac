//! Reads a manifest of any size in blocks, several at once, and keeps compact rows. An unusable line is counted and
//! skipped; it never replaces an earlier good one.

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::block::{BAD_KEPT, BLOCK, BadLine, Block, Replay, block, last_per_seq};
use super::{Entry, Manifest, Row, Sym};
use crate::model::Place;
use crate::world::files::{Files, ReadError};

/// How many blocks are read at once, so that few of them are in memory.
const AT_ONCE: usize = 16;

/// Reads a whole manifest of `size` bytes; bytes appended meanwhile are ignored.
pub(crate) fn read(files: &dyn Files, place: &Place, size: u64) -> Result<Manifest, ReadError> {
    let count = size.div_ceil(BLOCK);
    let mut joined = Joined {
        all: Manifest::empty(place),
        unsorted: false,
        lines: 0,
    };
    let read = |from: u64| -> Result<Vec<Block>, ReadError> {
        let these = from..count.min(from + AT_ONCE as u64);
        let read = these.into_par_iter();
        read.map(|index| block(files, place, index, size)).collect()
    };
    let mut blocks = read(0)?;
    joined.make_room(&blocks, count);
    for from in (0..count).step_by(AT_ONCE).skip(1) {
        // Blocks are joined while the next ones are read.
        let join = || blocks.into_iter().for_each(|block| joined.append(block));
        let ((), next) = rayon::join(join, || read(from));
        blocks = next?;
    }
    for block in blocks {
        joined.append(block);
    }
    Ok(joined.finish(ends_in_newline(files, place, size)?))
}

fn ends_in_newline(files: &dyn Files, place: &Place, size: u64) -> Result<bool, ReadError> {
    let last = files.read_range(place, size.saturating_sub(1), 1)?;
    Ok(last.first().is_none_or(|byte| *byte == b'\n'))
}

/// Joins the blocks in file order.
#[derive(Debug)]
struct Joined {
    all: Manifest,
    /// Whether a block reached so far back that the entries are sorted at the end.
    unsorted: bool,
    /// Newlines so far.
    lines: u64,
}

impl Joined {
    /// Makes room for all `count` blocks, if they are like the first ones: to grow means to copy all that is known. It is
    /// no error if there is less memory than that.
    fn make_room(&mut self, first: &[Block], count: u64) {
        let blocks = usize::try_from(count).unwrap_or(usize::MAX);
        let times = blocks.div_ceil(first.len().max(1));
        let rows: usize = first.iter().map(|block| block.rows.len()).sum();
        let entries: usize = first.iter().map(|block| block.entries.len()).sum();
        drop(self.all.rows.try_reserve(rows.saturating_mul(times)));
        drop(self.all.entries.try_reserve(entries.saturating_mul(times)));
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
        let known = all.entries.len();
        all.entries.extend(block.entries.iter().map(|entry| Entry {
            row: entry.row.saturating_add(row_base),
            begun: entry.begun.saturating_add(row_base),
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
        self.merge(known);
    }

    /// Merges the entries of a block with the `known` ones before. Outcomes follow their dispatches closely, so a block
    /// usually overlaps only the end of the merged entries; if one reaches further back, everything is sorted once at
    /// the end.
    fn merge(&mut self, known: usize) {
        let entries = &mut self.all.entries;
        let Some(first) = entries.get(known).map(|entry| entry.seq) else {
            return;
        };
        let before = entries.get(..known).unwrap_or_default();
        let overlap = before.partition_point(|entry| entry.seq < first);
        self.unsorted |= known - overlap > entries.len() - known;
        if !self.unsorted && overlap < known {
            let mut tail = entries.split_off(overlap);
            last_per_seq(&mut tail);
            entries.extend(tail);
        }
    }

    fn finish(self, ended: bool) -> Manifest {
        let mut all = self.all;
        if self.unsorted {
            last_per_seq(&mut all.entries);
        }
        all.only_torn = all.bad_count == 1 && all.bad.iter().all(|bad| bad.torn);
        all.ended = ended;
        all.rows.shrink_to_fit();
        all.entries.shrink_to_fit();
        all
    }
}

fn moved(sym: Sym, map: &[Sym]) -> Sym {
    let at = usize::try_from(sym.0).ok().and_then(|at| at.checked_sub(1));
    at.and_then(|at| map.get(at).copied()).unwrap_or(Sym::NONE)
}
