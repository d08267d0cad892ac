//! The events of a run. The journal has no times, so they come from the launch, the agents' files and the snapshot.

use chrono::DateTime;

use crate::model::{Event, EventMark, Origin, Stamp, Timeline};
use crate::systems::claude_workflow::facts::{Agent, Facts};
use crate::systems::kit::timeline::in_order;

pub(crate) fn read(facts: &Facts) -> Timeline {
    let mut events = Vec::new();
    for session in &facts.sessions {
        if let Some(launch) = session.launch() {
            let origin = Origin::line(&session.file, launch.line);
            let version = launch.version.as_deref().unwrap_or("unknown");
            let text = format!("Launched by client {version}.");
            events.push(Event::new("launched", text, origin).at(launch.at, None));
        }
    }
    for agent in &facts.agents {
        events.extend(of_agent(facts, agent));
    }
    if let (Some(snapshot), Some(file)) = (&facts.snapshot, &facts.snapshot_file) {
        let times = snapshot.started_ms.zip(snapshot.duration_ms);
        let ended = times.and_then(|(start, length)| start.checked_add(length));
        let ended = ended.and_then(DateTime::from_timestamp_millis);
        let origin = Origin::file(file);
        let text = "The client recorded the end of the run.";
        let event = Event {
            status: Some(snapshot.status.as_str().into()),
            ..Event::new("ended", text, origin)
        };
        events.push(event.at(ended.map(Stamp::utc), snapshot.ended.as_deref()));
    }
    in_order(events)
}

fn of_agent(facts: &Facts, agent: &Agent) -> Vec<Event> {
    let journal = facts.journals.first().cloned().unwrap_or_default();
    let event = |kind: &str, text: String, origin: Origin, at: Option<Stamp>| Event {
        phase: agent.phase.as_deref().map(Into::into),
        subject: agent.label.as_str().into(),
        at,
        ..Event::new(kind, text, origin)
    };
    let origin = match (agent.line, &agent.file) {
        (Some(line), _) => Origin::line(journal, line),
        (None, file) => Origin::file(file.as_ref().unwrap_or(&facts.root)),
    };
    let text = format!("Agent {} started.", agent.number);
    let started = event("started", text, origin, agent.first_at);
    let file = agent.file.as_ref().unwrap_or(&started.origin.file).clone();
    let line = agent.ending.as_ref().and_then(|ending| ending.line);
    let text = format!("Agent {}: {}.", agent.number, agent.cause());
    let ended = Event {
        duration_s: Stamp::seconds_between(agent.first_at, agent.last_at),
        status: Some(agent.state.word().into()),
        mark: if agent.is_lost() {
            EventMark::Error
        } else {
            EventMark::Plain
        },
        ..event("agent", text, Origin::at(file, line), agent.last_at)
    };
    vec![started, ended]
}
