//! The five amendments of a plan, each approved by a person: the changes of the state file, the completed stages that
//! become stale, and the log lines.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::formats::json::{self, At, BadPair, CLOCK, Edit, NOW, NonAscii, assign, at_keys, edit};
use crate::model::{AmendKind, Amendment, EngineError, ErrorKind, Intent, NewStage, Result};
use crate::systems::kit::forms::refused;
use crate::systems::superscientist::facts::{Flow, Graph, Scene};
use crate::systems::superscientist::points::{self, Point, Verb};
use crate::systems::superscientist::record::{
    self, Approval, Draft, begin, finish, guards, one_line,
};
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
    pub(crate) work: Intent,
}

/// Checks an amendment against the plan and drafts it.
pub(crate) fn amend(scene: Scene<'_>, ask: &Amendment, approval: &Approval<'_>) -> Result<Amended> {
    let flow = scene.flow;
    only_fitting(ask)?;
    let (named, option) = if ask.kind == AmendKind::StageInsert {
        (&ask.after, "--after")
    } else {
        (&ask.stage, "--stage")
    };
    let named = named.as_deref().ok_or_else(|| missing(option))?;
    let stage = stage(flow, named)?;
    let (at, name) = (stage.index, stage.label());
    let completed = stage.status == StageStatus::Completed;
    let mut stale = points::stale(flow, at);
    let mut invalidated = points::invalidated(flow, at);
    let (verb, label, again, draft) = match ask.kind {
        AmendKind::ParameterChange => {
            let affected = flow.graph.closure(at);
            let stages = (invalidated.as_slice(), affected.as_slice());
            let draft = change(scene, stage, ask, &PARAMETERS, stages, approval)?;
            let label = format!("Change parameters of {name}");
            (Verb::Amend, label, stale, draft)
        }
        AmendKind::CriteriaChange => {
            let again: Vec<usize> = completed.then_some(at).into_iter().collect();
            let stages: (&[usize], &[usize]) = (&again, &[at]);
            let draft = change(scene, stage, ask, &[CRITERIA], stages, approval)?;
            let label = format!("Change the success criteria of {name}");
            (Verb::Amend, label, again, draft)
        }
        AmendKind::StageInsert => {
            stale.retain(|other| *other != at);
            invalidated.retain(|other| *other != at);
            let draft = insert(scene, stage, ask, &invalidated, approval)?;
            let label = format!("Insert a stage after {name}");
            (Verb::Amend, label, stale, draft)
        }
        AmendKind::StageRerun => {
            if !completed {
                let rule = "only a completed stage runs again by an amendment";
                return Err(not_now(stage, rule));
            }
            let draft = record::rerun(scene, stage, approval);
            let label = format!("Invalidate {name} and run it again");
            (Verb::Rerun, label, stale, draft)
        }
        AmendKind::StageSkip => {
            if stage.status.is_done() {
                let rule = "only a stage that is not done can be skipped";
                return Err(not_now(stage, rule));
            }
            let draft = record::skip(flow, stage, approval);
            (Verb::Skip, format!("Skip {name}"), Vec::new(), draft)
        }
    };
    let point = Point {
        stage: Some(at),
        verb,
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
fn only_fitting(ask: &Amendment) -> Result<()> {
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
        let hint = "The file must contain the new stage as one JSON object.";
        return Err(missing("--from").hint(hint));
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

fn stage<'a>(flow: &'a Flow, id: &str) -> Result<&'a Stage> {
    flow.state.stage(id).ok_or_else(|| {
        let known = flow.state.stages.iter().map(|stage| stage.id.as_str());
        EngineError::new(ErrorKind::NotFound, format!("There is no stage {id}.")).near(id, known)
    })
}

/// New values of a stage's members, and the completed stages `again` that are invalidated; `affected` are all affected
/// stages.
fn change<'a>(
    scene: Scene<'_>,
    stage: &Stage,
    ask: &'a Amendment,
    allowed: &[&str],
    (again, affected): (&[usize], &[usize]),
    approval: &Approval<'_>,
) -> Result<Draft<'a>> {
    let state = &scene.flow.state;
    let nothing = Map::new();
    let raw = state.raw_stage(stage.index).unwrap_or(&nothing);
    let mut changes = Map::new();
    let mut edits = Vec::new();
    for typed in &ask.set {
        let (path, value) = changed(raw, typed, allowed)?;
        let unknown = |name| state.profile(name).is_none();
        if path == ["backend"] && value.as_str().is_some_and(unknown) {
            return Err(refused(format!("There is no backend profile {value}.")));
        }
        let old = at_keys(raw, &path).cloned().unwrap_or(Value::Null);
        noted(&mut changes, &path, json!({"old": old, "new": value}));
        let mut at = vec![At::Key("stages"), At::Index(stage.index)];
        at.extend(path.into_iter().map(At::Key));
        edits.push(Edit::set(at, value));
    }
    let ids = ids(scene.flow, affected);
    let mut draft = amendment(scene.flow, &stage.id, ask.kind, approval, &changes, &ids);
    draft.changes.extend(edits);
    draft.postpone(scene, again);
    draft.invalidate(scene, again);
    Ok(draft)
}

