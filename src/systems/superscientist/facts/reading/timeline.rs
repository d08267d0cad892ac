//! The events: the lines of the log in order, with the amendments inserted by time.

use std::path::PathBuf;
use std::sync::Arc;

use crate::formats::stamp;
use crate::model::{Event, EventMark, EventRows, Foreign, Origin, Stamp, Timeline, Zone};
use crate::systems::kit::timeline::between;
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::shape::log::{LogLine, classify, status};
use crate::systems::superscientist::shape::{Amendment, Log};
use crate::world::World;

/// The timeline of a workflow.
pub(crate) fn timeline(facts: &Facts, world: &dyn World) -> Timeline {
    let log = Arc::clone(&facts.log);
    let amendments: &[Amendment] = facts.flow.as_ref().map_or(&[], |f| &f.state.amendments);
    let highest = if amendments.is_empty() {
        Vec::new()
    } else {
        running_maximum(&log.lines)
    };
    // Each amendment goes before the line with its place.
    let amended = amendments.iter().map(|record| {
        let at = record.timestamp.as_deref();
        let at = at.and_then(|text| stamp::parse(text, world.clock()));
        let place = at.map_or(highest.len(), |at| {
            highest.partition_point(|seen| *seen <= Some(at))
        });
        (place, amended(record, at, facts))
    });
    let amended = amended.collect();
    let path = facts.log_path();
    between(LogLines { log, path }, amended)
}

/// The latest time up to each line, so that one odd stamp misplaces nothing after it.
fn running_maximum(lines: &[LogLine]) -> Vec<Option<Stamp>> {
    let running = lines.iter().scan(None, |highest, line| {
        *highest = line.at.filter(|at| at.zone == Zone::Stated).max(*highest);
        Some(*highest)
    });
    running.collect()
}

/// The lines of the log at a path.
struct LogLines {
    log: Arc<Log>,
    path: PathBuf,
}

impl EventRows for LogLines {
    fn len(&self) -> usize {
        self.log.lines.len()
    }

    fn get(&self, line: usize) -> Option<Event> {
        let line = self.log.lines.get(line)?;
        let message = self.log.message(line);
        let (kind, mark) = classify(line, &message);
        let stage = line.stage.map(|number| format!("stage-{number}"));
        let status = status(&message).filter(|_| line.ended);
        let origin = Origin::line(&*self.path, line.number);
        Some(Event {
            phase: stage.as_deref().map(Foreign::from),
            subject: stage.map_or_else(|| kind.into(), Foreign::from),
            status: status.map(Foreign::from),
            mark,
            ..Event::new(kind, &*message, origin).at(line.at, self.log.at_text(line).as_deref())
        })
    }

    fn mark(&self, line: usize) -> EventMark {
        let line = self.log.lines.get(line);
        let mark = line.map(|line| classify(line, &self.log.message(line)).1);
        mark.unwrap_or(EventMark::Plain)
    }

    fn longest_s(&self) -> Option<u64> {
        None
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
