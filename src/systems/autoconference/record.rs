//! The events that relight appends to the log, and the log as the file to watch for the orchestrator's first new
//! record.

mod event;
pub(super) mod forms;
mod iteration;
pub(super) mod rebuild;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::formats::json::{NOW, one_line};
use crate::model::{Checkpoint, ClockStyle, Foreign, Place, Recovery, Reversal, Step, short_id};
use crate::systems::kit::trails::{Record, Trail};

use super::Conference;
use super::facts::Decision;
use super::facts::resumed::{REBUILT, RESUMED, UNDONE};
use super::points::offers::Move;
use super::shape::log::Log;
use super::shape::{EVENTS, Raw, table_name};

/// The event that every recovery appends to the log, unless the conference has not started at all.
pub(super) fn resumed(case: &Conference, to: Move, reverted: &[char]) -> Option<Step> {
    let unstarted = matches!(case.state.decision, Decision::NotStarted { .. });
    if unstarted && case.raw.log.as_ref()?.lines == 0 {
        return None;
    }
    let why = "Logs conference.resumed, so that the log says where the conference was resumed.";
    let payload = json!({
        "recovery_point": to.recovery_point(),
        "round": to.round(case),
        "reverted_researchers": reverted,
    });
    append(case, RESUMED, &payload, why)
}

/// The event after a restore of one of relight's own checkpoints. It names the researchers whose tables are now older
/// than the log, so that their later events of the open round no longer count.
pub(super) fn restored(
    case: &Conference,
    checkpoint: &Checkpoint,
    restored: &[(PathBuf, Option<Vec<u8>>)],
) -> Option<Step> {
    case.raw.log.as_ref().filter(|log| log.lines > 0)?;
    if !checkpoint.is_own() || restored.is_empty() {
        return None;
    }
    let tables = case.state.ids.iter().filter(|id| {
        let path = case.raw.path(&table_name(**id));
        restored.iter().any(|(restored, _)| *restored == path)
    });
    let id = short_id(&checkpoint.id);
    let payload = json!({
        "recovery_point": format!("Checkpoint {id} of relight restored (see relight checkpoints)"),
        "round": case.state.round,
        "reverted_researchers": tables.collect::<Vec<_>>(),
    });
    let why = "Logs conference.resumed with the researchers whose tables were restored.";
    append(case, RESUMED, &payload, why)
}

/// The event of an undo, after which the recovery's own event no longer counts. Only if the recovery appended one; that
/// one stays, because the log is append-only.
pub(super) fn undone(case: &Conference, recovery: &Recovery) -> Option<Step> {
    if !recovery.appended_to(&case.raw.path(EVENTS)) {
        return None;
    }
    let payload = json!({"summary": recovery.undone_words()});
    let why = match recovery.when_undone() {
        Reversal::Undo => {
            "Logs that the recovery was undone, so that its conference.resumed no longer counts."
        }
        Reversal::Redo => {
            "Logs that the recovery was redone, so that its conference.resumed counts again."
        }
    };
    append(case, UNDONE, &payload, why)
}

/// The separators that the log uses after a key and between members.
fn spacing(raw: &Raw) -> (&'static str, &'static str) {
    if raw.is_compact() {
        (":", ",")
    } else {
        (": ", ", ")
    }
}

/// A line of the log.
fn line(raw: &Raw, event: &str, at: &str, payload: &str) -> String {
    let (colon, comma) = spacing(raw);
    format!(
        "{{\"event\"{colon}\"{event}\"{comma}\"timestamp\"{colon}\"{at}\"{comma}\"payload\"{colon}{payload}}}"
    )
}

fn append(case: &Conference, event: &str, payload: &Value, why: &str) -> Option<Step> {
    let log = case.raw.log.as_ref()?;
    let heal = if log.unended {
        " The log does not end with a newline, so a newline is written first; the truncated bytes are kept."
    } else {
        ""
    };
    let payload = one_line(payload, log.compact);
    let line = line(&case.raw, event, NOW, &payload);
    let (path, summary) = (case.raw.path(EVENTS), format!("{why}{heal}"));
    let clock = ClockStyle::UtcSeconds;
    Some(Step::append_lines(path, vec![line], clock, summary))
}

/// The files to watch. relight's own events do not count, because they are no work.
pub(super) fn trails(raw: &Raw) -> Vec<Trail> {
    let log = Place::known(&raw.dir, EVENTS).ok();
    let log = log.map(|place| {
        Trail::log(place, |line, zone| {
            let event = Log::parse(line.to_vec(), zone).events.into_iter().next()?;
            let own = [RESUMED, UNDONE, REBUILT].contains(&&*event.name);
            if own || event.rebuilt {
                return None;
            }
            let body = event.body();
            let who = body.text("researcher").map(|id| format!(" of {id}"));
            let round = event.round.map(|round| format!(", round {round}"));
            let parts = [Some(event.name.to_string()), who, round];
            let text: String = parts.into_iter().flatten().collect();
            Some(Record::new("", Foreign::from(text), event.at))
        })
    });
    log.into_iter().collect()
}
