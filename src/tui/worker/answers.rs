//! How each question is answered.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::lanes::Job;
use super::{Source, mistake};
use crate::clean;
use crate::model::{Clean, Event, Foreign, Timeline};
use crate::tui::data::{Made, Request, Trouble};
use crate::tui::msg::{Effect, Msg, Reply, Ticket, Wanted, compare};
use crate::tui::state::compare::DiffSource;

/// The most bytes of a file that a detail view shows.
const SHOWN: usize = 256 * 1024;

/// The most lines of it.
const LINES: usize = 4_000;

/// How many events are looked at in search of another phase.
const FAR: usize = 200_000;

/// Looks for pipelines, sending each on its way.
pub(super) fn survey(
    source: &dyn Source,
    ticket: Ticket,
    request: &Request,
    out: &Sender<Msg>,
) -> Reply {
    let out = std::sync::Mutex::new(out.clone());
    let found = |pipeline| {
        let out = out
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ended = out.send(Msg::Reply(ticket, Reply::Found(Box::new(pipeline))));
    };
    Reply::Survey(source.survey(request, &found))
}

/// The job of an effect that reads; `None` for one that does not.
pub(super) fn reading(source: Arc<dyn Source>, effect: Effect) -> Option<Job> {
    Some(match effect {
        Effect::Drift(ticket, id, checkpoint) => {
            let broken = Reply::Drift(id.clone(), checkpoint.id.clone(), Err(mistake()));
            Job::new(ticket, broken, move || {
                let drift = source.drift(&id, &checkpoint);
                Reply::Drift(id, checkpoint.id, drift)
            })
        }
        Effect::Plan(ticket, wanted) => Job::new(ticket, Reply::Plan(Err(mistake())), move || {
            Reply::Plan(plan(source.as_ref(), &wanted))
        }),
        Effect::Recoveries(ticket, request) => {
            Job::new(ticket, Reply::Recoveries(Err(mistake())), move || {
                Reply::Recoveries(source.recoveries(&request))
            })
        }
        Effect::Pending(ticket, request) => {
            Job::new(ticket, Reply::Pending(Err(mistake())), move || {
                Reply::Pending(source.pending(&request))
            })
        }
        Effect::Ledger(ticket, id) => Job::new(ticket, Reply::Ledger(Err(mistake())), move || {
            Reply::Ledger(source.ledger(&id))
        }),
        Effect::Diff {
            ticket,
            source: of,
            options,
        } => Job::new(ticket, Reply::Diff(Err(mistake())), move || {
            let sides = match &of {
                DiffSource::Plan { plan, action, path } => source.sides(plan, *action, *path),
                DiffSource::Comparison { comparison, what } => source.compared(comparison, *what),
            };
            Reply::Diff(sides.map(|sides| compare(sides, options)))
        }),
        Effect::Replays(ticket, id) => {
            Job::new(ticket, Reply::Replays(Err(mistake())), move || {
                Reply::Replays(source.replays(&id))
            })
        }
        Effect::ReplayPlan(ticket, id, ask) => {
            Job::new(ticket, Reply::ReplayPlan(Err(mistake())), move || {
                Reply::ReplayPlan(source.replay_plan(&id, &ask))
            })
        }
        Effect::Operands(ticket, id) => {
            Job::new(ticket, Reply::Operands(Err(mistake())), move || {
                Reply::Operands(source.operands(&id))
            })
        }
        Effect::Compare { ticket, id, a, b } => {
            Job::new(ticket, Reply::Compared(Err(mistake())), move || {
                Reply::Compared(source.compare(&id, a.as_deref(), b.as_deref()))
            })
        }
        Effect::WatchRecords(ticket, id) => {
            Job::new(ticket, Reply::Watching(Err(mistake())), move || {
                Reply::Watching(source.watch(&id))
            })
        }
        Effect::Look(ticket, watch) => Job::new(ticket, Reply::Looked(Err(mistake())), move || {
            Reply::Looked(source.look(&watch))
        }),
        Effect::Raw(ticket, origin) => Job::new(ticket, Reply::Raw(Err(mistake())), move || {
            Reply::Raw(source.raw(&origin).map(|bytes| presentable(&bytes)))
        }),
        Effect::SeekPhase {
            ticket,
            rows,
            from,
            forward,
        } => Job::new(ticket, Reply::Sought(None), move || {
            Reply::Sought(seek_phase(&rows.0, from, forward))
        }),
        _ => return None,
    })
}

