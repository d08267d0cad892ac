//! The timeline of a manifest: each line is read again when a view asks for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Map, Value};

use super::{Manifest, mark, object, shown, template};
use crate::formats::json;
use crate::model::{DispatchStatus, Event, EventMark, EventRows, Foreign, Origin, Stamp};
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

/// When dispatches began, by seq: the dispatch headers are their only clock.
pub(crate) type Clockwork = BTreeMap<u64, Stamp>;

/// The lines of a manifest as events, in the order of the file.
pub(crate) struct ManifestRows {
    /// The manifest.
    pub(crate) manifest: Arc<Manifest>,
    /// When its dispatches began.
    pub(crate) clock: Arc<Clockwork>,
}

impl EventRows for ManifestRows {
    fn len(&self) -> usize {
        self.manifest.rows.len()
    }

    fn get(&self, index: usize) -> Option<Event> {
        let row = self.manifest.rows.get(index)?;
        let bytes = RealFiles
            .read_range(
                &self.manifest.place,
                u64::from(row.offset),
                usize::try_from(row.len).ok()?,
            )
            .ok()?;
        let map = object(&bytes, row.number)?;
        let origin = Origin::line(self.manifest.path(), u64::from(row.number));
        Some(event(&map, row.status, origin, &self.clock))
    }

    fn mark(&self, index: usize) -> EventMark {
        let row = self.manifest.rows.get(index);
        row.map_or(EventMark::Plain, |row| mark(row.status))
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
    let at = if status == DispatchStatus::Dispatched {
        start
    } else {
        start.and_then(|start| after(start, json::int(map, "duration_s")?))
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
