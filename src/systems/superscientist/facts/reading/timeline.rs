//! The events: the lines of the log in order, with the amendments inserted by time.

use std::sync::Arc;

use crate::formats::stamp;
use crate::model::{Event, EventMark, Foreign, Origin, Stamp, Timeline, Zone};
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::shape::Amendment;
use crate::systems::superscientist::shape::log::{LogLine, classify};
use crate::world::World;

/// The timeline of a workflow.
pub(crate) fn timeline(facts: &Facts, world: &dyn World) -> Timeline {
    let path = facts.log_path();
    let lines = facts.log.lines.iter();
    let lines: Vec<Event> = lines.map(|line| event(line, &path)).collect();
    let amendments: &[Amendment] = facts.flow.as_ref().map_or(&[], |f| &f.state.amendments);
    if amendments.is_empty() {
        return Arc::new(lines);
    }
    let highest = running_maximum(&lines);
    // Each amendment goes before the line with its place.
    let amended = amendments.iter().map(|record| {
        let at = record.timestamp.as_deref();
        let at = at.and_then(|text| stamp::parse(text, world.clock()));
        let place = at.map_or(highest.len(), |at| {
            highest.partition_point(|seen| *seen <= Some(at))
        });
        (place, amended(record, at, facts))
    });
    let mut events: Vec<(usize, Event)> = amended.chain((0..).zip(lines)).collect();
    events.sort_by_key(|(place, _)| *place);
    let events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
    Arc::new(events)
}

/// The latest time up to each line, so that one odd stamp misplaces nothing after it.
fn running_maximum(lines: &[Event]) -> Vec<Option<Stamp>> {
    let running = lines.iter().scan(None, |highest, event| {
        *highest = event.at.filter(|at| at.zone == Zone::Stated).max(*highest);
        Some(*highest)
    });
    running.collect()
}

fn event(line: &LogLine, path: &std::path::Path) -> Event {
    let (kind, mark) = classify(line);
    let stage = line.stage.map(|number| format!("stage-{number}"));
    let torn = !line.ended;
    let origin = Origin::line(path, line.number);
    Event {
        phase: stage.as_deref().map(Foreign::from),
        subject: stage.map_or_else(|| kind.into(), Foreign::from),
        status: line.status.as_deref().filter(|_| !torn).map(Foreign::from),
        mark: mark.max(if torn {
            EventMark::Warning
        } else {
            EventMark::Plain
        }),
        ..Event::new(kind, line.message.as_str(), origin).at(line.at, line.at_text.as_deref())
    }
}

fn amended(record: &Amendment, at: Option<Stamp>, facts: &Facts) -> Event {
    let stage = record.stage_id.as_deref();
    let text = format!("{} ({}): {}", record.id, record.kind, record.description);
    Event {
        phase: stage.map(Foreign::from),
        subject: record.id.as_str().into(),
        ..Event::new("amendment", text, Origin::file(facts.state_path()))
            .at(at, record.timestamp.as_deref())
    }
}