/// The ids of stages.
pub(crate) fn ids(flow: &Flow, stages: &[usize]) -> Vec<Value> {
    let stages = stages.iter().filter_map(|at| flow.stage(*at));
    stages.map(|stage| json!(stage.id)).collect()
}

/// Writes a leaf at a path and creates the objects in between.
fn noted(changes: &mut Map<String, Value>, path: &[&str], leaf: Value) {
    let Some((key, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        changes.insert((*key).to_owned(), leaf);
    } else if let Value::Object(inner) = changes.entry(*key).or_insert_with(|| json!({})) {
        noted(inner, rest, leaf);
    }
}

/// The path and the new value of `PATH=VALUE`. The value keeps the type of the old one; `PATH:=JSON` does not.
fn changed<'a>(
    raw: &Map<String, Value>,
    typed: &'a str,
    allowed: &[&str],
) -> Result<(Vec<&'a str>, Value)> {
    let Some((key, text)) = typed.split_once('=') else {
        let text = format!("--set {typed} is not PATH=VALUE.");
        return Err(EngineError::usage(text));
    };
    let name = key.strip_suffix(':').unwrap_or(key);
    let is_json = name != key;
    let path: Vec<&str> = name.split('.').collect();
    if !path.first().is_some_and(|first| allowed.contains(first)) {
        let hint = format!("It may set: {}.", allowed.join(", "));
        return Err(refused(format!("This amendment does not set {name}.")).hint(hint));
    }
    if let Some((_, parent)) = path.split_last()
        && !parent.is_empty()
        && !at_keys(raw, parent).is_some_and(Value::is_object)
    {
        let text = format!("{name} cannot be set: its parent is not an object.");
        return Err(refused(text));
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
            BadPair::Form(why) => EngineError::usage(why),
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
) -> Result<Draft<'a>> {
    let flow = scene.flow;
    let state = &flow.state;
    let largest = state.stages.iter().filter_map(Stage::number).max();
    let id = format!("stage-{}", largest.unwrap_or(0).saturating_add(1));
    if ask.stage.as_ref().is_some_and(|stage| *stage != id) {
        return Err(refused(format!("The new stage gets the id {id}.")));
    }
    let given = match &ask.new_stage {
        Some(NewStage::Json(text)) => json::object(text),
        Some(NewStage::File(_)) | None => json::object(&[]),
    };
    let mut given = given.map_err(|why| refused(format!("--from: {}.", why.text)))?;
    if given.get("id").is_some_and(|given| *given != id) {
        return Err(refused(format!("The new stage gets the id {id}.")).hint("Leave out `id`."));
    }
    given.insert("id".to_owned(), json!(id));
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut needs = json::texts(&given, "depends_on");
    needs.insert(0, &after.id);
    needs.retain(|need| seen.insert(need));
    let needs = json!(needs);
    given.insert("depends_on".to_owned(), needs);
    let new = begin::stage(&given)?;
    let [parameters, inputs, backend] = PARAMETERS;
    let members = ["name", "depends_on", inputs, parameters, CRITERIA, backend];
    let members = members.into_iter().filter_map(|key| {
        let value = new.get(key).filter(|value| !value.is_null())?;
        Some((key.to_owned(), json!({"old": null, "new": value})))
    });
    let mut stale: Vec<Value> = ids(flow, &flow.graph.downstream(after.index));
    stale.insert(0, json!(id));
    let changes = members.collect();
    let mut draft = amendment(flow, &id, ask.kind, approval, &changes, &stale);
    let direct = state.stages.iter();
    let direct = direct.filter(|stage| stage.depends_on.contains(&after.id));
    let edits = direct.map(|stage| Edit::push(stage.member("depends_on"), id.as_str()));
    draft.changes.extend(edits);
    draft.postpone(scene, &[again, &[after.index]].concat());
    draft.invalidate(scene, again);
    draft.reopens = state.is_completed();
    // It must be the last edit of a stage, because it shifts those after it.
    let inserted = Edit::insert([At::Key("stages")], after.index + 1, new);
    draft.changes.push(inserted);
    whole(scene, &draft, &id)?;
    Ok(draft)
}

