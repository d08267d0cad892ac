//! Reads a manifest of any size in blocks, on several threads where it is large, and keeps compact rows
//! (format note, e.1). A line that cannot be used is counted and skipped; it never beats an earlier good one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::line::{RawLine, Word};
use super::words::Words;
use super::{Entry, Flags, LineStatus, Row, Sym};
use crate::formats::jsonl;
use crate::model::Place;
use crate::world::files::{Files, ReadError};

/// Bytes read at once.
const BLOCK: u64 = 2 << 20;
/// Bytes read beyond a block in the hope of its last line's end.
const SLACK: u64 = 64 << 10;
/// Bad lines that are kept one by one; the rest are only counted.
const BAD_KEPT: usize = 200;

/// A line that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLine {
    /// Counted from 1.
    pub(crate) number: u64,
    /// True for an interrupted write at the end of the file.
    pub(crate) torn: bool,
    /// What is wrong with it.
    pub(crate) why: String,
}

/// What was read of one file.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) rows: Vec<Row>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) replays: Vec<Replay>,
    pub(crate) words: Words,
    pub(crate) bad: Vec<BadLine>,
    pub(crate) bad_count: u64,
    /// True where the only unusable line is the last one, cut while it was written.
    pub(crate) only_torn: bool,
    /// Whether the file ends in a newline.
    pub(crate) ended: bool,
}

/// The rare replay fields of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replay {
    pub(crate) of: Option<u64>,
    pub(crate) session: Sym,
    pub(crate) mutation: Sym,
}

#[derive(Debug, Default)]
struct Block {
    index: u64,
    rows: Vec<Row>,
    entries: Vec<Entry>,
    replays: Vec<Replay>,
    bad: Vec<BadLine>,
    bad_count: u64,
    newlines: u64,
}

/// Reads a whole manifest of `size` bytes; what is appended meanwhile is for the next reading.
pub(crate) fn read(files: &dyn Files, place: &Place, size: u64) -> Result<Parsed, ReadError> {
    let count = size.div_ceil(BLOCK);
    let next = AtomicU64::new(0);
    let work = || -> Result<(Words, Vec<Block>), ReadError> {
        let mut words = Words::default();
        let mut blocks = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok((words, blocks));
            }
            blocks.push(block(files, place, index, size, &mut words)?);
        }
    };
    let parts = if count < 3 {
        vec![work()]
    } else {
        std::thread::scope(|scope| {
            let other = scope.spawn(work);
            let mine = work();
            let theirs = other
                .join()
                .unwrap_or_else(|_| Err(ReadError::Other("a reading thread stopped".to_owned())));
            vec![mine, theirs]
        })
    };
    let mut sorted: Vec<(Block, usize)> = Vec::new();
    let mut vocabularies = Vec::new();
    for part in parts {
        let (words, blocks) = part?;
        sorted.extend(blocks.into_iter().map(|block| (block, vocabularies.len())));
        vocabularies.push(words);
    }
    sorted.sort_by_key(|(block, _)| block.index);
    Ok(join(
        sorted,
        vocabularies,
        ends_in_newline(files, place, size)?,
    ))
}

fn ends_in_newline(files: &dyn Files, place: &Place, size: u64) -> Result<bool, ReadError> {
    let last = files.read_range(place, size.saturating_sub(1), 1)?;
    Ok(last.first().is_none_or(|byte| *byte == b'\n'))
}

