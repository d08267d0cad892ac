//! Records an executed step: the state file with `last_execution`, after saving the old one as `.backup`, as the plugin
//! does.

use chrono::{DateTime, FixedOffset, TimeDelta, Timelike as _};
use serde_json::{Map, Value};

use crate::foreign;
use crate::formats::json::{At, Edit, NonAscii, edit};
use crate::model::{ClockStyle, EngineError, Foreign, NextStep, Result, Verdict};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::systems::nine_step::checks::is_recorded;
use crate::systems::nine_step::facts::layout::Layout;
use crate::systems::nine_step::facts::ledger::{Ledger, Spot};
use crate::systems::nine_step::facts::{Facts, discovery};
use crate::systems::nine_step::points::decision::{Outlook, Target, recorded};
use crate::systems::nine_step::record::{entry, next_step, position};
use crate::systems::nine_step::shape::status::Class;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::systems::nine_step::shape::{State, parse};
use crate::text::Shown as _;
use crate::text::format::{list, longest_unit};

/// How far clocks may differ without a note.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// A moment in the zone of whoever records it.
type Time = DateTime<FixedOffset>;

/// The statuses that can be recorded.
const STATUSES: [(&str, Class); 6] = [
    ("completed", Class::Success),
    ("approved", Class::Success),
    ("failed", Class::Failure),
    ("rejected", Class::Hard),
    ("waiting_approval", Class::Waiting),
    ("in_progress", Class::InFlight),
];

/// The step to record.
struct Executed {
    phase: i64,
    step: StepNo,
    class: Class,
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let file = &ask.site.file;
    let bytes = ask.read(file)?;
    let bytes = bytes.ok_or_else(|| {
        let text = format!("{} does not exist.", file.shown());
        refused(text).hint("Start with: relight record WORKTREE init --system nine-step …")
    })?;
    let state = parse(&bytes, ask.world.clock()).map_err(|damage| {
        let text = format!("Workflow state file corrupted: {}.", damage.why);
        EngineError::unreadable(text)
    })?;
    let phase = ask.whole("phase")?.map(i64::try_from).and_then(Result::ok);
    let phase = phase.ok_or_else(|| ask.usage("--phase is missing."))?;
    let typed = ask.need("step")?;
    let step = StepNo::read(&Value::from(typed.as_str())).map(|(step, _)| step);
    let step = step.ok_or_else(|| {
        let known = list(StepNo::ALL);
        refused(format!("There is no step {typed}.")).hint(format!("Known: {known}."))
    })?;
    let status = ask.need("status")?;
    let class = recordable(ask, &status)?;
    let executed = Executed { phase, step, class };
    follows(&state, &executed)?;
    let newest = state.newest().map(|newest| newest.at);
    ask.not_before(newest)?;
    let at = after(newest, ask.at);
    let record = record(ask, &state, &executed, (&status, at))?;
    let mut notes = committed(ask, &executed, &record)?;
    notes.extend(ahead(at - ask.at));
    let mut edits = Vec::from(position(&state, (phase, step)));
    let record = Value::Object(record);
    edits.push(Edit::member("last_execution", record.clone()));
    if class.is_done() {
        edits.push(Edit::push([At::Key("completed_steps")], record));
    }
    let after = edit(&bytes, &edits, NonAscii::Escaped)
        .map_err(|why| refused(format!("The state file is not changed: {why}.")))?;
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".backup");
    let backup = file.with_file_name(name);
    let old = ask.read(&backup)?;
    Ok(Written {
        steps: vec![
            replace(&backup, old, bytes.clone(), "The previous state file."),
            replace(file, Some(bytes), after, "The step."),
        ],
        next: next((phase, step), class, state.total),
        notes,
        at: Some(at),
        ..Written::default()
    })
}

/// What a status means; words that only others write are read, and not recorded.
fn recordable(ask: &Ask<'_>, status: &str) -> Result<Class> {
    ask.one_of("status", status, &STATUSES).map_err(|unknown| {
        if Class::of(status) == Class::Unknown {
            return unknown;
        }
        let known = list(STATUSES.map(|(word, _)| word));
        let text = foreign!("The status {} cannot be recorded: it is only read.", status);
        refused(text).hint(format!("Record one of: {known}."))
    })
}

/// The time of a record, as the file has it, in whole seconds: never before the newest one. The times have no zone, and
/// the newest one decides where the work stopped: if it was written by a clock or in a zone that is ahead, a failure of
/// now would be taken for an older one.
fn after(newest: Option<Time>, now: Time) -> Time {
    let second = |at: Time| at.with_nanosecond(0).unwrap_or(at);
    let now = second(now);
    let newest = newest.filter(|newest| *newest > now);
    let next = newest.and_then(|newest| second(newest).checked_add_signed(TimeDelta::seconds(1)));
    next.map_or(now, |next| next.with_timezone(now.offset()))
}

/// The note for a record whose time is not this machine's.
fn ahead(by: TimeDelta) -> Option<Foreign> {
    (by > SKEW).then(|| {
        let by = longest_unit(by);
        let text = format!(
            "The last record is {by} ahead of this machine's clock; this one is dated right after it, so that their order stays. Check the clocks and time zones."
        );
        text.into()
    })
}