/// Refuses a new stage that would make the plan invalid.
fn whole(scene: Scene<'_>, draft: &Draft<'_>, id: &str) -> Result<()> {
    let state = &scene.flow.state;
    let Ok(bytes) = edit(&state.bytes, &draft.changes, NonAscii::Raw) else {
        // The guards of the plan give the reason.
        return Ok(());
    };
    let after = State::parse(bytes);
    let after = after.ok_or_else(|| refused("The plan would not be a workflow."))?;
    let graph = Graph::new(&after.stages);
    if let Some((_, unknown)) = graph.unknown.first() {
        let text = format!("{id} would depend on {unknown}, which does not exist.");
        return Err(refused(text));
    }
    if graph.is_broken() {
        return Err(refused(format!("With {id}, stages would form a cycle.")));
    }
    let new = after.stage(id);
    new.map_or(Ok(()), |new| begin::sound(&after, new, &scene.facts.wf))
}

/// The record of an amendment, the new version, and its line of the log.
pub(crate) fn amendment<'a>(
    flow: &Flow,
    stage: &str,
    kind: AmendKind,
    approval: &Approval<'_>,
    changes: &Map<String, Value>,
    invalidated: &[Value],
) -> Draft<'a> {
    let usual = if kind == AmendKind::StageSkip {
        "Skipped by the user's decision"
    } else {
        "Re-run by the user's decision"
    };
    let description = approval.reason.unwrap_or(usual);
    let (kind, by) = (kind.word(), approval.by);
    let file = &flow.state;
    let numbers = file.amendments.iter();
    let numbers = numbers.filter_map(|a| a.id.strip_prefix("amend-")?.parse::<usize>().ok());
    let highest = numbers.max().unwrap_or(0).max(file.amendments.len());
    let number = highest.saturating_add(1);
    let version = file.version.unwrap_or(1).saturating_add(1);
    let id = format!("amend-{number}");
    let record = json!({
        "id": id, "version": version, "timestamp": *CLOCK, "type": kind, "stage_id": stage,
        "description": description, "changes": changes, "invalidated_stages": invalidated,
        "approved_by": by,
    });
    let (stage, by) = (one_line(stage), one_line(by));
    let what = one_line(description.trim_end_matches('.'));
    Draft {
        changes: vec![
            Edit::push([At::Key("amendments")], record),
            Edit::member("version", version),
        ],
        lines: vec![format!(
            "[{NOW}] Amendment {id} ({kind}): {stage}. {what}. Approved by {by}."
        )],
        amends: true,
        ..Draft::default()
    }
}
