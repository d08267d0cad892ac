//! The events of a pipeline: their order, its commits as events and as checkpoints, and the rows of a log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{
    Checkpoint, CheckpointKind, Event, EventMark, EventRows, Origin, Stamp, Timeline,
};
use crate::text::format::short_id;
use crate::world::git::Commit;

/// Sorts events by time; one without a time follows the one before it.
pub(crate) fn in_order(events: Vec<Event>) -> Timeline {
    let mut newest: Option<Stamp> = None;
    let follow = |event: Event| {
        newest = event.at.or(newest);
        (newest, event)
    };
    let mut events: Vec<(Option<Stamp>, Event)> = events.into_iter().map(follow).collect();
    events.sort_by_key(|(at, _)| *at);
    let events = events.into_iter().map(|(_, event)| event);
    Arc::new(events.collect::<Vec<Event>>())
}

/// A line of a log that cannot be read, as an event in its position.
pub(crate) fn unreadable(log: impl Into<PathBuf>, line: u64, torn: bool, why: &str) -> Event {
    let kind = if torn { "truncated line" } else { "bad line" };
    let text = format!("line {line} cannot be read: {why}");
    Event {
        mark: EventMark::Warning,
        ..Event::new(kind, text, Origin::line(log, line))
    }
}

/// A commit as an event.
pub(crate) fn commit(commit: &Commit, root: &Path) -> Event {
    Event {
        at: Some(Stamp::utc(commit.time)),
        subject: short_id(&commit.id).into(),
        ..Event::new("commit", commit.subject.clone(), Origin::file(root))
    }
}

/// A commit as a checkpoint: who took it, what it could restore and what not.
pub(crate) fn checkpoint(commit: Commit, repo: &Path, texts: [&str; 3]) -> Checkpoint {
    let kind = CheckpointKind::Commit { repo: repo.into() };
    let taken_at = Some(Stamp::utc(commit.time));
    Checkpoint::new(commit.id, kind, commit.subject, taken_at, texts)
}

/// The lines of a log, each of which becomes an event when a view asks for it: only what decides is kept of a line.
pub(crate) trait Lines: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// The event of a line.
    fn event(&self, line: usize) -> Option<Event>;

    /// Its mark.
    fn mark(&self, line: usize) -> EventMark;
}

/// The lines of a log, with events of other origin between them. None of them has a duration.
pub(crate) struct LogRows<L> {
    lines: L,
    /// With their places among all rows.
    between: Vec<(usize, Event)>,
}

impl<L: Lines> LogRows<L> {
    /// Each event goes before the line with its place; several before one line stay in order.
    pub(crate) fn new(lines: L, mut between: Vec<(usize, Event)>) -> Self {
        between.sort_by_key(|(line, _)| *line);
        for (before, (place, _)) in between.iter_mut().enumerate() {
            *place += before;
        }
        Self { lines, between }
    }

    /// The event at a place if it is no line, else the line.
    fn at(&self, place: usize) -> Result<&Event, usize> {
        match self.between.binary_search_by_key(&place, |(at, _)| *at) {
            Ok(found) => self.between.get(found).map(|(_, event)| event).ok_or(place),
            Err(before) => Err(place - before),
        }
    }
}

impl<L: Lines> EventRows for LogRows<L> {
    fn len(&self) -> usize {
        self.lines.len() + self.between.len()
    }

    fn get(&self, index: usize) -> Option<Event> {
        match self.at(index) {
            Ok(event) => Some(event.clone()),
            Err(line) => self.lines.event(line),
        }
    }

    fn mark(&self, index: usize) -> EventMark {
        match self.at(index) {
            Ok(event) => event.mark,
            Err(line) => self.lines.mark(line),
        }
    }

    fn longest_s(&self) -> Option<u64> {
        None
    }
}
