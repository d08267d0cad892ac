//! The phase table: the five steps, with their history and milestone.

use crate::formats::json;
use crate::model::{Phase, PhaseStatus, Stamp};
use crate::systems::mgw::points::{Goal, Scene, Target};
use crate::systems::mgw::shape::{Past, Route, Stage, State, Step};

/// The rows.
pub(crate) fn phases(scene: &Scene<'_>) -> Vec<Phase> {
    Step::ALL.map(|step| row(scene, step)).into()
}

fn row(scene: &Scene<'_>, step: Step) -> Phase {
    let (state, target, history) = (scene.state, scene.target, &scene.history);
    let zone = scene.world.clock();
    let mut past = history.past(step);
    let status = status(state, target, &past, step);
    let attempts = past.len() as u64;
    // relight rewound the checkpoint to before the step: its history and progress are of an earlier attempt.
    let rewound = state.checkpoint().is_some_and(|one| one.rewound);
    let undone = rewound && step.index() >= target.done();
    if undone {
        past.clear();
    }
    let ended_at = history.ended(step, zone);
    let ended_at = ended_at.filter(|_| status == PhaseStatus::Done);
    let started_at = history.began(step, zone).filter(|_| ended_at.is_some());
    let (done, total) = units(state, step, status, undone);
    let current = [
        PhaseStatus::Active,
        PhaseStatus::Waiting,
        PhaseStatus::Failed,
    ];
    let native = if current.contains(&status) {
        state.stage_text().unwrap_or_default()
    } else if past.is_empty() {
        ""
    } else {
        "completed"
    };
    Phase {
        id: step.word().into(),
        name: step.name().into(),
        status,
        native_status: native.into(),
        done: Some(done),
        total,
        at_least: false,
        attempts,
        started_at,
        ended_at,
        duration_s: Stamp::seconds_between(started_at, ended_at),
        detail: detail(scene, step, &past).into(),
    }
}

fn status(state: &State, target: &Target, past: &[&Past], step: Step) -> PhaseStatus {
    let skips = step == Step::Verify && state.route() == Route::Quick;
    if skips && past.is_empty() && target.goal != Goal::Step(Step::Verify) {
        return PhaseStatus::Skipped;
    }
    if step.index() < target.done() {
        return PhaseStatus::Done;
    }
    if target.goal != Goal::Step(step) {
        return PhaseStatus::Pending;
    }
    match state.stage() {
        Some(Stage::Failed) => PhaseStatus::Failed,
        _ if state.dead_letter() => PhaseStatus::Failed,
        Some(stage) if stage.waits() => PhaseStatus::Waiting,
        _ => PhaseStatus::Active,
    }
}

/// Tasks of the execution; for other steps, and for tasks of an earlier attempt, the step itself.
fn units(state: &State, step: Step, status: PhaseStatus, undone: bool) -> (u64, Option<u64>) {
    let progress = state.checkpoint().map(|checkpoint| &checkpoint.progress);
    let tasks = |key: &str| u64::try_from(json::int(progress?, key)?).ok();
    if step == Step::Execute
        && !undone
        && let Some(done) = tasks("tasks_completed")
    {
        // A state file that another program wrote may claim more than there are.
        let total = tasks("tasks_total");
        return (total.map_or(done, |total| done.min(total)), total);
    }
    (u64::from(status == PhaseStatus::Done), Some(1))
}

fn detail(scene: &Scene<'_>, step: Step, past: &[&Past]) -> String {
    let (facts, state, target) = (scene.facts, scene.state, scene.target);
    let mut parts: Vec<String> = Vec::new();
    if step == Step::Triage {
        parts.extend(state.route_text().map(|route| format!("route {route}")));
    }
    if target.goal == Goal::Step(step) {
        parts.extend((!target.detail.is_empty()).then(|| target.detail.clone()));
        parts.extend(facts.listed().map(|listed| listed.context()));
    }
    if let Some(past) = past.last() {
        parts.extend(past.agent.clone());
        parts.extend(past.output.clone());
    }
    let found = facts.evidence.docs.last(step);
    if let Some(doc) = found.filter(|doc| !parts.contains(&doc.path)) {
        parts.push(format!("{} {}", doc.path, doc.at.word()));
    }
    let linked = state.linked_prs().into_iter().next();
    let linked = linked.filter(|_| step == Step::Pr);
    parts.extend(linked.map(|pr| format!("pull request {pr}")));
    parts.join(" · ")
}
