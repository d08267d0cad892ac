//! A manifest in a compact form, so that a million lines cost little: one small row for each line, one small entry for
//! each seq. Texts for display are read from the file again when they are shown.

mod block;
pub(crate) mod line;
pub(crate) mod parse;
mod timeline;
mod vocabulary;

use std::borrow::Cow;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

use crate::model::{DispatchStatus, EventMark, Place, Stamp};
use crate::world::files::{Files, LOG_CAP, ReadError, Stat};
pub(crate) use block::{BadLine, file_seq};
pub(crate) use line::{Line, Members};
use timeline::after;
pub(crate) use timeline::{ManifestRows, StartTimes};

/// The symbol of a text in the vocabulary; zero is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub(crate) struct Sym(pub(crate) u32);

impl Sym {
    /// No text.
    pub(crate) const NONE: Self = Self(0);

    fn or(self, other: Self) -> Self {
        if self == Self::NONE { other } else { self }
    }
}

/// The status of a dispatch from the word in its line. The legacy `replayed` means completed only if the line also has
/// a duration or a summary. An unknown word never counts as done.
pub(super) fn status_of(word: &str, finished: bool) -> DispatchStatus {
    match word {
        "replayed" if finished => DispatchStatus::Completed,
        "replayed" => DispatchStatus::Dispatched,
        word => word.parse().unwrap_or(DispatchStatus::Unknown),
    }
}

fn mark(status: DispatchStatus) -> EventMark {
    match status {
        DispatchStatus::Dispatched | DispatchStatus::Completed | DispatchStatus::Skipped => {
            EventMark::Plain
        }
        DispatchStatus::Unknown => EventMark::Warning,
        DispatchStatus::Failed | DispatchStatus::Error => EventMark::Error,
    }
}

/// One usable line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Offset of its first byte; logs of more than 4 GiB are not read.
    pub(crate) offset: u32,
    pub(crate) number: u32,
    pub(crate) len: u32,
    pub(crate) status: DispatchStatus,
}

/// The merged state of one seq.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) seq: u64,
    /// Index of its row.
    pub(crate) row: u32,
    /// Index of its first row: what is sent again under its own number is the work that it was.
    pub(crate) begun: u32,
    duration_s: u32,
    pub(crate) role: Sym,
    pub(crate) phase: Sym,
    pub(crate) task: Sym,
    replay: Option<u32>,
    pub(crate) status: DispatchStatus,
    /// Whether its file's name starts with another number.
    pub(crate) prefix_mismatch: bool,
    /// Whether its lines name different roles.
    pub(crate) role_changed: bool,
}

impl Entry {
    /// Recorded wall time, in seconds.
    pub(crate) fn duration_s(&self) -> Option<u64> {
        (self.duration_s != u32::MAX).then_some(u64::from(self.duration_s))
    }

    /// Merges a later line of the same seq, which wins; members that it omits are taken from the line before.
    fn followed_by(&self, later: &Self) -> Self {
        let named = self.role != Sym::NONE && later.role != Sym::NONE;
        Self {
            begun: self.begun,
            role: later.role.or(self.role),
            phase: later.phase.or(self.phase),
            task: later.task.or(self.task),
            replay: later.replay.or(self.replay),
            prefix_mismatch: self.prefix_mismatch || later.prefix_mismatch,
            role_changed: self.role_changed
                || later.role_changed
                || (named && self.role != later.role),
            ..*later
        }
    }
}

/// One copy of a manifest that was read.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) place: Place,
    pub(crate) rows: Vec<Row>,
    pub(crate) entries: Vec<Entry>,
    replays: Vec<block::Replay>,
    words: vocabulary::Vocabulary,
    pub(crate) bad: Vec<BadLine>,
    pub(crate) bad_count: u64,
    /// Whether the only unusable line is the last one, truncated while it was written.
    pub(crate) only_torn: bool,
    /// Whether the file ends in a newline.
    pub(crate) ended: bool,
    /// When the file was last written.
    written: Option<DateTime<Utc>>,
}

impl Manifest {
    /// Reads the copy at a place.
    pub(crate) fn read(files: &dyn Files, place: &Place) -> Result<Self, ReadError> {
        let Stat { size, modified, .. } = files.stat(place)?;
        if size > LOG_CAP {
            return Err(ReadError::TooLarge { size, cap: LOG_CAP });
        }
        let manifest = parse::read(files, place, size)?;
        let written = Some(modified);
        Ok(Self {
            written,
            ..manifest
        })
    }

    fn empty(place: &Place) -> Self {
        Self {
            place: place.clone(),
            rows: Vec::new(),
            entries: Vec::new(),
            replays: Vec::new(),
            words: vocabulary::Vocabulary::default(),
            bad: Vec::new(),
            bad_count: 0,
            only_torn: false,
            ended: false,
            written: None,
        }
    }

