//! The five amendments of a plan, each approved by a person: the changes of the state file, the completed stages that
//! become stale, and the log lines.

#![expect(
    clippy::similar_names,
    reason = "`state` and `stage` are both the format's own words"
)]

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::formats::json::{self, At, BadPair, Edit, NonAscii, assign, at_keys, edit};
use crate::model::{AmendKind, Amendment, EngineError, ErrorKind, NewStage};
use crate::systems::kit::forms::refused;
use crate::systems::superscientist::facts::{Flow, Graph, Scene};
use crate::systems::superscientist::points::{self, Point, Verb};
use crate::systems::superscientist::record::amendment::amendment;
use crate::systems::superscientist::record::{self, Approval, Draft, Work, begin, finish, guards};
use crate::systems::superscientist::shape::{Stage, StageStatus, State};

/// The members that a parameter change may set; other members have another amendment, or none.
const PARAMETERS: [&str; 3] = ["parameters", "inputs", "backend"];
const CRITERIA: &str = "success_criteria";

/// A drafted amendment.
pub(crate) struct Amended {
    pub(crate) point: Point,
    pub(crate) label: String,
    /// The completed stages that become stale, and the failed ones that depend on the change.
    pub(crate) again: Vec<usize>,
    pub(crate) work: Work,
}

/// Checks an amendment against the plan and drafts it.
pub(crate) fn amend(
    scene: Scene<'_>,
    ask: &Amendment,
    approval: &Approval<'_>,
) -> Result<Amended, EngineError> {
    let flow = scene.flow;
    only_fitting(ask)?;
    let named = match ask.kind {
        AmendKind::StageInsert => ask.after.as_deref().ok_or_else(|| missing("--after"))?,
        AmendKind::ParameterChange
        | AmendKind::CriteriaChange
        | AmendKind::StageRerun
        | AmendKind::StageSkip => ask.stage.as_deref().ok_or_else(|| missing("--stage"))?,
    };
    let stage = stage(flow, named)?;
    let name = stage.label();
    let verb = match ask.kind {
        AmendKind::StageRerun => Verb::Rerun,
        AmendKind::StageSkip => Verb::Skip,
        AmendKind::ParameterChange | AmendKind::CriteriaChange | AmendKind::StageInsert => {
            Verb::Amend
        }
    };
    let point = Point {
        stage: Some(stage.index),
        verb,
    };
    let (label, again, draft) = match ask.kind {
        AmendKind::ParameterChange => {
            let invalidated = points::invalidated(flow, stage.index);
            let mut all = flow.graph.downstream(stage.index);
            all.push(stage.index);
            let stages = (invalidated.as_slice(), all);
            let draft = change(scene, stage, ask, &PARAMETERS, stages, approval)?;
            let again = points::stale(flow, stage.index);
            (format!("Change parameters of {name}"), again, draft)
        }
        AmendKind::CriteriaChange => {
            let completed = stage.status == StageStatus::Completed;
            let again: Vec<usize> = completed.then_some(stage.index).into_iter().collect();
            let stale = vec![stage.index];
            let draft = change(scene, stage, ask, &[CRITERIA], (&again, stale), approval)?;
            (
                format!("Change the success criteria of {name}"),
                again,
                draft,
            )
        }
        AmendKind::StageInsert => {
            let mut again = points::stale(flow, stage.index);
            again.retain(|at| *at != stage.index);
            let mut invalidated = points::invalidated(flow, stage.index);
            invalidated.retain(|at| *at != stage.index);
            let draft = insert(scene, stage, ask, &invalidated, approval)?;
            (format!("Insert a stage after {name}"), again, draft)
        }
        AmendKind::StageRerun => {
            if stage.status != StageStatus::Completed {
                return Err(not_now(
                    stage,
                    "only a completed stage runs again by an amendment",
                ));
            }
            let again = points::stale(flow, stage.index);
            let label = format!("Invalidate {name} and run it again");
            (label, again, record::rerun(scene, stage, approval))
        }
        AmendKind::StageSkip => {
            if stage.status.is_done() {
                return Err(not_now(
                    stage,
                    "only a stage that is not done can be skipped",
                ));
            }
            let draft = record::skip(flow, stage, approval);
            (format!("Skip {name}"), Vec::new(), draft)
        }
    };
    let mut work = finish(scene, point, stage, draft);
    if ask.kind != AmendKind::StageInsert {
        work.guards.push(guards::not_running(stage));
    }
    Ok(Amended {
        point,
        label,
        again,
        work,
    })
}

