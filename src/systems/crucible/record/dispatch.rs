//! Records a dispatch and its outcome: the dispatch file, and the two lines of the manifest.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};
use serde_json::{Map, Value, json};

use super::lifecycle::next;
use super::{MANIFEST, copy, found};
use crate::foreign;
use crate::formats::json::{self, one_line};
use crate::formats::jsonl;
use crate::model::{ClockStyle, Foreign, NextStep, Place, Result};
use crate::systems::crucible::facts::phase_order::understand;
use crate::systems::crucible::facts::sources::Sources;
use crate::systems::crucible::facts::work::{Crossings, UnitState, Work};
use crate::systems::crucible::shape::dispatch;
use crate::systems::crucible::shape::manifest::{Manifest, file_seq, shown};
use crate::systems::kit::forms::{Ask, Written, append, refused, replace};
use crate::text::format::count;

/// How long a line of the manifest may be, in bytes, its newline included.
const LINE: usize = 4095;

/// The outcomes of a dispatch.
const OUTCOMES: [&str; 4] = ["completed", "failed", "error", "skipped"];

/// The usable lines of the manifest, in order.
fn lines(manifest: &[u8]) -> Vec<Map<String, Value>> {
    jsonl::objects(manifest).map(|(_, line)| line).collect()
}

pub(super) fn seq_of(line: &Map<String, Value>) -> Option<u64> {
    json::int(line, "seq").and_then(|seq| u64::try_from(seq).ok())
}

/// Starts a dispatch. Its number follows the highest one of the manifest and of the files: parallel outcomes arrive out
/// of order, and an interrupted dispatch may have left only a file.
pub(super) fn begin(ask: &Ask<'_>) -> Result<Written> {
    let [role] = ask.words else {
        return Err(ask.usage("The role is missing."));
    };
    let phase = ask.need("phase")?;
    if phase.parse::<f64>().is_err() {
        return Err(refused("--phase must be a number such as 3."));
    }
    let template = ask.need("template")?;
    let stem = template.strip_suffix(".md").unwrap_or(&template);
    let stem = stem.strip_suffix("-prompt").unwrap_or(stem);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if stem.is_empty() || !stem.chars().all(plain) {
        return Err(refused("--template must be a plain file name."));
    }
    let task = ask.whole("task")?;
    let body = ask.need("body")?;
    let found = found(ask);
    in_order(ask, &found)?;
    is_entered(ask, &found, &phase)?;
    let manifest = ask.read(&ask.site.file)?.unwrap_or_default();
    let files = copy::dispatch_files(ask, &ask.site.dir);
    let of_files = files.iter().filter_map(|name| file_seq(name));
    let known = lines(&manifest);
    let again = ask.whole("replay-of")?;
    if let Some(again) =
        again.filter(|again| !known.iter().any(|line| seq_of(line) == Some(*again)))
    {
        return Err(refused(format!("There is no dispatch {again}.")));
    }
    let last = known.iter().filter_map(seq_of).chain(of_files).max();
    let seq = last.unwrap_or(0) + 1;
    let name = format!("{seq}-{stem}.md");
    let skill = skill(&found);
    let at = ClockStyle::UtcSeconds.write(ask.at);
    let of_task = task.map_or_else(String::new, |task| format!(" | **Task:** {task}"));
    let folder = ask.site.dir.to_string_lossy();
    let end = if body.ends_with('\n') { "" } else { "\n" };
    let text = format!(
        "# Dispatch: {stem}\n**Pipeline:** {skill} | **Phase:** {phase}{of_task}\n**Timestamp:** {at}\n**Dispatch-Dir:** {folder}/\n\n---\n{body}{end}"
    );
    let mut line = json!({
        "seq": seq,
        "file": name,
        "role": role,
        "phase": phase,
        "task": task,
        "status": "dispatched",
        "duration_s": null,
        "summary": null,
        "input_chars": text.chars().count(),
        "output_chars": null,
        "model_tier": null,
        "tool_calls": null,
    });
    if let (Some(again), Some(line)) = (again, line.as_object_mut()) {
        line.insert("replay_of".to_owned(), again.into());
    }
    let path = ask.site.dir.join(&name);
    let line = fitted(&line)?;
    let file = Some((name.as_str(), text.as_bytes()));
    let kept = copy::keep(ask, &found, &manifest, &line, file)?;
    let mut steps = vec![
        replace(&path, None, text.into_bytes(), "The dispatch file."),
        append(&ask.site.file, vec![line], "The dispatch."),
    ];
    steps.extend(kept);
    Ok(Written {
        steps,
        next: Some(NextStep {
            id: format!("dispatch-{seq}"),
            label: format!("Run dispatch {seq}, then record its outcome"),
            phase: phase.clone(),
        }),
        seq: Some(seq),
        file: Some(path),
        notes: again.map_or_else(|| repeated(ask, role, &phase, task), |_| Vec::new()),
        ..Written::default()
    })
}