    /// Its path, for display.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// The end of a dispatch that took so many seconds; `None` if it would be after the file was last written, which
    /// shows that its start or its duration is wrong. Starts have whole seconds only.
    pub(crate) fn end(&self, start: Stamp, seconds: i64) -> Option<Stamp> {
        let end = after(start, seconds)?;
        let slack = TimeDelta::seconds(1);
        let fits = |written: DateTime<Utc>| end.at.to_utc() <= written + slack;
        self.written.is_none_or(fits).then_some(end)
    }

    /// The entry of a seq.
    pub(crate) fn entry(&self, seq: u64) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&seq, |e| e.seq).ok()?;
        self.entries.get(at)
    }

    /// A text of its vocabulary.
    pub(crate) fn word(&self, sym: Sym) -> Option<&str> {
        self.words.get(sym)
    }

    /// The role of an entry, or a dash.
    pub(crate) fn role(&self, entry: &Entry) -> &str {
        self.word(entry.role).unwrap_or("-")
    }

    /// The seq that an entry runs again.
    pub(crate) fn replay_of(&self, entry: &Entry) -> Option<u64> {
        self.replay(entry)?.of
    }

    /// The replay run an entry belongs to.
    pub(crate) fn session(&self, entry: &Entry) -> Sym {
        self.replay(entry).map_or(Sym::NONE, |r| r.session)
    }

    /// Whether any entry belongs to a replay run.
    pub(crate) fn has_sessions(&self) -> bool {
        let mut replays = self.replays.iter();
        replays.any(|replay| replay.session != Sym::NONE)
    }

    /// The template mutation of an entry.
    pub(crate) fn mutation(&self, entry: &Entry) -> Sym {
        self.replay(entry).map_or(Sym::NONE, |r| r.mutation)
    }

    fn replay(&self, entry: &Entry) -> Option<&block::Replay> {
        self.replays.get(usize::try_from(entry.replay?).ok()?)
    }

    /// The line number of an entry's last line.
    pub(crate) fn line_of(&self, entry: &Entry) -> Option<u64> {
        let row = self.rows.get(usize::try_from(entry.row).ok()?)?;
        Some(u64::from(row.number))
    }

    /// The number of usable lines before a line number.
    fn rows_before(&self, number: u64) -> usize {
        self.rows
            .partition_point(|row| u64::from(row.number) < number)
    }

    /// The position of an entry's last line in the timeline, where unusable lines have positions too.
    pub(crate) fn event_of(&self, entry: &Entry) -> Option<usize> {
        let line = self.line_of(entry)?;
        let bad = self.bad.partition_point(|bad| bad.number < line);
        Some(usize::try_from(entry.row).ok()? + bad)
    }

    /// A reader that reads lines again, one block at a time.
    pub(crate) fn reread<'a>(&'a self, files: &'a dyn Files) -> Reread<'a> {
        Reread {
            manifest: self,
            files,
            from: 0,
            bytes: Vec::new(),
        }
    }
}

/// Reads lines again. Neighboring lines cost one read.
pub(crate) struct Reread<'a> {
    manifest: &'a Manifest,
    files: &'a dyn Files,
    from: u64,
    bytes: Vec<u8>,
}

/// How many bytes are read around a line.
const NEAR: usize = 256 << 10;

impl Reread<'_> {
    /// The members of an entry's last line; `None` where the file is gone or changed.
    pub(crate) fn members(&mut self, entry: &Entry) -> Option<Line<'_>> {
        let row = *self.manifest.rows.get(usize::try_from(entry.row).ok()?)?;
        Members::of(self.line(row)?, Vec::new())
    }

    /// The bytes of a line; `None` if the file is missing or has changed.
    pub(crate) fn line(&mut self, row: Row) -> Option<&[u8]> {
        let len = usize::try_from(row.len).ok()?;
        let offset = u64::from(row.offset);
        let inside = |from: u64, bytes: &[u8]| {
            let start = usize::try_from(offset.checked_sub(from)?).ok()?;
            (start + len <= bytes.len()).then_some(start)
        };
        if inside(self.from, &self.bytes).is_none() {
            let place = &self.manifest.place;
            self.bytes = self.files.read_range(place, offset, NEAR.max(len)).ok()?;
            self.from = offset;
        }
        let start = inside(self.from, &self.bytes)?;
        self.bytes.get(start..start + len)
    }
}

/// A member as text, whatever its type; `None` if it is null or missing.
pub(crate) fn shown<'a>(map: &'a Map<String, Value>, key: &str) -> Option<Cow<'a, str>> {
    match map.get(key)? {
        Value::Null => None,
        Value::String(text) => Some(text.into()),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Some(other.to_string().into())
        }
    }
}

/// The template of a line, under any of the member names that real files use.
pub(crate) fn template<'a>(
    shown: impl Fn(&'static str) -> Option<Cow<'a, str>>,
) -> Option<Cow<'a, str>> {
    if let Some(file) = shown("file") {
        let stem = file.strip_suffix(".md").unwrap_or(&file);
        let name = stem.split_once('-').map_or(stem, |(_, name)| name);
        return Some(name.to_owned().into());
    }
    ["template", "dispatch_template", "skill", "type"]
        .into_iter()
        .find_map(shown)
}

#[cfg(test)]
mod tests;
