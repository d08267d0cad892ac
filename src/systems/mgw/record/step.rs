//! Records a step of an issue: its checkpoint, and the stage with it.
//!
//! The checkpoint is merged as the orchestrator does: scalars and `resume` are replaced, `step_progress` is merged by
//! key, `artifacts` and `step_history` only grow. A state file from before checkpoints gets the members that the
//! orchestrator's own migration adds.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::foreign;
use crate::formats::json::{self, At, Edit, NonAscii, edit};
use crate::formats::stamp;
use crate::model::{ClockStyle, EngineError, ErrorKind, Foreign, Result};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::lookup::Seen;
use crate::systems::mgw::record::{entry, next};
use crate::systems::mgw::shape::state_files::parse;
use crate::systems::mgw::shape::{
    Action, CheckpointShape, Home, Route, SCHEMA, Stage, State, Step,
};
use crate::text::format::list;

/// The kinds of artifact that the orchestrator knows.
const ARTIFACTS: [(&str, ()); 4] = [
    ("plan", ()),
    ("summary", ()),
    ("verification", ()),
    ("commit", ()),
];

/// The current state file.
pub(super) struct Current {
    pub(super) bytes: Vec<u8>,
    pub(super) state: State,
}

impl Current {
    /// Reads the state file of an issue in progress.
    pub(super) fn read(ask: &Ask<'_>) -> Result<Self> {
        let (file, key) = (&ask.site.file, &ask.site.key);
        let bytes = ask.read(file)?;
        let bytes = bytes.ok_or_else(|| {
            let text = format!("No state file found for issue #{key}.");
            EngineError::new(ErrorKind::NotFound, text)
        })?;
        let state = parse(&bytes).map_err(|damage| {
            let text = format!("Cannot parse state file for #{key}: {}.", damage.why);
            EngineError::unreadable(text)
        })?;
        let archive = Home::Completed.word();
        if file.parent().is_some_and(|dir| dir.ends_with(archive)) {
            return Err(refused(format!("Issue #{key} is archived in completed/.")));
        }
        Ok(Self { bytes, state })
    }

    /// The state file with these edits applied. Nothing comes next where a person must decide first.
    pub(super) fn edited(self, ask: &Ask<'_>, edits: &[Edit<'_>]) -> Result<Written> {
        let after = edit(&self.bytes, edits, NonAscii::Raw)
            .map_err(|why| refused(format!("The state file is not changed: {why}.")))?;
        let after_it = parse(&after);
        let (file, before) = (&ask.site.file, Some(self.bytes));
        let step = replace(file, before, after, "The issue's state.");
        let mut written = Written::new(vec![step], None);
        if let Ok(state) = after_it {
            let (next, lack) = next::listed(ask, &state);
            written.next = next;
            written.notes = missing(ask, &state)?;
            written.notes.extend(lack);
        }
        Ok(written)
    }
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let state = &current.state;
    let step = word::<Step>(ask, "step", &Step::ALL.map(Step::word))?;
    let step = step.ok_or_else(|| ask.usage("--step is missing."))?;
    let action = word::<Action>(ask, "action", &Action::ALL.map(Action::word))?;
    let none = Map::new();
    let like = state.checkpoint().map_or(&none, |old| &old.context);
    let context = ask.pairs("context", like)?;
    if context.is_some() && action.is_none() {
        return Err(ask.usage("--context needs --action: both are replaced together."));
    }
    writable(ask, state)?;
    let now = ClockStyle::UtcMillis.write(ask.at);
    let mut edits = stage(ask, state, step, &now)?;
    edits.extend(linked(ask, state)?);
    let resume = action
        .map(|action| json!({"action": action.word(), "context": context.unwrap_or_default()}));
    let entries = Entries {
        artifacts: artifacts(ask, &now)?,
        history: history(ask, step, &now)?,
    };
    regressed(state, step, &entries)?;
    let like = json::child(state.map(), "checkpoint");
    let like = like.and_then(|old| json::child(old, "step_progress"));
    let progress = ask.pairs("progress", like.unwrap_or(&none))?;
    let progress = progress.unwrap_or_default();
    tasks(like.unwrap_or(&none), &progress)?;
    let saved = checkpoint(ask, state, step, resume, entries, &progress, &now)?;
    edits.extend(saved);
    current.edited(ask, &edits)
}

/// A note for each artifact that the checks would not find in the new state, which may name another branch.
fn missing(ask: &Ask<'_>, state: &State) -> Result<Vec<Foreign>> {
    let named = ask.list("artifact")?;
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let site = ask.site;
    let lookup = Facts::gather_for(ask.world, &site.dir, &site.key, Some(state)).lookup;
    let paths = named.iter().filter_map(|text| text.rsplit_once(':'));
    let odd = paths.filter_map(|(path, _)| match lookup.find(ask.world, path) {
        Seen::Missing | Seen::Empty(_) => Some(foreign!("{} is missing or empty.", path)),
        Seen::Odd(_) => Some(foreign!("{} is no file that can be read.", path)),
        Seen::Closed(_) | Seen::Unread => Some(foreign!("Whether {} exists is unknown.", path)),
        Seen::Found(_) | Seen::Refused(_) | Seen::Url => None,
    });
    Ok(odd.collect())
}

