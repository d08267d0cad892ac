//! The changes that a point makes to the state file. The recommended point writes nothing; the others set step,
//! action, context and stage, and add an entry to the history, which is append-only.

pub(crate) mod forms;
mod lifecycle;
pub(crate) mod merge;
mod next;
pub(crate) mod rewind;
mod step;
pub(crate) mod step_start;
pub(crate) mod trails;

use serde_json::{Map, Value, json};

use crate::formats::json::{At, CLOCK, Edit, NonAscii, edit};
use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::shape::state::RELIGHT;
use crate::systems::mgw::shape::{Action, CheckpointShape, SCHEMA, Stage, State, Step};

/// Checkpoint step, action and stage as the orchestrator leaves them right before a step; `None` for triage, which
/// writes its own checkpoint.
///
/// The orchestrator's own mapping knows all of these actions except `next-phase`; for that it falls back to planning,
/// which is correct. `pr-pending` must not be written as a stage, so the stage before a pull request is `verifying`.
fn before(step: Step, later_phase: bool) -> Option<(Step, Action, &'static str)> {
    Some(match step {
        Step::Triage => return None,
        Step::Plan if later_phase => (Step::Verify, Action::NextPhase, "planning"),
        Step::Plan => (Step::Triage, Action::BeginExecution, "triaged"),
        Step::Execute => (Step::Plan, Action::SpawnExecutor, "executing"),
        Step::Verify => (Step::Execute, Action::SpawnVerifier, "verifying"),
        Step::Pr => (Step::Verify, Action::CreatePr, "verifying"),
    })
}

/// Whether an edit writes the time.
pub(crate) fn is_dated(edit: &Edit<'_>) -> bool {
    let dated = |value: &Value| value.to_string().contains(&*CLOCK);
    match edit {
        Edit::Set(_, value) | Edit::Insert { value, .. } => dated(value),
        Edit::List { add, .. } => add.iter().any(dated),
    }
}

