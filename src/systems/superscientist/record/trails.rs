//! The files to which a resumed workflow writes its first new record: the log, or the state file with a changed stage.

use crate::formats::json::{self, At};
use crate::formats::stamp;
use crate::model::{Foreign, LocalTime, Place};
use crate::systems::kit::trails::{Record, Trail};
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::shape::{LOG, Log, STATE, State};

/// The files to watch.
pub(crate) fn trails(facts: &Facts) -> Vec<Trail> {
    let log = Place::known(&facts.wf, LOG).ok();
    let log = log.map(|place| {
        Trail::log(place, |line, zone| {
            let log = Log::read(line.to_vec(), zone);
            let line = log.lines.first()?;
            let text = Foreign::from(log.message(line).into_owned());
            (!text.is_empty()).then(|| Record::new("", text, line.at))
        })
    });
    let state = Place::known(&facts.wf, STATE).ok();
    let state = state.map(|place| Trail::state(place, of_state));
    log.into_iter().chain(state).collect()
}

/// The status of each stage, the number of the session, and the status of the workflow.
fn of_state(bytes: &[u8], zone: &dyn LocalTime) -> Vec<Record> {
    let Some(state) = State::parse(bytes.to_vec()) else {
        return Vec::new();
    };
    let lines = json::element_lines(bytes, &[At::Key("stages")]);
    let stages = state.stages.iter().map(|stage| {
        let key = format!(
            "{} {} {} {:?} {:?}",
            stage.id, stage.word, stage.retry_count, stage.started_at, stage.completed_at
        );
        let at = stage.completed_at.as_ref().or(stage.started_at.as_ref());
        let at = at.and_then(|at| stamp::parse(at, zone));
        Record::new(key, format!("{}: status {}", stage.label(), stage.word), at)
            .at_line(lines.get(stage.index).copied())
    });
    let session = json::child(&state.map, "session_config").and_then(|session| {
        let count = json::int(session, "session_count")?;
        let id = json::text(session, "session_id").unwrap_or_default();
        let (key, text) = (format!("session {count} {id}"), format!("session {count}"));
        let line = json::line(bytes, &[At::Key("session_config")]);
        Some(Record::new(key, text, stamp::parse(id, zone)).at_line(line))
    });
    let whole = state.workflow_status().map(|word| {
        let (key, text) = (format!("workflow {word}"), format!("workflow: {word}"));
        Record::new(key, text, None)
    });
    stages.chain(session).chain(whole).collect()
}