/// A value of the vocabulary.
fn word<T: FromStr>(ask: &Ask<'_>, option: &str, known: &[&str]) -> Result<Option<T>> {
    let parse = |typed: String| {
        typed.parse().map_err(|_unknown| {
            refused(format!("There is no {option} {typed}."))
                .hint(format!("Known values: {}.", list(known)))
                .near(&typed, known.iter().copied())
        })
    };
    ask.text(option)?.map(parse).transpose()
}

/// Writes only a checkpoint of the known version, and none that was updated later.
fn writable(ask: &Ask<'_>, state: &State) -> Result<()> {
    match (state.checkpoint_shape(), state.checkpoint()) {
        (CheckpointShape::Wrong(kind), _) => {
            return Err(refused(format!("The checkpoint is {kind}, not an object.")));
        }
        (_, Some(checkpoint)) if checkpoint.schema != SCHEMA => {
            let schema = checkpoint.schema;
            let text =
                format!("The checkpoint has version {schema}; relight writes version {SCHEMA}.");
            return Err(refused(text));
        }
        _ => {}
    }
    let zone = ask.world.clock();
    let updated = state.checkpoint().and_then(|one| one.updated_at.as_deref());
    let updated = updated.and_then(|at| stamp::parse(at, zone));
    ask.not_before(updated.map(|updated| updated.at))
}

/// The edits of `pipeline_stage`. The stage must agree with the step, as `verify` requires.
fn stage(ask: &Ask<'_>, state: &State, step: Step, now: &str) -> Result<Vec<Edit<'static>>> {
    let written = |stage: &Stage| *stage != Stage::PrPending;
    let writable = Stage::ALL.into_iter().filter(written).map(Stage::word);
    let writable: Vec<&str> = writable.collect();
    let asked = word::<Stage>(ask, "stage", &writable)?;
    if asked == Some(Stage::PrPending) {
        let error = refused("The stage pr-pending is not one of the orchestrator's.");
        return Err(error.hint("It means verifying without a pull request yet: --stage verifying"));
    }
    let now_at = state.stage();
    let then = asked.or(now_at);
    // A stage that waits for a person says nothing of the step at which it stops: the one before it does.
    let at = if then.is_some_and(Stage::waits) {
        now_at
    } else {
        then
    };
    if let Some(stage) = at.filter(|stage| stage.waits()) {
        next::waits(state, stage, step)?;
    }
    let agrees = step == Step::Triage
        || at.is_none_or(|stage| stage.waits() || step.stages().contains(&stage));
    if !agrees {
        let (word, stage) = (step.word(), at.map_or("", Stage::word));
        let text = format!("The step {word} does not fit the stage {stage}.");
        let fitting = step.stages().iter().copied().filter(written);
        let fitting: Vec<&str> = fitting.map(Stage::word).collect();
        let fitting = fitting.join(" or ");
        return Err(refused(text).hint(format!("Name the stage with --stage: {fitting}.")));
    }
    match asked {
        Some(to) if asked != now_at => transition(ask, state, to, now),
        _ => Ok(Vec::new()),
    }
}

/// The edits of a transition, the same as those of the orchestrator's own helper.
pub(super) fn transition(
    ask: &Ask<'_>,
    state: &State,
    to: Stage,
    now: &str,
) -> Result<Vec<Edit<'static>>> {
    let mut edits = vec![Edit::member("pipeline_stage", to.word())];
    let Some(from) = state.stage() else {
        return match state.stage_text() {
            None => Ok(edits),
            Some(text) => Err(refused(format!("The current stage {text} is unknown."))),
        };
    };
    if !from.next().contains(&to) {
        let allowed: Vec<&str> = from.next().into_iter().map(Stage::word).collect();
        let (from, to) = (from.word(), to.word());
        let text = format!("A stage {to} does not follow {from}.");
        let hint = if allowed.is_empty() {
            format!("{from} is the last stage.")
        } else {
            format!("After {from} comes {}.", allowed.join(", "))
        };
        return Err(refused(text).hint(hint));
    }
    if (from.waits() || state.dead_letter()) && ask.text("approved-by")?.is_none() {
        let text = format!("Only a person may end the stage {}.", from.word());
        return Err(refused(text).hint("Name the person who decided: --approved-by NAME"));
    }
    edits.push(Edit::member("previous_stage", from.word()));
    edits.push(Edit::member("last_transition", now));
    Ok(edits)
}

