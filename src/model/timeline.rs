//! The events of a pipeline, held so that a million of them cost little.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::{Foreign, Origin, Stamp};

/// Whether an event is ordinary or a problem to jump to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventMark {
    /// Nothing wrong.
    Plain,
    /// A retry, a skipped line, a claim that could not be read.
    Warning,
    /// A failure.
    Error,
}

/// A row of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When it happened, if any source says so.
    pub at: Option<Stamp>,
    /// The time as written, where it could not be read as one.
    pub at_text: Option<Foreign>,
    /// What happened: `dispatched`, `round.completed`, `status`.
    pub kind: Foreign,
    /// The phase it belongs to.
    pub phase: Option<Foreign>,
    /// Who or what it is about: a role, a researcher, a stage.
    pub subject: Foreign,
    /// The status it states.
    pub status: Option<Foreign>,
    /// One line.
    pub text: Foreign,
    /// How long it took, where a record says so.
    pub duration_s: Option<u64>,
    /// The file and line it was read from.
    pub origin: Origin,
    /// Ordinary or a problem.
    pub mark: EventMark,
}

impl Event {
    /// An ordinary event without a time, a phase or a status.
    pub fn new(kind: impl Into<Foreign>, text: impl Into<Foreign>, origin: Origin) -> Self {
        Self {
            at: None,
            at_text: None,
            kind: kind.into(),
            phase: None,
            subject: Foreign::default(),
            status: None,
            text: text.into(),
            duration_s: None,
            origin,
            mark: EventMark::Plain,
        }
    }

    /// The same event at a time, which is kept as written where it could not be read.
    #[must_use]
    pub fn at(self, at: Option<Stamp>, written: Option<&str>) -> Self {
        let at_text = written.filter(|_| at.is_none()).map(Foreign::from);
        Self {
            at,
            at_text,
            ..self
        }
    }
}

/// A source of rows that makes each row when it is asked for. Readers of large files keep compact rows and
/// read the line again, so that a view pays for what it shows.
pub trait EventRows: Send + Sync {
    /// How many events there are.
    fn len(&self) -> usize;

    /// True without events.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event at a place in order of occurrence; `None` past the end or where its file has gone.
    fn get(&self, index: usize) -> Option<Event>;

    /// Gives so many events from a place on, each with its place, at once where that is cheaper than one by one.
    fn part(&self, from: usize, most: usize, seen: &mut dyn FnMut(usize, Event)) {
        let end = from.saturating_add(most).min(self.len());
        for index in from..end {
            if let Some(event) = self.get(index) {
                seen(index, event);
            }
        }
    }

    /// The mark of that event, without reading its line again.
    fn mark(&self, index: usize) -> EventMark;

    /// The longest duration of any event, without reading lines again.
    fn longest_s(&self) -> Option<u64>;
}

impl EventRows for Vec<Event> {
    fn len(&self) -> usize {
        Self::len(self)
    }

    fn get(&self, index: usize) -> Option<Event> {
        self.as_slice().get(index).cloned()
    }

    fn mark(&self, index: usize) -> EventMark {
        self.as_slice()
            .get(index)
            .map_or(EventMark::Plain, |event| event.mark)
    }

    fn longest_s(&self) -> Option<u64> {
        self.iter().filter_map(|event| event.duration_s).max()
    }
}

/// The timeline of a pipeline: shared, immutable, cheap to hand on.
pub type Timeline = std::sync::Arc<dyn EventRows>;

/// Events that one thread reads at once.
const PART: usize = 512;
/// Parts that are worked on before the first of them is handed on.
const AHEAD: usize = 16;

/// What is made of the events that can be read, each with its place: part by part and in order, on all cores. Few parts are
/// in memory at any time, so that a million events cost little.
pub fn by_parts<R, T>(rows: R, add: impl Fn(&mut T, usize, Event) + Sync) -> impl Iterator<Item = T>
where
    R: std::ops::Deref + Sync,
    R::Target: EventRows,
    T: Default + Send,
{
    let len = rows.len();
    (0..len).step_by(PART * AHEAD).flat_map(move |from| {
        let end = len.min(from + PART * AHEAD);
        let starts: Vec<usize> = (from..end).step_by(PART).collect();
        let part = |from: &usize| {
            let mut made = T::default();
            rows.part(*from, PART, &mut |place, event| {
                add(&mut made, place, event);
            });
            made
        };
        match starts.as_slice() {
            // Threads cost more than a few events.
            [only] => vec![part(only)],
            many => many.par_iter().map(part).collect(),
        }
    })
}

/// All events that can be read, in order, each with its place.
pub fn in_order<R>(rows: R) -> impl Iterator<Item = (usize, Event)>
where
    R: std::ops::Deref + Sync,
    R::Target: EventRows,
{
    by_parts(rows, |part: &mut Vec<_>, place, event| {
        part.push((place, event));
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_whichever_thread_read_them() {
        let event = |n: usize| Event::new("x", n.to_string(), Origin::file("log"));
        let rows: Vec<Event> = (0..PART * AHEAD * 2 + 3).map(event).collect();
        let seen: Vec<(usize, Event)> = in_order(&rows).collect();
        assert_eq!(seen.len(), rows.len());
        for (n, (place, event)) in seen.iter().enumerate() {
            assert_eq!((*place, event), (n, &rows[n]));
        }
    }
}
