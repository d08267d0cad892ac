//! The events of a pipeline: their order, and its commits as events and as checkpoints.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::iter::Either;

use crate::model::{
    Checkpoint, CheckpointKind, Event, EventMark, EventRows, Origin, Stamp, Timeline,
};
use crate::text::format::short_id;
use crate::world::git::Commit;

/// The rows of a log and other events, in one order. The log makes a row when it is asked for: nothing but the order is
/// kept of it here.
struct Merged<L> {
    log: L,
    others: Vec<Event>,
    /// Places in the log, and beyond its end those of the others.
    order: Vec<u32>,
}

/// The rows of a log and other events, sorted by these keys: those of the log's rows, then those of the others.
fn sorted<L: EventRows + 'static>(
    log: L,
    others: Vec<Event>,
    keys: impl Iterator<Item = impl Ord>,
) -> Timeline {
    let mut order: Vec<_> = keys.zip(0..).collect();
    order.sort_by(|(one, _), (other, _)| one.cmp(other));
    let order = order.into_iter().map(|(_, place)| place).collect();
    Arc::new(Merged { log, others, order })
}

/// The rows of a log with other events, each before the row with its place.
pub(crate) fn between<L: EventRows + 'static>(log: L, others: Vec<(usize, Event)>) -> Timeline {
    let (places, others): (Vec<usize>, _) = others.into_iter().unzip();
    let rows = (0..log.len()).map(|place| (place, true));
    let keys = rows.chain(places.into_iter().map(|place| (place, false)));
    sorted(log, others, keys)
}

/// The rows of a log with these times, and other events, by time; one without a time follows the one before it.
pub(crate) fn by_time<L: EventRows + 'static>(
    log: L,
    times: Vec<Option<Stamp>>,
    others: Vec<Event>,
) -> Timeline {
    let all = others.iter().map(|event| event.at);
    let all: Vec<Option<Stamp>> = times.into_iter().chain(all).collect();
    let mut newest: Option<Stamp> = None;
    let keys = all.into_iter().map(|at| {
        newest = at.or(newest);
        newest
    });
    sorted(log, others, keys)
}

/// Sorts events by time; one without a time follows the one before it.
pub(crate) fn in_order(events: Vec<Event>) -> Timeline {
    let times = events.iter().map(|event| event.at).collect();
    by_time(events, times, Vec::new())
}

impl<L: EventRows> Merged<L> {
    /// The row of the log at a place, else the other event.
    fn at(&self, index: usize) -> Option<Either<usize, &Event>> {
        let place = usize::try_from(*self.order.get(index)?).ok()?;
        match place.checked_sub(self.log.len()) {
            None => Some(Either::Left(place)),
            Some(other) => self.others.as_slice().get(other).map(Either::Right),
        }
    }
}

impl<L: EventRows> EventRows for Merged<L> {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn get(&self, index: usize) -> Option<Event> {
        match self.at(index)? {
            Either::Left(row) => self.log.get(row),
            Either::Right(event) => Some(event.clone()),
        }
    }

    fn mark(&self, index: usize) -> EventMark {
        match self.at(index) {
            Some(Either::Left(row)) => self.log.mark(row),
            Some(Either::Right(event)) => event.mark,
            None => EventMark::Plain,
        }
    }

    fn longest_s(&self) -> Option<u64> {
        self.log.longest_s().max(self.others.longest_s())
    }
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