/// Puts the blocks of all threads into the order of the file and their words into one vocabulary.
fn join(blocks: Vec<(Block, usize)>, vocabularies: Vec<Words>, ended: bool) -> Parsed {
    let mut words = Words::default();
    let maps: Vec<Vec<Sym>> = vocabularies
        .into_iter()
        .map(|v| v.texts().map(|text| words.text(text)).collect())
        .collect();
    let mut all = Parsed {
        rows: Vec::with_capacity(blocks.iter().map(|(b, _)| b.rows.len()).sum()),
        words,
        ended,
        ..Parsed::default()
    };
    let mut entries = Gathered::default();
    let mut lines = 0_u64;
    for (block, thread) in blocks {
        let map = maps.get(thread).map_or(&[][..], Vec::as_slice);
        let row_base = u32::try_from(all.rows.len()).unwrap_or(u32::MAX);
        let replay_base = u32::try_from(all.replays.len()).unwrap_or(u32::MAX);
        let line_base = u32::try_from(lines).unwrap_or(u32::MAX);
        all.rows.extend(block.rows.iter().map(|row| Row {
            number: row.number.saturating_add(line_base),
            ..*row
        }));
        entries.add(block.entries.iter().map(|entry| Entry {
            row: entry.row.saturating_add(row_base),
            role: moved(entry.role, map),
            phase: moved(entry.phase, map),
            task: moved(entry.task, map),
            replay: entry.replay.map(|at| at.saturating_add(replay_base)),
            ..*entry
        }));
        all.replays
            .extend(block.replays.iter().map(|replay| Replay {
                session: moved(replay.session, map),
                mutation: moved(replay.mutation, map),
                ..*replay
            }));
        let room = BAD_KEPT.saturating_sub(all.bad.len());
        all.bad
            .extend(block.bad.into_iter().take(room).map(|bad| BadLine {
                number: bad.number + lines,
                ..bad
            }));
        all.bad_count += block.bad_count;
        lines += block.newlines;
    }
    all.only_torn = all.bad_count == 1 && all.bad.iter().all(|bad| bad.torn);
    all.entries = entries.finish();
    all
}

fn moved(sym: Sym, map: &[Sym]) -> Sym {
    usize::try_from(sym.0)
        .ok()
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| map.get(at).copied())
        .unwrap_or(Sym::NONE)
}

/// Entries of one block after the other. Dispatches come back soon, so a block overlaps only the end of what is
/// gathered; where one reaches far back, everything is sorted once in the end.
#[derive(Default)]
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
            let tail = self.entries.split_off(overlap);
            self.entries.extend(last_per_seq(tail));
        }
    }

    fn finish(mut self) -> Vec<Entry> {
        if self.unsorted {
            self.entries = last_per_seq(self.entries);
        }
        self.entries.shrink_to_fit();
        self.entries
    }
}

/// The last entry of each seq, by seq. Entries come in the order of the file.
pub(crate) fn last_per_seq(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| entry.seq);
    entries.dedup_by(|later, kept| {
        let same = later.seq == kept.seq;
        if same {
            *kept = kept.followed_by(later);
        }
        same
    });
    entries
}

/// Reads the lines that begin in one block.
fn block(
    files: &dyn Files,
    place: &Place,
    index: u64,
    size: u64,
    words: &mut Words,
) -> Result<Block, ReadError> {
    let mut out = Block {
        index,
        ..Block::default()
    };
    // One byte before tells whether a line begins exactly at the block's start.
    let from = (index * BLOCK).saturating_sub(1);
    let limit = to_usize(((index + 1) * BLOCK).min(size) - from);
    let mut bytes = window(files, place, from, from + limit as u64 + SLACK, size)?;
    // Newlines are counted where they lie, so that every one is counted by one block.
    let own = usize::from(index > 0);
    out.newlines = newlines(&bytes, own, limit);
    let start = if index == 0 {
        0
    } else {
        match memchr::memchr(b'\n', &bytes) {
            Some(at) if at + 1 < limit => at + 1,
            _ => return Ok(out),
        }
    };
    let before = newlines(&bytes, own, start);
    let mut end = line_end(&bytes, limit);
    if end.is_none() && from + (bytes.len() as u64) < size {
        let more = from + bytes.len() as u64 + jsonl::LINE_CAP as u64 + 1;
        bytes = window(files, place, from, more, size)?;
        end = line_end(&bytes, limit);
    }
    let end = end.unwrap_or(bytes.len());
    let lines = bytes.get(start..end).unwrap_or_default();
    for line in jsonl::lines(lines) {
        let number = line.number + before;
        let line = jsonl::Line { number, ..line };
        take(&line, from + start as u64, words, &mut out);
    }
    out.entries = last_per_seq(std::mem::take(&mut out.entries));
    Ok(out)
}

