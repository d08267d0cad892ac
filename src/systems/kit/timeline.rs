//! The events of a pipeline: their order, and its commits as events and as checkpoints.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Checkpoint, CheckpointKind, Event, EventMark, Origin, Stamp, Timeline};
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
