//! Records the start and end of sessions, and any other line of the log.

use serde_json::{Value, json};

use crate::formats::json::{self, At, Edit};
use crate::formats::stamp;
use crate::model::{ClockStyle, Result, Zone};
use crate::systems::kit::forms::{Ask, Written, refused};
use crate::systems::superscientist::record::one_line;
use crate::systems::superscientist::record::status::Current;
use crate::systems::superscientist::shape::log::status;
use crate::systems::superscientist::shape::{LOG, Log, State};

/// Starts or ends a session. Sessions are counted in `session_config`, or in the log of a workflow without one.
pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    let [edge] = ask.words else {
        return Err(ask.usage("Give `start` or `end`."));
    };
    let edges = [("start", true), ("end", false)];
    let starts = ask.one_of("edge of a session", edge, &edges)?;
    let current = Current::read(ask)?;
    let log = ask.read(&ask.site.dir.join(LOG))?.unwrap_or_default();
    let seen = Log::read(log, ask.world.clock()).sessions();
    let config = json::child(&current.state.map, "session_config");
    let count = config.and_then(|config| json::int(config, "session_count"));
    let count = count.and_then(|count| u64::try_from(count).ok());
    let note = noted(ask)?;
    let last = count.unwrap_or(seen.started);
    if !starts {
        if last == 0 {
            return Err(refused("No session was started."));
        }
        let message = format!("Session {last} ended.{note}");
        return current.edited(ask, Vec::new(), &[message]);
    }
    let mut messages = Vec::new();
    let mut edits = Vec::new();
    if let Some(config) = config {
        if let Some(reason) = json::text(config, "exit_reason") {
            let zero = json!(0);
            let shown = |key: &str| config.get(key).unwrap_or(&zero);
            let (cost, budget) = (shown("session_cost"), shown("session_budget"));
            let text = "Previous session ended: exit_reason=";
            messages.push(format!("{text}{reason}, cost={cost}/{budget}"));
        }
        let set = |key: &'static str, value: Value| {
            Edit::set([At::Key("session_config"), At::Key(key)], value)
        };
        let now = ClockStyle::LocalOffset.write(ask.at);
        edits.extend([
            set("session_count", json!(last + 1)),
            set("session_id", json!(now)),
            set("session_cost", json!(0)),
            set("exit_reason", Value::Null),
        ]);
    }
    messages.push(format!("Session {} started.{note}", last + 1));
    current.edited(ask, edits, &messages)
}

/// Completes the workflow: no stage has anything left to do.
pub(super) fn complete(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let mut stages = current.state.stages.iter();
    if let Some(open) = stages.find(|stage| !stage.status.is_done()) {
        let (id, word) = (one_line(&open.id), one_line(&open.word));
        let text = format!("{id} is {word}, so the workflow is not complete.");
        return Err(refused(text).hint("Every stage must be completed or skipped."));
    }
    if current.state.is_completed() {
        return Err(refused("The workflow is already complete."));
    }
    let note = noted(ask)?;
    let status = Edit::member("workflow_status", json!("completed"));
    current.edited(ask, vec![status], &[format!("Workflow completed.{note}")])
}

/// The note as an additional sentence.
fn noted(ask: &Ask<'_>) -> Result<String> {
    let note = ask.text("note")?;
    Ok(note.map_or_else(String::new, |note| format!(" {note}")))
}

/// A line of the log.
pub(super) fn log(ask: &Ask<'_>) -> Result<Written> {
    let text = ask.words.join(" ");
    if text.trim().is_empty() {
        return Err(ask.usage("The text is missing."));
    }
    let log = Log::read(format!("[x] {text}\n").into_bytes(), ask.world.clock());
    if log.messages().any(|text| status(&text).is_some()) {
        let error = refused("A line with a status is written by recording the status.");
        return Err(error.hint("relight record WORKFLOW STAGE STATUS"));
    }
    Current::read(ask)?.edited(ask, Vec::new(), &[text])
}

/// Refuses a given time before the newest one that is recorded: of a log line, or of the start of a stage.
pub(super) fn in_order(ask: &Ask<'_>, state: &State) -> Result<()> {
    if !ask.dated {
        return Ok(());
    }
    let clock = ask.world.clock();
    let log = ask.read(&ask.site.dir.join(LOG))?.unwrap_or_default();
    let log = Log::read(log, clock);
    let logged = log.lines.iter().filter_map(|line| line.at);
    let started = state.stages.iter();
    let started = started.filter_map(|stage| stamp::parse(stage.started_at.as_deref()?, clock));
    let all = logged.chain(started);
    let all = all.filter(|at| at.zone == Zone::Stated);
    ask.not_before(all.map(|at| at.at).max())
}