/// Refuses options that the type does not take, so that no typed option is silently ignored.
fn only_fitting(ask: &Amendment) -> Result<(), EngineError> {
    use AmendKind::{CriteriaChange, ParameterChange, StageInsert};
    let kind = ask.kind.word();
    let changes = matches!(ask.kind, ParameterChange | CriteriaChange);
    let inserts = ask.kind == StageInsert;
    let extra = [
        ("--set", !ask.set.is_empty() && !changes),
        ("--after", ask.after.is_some() && !inserts),
        ("--from", ask.new_stage.is_some() && !inserts),
    ];
    if let Some((option, _)) = extra.iter().find(|(_, extra)| *extra) {
        let text = format!("A {kind} does not take {option}.");
        return Err(EngineError::usage(text));
    }
    if changes && ask.set.is_empty() {
        return Err(missing("--set").hint("For example --set parameters.mesh=60"));
    }
    if inserts && ask.new_stage.is_none() {
        return Err(
            missing("--from").hint("The file must contain the new stage as one JSON object.")
        );
    }
    Ok(())
}

fn missing(option: &str) -> EngineError {
    EngineError::usage(format!("{option} is missing."))
}

fn not_now(stage: &Stage, rule: &str) -> EngineError {
    let error = refused(format!("{} is {}; {rule}.", stage.id, stage.word));
    error.hint("relight points PIPELINE shows what can be done with it.")
}

fn stage<'a>(flow: &'a Flow, id: &str) -> Result<&'a Stage, EngineError> {
    let mut stages = flow.state.stages.iter();
    stages.find(|stage| stage.id == id).ok_or_else(|| {
        let known = flow.state.stages.iter().map(|stage| stage.id.as_str());
        EngineError::new(ErrorKind::NotFound, format!("There is no stage {id}.")).near(id, known)
    })
}

/// New values of a stage's members, and the completed stages `again` that are invalidated; `stale` are all affected
/// stages.
fn change<'a>(
    scene: Scene<'_>,
    stage: &Stage,
    ask: &'a Amendment,
    allowed: &[&str],
    (again, stale): (&[usize], Vec<usize>),
    approval: &Approval<'_>,
) -> Result<Draft<'a>, EngineError> {
    let state = &scene.flow.state;
    let nothing = Map::new();
    let raw = state.raw_stage(stage.index).unwrap_or(&nothing);
    let mut changes = Map::new();
    let mut edits = Vec::new();
    for typed in &ask.set {
        let (path, value) = changed(raw, typed, allowed)?;
        if path == ["backend"]
            && value
                .as_str()
                .is_some_and(|name| state.profile(name).is_none())
        {
            return Err(refused(format!("There is no backend profile {value}.")));
        }
        let old = at_keys(raw, &path).cloned().unwrap_or(Value::Null);
        noted(&mut changes, &path, json!({"old": old, "new": value}));
        let mut at = vec![At::Key("stages"), At::Index(stage.index)];
        at.extend(path.into_iter().map(At::Key));
        edits.push(Edit::set(at, value));
    }
    let ids = ids(scene.flow, stale);
    let mut draft = amendment(scene.flow, &stage.id, ask.kind, approval, changes, ids);
    draft.changes.extend(edits);
    draft.postpone(scene, again);
    draft.invalidate(scene, again);
    Ok(draft)
}

/// The ids of stages, in the order of the plan.
pub(crate) fn ids(flow: &Flow, mut stages: Vec<usize>) -> Vec<Value> {
    stages.sort_unstable();
    let stages = stages.iter().filter_map(|at| flow.stage(*at));
    stages.map(|stage| json!(stage.id)).collect()
}

/// Writes a leaf at a path and creates the objects in between.
fn noted(changes: &mut Map<String, Value>, path: &[&str], leaf: Value) {
    let Some((last, parents)) = path.split_last() else {
        return;
    };
    let mut at = changes;
    for key in parents {
        let inner = at.entry(*key).or_insert_with(|| json!({}));
        let Value::Object(inner) = inner else {
            return;
        };
        at = inner;
    }
    at.insert((*last).to_owned(), leaf);
}

/// The path and the new value of `PATH=VALUE`. The value keeps the type of the old one; `PATH:=JSON` does not.
fn changed<'a>(
    raw: &Map<String, Value>,
    typed: &'a str,
    allowed: &[&str],
) -> Result<(Vec<&'a str>, Value), EngineError> {
    let wrong = |text: String| EngineError::usage(text);
    let (key, text) = typed
        .split_once('=')
        .ok_or_else(|| wrong(format!("--set {typed} is not PATH=VALUE.")))?;
    let (name, is_json) = match key.strip_suffix(':') {
        Some(name) => (name, true),
        None => (key, false),
    };
    let path: Vec<&str> = name.split('.').collect();
    if !path.first().is_some_and(|first| allowed.contains(first)) {
        let hint = format!("It may set: {}.", allowed.join(", "));
        return Err(refused(format!("This amendment does not set {name}.")).hint(hint));
    }
    let parent = path.split_last().map(|(_, parents)| parents);
    let parent = parent.filter(|parents| !parents.is_empty());
    if parent.is_some_and(|parents| !at_keys(raw, parents).is_some_and(Value::is_object)) {
        return Err(refused(format!(
            "{name} cannot be set: its parent is not an object."
        )));
    }
    let old = at_keys(raw, &path).filter(|old| !old.is_null());
    // A number replaces a number, however it is written.
    let number = || serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_number());
    let is_json = is_json || (old.is_some_and(Value::is_number) && number());
    let value = if !is_json && old.is_some_and(Value::is_string) {
        Value::from(text)
    } else {
        let mut one = Map::new();
        let sign = if is_json { ":=" } else { "=" };
        assign(&mut one, &format!("value{sign}{text}"), &Map::new()).map_err(|bad| match bad {
            BadPair::Form(why) => wrong(why),
            BadPair::Value(why) => refused(why),
        })?;
        one.remove("value").unwrap_or_default()
    };
    match old {
        Some(old) if *old == value => Err(refused(format!("{name} is already {value}."))),
        Some(old) if !is_json && json::kind(old) != json::kind(&value) => {
            let text = format!("{name} is {}, and {text} is not.", json::kind(old));
            Err(refused(text).hint(format!("To change its type: --set {name}:=JSON")))
        }
        _ => Ok((path, value)),
    }
}

