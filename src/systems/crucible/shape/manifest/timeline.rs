//! The timeline of a manifest: each line is read again when a view needs it. Unreadable lines keep their positions.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::TimeDelta;
use rayon::iter::Either;

use super::line::{Listed, Members};
use super::{BadLine, Entry, Manifest, Row, mark, template};
use crate::model::{DispatchStatus, Event, EventMark, EventRows, Foreign, Origin, Stamp};
use crate::systems::kit::timeline::unreadable;
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

/// The start times of dispatches, by seq, from the dispatch headers: the only clock of dispatches.
pub(crate) type StartTimes = BTreeMap<u64, Stamp>;

/// The lines of a manifest as events, in the order of the file.
pub(crate) struct ManifestRows {
    manifest: Arc<Manifest>,
    path: PathBuf,
    /// When its dispatches began.
    clock: Arc<StartTimes>,
    /// The positions of the unreadable lines; only a limited number is kept.
    bad: Vec<usize>,
}

/// The line at a position among the events: a usable or an unreadable one.
type At<'a> = Either<&'a Row, &'a BadLine>;

/// How many bytes are read at once for several events.
const AT_ONCE: usize = 8 << 20;

impl ManifestRows {
    /// The lines of a manifest, with the clock of its dispatches.
    pub(crate) fn new(manifest: Arc<Manifest>, clock: Arc<StartTimes>) -> Self {
        let bad = manifest.bad.iter().enumerate();
        let bad = bad.map(|(place, bad)| manifest.rows_before(bad.number) + place);
        let bad = bad.collect();
        Self {
            path: manifest.path(),
            manifest,
            clock,
            bad,
        }
    }

    /// The event of a line. The list of its members is reused for many lines.
    fn row<'a>(&self, row: &Row, line: &'a [u8], known: &mut Listed<'a>) -> Option<Event> {
        let line = Members::of(line, known)?;
        let origin = Origin::line(&*self.path, u64::from(row.number));
        Some(self.event(&line, row.status, origin))
    }

    fn event(
        &self,
        line: &Members<&mut Listed<'_>>,
        status: DispatchStatus,
        origin: Origin,
    ) -> Event {
        let seq = line.int("seq").and_then(|seq| u64::try_from(seq).ok());
        let start = seq.and_then(|seq| self.clock.get(&seq).copied());
        let ended = status != DispatchStatus::Dispatched;
        let seconds = line.int("duration_s").filter(|_| ended);
        let at = if ended {
            start.and_then(|start| self.manifest.end(start, seconds?))
        } else {
            start
        };
        let shown = |key| line.shown(key);
        let word = shown("status").unwrap_or_default();
        let role = shown("role").or_else(|| template(shown));
        let mut subject = seq.unwrap_or_default().to_string();
        subject.push(' ');
        subject.push_str(role.as_deref().unwrap_or("-"));
        if let Some(task) = shown("task") {
            subject.push_str(", task ");
            subject.push_str(&task);
        }
        let text = shown("summary").or_else(|| shown("file"));
        Event {
            phase: shown("phase").map(Foreign::from),
            subject: subject.into(),
            mark: mark(status),
            duration_s: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
            status: Some(Foreign::from(word.as_ref())),
            ..Event::new(word, text.unwrap_or_default(), origin).at(at, None)
        }
    }

    fn at(&self, index: usize) -> Option<At<'_>> {
        match self.bad.binary_search(&index) {
            Ok(bad) => self.manifest.bad.get(bad).map(Either::Right),
            Err(before) => self.manifest.rows.get(index - before).map(Either::Left),
        }
    }
}

impl EventRows for ManifestRows {
    fn len(&self) -> usize {
        self.manifest.rows.len() + self.manifest.bad.len()
    }

    fn get(&self, index: usize) -> Option<Event> {
        let mut found = None;
        self.part(index, 1, &mut |_, event| found = Some(event));
        found
    }

    fn part(&self, from: usize, most: usize, seen: &mut dyn FnMut(usize, Event)) {
        let end = from.saturating_add(most).min(self.len());
        let all: Vec<At<'_>> = (from..end).filter_map(|index| self.at(index)).collect();
        let rows = || all.iter().filter_map(|at| at.left());
        let start = rows().next().map_or(0, |row| row.offset);
        let end = rows().next_back().map_or(0, |row| row.offset + row.len);
        let len = usize::try_from(end - start).unwrap_or(0);
        if len > AT_ONCE && all.len() > 1 {
            return (from..from + all.len()).for_each(|one| self.part(one, 1, seen));
        }
        let place = &self.manifest.place;
        let bytes = RealFiles.read_range(place, u64::from(start), len);
        let bytes = bytes.unwrap_or_default();
        let mut members = Vec::new();
        for (index, at) in (from..).zip(&all) {
            let event = match at {
                Either::Left(row) => {
                    let from = usize::try_from(row.offset - start).unwrap_or(usize::MAX);
                    let rest = bytes.get(from..).unwrap_or_default();
                    let len = usize::try_from(row.len).unwrap_or(usize::MAX);
                    rest.get(..len)
                        .and_then(|line| self.row(row, line, &mut members))
                }
                Either::Right(bad) => Some(unreadable(&*self.path, bad.number, bad.torn, &bad.why)),
            };
            if let Some(event) = event {
                seen(index, event);
            }
        }
    }

    fn mark(&self, index: usize) -> EventMark {
        match self.at(index) {
            Some(Either::Left(row)) => mark(row.status),
            Some(Either::Right(_)) => EventMark::Warning,
            None => EventMark::Plain,
        }
    }

    fn longest_s(&self) -> Option<u64> {
        let entries = self.manifest.entries.iter();
        entries.filter_map(Entry::duration_s).max()
    }
}

/// The moment so many seconds after another.
pub(super) fn after(start: Stamp, seconds: i64) -> Option<Stamp> {
    let seconds = TimeDelta::try_seconds(seconds)?;
    let at = start.at.checked_add_signed(seconds)?;
    Some(Stamp { at, ..start })
}