/// The changes of a point; none if it writes nothing.
pub(crate) fn edits(scene: &Scene<'_>, point: Point) -> Vec<Edit<'static>> {
    let state = scene.state;
    // Only a person passes a gate: no edit removes it.
    let stage = |word: &str| {
        let gated = scene.gate().is_some();
        (!gated).then(|| Edit::member("pipeline_stage", json!(word)))
    };
    match point {
        Point::Cleanup | Point::FromTmp | Point::ReTriage => Vec::new(),
        Point::Fresh => {
            let none = Some(Edit::member("checkpoint", Value::Null)).into_iter();
            none.chain(stage("triaged")).chain(revived(state)).collect()
        }
        Point::Retry => {
            let reset = reset().map(|(key, value)| Edit::member(key, value));
            reset.into_iter().chain(stage("triaged")).collect()
        }
        Point::Override => passed(scene).into_iter().collect(),
        Point::Step(step) => {
            let (mut all, word) = step_edits(scene, step);
            all.extend(stage(word));
            all.extend(revived(state));
            all
        }
    }
}

/// The members that the orchestrator's `--retry` resets.
fn reset() -> [(&'static str, Value); 3] {
    [
        ("retry_count", json!(0)),
        ("last_failure_class", Value::Null),
        ("dead_letter", json!(false)),
    ]
}

/// The same for an issue that failed or is a dead letter: otherwise the run would do all of its work and then stop.
fn revived(state: &State) -> Vec<Edit<'static>> {
    if !state.has_failed() {
        return Vec::new();
    }
    let members = reset().into_iter();
    let present = members.filter(|(key, _)| state.map().contains_key(*key));
    let edits = present.map(|(key, value)| Edit::member(key, value));
    edits.collect()
}

/// The stage after a gate without its own flag; the other gates are overridden by the command alone.
fn passed(scene: &Scene<'_>) -> Option<Edit<'static>> {
    let gate = scene.gate()?;
    let word = if gate == Stage::Discussing {
        "approved"
    } else if gate != Stage::Blocked {
        return None;
    } else if scene.target.done() > Step::Plan.index() {
        "executing"
    } else {
        "planning"
    };
    Some(Edit::member("pipeline_stage", json!(word)))
}

fn step_edits(scene: &Scene<'_>, step: Step) -> (Vec<Edit<'static>>, &'static str) {
    let later = !scene.history.finished.is_empty();
    let (before, resume, stage) = match before(step, later) {
        None => (Step::Triage, json!({"action": null, "context": {}}), "new"),
        Some((before, action, stage)) => {
            let resume = json!({"action": action.word(), "context": context(scene, action)});
            (before, resume, stage)
        }
    };
    let entry = entry(before, &CLOCK, RELIGHT, None);
    if scene.state.checkpoint_shape() == CheckpointShape::Object {
        let at = |key: &'static str| [At::Key("checkpoint"), At::Key(key)];
        let all = vec![
            Edit::set(at("pipeline_step"), json!(before.word())),
            Edit::set(at("resume"), resume),
            Edit::set(at("updated_at"), json!(*CLOCK)),
            Edit::push(at("step_history"), entry),
        ];
        return (all, stage);
    }
    let whole = json!({
        "schema_version": SCHEMA, "pipeline_step": before.word(), "step_progress": {},
        "last_agent_output": null, "artifacts": [], "resume": resume,
        "started_at": *CLOCK, "updated_at": *CLOCK, "step_history": [entry],
    });
    (vec![Edit::member("checkpoint", whole)], stage)
}

/// An entry of the history.
fn entry(step: Step, at: &str, agent: &str, output: Option<&str>) -> Value {
    json!({"step": step.word(), "completed_at": at, "agent_type": agent, "output_path": output})
}

/// The context that the handler of the action needs: the folder of documents, as recorded or as found.
fn context(scene: &Scene<'_>, action: Action) -> Value {
    let (facts, state) = (scene.facts, scene.state);
    if action == Action::BeginExecution {
        return json!({"gsd_route": state.route_text(), "branch": facts.branch.name});
    }
    if let (Action::NextPhase, Some(done)) = (action, scene.history.finished.last()) {
        let number = phase_number(&done.number, state);
        let mut folders = facts.evidence.phases.iter().rev();
        let folder = folders.find(|dir| dir.number == done.number);
        let folder = folder.map(|dir| dir.path.as_str());
        return json!({"completed_phase": number, "phase_dir": folder});
    }
    let recorded = state.checkpoint().map(|checkpoint| &checkpoint.context);
    let keys = ["quick_dir", "plan_num", "phase_dir", "phase_number"];
    let members = recorded.into_iter().flatten();
    let members = members.filter(|(key, _)| keys.contains(&key.as_str()));
    let mut context: Map<String, Value> = members.map(|(k, v)| (k.clone(), v.clone())).collect();
    if context.is_empty()
        && let Some(dir) = &facts.evidence.dir
    {
        let of_phase = dir.contains("phases/");
        let key = if of_phase { "phase_dir" } else { "quick_dir" };
        context.insert(key.to_owned(), json!(dir));
    }
    Value::Object(context)
}

/// The number of a phase as the file has it: a string if its context has one, and where another notation would not be
/// the same (`07`).
fn phase_number(number: &str, state: &State) -> Value {
    let context = state.checkpoint().map(|checkpoint| &checkpoint.context);
    let recorded = ["completed_phase", "phase_number"].iter();
    let mut recorded = recorded.filter_map(|key| context?.get(*key));
    let is_text = recorded.any(Value::is_string);
    let integer = number.parse::<i64>().ok().filter(|_| !is_text);
    let integer = integer.filter(|integer| integer.to_string() == number);
    integer.map_or_else(|| json!(number), |integer| json!(integer))
}

/// The file afterwards; `None` if it cannot be edited in place. Members that already have the value keep their bytes.
pub(crate) fn edited(bytes: &[u8], state: &State, edits: &[Edit<'_>]) -> Option<Vec<u8>> {
    let changes = edits.iter().filter(|edit| match edit {
        Edit::Set(path, value) => present(state.map(), path) != Some(value),
        Edit::List { .. } | Edit::Insert { .. } => true,
    });
    let changes: Vec<Edit<'_>> = changes.cloned().collect();
    edit(bytes, &changes, NonAscii::Raw).ok()
}

/// The value at a path.
fn present<'a>(map: &'a Map<String, Value>, path: &[At<'_>]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let At::Key(first) = first else {
        return None;
    };
    rest.iter()
        .try_fold(map.get(*first)?, |value, step| match step {
            At::Key(key) => value.get(*key),
            At::Index(index) => value.get(*index),
        })
}