/// Pull request and route. A number that the file has as text stays text.
fn linked(ask: &Ask<'_>, state: &State) -> Result<Vec<Edit<'static>>> {
    let mut edits = Vec::new();
    if let Some(number) = ask.whole("linked-pr")? {
        let typed = ask.assigned(&[format!("linked_pr={number}")], state.map())?;
        let value = typed.into_iter().map(|(_, value)| value);
        edits.extend(value.map(|value| Edit::member("linked_pr", value)));
    }
    if let Some(route) = ask.text("route")? {
        if Route::parse(Some(&route)) == Route::Unknown {
            return Err(refused(format!("There is no route {route}.")));
        }
        edits.push(Edit::member("gsd_route", route));
    }
    Ok(edits)
}

/// No more tasks are completed than there are.
fn tasks(old: &Map<String, Value>, new: &Map<String, Value>) -> Result<()> {
    let of = |key: &str| new.get(key).or_else(|| old.get(key)).and_then(json::as_int);
    let (done, all) = ("tasks_completed", "tasks_total");
    let told = new.contains_key(done) || new.contains_key(all);
    match of(done)
        .zip(of(all))
        .filter(|(done, all)| told && done > all)
    {
        Some((is, of)) => Err(refused(format!("{done} is {is}, and {all} is {of}."))),
        None => Ok(()),
    }
}

/// The additions to the two lists.
struct Entries {
    artifacts: Vec<Value>,
    history: Vec<Value>,
}

fn artifacts(ask: &Ask<'_>, now: &str) -> Result<Vec<Value>> {
    let entry = |text: &String| {
        let parts = text.rsplit_once(':').filter(|(path, _)| !path.is_empty());
        let (path, kind) = parts.ok_or_else(|| ask.usage("--artifact is PATH:TYPE."))?;
        ask.one_of("type of artifact", kind, &ARTIFACTS)?;
        Ok(json!({"path": path, "type": kind, "created_at": now}))
    };
    ask.list("artifact")?.iter().map(entry).collect()
}

fn history(ask: &Ask<'_>, step: Step, now: &str) -> Result<Vec<Value>> {
    let of = |text: &String| {
        let (agent, output) = text.split_once(':').unwrap_or((text, ""));
        entry(
            step,
            now,
            agent,
            Some(output).filter(|output| !output.is_empty()),
        )
    };
    Ok(ask.list("history")?.iter().map(of).collect())
}

/// A step before the last one of the history would look as if triage had reset the checkpoint.
fn regressed(state: &State, step: Step, entries: &Entries) -> Result<()> {
    let last = state.checkpoint().and_then(|old| old.last_past);
    let later = last.filter(|last| *last > step && entries.history.is_empty());
    later.map_or(Ok(()), |last| {
        let text = format!("The history is already at {}.", last.word());
        let hint = "If the step was repeated, add it to the history: --history AGENT:OUTPUT";
        Err(refused(text).hint(hint))
    })
}

fn checkpoint<'p>(
    ask: &Ask<'_>,
    state: &State,
    step: Step,
    resume: Option<Value>,
    entries: Entries,
    progress: &'p Map<String, Value>,
    now: &str,
) -> Result<Vec<Edit<'p>>> {
    let output = ask.text("agent-output")?;
    let Some(old) = json::child(state.map(), "checkpoint") else {
        let resume = resume.unwrap_or_else(|| json!({"action": null, "context": {}}));
        let whole = json!({
            "schema_version": SCHEMA, "pipeline_step": step.word(), "step_progress": progress,
            "last_agent_output": output, "artifacts": entries.artifacts, "resume": resume,
            "started_at": now, "updated_at": now, "step_history": entries.history,
        });
        return Ok(migration(state.map(), whole));
    };
    let at = |key: &'static str| vec![At::Key("checkpoint"), At::Key(key)];
    let mut edits = vec![Edit::set(at("pipeline_step"), step.word())];
    match json::child(old, "step_progress") {
        // By key, so that the other members keep their bytes.
        Some(_) => edits.extend(progress.iter().map(|(key, value)| {
            let path = ["checkpoint", "step_progress", key.as_str()].map(At::Key);
            Edit::set(path, value.clone())
        })),
        None => edits.push(Edit::set(at("step_progress"), progress.clone())),
    }
    edits.extend(output.map(|output| Edit::set(at("last_agent_output"), output)));
    let lists = [
        ("artifacts", entries.artifacts),
        ("step_history", entries.history),
    ];
    for (key, add) in lists.into_iter().filter(|(_, add)| !add.is_empty()) {
        let (path, drop) = (at(key), Vec::new());
        edits.push(Edit::List { path, drop, add });
    }
    edits.extend(resume.map(|resume| Edit::set(at("resume"), resume)));
    edits.push(Edit::set(at("updated_at"), now));
    Ok(edits)
}

/// The members that the orchestrator's own migration adds if they are missing, with the first checkpoint.
fn migration(state: &Map<String, Value>, checkpoint: Value) -> Vec<Edit<'static>> {
    let added = [("retry_count", json!(0)), ("dead_letter", json!(false))];
    let added = added.into_iter();
    let missing = added.filter(|(key, _)| !state.contains_key(*key));
    let all = missing.chain([("checkpoint", checkpoint)]);
    all.map(|(key, value)| Edit::member(key, value)).collect()
}