/// When dispatches began, by the headers of their files, each with its number.
fn starts<'a>(ask: &'a Ask<'_>) -> impl Iterator<Item = (u64, DateTime<FixedOffset>)> + 'a {
    let files = copy::dispatch_files(ask, &ask.site.dir).into_iter();
    files.filter_map(|name| {
        let text = ask.read(&ask.site.dir.join(&name)).ok().flatten()?;
        let began = dispatch(&String::from_utf8_lossy(&text), ask.world.clock()).at?;
        Some((file_seq(&name)?, began.at))
    })
}

/// Refuses a given time before the run started, or before its last dispatch: the manifest has no times of its own.
pub(super) fn in_order(ask: &Ask<'_>, found: &Sources) -> Result<()> {
    if !ask.dated {
        return Ok(());
    }
    let start = found.marker().and_then(|marker| marker.start_time);
    let begun = starts(ask).map(|(_, at)| at);
    ask.not_before(begun.chain(start.map(|start| start.at)).max())
}

/// The seconds that a dispatch took, which began no earlier than its file says. Starts have whole seconds only.
fn duration(ask: &Ask<'_>, seq: u64) -> Result<Option<u64>> {
    let seconds = ask.whole("duration")?;
    let began = starts(ask).filter(|(own, _)| *own == seq);
    let Some((took, (_, began))) = seconds.zip(began.last()) else {
        return Ok(seconds);
    };
    let most = (ask.at - began).num_seconds().max(0).unsigned_abs();
    if took <= most.saturating_add(1) {
        return Ok(seconds);
    }
    let since = count(most, "second");
    let took = count(took, "second");
    Err(refused(format!(
        "--duration is {took}, and dispatch {seq} began {since} ago."
    )))
}

/// A dispatch belongs to the phase that the marker is at, or after a resume to an earlier one.
fn is_entered(ask: &Ask<'_>, found: &Sources, phase: &str) -> Result<()> {
    let Some(marker) = found.marker() else {
        return Ok(());
    };
    let rank = |phase: &str| understand(&marker.skill, phase).map(|phase| phase.rank);
    let now = marker.phase.as_deref().unwrap_or_default();
    if let (Some(at), Some(to)) = (rank(now), rank(phase))
        && to > at
    {
        let hint = format!("relight record {} phase {phase}", ask.site.key);
        return Err(refused(foreign!("The run is in phase {}.", now)).hint(hint));
    }
    Ok(())
}

/// The note for a dispatch that seems to run an open one again without saying so.
fn repeated(ask: &Ask<'_>, role: &str, phase: &str, task: Option<u64>) -> Vec<Foreign> {
    let Some(task) = task else {
        return Vec::new();
    };
    let same = unfinished(ask).into_iter().rfind(|line| {
        let is = |key: &str, value: &str| shown(line, key).as_deref() == Some(value);
        let open = json::text(line, "status") == Some("dispatched");
        open && is("role", role) && is("phase", phase) && is("task", &task.to_string())
    });
    let seq = same.as_ref().and_then(seq_of);
    let note = seq.map(|seq| {
        format!("Dispatch {seq} of the same task has no outcome: --replay-of {seq} says that this one runs it again.")
    });
    note.map(Foreign::from).into_iter().collect()
}

