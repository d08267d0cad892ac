//! Checks of the state file alone: S1 to S7 and S12.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::formats::{json, stamp};
use crate::model::Subject;
use crate::systems::kit::checks::{Outcome, fail, or_pass, pass, warn};
use crate::systems::superscientist::checks::{WORKFLOW, amendments, rerun_command};
use crate::systems::superscientist::facts::Scene;
use crate::systems::superscientist::shape::StageStatus;
use crate::text::format;

/// The remedy for a plan that contradicts itself.
const MEND: &str = "Correct the plan by an amendment in a session: type `Invoke superscientist:checkpoint-management`.";

/// S1: the file parses and belongs to this system.
pub(crate) fn parses(scene: &Scene<'_>) -> Outcome {
    match &scene.flow.lacks {
        None => pass("The state file parses and has all members of a workflow."),
        Some(lacks) => fail(
            format!("The state file parses, but {lacks}."),
            "Add the missing field, or restore the last committed version: `git log -- workflow-state.json`.",
        ),
    }
}

type Fits = fn(&Value) -> bool;

/// A key, what its value is, and whether a value is that.
type Key = (&'static str, &'static str, Fits);

fn texts(value: &Value) -> bool {
    let list = value.as_array();
    list.is_some_and(|list| list.iter().all(Value::is_string))
}

fn whole(value: &Value) -> bool {
    value.is_number() && json::as_int(value).is_some()
}

/// Top-level keys that the planning skill writes, with their types.
const TOP: [Key; 10] = [
    ("workflow_id", "a text", Value::is_string),
    ("version", "a whole number", whole),
    ("created", "a text", Value::is_string),
    ("updated", "a text", Value::is_string),
    ("experiment_design", "a text", Value::is_string),
    ("workflow_plan", "a text", Value::is_string),
    ("amendments", "a list", Value::is_array),
    ("default_backend", "a text", Value::is_string),
    ("backend_profiles", "an object", Value::is_object),
    ("stages", "a list", Value::is_array),
];

/// Keys of a stage, with their types.
const STAGE: [Key; 7] = [
    ("id", "a text", Value::is_string),
    ("status", "a text", Value::is_string),
    ("depends_on", "a list of texts", texts),
    ("inputs", "a list of texts", texts),
    ("outputs", "a list of texts", texts),
    ("parameters", "an object", Value::is_object),
    ("success_criteria", "a text", Value::is_string),
];

/// S2: required keys and their types.
pub(crate) fn types(scene: &Scene<'_>) -> Vec<Outcome> {
    let mut found = Vec::new();
    shape(&scene.flow.state.map, &TOP, &WORKFLOW.into(), &mut found);
    for stage in scene.stages() {
        match scene.flow.state.raw_stage(stage.index) {
            Some(raw) => shape(raw, &STAGE, &stage.subject(), &mut found),
            None => found.push(fail("The stage is not an object.", MEND).about(stage.subject())),
        }
    }
    found
}

fn shape(map: &Map<String, Value>, keys: &[Key], about: &Subject, found: &mut Vec<Outcome>) {
    let (mut missing, mut wrong) = (Vec::new(), Vec::new());
    for (key, wanted, fits) in keys {
        match map.get(*key) {
            None => missing.push(*key),
            Some(value) if !fits(value) => wrong.push(format!("`{key}` is not {wanted}")),
            Some(_) => {}
        }
    }
    if !wrong.is_empty() {
        let text = format!("Wrong type: {}.", wrong.join(", "));
        found.push(fail(text, "Give the field its documented type.").about(about));
    }
    if !missing.is_empty() {
        let text = format!("Missing: {}.", missing.join(", "));
        found.push(warn(text, "Add the field; older files may lack it.").about(about));
    }
}

/// S3: ids are unique and number the stages in sequence.
pub(crate) fn ids(scene: &Scene<'_>) -> Vec<Outcome> {
    let same = |id| fail(format!("Two stages have the id {id}."), MEND);
    let mut found: Vec<Outcome> = scene.flow.graph.duplicates.iter().map(same).collect();
    let (mut odd, mut numbers) = (Vec::new(), HashSet::new());
    for stage in scene.stages() {
        match stage.number() {
            Some(number) => _ = numbers.insert(number),
            None => odd.push(stage.id.as_str()),
        }
    }
    if !odd.is_empty() {
        let text = format!("Not `stage-` with a number: {}.", odd.join(", "));
        let remedy = "Sessions derive file names from the number; give it one.";
        found.push(warn(text, remedy));
    }
    let count = numbers.len() as u64;
    if odd.is_empty() && (1..=count).any(|n| !numbers.contains(&n)) {
        let text = "The numbers of the stages have gaps or do not start at 1.";
        found.push(warn(text, "Check that no stage was lost from the plan."));
    }
    found
}