/// What the checks would find of a commit: an id that is not in the repository is refused, and a phase that no commit
/// names yet is noted, because the commit may follow its record.
fn committed(
    ask: &Ask<'_>,
    executed: &Executed,
    record: &Map<String, Value>,
) -> Result<Vec<Foreign>> {
    let id = record.get("commit_sha").and_then(Value::as_str);
    let commits = executed.step == StepNo::Commit && executed.class.is_done();
    if id.is_none() && !commits {
        return Ok(Vec::new());
    }
    let dir = ask.world.files().resolved(&ask.site.dir);
    let layout = Layout::of(ask.world, &dir);
    let file = ask.site.file.file_name().map(|name| dir.join(name));
    let candidate = discovery::of_file(ask.world, &layout, &file.unwrap_or_default());
    let Some(candidate) = candidate else {
        return Ok(Vec::new());
    };
    let facts = Facts::gather(ask.world, &candidate);
    if let Some(id) = id
        && is_recorded(&facts, id, ask.world) == Verdict::Fail
    {
        let text = [b"commit_sha ", id.as_bytes(), b" is not in the repository."].concat();
        return Err(refused(text).hint("Commit first, then record the commit's id."));
    }
    let named = facts.git.phases.contains_key(&executed.phase);
    let known = facts.git.error.is_none() && facts.git.tip.is_some();
    if !commits || !known || named {
        return Ok(Vec::new());
    }
    let phase = executed.phase;
    let text = format!("No commit of the branch names phase {phase} yet.");
    Ok(vec![text.into()])
}

/// Refuses a step that cannot follow the last one.
fn follows(state: &State, executed: &Executed) -> Result<()> {
    let Some((at_phase, at)) = state.last.spot() else {
        let error = refused("last_execution names no phase and step.");
        return Err(error.hint("Repair the file by hand."));
    };
    let (phase, step) = (executed.phase, executed.step);
    let done = state.last.class().is_done();
    let over = at == StepNo::Commit && done;
    let allowed = if phase == at_phase {
        step <= at || done && at.next() == Some(step)
    } else {
        over && phase == at_phase + 1
            && matches!(step, StepNo::Plan | StepNo::Code)
            && state.total.is_none_or(|total| phase <= total)
    };
    if allowed || is_recommended(state, executed) {
        return Ok(());
    }
    let shown = format!("Step {step} of phase {phase}");
    let current = format!("step {at} of phase {at_phase}");
    let ended = if phase == at_phase && !done && step > at {
        format!(", whose status is {}", state.last.status)
    } else {
        String::new()
    };
    let error = refused(format!("{shown} cannot follow {current}{ended}."));
    Err(match at.next() {
        Some(next) if done => error.hint(format!(
            "Expected: step {} of phase {at_phase}, or an earlier step of the phase again.",
            next.named()
        )),
        None if done && state.total.is_none_or(|total| at_phase < total) => {
            error.hint(format!("Expected: step 1 or 3 of phase {}.", at_phase + 1))
        }
        None if done => error.hint("All phases are completed: the merge is next."),
        _ => error.hint(format!("Record how step {} ended first.", at.named())),
    })
}

/// Whether the records lead to a step: after a resume that skipped a step or a phase, `resume_plan` names the next one.
fn is_recommended(state: &State, executed: &Executed) -> bool {
    let outlook = Outlook {
        total: state.total,
        planned: &|_| Some(true),
        uncommitted: &|_| false,
    };
    let decision = recorded(&Ledger::of(state), state.resume_plan.as_ref(), &outlook);
    decision.chosen == Target::Step(executed.phase, executed.step)
}

/// The record with its members in the plugin's order.
fn record(
    ask: &Ask<'_>,
    state: &State,
    executed: &Executed,
    (status, at): (&str, Time),
) -> Result<Map<String, Value>> {
    let step = executed.step;
    let agent = ask.text("agent")?;
    let agent = agent.unwrap_or_else(|| step.agent().to_owned());
    let works_at = StepNo::of_agent(&agent, Some(step));
    if works_at.is_some_and(|at| at != step) || works_at.is_none() && step.is_gate() {
        let text = format!("{agent} does not work at step {}.", step.named());
        return Err(refused(text).hint(format!("Its agent is {}.", step.agent())));
    }
    let approved_by = ask.text("approved-by")?;
    if step == StepNo::Approval && executed.class.is_done() && approved_by.is_none() {
        let text = "Only a person may approve the plan (step 2.5).";
        return Err(refused(text).hint("Name the person: --approved-by NAME"));
    }
    let error = ask.text("error")?.filter(|text| !text.trim().is_empty());
    if error.is_some() && executed.class.is_done() {
        return Err(ask.usage(format!("--error does not fit the status {status}.")));
    }
    let at = ClockStyle::LocalNaive.write(at);
    let mut record = entry(state, (executed.phase, step), &agent, status, &at);
    let more = [("error_message", error), ("approved_by", approved_by)].into_iter();
    record.extend(more.filter_map(|(key, text)| Some((key.to_owned(), text?.into()))));
    let mut like = state.members.clone();
    // The id of a commit may have digits only.
    like.insert("commit_sha".to_owned(), Value::from(""));
    for (key, value) in ask.pairs("result", &like)?.unwrap_or_default() {
        if record.insert(key.clone(), value).is_some() {
            return Err(ask.usage(format!("--result may not replace {key}.")));
        }
    }
    Ok(record)
}

/// The next step; `None` if a person must decide first.
pub(super) fn next(spot: Spot, class: Class, total: Option<i64>) -> Option<NextStep> {
    let (phase, step) = spot;
    let (phase, step) = match (class, step.next()) {
        (Class::Success | Class::Conditional, Some(next)) => (phase, next),
        (Class::Success | Class::Conditional, None) if total == Some(phase) => {
            let label = "Merge and clean up, after your approval";
            return Some(NextStep::new("merge", label, phase.to_string()));
        }
        (Class::Success | Class::Conditional, None) => (phase + 1, StepNo::Code),
        (Class::Failure, _) => (phase, step.returns_to()),
        (Class::InFlight, _) => (phase, step),
        (Class::Waiting | Class::Hard | Class::Unknown, _) => return None,
    };
    Some(next_step(phase, step))
}
