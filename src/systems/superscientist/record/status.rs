//! Records a new status of a stage: the state file and the log line that every transition needs.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::formats::json::{self, Edit, NonAscii, edit};
use crate::model::{ClockStyle, EngineError, ErrorKind, NextStep, Place, Result, Step};
use crate::systems::kit::forms::{Ask, Written, append, refused, replace};
use crate::systems::superscientist::facts::{Flow, Graph, jobs};
use crate::systems::superscientist::points::list;
use crate::systems::superscientist::record::{afresh, aside, one_line, session, without_job};
use crate::systems::superscientist::shape::sniff::load;
use crate::systems::superscientist::shape::{
    JobRecord, LOG, Loaded, Log, PAUSE, STATE, Stage, StageStatus, State,
};
use crate::text::format::{self, count};

/// The statuses that can be recorded; `pending` is only the first one, and the others need an amendment.
const RECORDED: [StageStatus; 6] = [
    StageStatus::Ready,
    StageStatus::Preparing,
    StageStatus::Running,
    StageStatus::PostProcessing,
    StageStatus::Completed,
    StageStatus::Failed,
];

/// The current state of a workflow.
pub(super) struct Current {
    pub(super) state: State,
    pub(super) graph: Graph,
}

impl Current {
    pub(super) fn read(ask: &Ask<'_>) -> Result<Self> {
        let wrong = |kind, why: &str| EngineError::new(kind, format!("{STATE}: {why}."));
        let state = match load(&ask.site.dir, ask.world) {
            Loaded::Object(bytes, map) => State::read(bytes, map)
                .ok_or_else(|| wrong(ErrorKind::Unreadable, "it has no stages"))?,
            Loaded::Corrupt(_, error) => return Err(wrong(ErrorKind::Unreadable, &error.text)),
            Loaded::Unreadable(why) => {
                let error = wrong(ErrorKind::Refused, &why.to_string());
                let hint = "relight record WORKFLOW init --system superscientist --from PLAN.json";
                return Err(error.hint(hint));
            }
        };
        let graph = Graph::new(&state.stages);
        if graph.is_broken() {
            return Err(refused("The stages contradict each other.").hint("See relight verify."));
        }
        session::in_order(ask, &state)?;
        Ok(Self { state, graph })
    }

    /// The state file with these edits, and these messages for the log.
    pub(super) fn edited(
        self,
        ask: &Ask<'_>,
        mut edits: Vec<Edit<'_>>,
        messages: &[String],
    ) -> Result<Written> {
        let (mut steps, mut state) = (Vec::new(), Some(self.state.clone()));
        let now = ClockStyle::LocalOffset.write(ask.at);
        if !edits.is_empty() {
            if self.state.map.contains_key("updated") {
                edits.push(Edit::member("updated", now.as_str()));
            }
            let after = edit(&self.state.bytes, &edits, NonAscii::Raw)
                .map_err(|why| refused(format!("{STATE} is not changed: {why}.")))?;
            state = State::parse(after.clone());
            let (file, before) = (&ask.site.file, Some(self.state.bytes));
            let step = replace(file, before, after, "The workflow's state.");
            steps.push(step);
        }
        steps.push(logged(ask, messages));
        Ok(Written::new(
            steps,
            state.and_then(|state| next(ask, state)),
        ))
    }
}

/// Lines of the log.
pub(super) fn logged(ask: &Ask<'_>, messages: &[String]) -> Step {
    let now = ClockStyle::LocalOffset.write(ask.at);
    let line = |message: &String| format!("[{now}] {}", one_line(message));
    let lines = messages.iter().map(line).collect();
    append(ask.site.dir.join(LOG), lines, "The log.")
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    let [stage, word] = ask.words else {
        return Err(ask.usage("Give a stage and its status."));
    };
    let current = Current::read(ask)?;
    let state = &current.state;
    let stage = find(state, stage)?;
    let to = StageStatus::parse(word);
    if to == StageStatus::Unknown {
        let known = RECORDED.map(StageStatus::word);
        let error = refused(format!("There is no status {word}."));
        let hint = format!("Known: {}.", format::list(known));
        return Err(error.hint(hint).near(word, known));
    }
    let amended = [
        (StageStatus::Skipped, "skip"),
        (StageStatus::Invalidated, "rerun"),
    ];
    if let Some((_, verb)) = amended.iter().find(|(status, _)| *status == to) {
        let error = refused(format!("{word} needs an amendment that a person approves."));
        return Err(error.hint(format!("relight resume WORKFLOW {}:{verb}", stage.id)));
    }
    let again = stage.status == StageStatus::Running && to == StageStatus::Running;
    if ask.flag("recovered") != again {
        return Err(if again {
            refused(format!("{} is running.", stage.id))
                .hint("For a relaunched job, add --recovered.")
        } else {
            ask.usage("--recovered only fits a running stage that is launched again.")
        });
    }
    if !again && !stage.status.next().contains(&to) {
        return Err(not_next(stage, word));
    }
    ready(ask, &current, stage, to)?;
    let (edits, messages) = changes(ask, state, stage, to)?;
    // Otherwise the next wait would end at once with the exit code of the failed attempt.
    let stale = stage.status == StageStatus::Failed && to == StageStatus::Ready;
    let stale = stale.then(|| aside::markers(&ask.site.dir, stage, ask.world));
    let mut written = current.edited(ask, edits, &messages)?;
    written.steps.extend(stale.into_iter().flatten());
    Ok(written)
}

