//! One block of a manifest: the lines that start in it, as compact rows and one entry for each seq.

use super::line::{RawLine, Word};
use super::vocabulary::Vocabulary;
use super::{Entry, Row, Sym, status_of};
use crate::formats::jsonl;
use crate::model::Place;
use crate::world::files::{Files, ReadError};

/// Bytes read at once.
pub(crate) const BLOCK: u64 = 2 << 20;
/// How many bytes after a block are read to find the end of its last line.
const SLACK: u64 = 64 << 10;
/// How many bad lines are listed; the rest are only counted.
pub(crate) const BAD_KEPT: usize = 200;

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

/// The rare replay fields of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replay {
    pub(crate) of: Option<u64>,
    pub(crate) session: Sym,
    pub(crate) mutation: Sym,
}

/// The lines that start in one block of the file.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) words: Vocabulary,
    /// Its rows; line numbers count from the block's start.
    pub(crate) rows: Vec<Row>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) replays: Vec<Replay>,
    pub(crate) bad: Vec<BadLine>,
    pub(crate) bad_count: u64,
    /// Newlines that are in it.
    pub(crate) newlines: u64,
}

/// Reads the lines that start in one block.
pub(crate) fn block(
    files: &dyn Files,
    place: &Place,
    index: u64,
    size: u64,
) -> Result<Block, ReadError> {
    let mut out = Block::default();
    // The byte before it shows whether a line starts exactly at the block's start.
    let from = (index * BLOCK).saturating_sub(1);
    let limit = to_usize(((index + 1) * BLOCK).min(size) - from);
    let mut bytes = window(files, place, from, from + limit as u64 + SLACK, size)?;
    // Each newline is counted in the block that contains it, so each is counted once.
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
    out.rows.reserve(to_usize(out.newlines) + 1);
    out.entries.reserve(to_usize(out.newlines) + 1);
    for line in jsonl::lines(lines) {
        let number = line.number + before;
        let line = jsonl::Line { number, ..line };
        take(&line, from + start as u64, &mut out);
    }
    last_per_seq(&mut out.entries);
    Ok(out)
}

/// Newlines in a part of some bytes.
fn newlines(bytes: &[u8], from: usize, to: usize) -> u64 {
    let part = bytes.get(from..to.min(bytes.len())).unwrap_or_default();
    memchr::memchr_iter(b'\n', part).count() as u64
}

/// The position after the newline that ends the last line starting before `limit`.
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

fn take(line: &jsonl::Line<'_>, base: u64, out: &mut Block) {
    let raw = if line.bytes.len() > jsonl::LINE_CAP {
        None
    } else {
        RawLine::parse(line.bytes)
    };
    match raw.map(|raw| usable(&raw, out)) {
        Some(Ok(mut entry)) => {
            entry.row = u32::try_from(out.rows.len()).unwrap_or(u32::MAX);
            entry.begun = entry.row;
            out.rows.push(Row {
                offset: u32::try_from(base + line.offset as u64).unwrap_or(u32::MAX),
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

/// The entry of a line, if it has a seq and a status.
fn usable(raw: &RawLine<'_>, out: &mut Block) -> Result<Entry, &'static str> {
    let seq = raw.seq.count().filter(|seq| *seq >= 1);
    let seq = seq.ok_or("it has no whole number `seq` of 1 or more")?;
    let Word::Text(status) = &raw.status else {
        return Err("it has no text `status`");
    };
    let duration = raw.duration_s.count();
    let finished = duration.is_some() || raw.summary;
    let other = |file: &str| file_seq(file) != Some(seq);
    let replay = (raw.replay_of.is_some()
        || raw.replay_session.is_some()
        || raw.mutation.is_some())
    .then(|| {
        let (session, mutation) = (
            out.words.word(&raw.replay_session),
            out.words.word(&raw.mutation),
        );
        out.replays.push(Replay {
            of: raw.replay_of.count(),
            session,
            mutation,
        });
        u32::try_from(out.replays.len() - 1).unwrap_or(u32::MAX)
    });
    Ok(Entry {
        seq,
        row: 0,
        begun: 0,
        duration_s: duration.map_or(u32::MAX, |d| u32::try_from(d).unwrap_or(u32::MAX - 1)),
        role: out.words.word(&raw.role),
        phase: out.words.word(&raw.phase),
        task: out.words.word(&raw.task),
        replay,
        status: status_of(status.trim(), finished),
        prefix_mismatch: matches!(&raw.file, Word::Text(file) if other(file)),
        role_changed: false,
    })
}

/// The last entry of each seq, by seq. The entries are in file order.
pub(crate) fn last_per_seq(entries: &mut Vec<Entry>) {
    entries.sort_by_key(|entry| entry.seq);
    entries.dedup_by(|later, kept| {
        let same = later.seq == kept.seq;
        if same {
            *kept = kept.followed_by(later);
        }
        same
    });
}

/// The number at the start of a dispatch file's name.
pub(crate) fn file_seq(name: &str) -> Option<u64> {
    let (number, _) = name.split_once('-')?;
    number.parse().ok()
}
