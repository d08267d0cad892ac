//! The timeline of a manifest: each line is read again when a view asks for it. Lines that cannot be read are at
//! their places.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _,
};
use serde_json::{Map, Value};

use super::{BadLine, Entry, Manifest, Row, mark, object, shown, template};
use crate::formats::json;
use crate::model::{DispatchStatus, Event, EventMark, EventRows, Foreign, Origin, Stamp};
use crate::systems::kit::timeline::unreadable;
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

/// When dispatches began, by seq: the dispatch headers are their only clock.
pub(crate) type Clockwork = BTreeMap<u64, Stamp>;

/// The lines of a manifest as events, in the order of the file.
pub(crate) struct ManifestRows {
    manifest: Arc<Manifest>,
    /// When its dispatches began.
    clock: Arc<Clockwork>,
    /// The places of the lines that cannot be read, of which few are kept.
    bad: Vec<usize>,
}

/// What is at a place among the events.
enum At<'a> {
    Row(&'a Row),
    Bad(&'a BadLine),
}

impl At<'_> {
    fn row(&self) -> Option<&Row> {
        match self {
            Self::Row(row) => Some(row),
            Self::Bad(_) => None,
        }
    }
}

/// The most bytes that are read at once for several events.
const AT_ONCE: usize = 8 << 20;

/// So many lines are read by one thread.
const PART: usize = 256;

impl ManifestRows {
    /// The lines of a manifest, with the clock of its dispatches.
    pub(crate) fn new(manifest: Arc<Manifest>, clock: Arc<Clockwork>) -> Self {
        let bad = manifest.bad.iter().enumerate();
        let bad = bad.map(|(place, bad)| manifest.rows_before(bad.number) + place);
        let bad = bad.collect();
        Self {
            manifest,
            clock,
            bad,
        }
    }

    fn row(&self, row: &Row, bytes: &[u8]) -> Option<Event> {
        let map = object(bytes, row.number)?;
        let origin = Origin::line(self.manifest.path(), u64::from(row.number));
        Some(event(&map, row.status, origin, &self.clock))
    }

    fn at(&self, index: usize) -> Option<At<'_>> {
        match self.bad.binary_search(&index) {
            Ok(bad) => self.manifest.bad.get(bad).map(At::Bad),
            Err(before) => self.manifest.rows.get(index - before).map(At::Row),
        }
    }
}

impl EventRows for ManifestRows {
    fn len(&self) -> usize {
        self.manifest.rows.len() + self.manifest.bad.len()
    }

    fn get(&self, index: usize) -> Option<Event> {
        self.part(index, 1).pop().flatten()
    }

    fn part(&self, from: usize, most: usize) -> Vec<Option<Event>> {
        let end = from.saturating_add(most).min(self.len());
        let all: Vec<At<'_>> = (from..end).filter_map(|index| self.at(index)).collect();
        let rows = || all.iter().filter_map(At::row);
        let start = rows().next().map_or(0, |row| row.offset);
        let end = rows().next_back().map_or(0, |row| row.offset + row.len);
        let len = usize::try_from(end - start).unwrap_or(0);
        if len > AT_ONCE && all.len() > 1 {
            return (from..from + all.len()).map(|one| self.get(one)).collect();
        }
        let place = &self.manifest.place;
        let bytes = RealFiles.read_range(place, u64::from(start), len);
        let bytes = bytes.unwrap_or_default();
        let event = |at: &At<'_>| match at {
            At::Row(row) => {
                let from = usize::try_from(row.offset - start).ok()?;
                let len = usize::try_from(row.len).ok()?;
                self.row(row, bytes.get(from..from.checked_add(len)?)?)
            }
            At::Bad(bad) => Some(unreadable(
                self.manifest.path(),
                bad.number,
                bad.torn,
                &bad.why,
            )),
        };
        all.par_iter().with_min_len(PART).map(event).collect()
    }

    fn mark(&self, index: usize) -> EventMark {
        match self.at(index) {
            Some(At::Row(row)) => mark(row.status),
            Some(At::Bad(_)) => EventMark::Warning,
            None => EventMark::Plain,
        }
    }

    fn longest_s(&self) -> Option<u64> {
        let entries = self.manifest.entries.iter();
        entries.filter_map(Entry::duration_s).max()
    }
}

fn event(
    map: &Map<String, Value>,
    status: DispatchStatus,
    origin: Origin,
    clock: &Clockwork,
) -> Event {
    let seq = json::int(map, "seq").and_then(|seq| u64::try_from(seq).ok());
    let start = seq.and_then(|seq| clock.get(&seq).copied());
    let seconds = json::int(map, "duration_s").filter(|_| status != DispatchStatus::Dispatched);
    let at = if status == DispatchStatus::Dispatched {
        start
    } else {
        start.and_then(|start| after(start, seconds?))
    };
    let word = shown(map, "status").unwrap_or_default();
    let role = shown(map, "role").or_else(|| template(map));
    let task = shown(map, "task").map(|task| format!(", task {task}"));
    let subject = format!(
        "{} {}{}",
        seq.unwrap_or_default(),
        role.as_deref().unwrap_or("-"),
        task.unwrap_or_default()
    );
    let text = shown(map, "summary")
        .or_else(|| shown(map, "file"))
        .unwrap_or_default();
    Event {
        phase: shown(map, "phase").map(Foreign::from),
        subject: subject.into(),
        mark: mark(status),
        duration_s: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
        status: Some(word.as_str().into()),
        ..Event::new(word, text, origin).at(at, None)
    }
}

fn after(start: Stamp, seconds: i64) -> Option<Stamp> {
    let at = start
        .at
        .checked_add_signed(TimeDelta::try_seconds(seconds)?)?;
    Some(Stamp { at, ..start })
}