/// A new stage after another one: the dependents of that one depend on the new one too.
fn insert<'a>(
    scene: Scene<'_>,
    after: &Stage,
    ask: &'a Amendment,
    again: &[usize],
    approval: &Approval<'_>,
) -> Result<Draft<'a>, EngineError> {
    let flow = scene.flow;
    let state = &flow.state;
    let largest = state.stages.iter().filter_map(Stage::number).max();
    let id = format!("stage-{}", largest.unwrap_or(0).saturating_add(1));
    if ask.stage.as_ref().is_some_and(|stage| *stage != id) {
        return Err(refused(format!("The new stage gets the id {id}.")));
    }
    let given = match &ask.new_stage {
        Some(NewStage::Json(text)) => text.as_slice(),
        Some(NewStage::File(_)) | None => &[],
    };
    let given = json::object(given);
    let mut given = given.map_err(|why| refused(format!("--from: {}.", why.text)))?;
    if given.get("id").is_some_and(|given| *given != id) {
        return Err(refused(format!("The new stage gets the id {id}.")).hint("Leave out `id`."));
    }
    given.insert("id".to_owned(), json!(id));
    let mut needs: BTreeSet<&str> = BTreeSet::new();
    let named = json::texts(&given, "depends_on");
    let needs: Vec<String> = std::iter::once(after.id.as_str())
        .chain(named)
        .filter(|need| needs.insert(need))
        .map(str::to_owned)
        .collect();
    given.insert("depends_on".to_owned(), json!(needs));
    let new = begin::stage(&given)?;
    let members = [
        "name",
        "depends_on",
        "inputs",
        "parameters",
        CRITERIA,
        "backend",
    ];
    let members = members.into_iter().filter_map(|key| {
        let value = new.get(key).filter(|value| !value.is_null())?;
        Some((key.to_owned(), json!({"old": null, "new": value})))
    });
    let mut stale: Vec<Value> = ids(flow, flow.graph.downstream(after.index));
    stale.insert(0, json!(id));
    let changes = members.collect();
    let mut draft = amendment(flow, &id, ask.kind, approval, changes, stale);
    let direct = state.stages.iter();
    let direct = direct.filter(|stage| stage.depends_on.contains(&after.id));
    let edits = direct.map(|stage| {
        let at = [
            At::Key("stages"),
            At::Index(stage.index),
            At::Key("depends_on"),
        ];
        Edit::push(at, id.as_str())
    });
    draft.changes.extend(edits);
    draft.postpone(scene, &[again, &[after.index]].concat());
    draft.invalidate(scene, again);
    if again.is_empty() && state.is_completed() {
        draft
            .changes
            .push(Edit::member("workflow_status", "pending"));
    }
    // It must be the last edit, because it shifts the stages after it.
    let place = after.index + 1;
    draft
        .changes
        .push(Edit::insert([At::Key("stages")], place, new));
    whole(scene, &draft, &id)?;
    Ok(draft)
}

/// Refuses a new stage that would make the plan invalid.
fn whole(scene: Scene<'_>, draft: &Draft<'_>, id: &str) -> Result<(), EngineError> {
    let state = &scene.flow.state;
    let edited = edit(&state.bytes, &draft.changes, NonAscii::Raw);
    let Ok(bytes) = edited else {
        // The guards of the plan give the reason.
        return Ok(());
    };
    let after = json::object(&bytes)
        .ok()
        .and_then(|map| State::read(bytes, map));
    let after = after.ok_or_else(|| refused("The plan would not be a workflow."))?;
    let graph = Graph::new(&after.stages);
    if let Some((_, unknown)) = graph.unknown.first() {
        return Err(refused(format!(
            "{id} would depend on {unknown}, which does not exist."
        )));
    }
    if graph.is_broken() {
        return Err(refused(format!("With {id}, stages would form a cycle.")));
    }
    let new = stage_of(&after, id);
    new.map_or(Ok(()), |new| begin::sound(&after, new, &scene.facts.wf))
}

fn stage_of<'a>(state: &'a State, id: &str) -> Option<&'a Stage> {
    state.stages.iter().find(|stage| stage.id == id)
}