/// S4: statuses are among the nine.
pub(crate) fn statuses(scene: &Scene<'_>) -> Vec<Outcome> {
    let unknown = scene.flow.state.with(StageStatus::Unknown);
    let outcomes = unknown.map(|s| {
        let text = format!("\"{}\" is not one of the nine statuses.", s.word);
        fail(text, "Set it to the stage's actual status.").about(s.subject())
    });
    outcomes.collect()
}

/// S5: dependencies exist and form no cycle.
pub(crate) fn dependencies(scene: &Scene<'_>) -> Vec<Outcome> {
    let graph = &scene.flow.graph;
    let unknown = graph.unknown.iter().filter_map(|(at, id)| {
        let text = format!("It depends on {id}, which is not a stage.");
        Some(fail(text, MEND).about(scene.flow.stage(*at)?.subject()))
    });
    let mut found: Vec<Outcome> = unknown.collect();
    if !graph.cyclic.is_empty() {
        let ids = scene.flow.ids(&graph.cyclic);
        let text = format!("These stages depend on each other: {ids}.");
        found.push(fail(text, MEND));
    }
    found
}

/// S6: completed stages have their start and end times.
pub(crate) fn times(scene: &Scene<'_>) -> Vec<Outcome> {
    let clock = scene.world.clock();
    let read = |text: &Option<String>| text.as_deref().map(|t| stamp::parse(t, clock));
    let mut found = Vec::new();
    for stage in scene.flow.state.with(StageStatus::Completed) {
        let problem = match (read(&stage.started_at), read(&stage.completed_at)) {
            (Some(Some(from)), Some(Some(to))) if from > to => "It ended before it started.",
            (Some(Some(_)), Some(Some(_))) => continue,
            (Some(None), _) | (_, Some(None)) => "One of its times cannot be read.",
            (None, _) | (_, None) => "It is completed, but one of its times is missing.",
        };
        let remedy = "The log has the true times; nothing depends on these.";
        found.push(warn(problem, remedy).about(stage.subject()));
    }
    found
}

/// S7: a stage is ready, active or completed only after its dependencies are done.
pub(crate) fn order(scene: &Scene<'_>) -> Vec<Outcome> {
    let mut found = Vec::new();
    for stage in scene.stages() {
        let ahead = stage.status.is_active()
            || matches!(stage.status, StageStatus::Completed | StageStatus::Ready);
        let unmet = scene.flow.unmet(stage);
        if !ahead || unmet.is_empty() {
            continue;
        }
        let (word, unmet) = (&stage.word, scene.flow.ids(&unmet));
        let text = format!("It is {word}, but these dependencies are not done: {unmet}.");
        let remedy = if stage.status == StageStatus::Completed {
            let plan = rerun_command(scene, stage);
            format!("Run it again once they are done: {plan}.")
        } else if stage.status == StageStatus::Ready {
            "Have a session set it back to pending until they are done.".to_owned()
        } else {
            "Its inputs were not finished: run it again once they are done.".to_owned()
        };
        found.push(warn(text, remedy).about(stage.subject()));
    }
    found
}

/// S12: the version equals the number of amendments, and each of them is applied.
pub(crate) fn versions(scene: &Scene<'_>) -> Vec<Outcome> {
    let state = &scene.flow.state;
    let count = state.amendments.len();
    let counted = format::count_of(count, "amendment", "amendments");
    let mut problems = Vec::new();
    if state.version != i64::try_from(count).unwrap_or(i64::MAX).checked_add(1) {
        let version = state.version.map(|version| version.to_string());
        let version = version.as_deref().unwrap_or("missing");
        problems.push(format!("the version is {version} with {counted}"));
    }
    let versions: Vec<i64> = state.amendments.iter().filter_map(|a| a.version).collect();
    if !versions.is_sorted_by(|a, b| a < b) {
        problems.push("the versions of the amendments do not increase".to_owned());
    }
    let ids: HashSet<&str> = state.amendments.iter().map(|a| a.id.as_str()).collect();
    if ids.len() < count {
        problems.push("two amendments have the same id".to_owned());
    }
    let mut found = amendments::each(scene);
    if !problems.is_empty() {
        let remedy = "Compare with `git log -p -- workflow-state.json`: an amendment was lost, or the version was edited by hand.";
        let problems = problems.join("; ");
        let text = format!("The amendments do not match the version: {problems}.");
        found.insert(0, warn(text, remedy));
    }
    let text = match count {
        0 => "The version is 1, and there are no amendments.".to_owned(),
        _ => format!("The version matches the {counted}, and the stages are as amended."),
    };
    or_pass(found, text)
}
