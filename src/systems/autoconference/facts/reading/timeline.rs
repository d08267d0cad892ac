//! The events of the log as rows of the timeline, in file order, with its bad lines in their positions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Event, EventMark, EventRows, Foreign, Origin, Timeline};

use crate::systems::autoconference::facts::resumed::{RESUMED, UNDONE};
use crate::systems::autoconference::shape::log::{Body, Event as Logged};
use crate::systems::autoconference::shape::{EVENTS, Log, Raw};
use crate::systems::kit::timeline;

/// Every line of the log.
pub(crate) fn events(raw: &Raw) -> Timeline {
    let (log, path) = (raw.log.clone().unwrap_or_default(), raw.path(EVENTS));
    let bad = log.bad.iter().map(|bad| {
        let before = log.events.partition_point(|event| event.line < bad.line);
        let event = timeline::unreadable(&*path, bad.line, bad.torn, &bad.why);
        (before, event)
    });
    let bad = bad.collect();
    timeline::between(LogLines { log, path }, bad)
}

/// The events of the log at a path.
struct LogLines {
    log: Arc<Log>,
    path: PathBuf,
}

impl EventRows for LogLines {
    fn len(&self) -> usize {
        self.log.events.len()
    }

    fn get(&self, line: usize) -> Option<Event> {
        Some(row(self.log.events.get(line)?, &self.path))
    }

    fn mark(&self, line: usize) -> EventMark {
        self.log.events.get(line).map_or(EventMark::Plain, mark)
    }

    fn longest_s(&self) -> Option<u64> {
        None
    }
}

fn row(event: &Logged, log: &Path) -> Event {
    let body = event.body();
    let phase = event.round.map(|n| Foreign::from(n.to_string()));
    let round = || Some(format!("round {}", event.round?).into());
    let subject = body.text("researcher").map(Foreign::from).or_else(round);
    let origin = Origin::line(log, event.line);
    Event {
        phase,
        subject: subject.unwrap_or_default(),
        mark: mark(event),
        status: event.status.as_deref().map(Foreign::from),
        ..Event::new(&*event.name, text(&event.name, &body), origin)
            .at(event.at, body.at_text().as_deref())
    }
}

fn mark(event: &Logged) -> EventMark {
    let status = event.status.as_deref();
    match &*event.name {
        "conference.failed" => EventMark::Error,
        "researcher.stuck" | "conference.stalled" | RESUMED | UNDONE => EventMark::Warning,
        _ if status.is_some_and(|s| s.contains("fail")) => EventMark::Error,
        _ if event.at.is_none() => EventMark::Warning,
        _ => EventMark::Plain,
    }
}

/// One line: the iteration with its numbers, else the first keys of the payload.
fn text(name: &str, event: &Body) -> String {
    if name == "researcher.iteration" {
        return format!(
            "iteration {} · {} ({}) {}",
            event.cell("iteration"),
            event.cell("metric_value"),
            event.cell("delta"),
            event.text("description").unwrap_or_default(),
        );
    }
    let keys = "summary reason recovery_point goal stuck_level best_metric";
    let parts = keys.split(' ').filter_map(|key| {
        let cell = event.cell(key);
        (cell != "-").then(|| format!("{} {cell}", key.replace('_', " ")))
    });
    parts.collect::<Vec<_>>().join(" · ")
}
