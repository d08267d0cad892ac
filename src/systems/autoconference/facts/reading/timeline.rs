//! The events of the log as rows of the timeline, in file order, with its bad lines in their positions.

use crate::model::{Event, EventMark, Foreign, Origin};

use crate::systems::autoconference::facts::resumed::{RESUMED, UNDONE};
use crate::systems::autoconference::shape::log::Event as Logged;
use crate::systems::autoconference::shape::{EVENTS, Raw};
use crate::systems::kit::timeline;

/// Every line of the log.
pub(crate) fn events(raw: &Raw) -> Vec<Event> {
    let Some(log) = &raw.log else {
        return Vec::new();
    };
    let good = log.events.iter().map(|e| row(raw, e));
    let bad = log.bad.iter();
    let bad = bad.map(|b| timeline::unreadable(raw.path(EVENTS), b.line, b.torn, &b.why));
    let mut rows: Vec<Event> = good.chain(bad).collect();
    rows.sort_by_key(|row| row.origin.line);
    rows
}

fn row(raw: &Raw, event: &Logged) -> Event {
    let status = event.status();
    let phase = event.round.map(|n| Foreign::from(n.to_string()));
    let round = || Some(format!("round {}", event.round?).into());
    let subject = event.text("researcher").map(Foreign::from).or_else(round);
    let origin = Origin::line(raw.path(EVENTS), event.line);
    Event {
        phase,
        subject: subject.unwrap_or_default(),
        mark: mark(event, status.as_deref()),
        status: status.map(Foreign::from),
        ..Event::new(event.name.as_str(), text(event), origin)
            .at(event.at, event.at_text.as_deref())
    }
}

fn mark(event: &Logged, status: Option<&str>) -> EventMark {
    match event.name.as_str() {
        "conference.failed" => EventMark::Error,
        "researcher.stuck" | "conference.stalled" | RESUMED | UNDONE => EventMark::Warning,
        _ if status.is_some_and(|s| s.contains("fail")) => EventMark::Error,
        _ if event.at.is_none() => EventMark::Warning,
        _ => EventMark::Plain,
    }
}

/// One line: the iteration with its numbers, else the first keys of the payload.
fn text(event: &Logged) -> String {
    if event.name == "researcher.iteration" {
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