/// Newlines in a part of some bytes.
fn newlines(bytes: &[u8], from: usize, to: usize) -> u64 {
    let part = bytes.get(from..to.min(bytes.len())).unwrap_or_default();
    memchr::memchr_iter(b'\n', part).count() as u64
}

/// Past the newline that ends the last line beginning before `limit`.
fn line_end(bytes: &[u8], limit: usize) -> Option<usize> {
    let from = limit.saturating_sub(1);
    memchr::memchr(b'\n', bytes.get(from..)?).map(|at| from + at + 1)
}

fn window(
    files: &dyn Files,
    place: &Place,
    from: u64,
    to: u64,
    size: u64,
) -> Result<Vec<u8>, ReadError> {
    files.read_range(place, from, to_usize(to.min(size).saturating_sub(from)))
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn take(line: &jsonl::Line<'_>, base: u64, words: &mut Words, out: &mut Block) {
    let raw = if line.bytes.len() > jsonl::LINE_CAP {
        None
    } else {
        serde_json::from_slice::<RawLine<'_>>(line.bytes).ok()
    };
    match raw.map(|raw| usable(&raw, words, out)) {
        Some(Ok(mut entry)) => {
            entry.row = u32::try_from(out.rows.len()).unwrap_or(u32::MAX);
            out.rows.push(Row {
                offset: base + line.offset as u64,
                number: u32::try_from(line.number).unwrap_or(u32::MAX),
                len: u32::try_from(line.bytes.len()).unwrap_or(u32::MAX),
                status: entry.status,
            });
            out.entries.push(entry);
        }
        Some(Err(why)) => skip(line, false, why.to_owned(), out),
        None => match jsonl::parse(line) {
            jsonl::Parsed::Torn(why) => skip(line, true, why, out),
            jsonl::Parsed::Bad(why) => skip(line, false, why, out),
            jsonl::Parsed::Object(_) => skip(line, false, "it cannot be read".to_owned(), out),
        },
    }
}

fn skip(line: &jsonl::Line<'_>, torn: bool, why: String, out: &mut Block) {
    out.bad_count += 1;
    if out.bad.len() < BAD_KEPT {
        out.bad.push(BadLine {
            number: line.number,
            torn,
            why,
        });
    }
}

/// The entry that a line states, if it states a seq and a status.
fn usable(raw: &RawLine<'_>, words: &mut Words, out: &mut Block) -> Result<Entry, &'static str> {
    let seq = raw.seq.count().filter(|seq| *seq >= 1);
    let seq = seq.ok_or("it has no whole number `seq` of 1 or more")?;
    let Word::Text(status) = &raw.status else {
        return Err("it has no text `status`");
    };
    let duration = raw.duration_s.count();
    let finished = duration.is_some() || raw.summary;
    let mut flags = Flags::default();
    if let Word::Text(file) = &raw.file {
        flags.prefix_mismatch = file_seq(file) != Some(seq);
    }
    let replay = (raw.replay_of.is_some()
        || raw.replay_session.is_some()
        || raw.mutation.is_some())
    .then(|| {
        out.replays.push(Replay {
            of: raw.replay_of.count(),
            session: words.word(&raw.replay_session),
            mutation: words.word(&raw.mutation),
        });
        u32::try_from(out.replays.len() - 1).unwrap_or(u32::MAX)
    });
    Ok(Entry {
        seq,
        row: 0,
        duration_s: duration.map_or(u32::MAX, |d| u32::try_from(d).unwrap_or(u32::MAX - 1)),
        role: words.word(&raw.role),
        phase: words.word(&raw.phase),
        task: words.word(&raw.task),
        replay,
        status: LineStatus::of(status.trim(), finished),
        flags,
    })
}

/// The number that a dispatch file's name begins with.
pub(crate) fn file_seq(name: &str) -> Option<u64> {
    let (number, _) = name.split_once('-')?;
    number.parse().ok()
}
