//! The resume points: which exist, which one the protocol's order recommends, and what each would do. The recommended
//! one writes nothing, because the orchestrator itself starts sessions, launches jobs and retries; the others are edits
//! that only a person requests.

pub(crate) mod checkpoints;
mod commands;
mod depends_on;
mod handoff;
pub(crate) mod list;
mod losses;
mod warnings;

use crate::model::{
    Amendment, Boundary, Check, CheckpointNeed, EngineError, Foreign, Guard, Intent, PlanOptions,
    PointId, PointKind, Preference, Result, WorkItem,
};
use crate::systems::superscientist::facts::reading::phases::duration;
use crate::systems::superscientist::facts::{Facts, Flow, Next, Scene};
use crate::systems::superscientist::points::depends_on::Folded;
use crate::systems::superscientist::record;
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::world::World;

pub(crate) use crate::systems::superscientist::points::handoff::handoff;
pub(crate) use crate::systems::superscientist::points::list::{Point, Verb};

/// The resume points, in order.
pub(crate) fn boundaries(facts: &Facts, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
    let Ok(flow) = &facts.flow else {
        return Vec::new();
    };
    let (folded, durations) = (Folded::new(flow, checks), durations(flow, world));
    let mut spare = None;
    let boundary = |point: Point| {
        let mut all = whole((facts, flow), &mut spare, point, redone(flow, point));
        if point.verb == Verb::Completion {
            all.1.extend(handoff::of_completion(checks));
        }
        boundary(flow, point, all, &folded, &durations)
    };
    list::all(flow).into_iter().map(boundary).collect()
}

/// How long each stage took.
fn durations(flow: &Flow, world: &dyn World) -> Vec<Option<u64>> {
    let stages = flow.state.stages.iter();
    stages.map(|stage| duration(stage, world)).collect()
}

/// What runs again and the warnings of a point, with those of the task that follows it.
fn whole(
    (facts, flow): (&Facts, &Flow),
    spare: &mut Option<Flow>,
    point: Point,
    mut again: Vec<usize>,
) -> (Vec<usize>, Vec<String>) {
    let mut warnings = warnings::of(facts, flow, point, &again);
    follow_up(flow, spare, point, |after, next| {
        let then = redone(after, next);
        warnings.extend(warnings::of_task(after, next, &then));
        again.extend(then);
    });
    again.sort_unstable();
    (again, warnings)
}

/// A skip is done once it is written: the work that its hand-off orders is the next task's. `spare` is a copy of the
/// flow for all points.
fn follow_up<T>(
    flow: &Flow,
    spare: &mut Option<Flow>,
    point: Point,
    look: impl FnOnce(&Flow, Point) -> T,
) -> Option<T> {
    let skips = point.verb == Verb::Skip && !flow.is_large();
    let at = point.stage.filter(|_| skips)?;
    let after = spare.get_or_insert_with(|| flow.clone());
    after.skipped(at, |after| Some(look(after, list::recommended(after)?)))
}

fn boundary(
    flow: &Flow,
    point: Point,
    (again, warnings): (Vec<usize>, Vec<String>),
    folded: &Folded,
    durations: &[Option<u64>],
) -> Boundary {
    let (verified, failing) = folded.of(point);
    let reason = list::reason(flow, point);
    let recommended = list::recommended(flow) == Some(point);
    Boundary {
        id: list::id(flow, point),
        label: list::label(flow, point).into(),
        phase: point.of(flow).map(|stage| stage.id.as_str().into()),
        kind: if point.verb == Verb::Completion {
            PointKind::Cleanup
        } else if !recommended && list::edits(flow, point) {
            PointKind::StateEdit
        } else {
            PointKind::Boundary
        },
        verified,
        failing,
        checkpoint: CheckpointNeed::None,
        edits_records: !recommended && list::edits(flow, point),
        kept: Some(kept(flow, &again).count() as u64),
        redone: Some(again.len() as u64),
        time_lost_s: time_lost(&again, durations),
        warnings: warnings.into_iter().map(Foreign::from).collect(),
        preference: if recommended {
            Preference::Chosen(reason.as_str().into())
        } else if matches!(point.verb, Verb::Skip | Verb::Fail) {
            Preference::ByName
        } else {
            Preference::ByHand
        },
        reason: reason.into(),
    }
}

/// The intent of a point; `None` for an unknown id.
pub(crate) fn intent(
    facts: &Facts,
    id: &PointId,
    options: &PlanOptions,
    world: &dyn World,
) -> Option<Intent> {
    let scene = Scene::of(facts, world)?;
    let flow = scene.flow;
    let mut listed = list::all(flow).into_iter();
    let point = listed.find(|point| list::id(flow, *point) == *id)?;
    let recommended = list::recommended(flow) == Some(point);
    let work = if recommended {
        Intent::default()
    } else {
        record::work(scene, point, options.reason.as_deref())
    };
    let again = redone(flow, point);
    Some(intended(scene, point, again, work, recommended))
}