/// The last lines of the dispatches whose work is not done: without an outcome, or failed and not completed by another
/// one. The points and checks count the same ones.
pub(super) fn unfinished(ask: &Ask<'_>) -> Vec<Map<String, Value>> {
    let place = Place::known(&ask.site.dir, MANIFEST);
    let read = place.map(|place| Manifest::read(ask.world.files(), &place));
    let Ok(Ok(manifest)) = read else {
        return Vec::new();
    };
    let found = found(ask);
    let work = Work::of(&manifest, &skill(&found), &Crossings::default());
    let open = work.counted(&manifest);
    let open = open.filter(|(unit, _)| unit.state == UnitState::Open);
    let open: Vec<u64> = open.map(|(_, entry)| entry.seq).collect();
    let bytes = ask.read(&ask.site.file).ok().flatten().unwrap_or_default();
    let known = lines(&bytes).into_iter();
    let known = known.filter_map(|line| Some((seq_of(&line)?, line)));
    let last = known.filter(|(seq, _)| open.binary_search(seq).is_ok());
    last.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// The skill of a run.
fn skill(found: &Sources) -> String {
    let skill = found.marker().map(|marker| marker.skill.clone());
    skill.unwrap_or_else(|| "build".to_owned())
}

/// Ends a dispatch.
pub(super) fn done(ask: &Ask<'_>) -> Result<Written> {
    let [seq] = ask.words else {
        return Err(ask.usage("The number of the dispatch is missing."));
    };
    let seq = seq.parse::<u64>();
    let seq = seq.map_err(|_bad| ask.usage("The number of the dispatch is a number."))?;
    let status = ask.need("status")?;
    ask.one_of("status", &status, &OUTCOMES.map(|outcome| (outcome, ())))?;
    let summary = ask.need("summary")?;
    let duration = duration(ask, seq)?;
    let manifest = ask.read(&ask.site.file)?.unwrap_or_default();
    let known = lines(&manifest);
    let begun = known.iter().rfind(|line| seq_of(line) == Some(seq));
    let begun = begun.ok_or_else(|| refused(format!("There is no dispatch {seq}.")))?;
    let before = json::text(begun, "status").unwrap_or_default();
    // That the run continues without the work of a failed dispatch is decided after its outcome is known.
    let dropped = status == "skipped" && matches!(before, "failed" | "error");
    if before != "dispatched" && !dropped {
        let seq = seq.to_string();
        return Err(refused(foreign!("Dispatch {} is {} already.", seq, before)));
    }
    let mut line = begun.clone();
    line.insert("status".to_owned(), status.into());
    line.insert("duration_s".to_owned(), json!(duration));
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    line.insert("summary".to_owned(), summary.into());
    let found = found(ask);
    in_order(ask, &found)?;
    let phase = shown(&line, "phase").map(Cow::into_owned);
    let line = fitted(&Value::Object(line))?;
    let mut steps = vec![append(&ask.site.file, vec![line.clone()], "The outcome.")];
    steps.extend(copy::keep(ask, &found, &manifest, &line, None)?);
    let entered = found.marker().and_then(|marker| marker.phase.clone());
    let phase = entered.or(phase);
    Ok(Written {
        steps,
        next: phase.map(|phase| next(&skill(&found), &phase)),
        seq: Some(seq),
        ..Written::default()
    })
}

/// A line that is short enough for an atomic append; only its summary may be cut.
fn fitted(line: &Value) -> Result<String> {
    let summary = line.get("summary").and_then(Value::as_str);
    let summary: Vec<char> = summary.unwrap_or_default().chars().collect();
    let with = |keep: usize| {
        let mut line = line.clone();
        let cut = summary.iter().take(keep).chain(&['…']).collect::<String>();
        if let Some(line) = line.as_object_mut().filter(|_| keep < summary.len()) {
            line.insert("summary".to_owned(), cut.into());
        }
        one_line(&line, true)
    };
    let lengths: Vec<usize> = (0..=summary.len()).collect();
    let fitting = lengths.partition_point(|keep| with(*keep).len() < LINE);
    let text = "The line of the manifest would be longer than 4095 bytes.";
    let keep = fitting.checked_sub(1).ok_or_else(|| refused(text))?;
    Ok(with(keep))
}
