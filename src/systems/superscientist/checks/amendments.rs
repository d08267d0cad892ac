//! The second half of S12: each amendment in full. It names a known change of a known stage, a person approved it, the
//! stages are as it says, and no completed stage has results that it made stale.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::formats::{json, stamp};
use crate::model::{AmendKind, Foreign, Stamp, Subject, Zone};
use crate::systems::kit::checks::{Outcome, warn};
use crate::systems::superscientist::checks::rerun_command;
use crate::systems::superscientist::facts::Scene;
use crate::systems::superscientist::shape::{Amendment, Stage, StageStatus};

/// Members of a stage that change without an amendment.
#[rustfmt::skip]
const OPERATIONAL: [&str; 8] = [
    "status", "outputs", "started_at", "completed_at", "retry_count", "last_error", "running_process", "checkpoint",
];

/// The problems of single amendments.
pub(crate) fn each(scene: &Scene<'_>) -> Vec<Outcome> {
    let all = &scene.flow.state.amendments;
    let later = |at: usize| all.get(at..).unwrap_or_default();
    let found = (1..)
        .zip(all)
        .flat_map(|(next, record)| of(scene, record, later(next)));
    found.collect()
}

fn of(scene: &Scene<'_>, record: &Amendment, later: &[Amendment]) -> Vec<Outcome> {
    let mut found = Vec::new();
    let mut say = |text: String, remedy: Foreign| {
        found.push(warn(text, remedy).about(Subject::Amendment(record.id.as_str().into())));
    };
    if record.kind.parse::<AmendKind>().is_err() {
        let text = match record.kind.as_str() {
            "" => "It has no type.".to_owned(),
            kind => format!("Its type {kind} is unknown to the protocol."),
        };
        say(
            text,
            "Have a session record the intended type; the types are parameter_change, criteria_change, stage_insert, stage_skip and stage_rerun.".into(),
        );
    }
    if record.approved_by.is_none() {
        say(
            "Nobody approved it: `approved_by` is missing or empty.".to_owned(),
            "Approve it in a session, or have another amendment undo its changes.".into(),
        );
    }
    let id = record.stage_id.as_deref().unwrap_or_default();
    let Some(stage) = scene.flow.state.stage(id) else {
        let text = match (id, record.kind.as_str()) {
            ("", _) => "It names no stage.".to_owned(),
            (id, "stage_insert") => format!("It is not applied: there is no {id}."),
            (id, _) => format!("It is about {id}, which is not a stage."),
        };
        say(
            text,
            "Compare with `git log -p -- workflow-state.json`: a stage was lost, or the amendment names a wrong one.".into(),
        );
        return found;
    };
    let open = unapplied(scene, record, stage, later);
    if !open.is_empty() {
        let text = format!("It is not applied to {id}: {}.", open.join("; "));
        say(
            text,
            "Have a session apply the amendment, or record another one that undoes it, before the stage is run.".into(),
        );
    }
    let outdated = stale(scene, record, stage);
    if !outdated.is_empty() {
        let text = format!(
            "It makes older results stale, and these stages still say completed: {}.",
            scene.flow.ids(&outdated)
        );
        let first = outdated.first().and_then(|at| scene.flow.stage(*at));
        let plan = rerun_command(scene, first.unwrap_or(stage));
        say(text, format!("Invalidate them: {plan}.").into());
    }
    found
}

/// Fields that differ from the amendment, unless a later one changes them.
fn unapplied(
    scene: &Scene<'_>,
    record: &Amendment,
    stage: &Stage,
    later: &[Amendment],
) -> Vec<String> {
    let after = |other: &&Amendment| other.stage_id == record.stage_id;
    let later: Vec<&Amendment> = later.iter().filter(after).collect();
    if record.kind == "stage_skip" {
        let stands = stage.status == StageStatus::Skipped || !later.is_empty();
        let text = || format!("its status is {}, not skipped", stage.word);
        return (!stands).then(text).into_iter().collect();
    }
    let Some(raw) = scene.flow.state.raw_stage(stage.index) else {
        return Vec::new();
    };
    let mut open = Vec::new();
    leaves(&record.changes, &mut Vec::new(), &mut |path, new| {
        let operational = path.first().is_some_and(|key| OPERATIONAL.contains(key));
        let mut later = later.iter();
        let overruled = later.any(|other| json::at_keys(&other.changes, path).is_some());
        let now = json::at_keys(raw, path);
        let fits = now == Some(new) || (new.is_null() && now.is_none());
        if !(operational || overruled || fits) {
            open.push(format!("`{}` differs from it", path.join(".")));
        }
    });
    open
}

/// Calls back with the path and the new value of every leaf `{"old": …, "new": …}`.
fn leaves<'a>(
    map: &'a Map<String, Value>,
    path: &mut Vec<&'a str>,
    each: &mut dyn FnMut(&[&'a str], &'a Value),
) {
    for (key, value) in map {
        let Some(inner) = value.as_object() else {
            continue;
        };
        path.push(key);
        match inner.get("new") {
            Some(new) if inner.keys().all(|key| key == "old" || key == "new") => each(path, new),
            _ => leaves(inner, path, each),
        }
        path.pop();
    }
}

/// Completed stages with results older than the amendment that made them stale. A stage without a completion time is
/// not reported.
fn stale(scene: &Scene<'_>, record: &Amendment, stage: &Stage) -> Vec<usize> {
    let clock = scene.world.clock();
    let read = |text: &Option<String>| -> Option<Stamp> {
        stamp::parse(text.as_deref()?, clock).filter(|at| at.zone == Zone::Stated)
    };
    let Some(amended) = read(&record.timestamp) else {
        return Vec::new();
    };
    let named = record.invalidated.iter();
    let named = named.filter_map(|id| scene.flow.state.stage(id));
    let mut affected: BTreeSet<usize> = named.map(|stage| stage.index).collect();
    let kind = record.kind.as_str();
    if ["parameter_change", "stage_rerun", "criteria_change"].contains(&kind) {
        affected.insert(stage.index);
    }
    if ["parameter_change", "stage_rerun"].contains(&kind) && !scene.flow.is_large() {
        affected.extend(scene.flow.graph.downstream(stage.index));
    }
    let old = |stage: &Stage| {
        let completed = read(&stage.completed_at);
        stage.status == StageStatus::Completed && completed.is_some_and(|at| at < amended)
    };
    affected
        .into_iter()
        .filter(|at| scene.flow.stage(*at).is_some_and(old))
        .collect()
}