fn intended(
    scene: Scene<'_>,
    point: Point,
    mut again: Vec<usize>,
    mut intent: Intent,
    recommended: bool,
) -> Intent {
    let Scene { facts, flow, world } = scene;
    let mut losses = losses::all(scene, point, &again, recommended);
    follow_up(flow, &mut None, point, |after, next| {
        let then = redone(after, next);
        let scene = Scene {
            flow: after,
            ..scene
        };
        losses.extend(losses::all(scene, next, &then, true));
        again.extend(then);
    });
    again.sort_unstable();
    let guards = &mut intent.guards;
    // The protocol stops there, and only the person who paused it may let it go on.
    if facts.paused {
        let text = "A person paused the workflow with the file PAUSE. Hand off anyway?";
        guards.push(Guard::ask("gate:pause", text));
    }
    let redone = again.iter().filter_map(|at| flow.stage(*at));
    guards.extend(record::guards::asks(flow, point));
    if flow.graph.is_broken() && !guards.iter().any(|guard| guard.id == "graph") {
        guards.push(record::guards::graph(flow));
    }
    Intent {
        kept: kept(flow, &again).map(|s| item(s, world)).collect(),
        redone: redone.map(|s| item(s, world)).collect(),
        losses,
        ..intent
    }
}

/// The intent of an amendment, which is a point of its own.
pub(crate) fn amend(
    facts: &Facts,
    ask: &Amendment,
    reason: &str,
    checks: &[Check],
    world: &dyn World,
) -> Result<(Boundary, Intent)> {
    let flow = facts.flow.as_ref();
    let flow = flow.map_err(|damage| EngineError::unreadable(damage.why.clone()))?;
    let scene = Scene { facts, flow, world };
    let approval = record::Approval {
        reason: Some(reason),
        by: ask.approved_by.as_deref().unwrap_or_default(),
    };
    let amended = record::amend::amend(scene, ask, &approval)?;
    let (folded, durations) = (Folded::new(flow, checks), durations(flow, world));
    let again = if amended.point.verb == Verb::Skip {
        amended.again
    } else {
        with_waiting(flow, amended.again)
    };
    let all = whole((facts, flow), &mut None, amended.point, again.clone());
    let mut point = boundary(flow, amended.point, all, &folded, &durations);
    point.label = amended.label.into();
    point.reason = reason.into();
    point.preference = Preference::ByHand;
    let intent = intended(scene, amended.point, again, amended.work, false);
    Ok((point, intent))
}

/// The stages that would run again, in array order.
pub(crate) fn redone(flow: &Flow, point: Point) -> Vec<usize> {
    let again = of_point(flow, point);
    let blocked = matches!(flow.next, Next::Deadlock(at) if Some(at) == point.stage);
    if point.verb.orders() && !blocked {
        with_waiting(flow, again)
    } else {
        again
    }
}

/// Some stages in array order, and every one that was invalidated before or failed within its limit, which the protocol runs again as
/// soon as it can. A large plan counts only the former.
fn with_waiting(flow: &Flow, mut again: Vec<usize>) -> Vec<usize> {
    if !flow.is_large() {
        let waits = |s: &Stage| {
            let failed = flow.has_failed(s) && !flow.state.is_exhausted(s);
            failed || s.status == StageStatus::Invalidated
        };
        let stages = flow.state.stages.iter();
        let all = stages.filter(|s| again.binary_search(&s.index).is_ok() || waits(s));
        again = all.map(|stage| stage.index).collect();
    }
    again
}

fn of_point(flow: &Flow, point: Point) -> Vec<usize> {
    let Some(stage) = point.of(flow) else {
        return Vec::new();
    };
    let at = stage.index;
    let again = match (point.verb, stage.status) {
        (Verb::Rerun, StageStatus::Completed) => return stale(flow, at),
        // What depends on it has results of its earlier run, as before it was invalidated.
        (Verb::Rerun, StageStatus::Invalidated) => {
            let mut all = stale(flow, at);
            all.insert(all.partition_point(|one| *one < at), at);
            return all;
        }
        (Verb::Monitor, _) => list::relaunches(flow, at),
        (Verb::Retry, _) => true,
        // A session debugs and retries what is marked as failed, within the limit.
        (Verb::Fail, _) => !flow.state.is_exhausted(stage),
        _ => false,
    };
    again.then_some(at).into_iter().collect()
}

/// A stage and every completed stage that depends on it, which a rerun invalidates.
pub(crate) fn invalidated(flow: &Flow, at: usize) -> Vec<usize> {
    let mut all = stale(flow, at);
    let completed = |stage: &Stage| stage.status == StageStatus::Completed;
    all.retain(|at| flow.stage(*at).is_some_and(completed));
    all
}

/// A stage and every stage that depends on it, as far as they have run or are running: a rerun makes all of them run
/// again. Only completed ones are invalidated: the protocol retries one that failed, and one that runs must end first.
pub(crate) fn stale(flow: &Flow, at: usize) -> Vec<usize> {
    let mut all = flow.graph.closure(at);
    let ran = [StageStatus::Completed, StageStatus::Failed];
    all.retain(|at| {
        let stage = flow.stage(*at);
        stage.is_some_and(|s| ran.contains(&s.status) || s.status.is_active())
    });
    all
}

/// The stages whose results are kept. A skipped stage has none.
fn kept<'a>(flow: &'a Flow, again: &'a [usize]) -> impl Iterator<Item = &'a Stage> {
    let completed = flow.state.with(StageStatus::Completed);
    completed.filter(|s| again.binary_search(&s.index).is_err())
}

/// Recorded time of the work that would run again; `None` if none is recorded.
fn time_lost(again: &[usize], durations: &[Option<u64>]) -> Option<u64> {
    if again.is_empty() {
        return Some(0);
    }
    let known = again.iter().filter_map(|at| *durations.get(*at)?);
    known.reduce(u64::saturating_add)
}

fn item(stage: &Stage, world: &dyn World) -> WorkItem {
    WorkItem {
        duration_s: duration(stage, world),
        ..WorkItem::new(stage.id.as_str(), stage.name.as_str(), stage.word.as_str())
    }
}

#[cfg(test)]
mod tests;