/// The stage with an id; its number alone is accepted too.
fn find<'s>(state: &'s State, id: &str) -> Result<&'s Stage> {
    let number = id.parse::<u64>().ok();
    let fits = |stage: &&Stage| stage.id == id || number.is_some() && stage.number() == number;
    let found = state.stages.iter().find(fits);
    found.ok_or_else(|| {
        let known = state.stages.iter().map(|stage| stage.id.as_str());
        refused([b"There is no stage ", id.as_bytes(), b"."].concat()).near(id, known)
    })
}

fn not_next(stage: &Stage, word: &str) -> EngineError {
    let (id, now) = (one_line(&stage.id), one_line(&stage.word));
    let error = refused(format!("{id} is {now}; {word} cannot follow."));
    match stage.status.next() {
        [] => error,
        next => {
            let next = format::list(next.iter().map(|status| status.word()));
            error.hint(format!("Expected: {next}."))
        }
    }
}

/// Refuses a status that the other stages do not allow.
fn ready(ask: &Ask<'_>, current: &Current, stage: &Stage, to: StageStatus) -> Result<()> {
    let (state, graph) = (&current.state, &current.graph);
    let approved = ask.text("approved-by")?.is_some();
    if to != StageStatus::Failed {
        let unmet = graph.unmet(stage.index, &state.stages, StageStatus::is_done);
        if !unmet.is_empty() {
            let names = unmet.iter().filter_map(|at| state.stages.get(*at));
            let names = format::list(names.map(|stage| one_line(&stage.id)));
            return Err(refused(format!("{} depends on {names}.", stage.id)));
        }
        let skipped = graph.unmet(stage.index, &state.stages, |status| {
            status == StageStatus::Completed
        });
        if to == StageStatus::Ready && !skipped.is_empty() && !approved {
            let error = refused("A stage it depends on was skipped.");
            return Err(error.hint("Name the person who accepts that: --approved-by NAME"));
        }
    }
    if (stage.status, to) == (StageStatus::Failed, StageStatus::Ready)
        && state.is_exhausted(stage)
        && !approved
    {
        let times = count(stage.retry_count.unsigned_abs(), "time");
        let text = format!("{} was retried {times}.", stage.id);
        return Err(refused(text).hint("Name the person who allows one more: --approved-by NAME"));
    }
    if (stage.status, to) == (StageStatus::Running, StageStatus::PostProcessing) && !approved {
        ended_well(ask, stage)?;
    }
    if to == StageStatus::Completed {
        for output in &stage.outputs {
            if !is_filled(&ask.site.dir, output, ask) {
                let text = [b"The output ", output.as_bytes(), b" is missing or empty."].concat();
                return Err(refused(text));
            }
        }
    }
    Ok(())
}

/// Refuses the results of a job that ended with an error, or with an unknown result, by its own marker.
fn ended_well(ask: &Ask<'_>, stage: &Stage) -> Result<()> {
    let dir = &ask.site.dir;
    let log = ask.read(&dir.join(LOG))?.unwrap_or_default();
    let log = Log::read(log, ask.world.clock());
    let how = match jobs::ended(dir, stage, &log, ask.world) {
        None | Some(Ok(0)) => return Ok(()),
        Some(exit) => jobs::how(&exit),
    };
    let id = one_line(&stage.id);
    let failed = format!("relight record WORKFLOW {id} failed --error TEXT");
    let error = refused(format!("The job of {id} {how}.")).hint(failed);
    Err(error.hint("Or name the person who accepts its results: --approved-by NAME"))
}