fn plan(source: &dyn Source, wanted: &Wanted) -> Result<Made, Trouble> {
    let plan = match wanted {
        Wanted::Resume {
            id,
            choice,
            options,
        } => source.plan(id, choice, options),
        Wanted::Undo {
            recovery,
            redo,
            options,
            request,
        } => source.undo_plan(recovery, *redo, options, request),
    }?;
    let writes = !plan.actions.is_empty();
    Ok(Made {
        kept_in: writes.then(|| source.kept_in(&plan)).flatten(),
        plan,
    })
}

/// Lines of a raw text: a JSON value laid out, anything else as it is.
fn presentable(bytes: &[u8]) -> Vec<Clean> {
    let shown = bytes.get(..SHOWN).unwrap_or(bytes);
    let value: Option<serde_json::Value> = serde_json::from_slice(shown).ok();
    let text = match value {
        Some(value @ (serde_json::Value::Object(_) | serde_json::Value::Array(_))) => {
            Foreign::from(serde_json::to_string_pretty(&value).unwrap_or_default())
        }
        _ => Foreign::from(shown),
    };
    let mut lines: Vec<Clean> = text
        .lines()
        .take(LINES + 1)
        .map(|line| line.clean())
        .collect();
    if bytes.len() > shown.len() || lines.len() > LINES {
        lines.truncate(LINES);
        lines.push(clean!(
            "… cut here; o opens the whole file ({} bytes)",
            bytes.len()
        ));
    }
    lines
}

/// The events that hold every word and none of the words after `!`.
pub(super) fn filter(timeline: &Timeline, text: &str, stop: &dyn Fn() -> bool) -> Vec<usize> {
    let text = text.to_lowercase();
    let (without, with): (Vec<&str>, Vec<&str>) = text
        .split_whitespace()
        .partition(|word| word.starts_with('!'));
    let without: Vec<&str> = without
        .iter()
        .filter_map(|word| word.get(1..))
        .filter(|word| !word.is_empty())
        .collect();
    let mut hits = Vec::new();
    for index in 0..timeline.len() {
        if index % 1_024 == 0 && stop() {
            break;
        }
        let Some(event) = timeline.get(index) else {
            continue;
        };
        let all = haystack(&event);
        if with.iter().all(|word| all.contains(word))
            && !without.iter().any(|word| all.contains(word))
        {
            hits.push(index);
        }
    }
    hits
}

fn haystack(event: &Event) -> String {
    let nothing = Foreign::default();
    let parts = [
        &event.kind,
        event.phase.as_ref().unwrap_or(&nothing),
        &event.subject,
        event.status.as_ref().unwrap_or(&nothing),
        &event.text,
    ];
    let texts: Vec<_> = parts.iter().map(|part| part.lossy()).collect();
    texts.join(" ").to_lowercase()
}

/// The first event of the next phase, or the last one of the previous phase.
fn seek_phase(timeline: &Timeline, from: usize, forward: bool) -> Option<usize> {
    let phase = |index: usize| timeline.get(index).and_then(|event| event.phase);
    let here = phase(from);
    let other = |index: &usize| {
        let phase = phase(*index);
        phase.is_some() && phase != here
    };
    if forward {
        (from + 1..timeline.len()).take(FAR).find(other)
    } else {
        (0..from).rev().take(FAR).find(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_line_is_laid_out_or_left_as_it_is() {
        let table: &[(&[u8], &[&str])] = &[
            (b"{\"a\":1}", &["{", "  \"a\": 1", "}"]),
            (b"{\"a\":", &["{\"a\":"]),
            (b"plain\ntext", &["plain", "text"]),
            (b"12", &["12"]),
            (b"\x1b[2J", &["␛[2J"]),
        ];
        for (raw, shown) in table {
            let lines = presentable(raw);
            let lines: Vec<&str> = lines.iter().map(Clean::as_str).collect();
            assert_eq!(lines, *shown);
        }
    }

    #[test]
    fn a_long_text_says_that_it_was_cut() {
        let lines = presentable("x\n".repeat(LINES + 5).as_bytes());
        assert_eq!(lines.len(), LINES + 1);
        assert!(lines[LINES].as_str().starts_with("… cut here"));
    }
}
