//! The phase table: the five steps, with their history and milestone.

use crate::formats::json;
use crate::model::{LocalTime, Phase, PhaseStatus, Stamp};
use crate::systems::mgw::facts::{Facts, PhaseHistory};
use crate::systems::mgw::points::{Goal, Target};
use crate::systems::mgw::shape::{Past, Route, Stage, State, Step};

/// The rows; none without a state.
pub(crate) fn phases(facts: &Facts, target: Option<&Target>, zone: &dyn LocalTime) -> Vec<Phase> {
    let (Some(state), Some(target)) = (facts.state(), target) else {
        return Vec::new();
    };
    let history = PhaseHistory::of(facts, state, target);
    let rows = Step::ALL.into_iter();
    rows.map(|step| row(facts, state, target, &history, step, zone))
        .collect()
}

fn row(
    facts: &Facts,
    state: &State,
    target: &Target,
    history: &PhaseHistory<'_>,
    step: Step,
    zone: &dyn LocalTime,
) -> Phase {
    let mut past = history.past(step);
    let status = status(state, target, &past, step);
    let attempts = past.len() as u64;
    let undone = is_undone(state, target, step);
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
        done,
        total,
        attempts,
        started_at,
        ended_at,
        duration_s: Stamp::seconds_between(started_at, ended_at),
        detail: detail(facts, state, target, step, &past).into(),
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

/// Whether relight rewound the checkpoint to before a step: its history and progress are of an earlier attempt.
fn is_undone(state: &State, target: &Target, step: Step) -> bool {
    let checkpoint = state.checkpoint();
    checkpoint.is_some_and(|one| one.rewound.is_some()) && step.index() >= target.done()
}

/// Tasks of the execution; for other steps, and for tasks of an earlier attempt, the step itself.
fn units(state: &State, step: Step, status: PhaseStatus, undone: bool) -> (u64, Option<u64>) {
    let progress = state.checkpoint().map(|checkpoint| &checkpoint.progress);
    let tasks = |key: &str| u64::try_from(json::int(progress?, key)?).ok();
    if step == Step::Execute
        && !undone
        && let Some(done) = tasks("tasks_completed")
    {
        return (done, tasks("tasks_total"));
    }
    (u64::from(status == PhaseStatus::Done), Some(1))
}

fn detail(facts: &Facts, state: &State, target: &Target, step: Step, past: &[&Past]) -> String {
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
    let docs = &facts.evidence.docs;
    let found = match step {
        Step::Plan => docs.plans.last(),
        Step::Execute => docs.summaries.last(),
        Step::Verify => docs.verifications.last(),
        Step::Triage | Step::Pr => None,
    };
    if let Some(doc) = found.filter(|doc| !parts.contains(&doc.path)) {
        parts.push(format!("{} {}", doc.path, doc.at.text()));
    }
    let linked = state.linked_prs().into_iter().next();
    let linked = linked.filter(|_| step == Step::Pr);
    parts.extend(linked.map(|pr| format!("pull request {pr}")));
    parts.join(" · ")
}