fn is_filled(dir: &Path, output: &str, ask: &Ask<'_>) -> bool {
    let files = ask.world.files();
    let place = Place::foreign(&[dir], output.as_bytes());
    place.is_ok_and(|place| match files.list(&place) {
        Ok(entries) => !entries.is_empty(),
        Err(_) => files.stat(&place).is_ok_and(|stat| stat.size > 0),
    })
}

/// The changes of the stage, and the log messages.
fn changes<'a>(
    ask: &Ask<'_>,
    state: &State,
    stage: &Stage,
    to: StageStatus,
) -> Result<(Vec<Edit<'a>>, Vec<String>)> {
    let now = ClockStyle::LocalOffset.write(ask.at);
    let set = |key: &'static str, value: Value| Edit::set(stage.member(key), value);
    let mut edits = vec![set("status", json!(to.word()))];
    let mut messages = Vec::new();
    let error = ask.text("error")?;
    if error.is_some() && to != StageStatus::Failed {
        return Err(ask.usage("--error only fits the status failed."));
    }
    let mut detail = ask.text("note")?;
    match (stage.status, to) {
        (StageStatus::Invalidated, StageStatus::Ready) => {
            edits.extend(afresh().map(|(key, value)| set(key, value)));
        }
        (StageStatus::Failed, StageStatus::Ready) => {
            let count = stage.retry_count + 1;
            edits.push(set("retry_count", json!(count)));
            edits.extend(without_job(state, stage));
            let note = detail.take().unwrap_or_else(|| "not described".to_owned());
            messages.push(format!("{}: retry #{count} after fix: {note}", stage.id));
        }
        (_, StageStatus::Preparing) => {
            edits.push(set("started_at", json!(now)));
            edits.extend(without_job(state, stage));
        }
        (from, StageStatus::Running) => {
            let again = from == StageStatus::Running;
            let job = job(ask, state, stage, &now, again)?;
            let session = job.get("tmux_session").and_then(Value::as_str);
            let session = session.unwrap_or_default();
            detail = Some(detail.unwrap_or_else(|| format!("tmux: {session}")));
            edits.push(set("running_process", job));
            if again {
                let id = &stage.id;
                messages.push(format!("Recovering {id}: re-launching DPDispatcher"));
            }
        }
        (_, StageStatus::Completed) => edits.push(set("completed_at", json!(now))),
        (_, StageStatus::Failed) => {
            let error = ask.need("error")?;
            edits.push(set("last_error", json!(error)));
            detail = Some(detail.map_or_else(|| error.clone(), |note| format!("{error}; {note}")));
        }
        _ => {}
    }
    let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
    let (label, word) = (stage.label(), to.word());
    messages.push(format!("{label}: status -> {word}{detail}"));
    Ok((edits, messages))
}

/// `running_process`; omitted names are derived from the stage's folder.
fn job(ask: &Ask<'_>, state: &State, stage: &Stage, now: &str, again: bool) -> Result<Value> {
    let old = state.raw_stage(stage.index).filter(|_| again);
    let old = old.and_then(|raw| json::child(raw, "running_process"));
    let mut job = old.cloned().unwrap_or_default();
    let id = one_line(&stage.id);
    let usual = JobRecord::read(&Map::new(), &id);
    let submission = format!("{id}/submission.json");
    for (key, given, usual) in [
        ("tmux_session", ask.text("tmux")?, usual.tmux_session),
        ("submission_json", ask.text("submission")?, submission),
        ("wrapper_script", ask.text("wrapper")?, usual.wrapper_script),
        ("done_marker", None, usual.done_marker),
        ("exit_code_file", None, usual.exit_code_file),
    ] {
        if given.is_some() || !job.contains_key(key) {
            job.insert(key.to_owned(), given.unwrap_or(usual).into());
        }
    }
    job.insert("recovery_attempted".to_owned(), again.into());
    job.insert("launched_at".to_owned(), now.into());
    Ok(Value::Object(job))
}

/// What comes next by the table that recommends the resume point; `None` where a person must decide first.
pub(super) fn next(ask: &Ask<'_>, state: State) -> Option<NextStep> {
    let flow = Flow::of_caller(state);
    let waits = flow.next.needs_person() || ask.world.files().has(&ask.site.dir, PAUSE);
    let point = list::recommended(&flow).filter(|_| !waits)?;
    let phase = point.of(&flow).map_or("", |stage| &stage.id);
    let (id, label) = (list::id(&flow, point).0, list::label(&flow, point));
    Some(NextStep::new(id, label, phase))
}
