//! The table of actions, including the five that the orchestrator's own mapping does not know.

use crate::formats::json;
use crate::systems::mgw::facts::Evidence;
use crate::systems::mgw::facts::evidence::ROADMAP;
use crate::systems::mgw::points::target::{attainable, by_roadmap, first_open};
use crate::systems::mgw::points::{Basis, Goal, Target};
use crate::systems::mgw::shape::documents::phase_number;
use crate::systems::mgw::shape::project::plain;
use crate::systems::mgw::shape::{Action, Checkpoint, Route, State, Step};

/// The target of a usable checkpoint; `None` without one.
pub(crate) fn target(state: &State, evidence: &Evidence) -> Option<Target> {
    let checkpoint = state.checkpoint()?;
    let effective = checkpoint.effective();
    let regressed = checkpoint.regressed();
    let known = checkpoint.action.filter(|_| !regressed);
    // At triage there is nothing to resume; with an unknown step only the action can decide.
    let usable = match effective {
        Some(step) => step > Step::Triage,
        None => known.is_some(),
    };
    if !usable {
        return None;
    }
    let target = match known {
        Some(action) => by_action(action, checkpoint, state, evidence),
        None => by_step(effective?, checkpoint, state, evidence),
    };
    let mut target = attainable(target, evidence);
    target.claimed = Some(claimed(known, effective, state.route()));
    if regressed {
        let step = effective.map_or("", Step::word);
        target = target.warn(format!(
            "The checkpoint was reset to {} while its history is at {step}; {step} counts.",
            checkpoint.step_text
        ));
    } else if let (None, Some(text)) = (checkpoint.action, &checkpoint.action_text) {
        target = target.warn(format!("The action {text} is unknown; the step decides."));
    }
    let place = target.word();
    // Where the orchestrator's own mapping leads to another place.
    if let Some(action) = known.filter(|action| action.upstream() != place) {
        let (word, upstream) = (action.word(), action.upstream());
        target = target.warn(format!(
            "The orchestrator's own Resume would treat {word} as {upstream}; tell it to continue with {place}."
        ));
    }
    Some(target)
}

/// The step that the checkpoint alone would lead to, whatever is on disk.
pub(crate) fn claimed(action: Option<Action>, effective: Option<Step>, route: Route) -> Step {
    use Action as A;
    match action {
        Some(A::BeginExecution | A::RunPlanChecker | A::NextPhase) => Step::Plan,
        Some(A::SpawnExecutor | A::ContinueExecution | A::ExecutePhase) => Step::Execute,
        Some(A::SpawnVerifier | A::RetryVerifier | A::VerifyPhase) => Step::Verify,
        Some(A::CreatePr | A::Cleanup) => Step::Pr,
        None => match effective {
            Some(Step::Execute) if !route.verifies() => Step::Pr,
            Some(step) => step.next(),
            None => Step::Plan,
        },
    }
}

fn by_action(action: Action, recorded: &Checkpoint, state: &State, evidence: &Evidence) -> Target {
    use Action as A;
    let word = action.word();
    let says = |step: Step, because: &str| {
        let why = format!("The checkpoint's action is {word}{because}.");
        Target::step(step, Basis::Checkpoint, why)
            .detail(place(action, recorded))
            .phase(phase(recorded))
    };
    let step = claimed(Some(action), None, state.route());
    match action {
        A::BeginExecution | A::ContinueExecution => says(step, ""),
        A::RunPlanChecker if evidence.has_plan() => {
            says(Step::Plan, ", and the plan exists").detail("check only")
        }
        A::RunPlanChecker => {
            let lack = format!(", and {}", evidence.lack("PLAN"));
            let known = !evidence.may_have_more();
            says(Step::Plan, &lack).detail(if known { "plan again" } else { "check only" })
        }
        A::NextPhase => next_phase(recorded, evidence),
        A::Cleanup => match pr_number(recorded, state) {
            Some(number) => {
                let why = "only the cleanup is left";
                let why = format!("The checkpoint records pull request {number}; {why}.");
                Target::new(Goal::Cleanup, Basis::Checkpoint, why)
            }
            None => says(Step::Pr, ", and no pull request is recorded"),
        },
        A::SpawnExecutor
        | A::ExecutePhase
        | A::SpawnVerifier
        | A::RetryVerifier
        | A::VerifyPhase
        | A::CreatePr => match evidence.lacks(step) {
            None => says(step, ""),
            Some((needed, document)) => says(needed, &format!(", and {}", evidence.lack(document))),
        },
    }
}

/// Without a known action the step decides.
fn by_step(step: Step, recorded: &Checkpoint, state: &State, evidence: &Evidence) -> Target {
    let route = state.route();
    let lack = format!(", and {}", evidence.lack("PLAN"));
    let (goal, says) = match step {
        Step::Triage => (Goal::Step(Step::Plan), ""),
        Step::Plan if evidence.has_plan() => (Goal::Step(Step::Execute), " and the plan exists"),
        Step::Plan if evidence.may_have_more() => (Goal::Step(Step::Execute), lack.as_str()),
        Step::Plan => (Goal::Step(Step::Plan), lack.as_str()),
        Step::Execute if route.verifies() => (Goal::Step(Step::Verify), " and its route verifies"),
        Step::Execute => (Goal::Step(Step::Pr), " and its route does not verify"),
        Step::Verify => (Goal::Step(Step::Pr), ""),
        Step::Pr if pr_number(recorded, state).is_some() => (Goal::Cleanup, ""),
        Step::Pr => (Goal::Step(Step::Pr), ", and no pull request is recorded"),
    };
    let why = format!("The checkpoint's step is {}{says}.", step.word());
    Target::new(goal, Basis::Checkpoint, why)
}

/// The phase after the one that was completed; without a later one, the pull request.
fn next_phase(checkpoint: &Checkpoint, evidence: &Evidence) -> Target {
    let completed = context_number(checkpoint, "completed_phase").or_else(|| phase(checkpoint));
    let Some(roadmap) = &evidence.roadmap else {
        let phase = completed.map_or_else(|| "A phase".to_owned(), |one| format!("Phase {one}"));
        let lack = evidence.lack(ROADMAP);
        let why = format!("{phase} is completed, and {lack}.");
        return Target::step(Step::Pr, Basis::Checkpoint, why)
            .warn("Without a roadmap it is unknown whether a phase remains: check before the pull request.");
    };
    // A phase that is neither in the roadmap nor a number cannot be compared with the others.
    let placed = |completed: &String| {
        completed.parse::<f64>().is_ok() || roadmap.iter().any(|phase| phase.number == *completed)
    };
    let Some(completed) = completed.filter(placed) else {
        return by_roadmap(evidence, None)
            .warn("The checkpoint does not say which phase was completed.");
    };
    let later = match roadmap.iter().position(|phase| phase.number == completed) {
        Some(at) => Some(at + 1),
        None => roadmap
            .iter()
            .position(|phase| after(&phase.number, &completed)),
    };
    let rest = later.and_then(|at| roadmap.get(at..)).unwrap_or_default();
    let Some(next) = rest.first() else {
        let why = format!("Phase {completed} is completed, and the roadmap has no later one.");
        return Target::step(Step::Pr, Basis::Checkpoint, why);
    };
    // A plan may have been written early, unless relight rewound the checkpoint to an earlier step.
    let rewound = checkpoint.rewound;
    let mut folders = evidence.phases.iter();
    let folder = folders.find(|dir| dir.number == next.number);
    let planned = !rewound && folder.is_some_and(|dir| dir.docs.last(Step::Plan).is_some());
    let completed = format!("Phase {completed} is completed");
    let Some((open, step)) = first_open(rest, evidence, evidence.since) else {
        let why = format!("{completed}, and the documents show every later one verified.");
        return Target::step(Step::Pr, Basis::Evidence, why);
    };
    let number = &open.number;
    if open != next || step > Step::Execute {
        let why = format!(
            "{completed}, and newer documents show more: phase {number} is the first that is not finished."
        );
        return Target::step(step, Basis::Evidence, why).in_phase(open);
    }
    let step = if planned { Step::Execute } else { step };
    let state = if step == Step::Plan {
        "is not planned"
    } else {
        "has its plans"
    };
    let why = format!("{completed}; phase {number} is next and {state}.");
    Target::step(step, Basis::Checkpoint, why).in_phase(open)
}

/// Compares numbers such as `2.1` by value; unreadable ones are never later.
fn after(number: &str, completed: &str) -> bool {
    let value = |text: &str| text.parse::<f64>().ok();
    let both = value(number).zip(value(completed));
    both.is_some_and(|(number, completed)| number > completed)
}

fn context_number(checkpoint: &Checkpoint, key: &str) -> Option<String> {
    let number = checkpoint.context.get(key).and_then(plain)?;
    Some(phase_number(&number))
}

/// The phase that the checkpoint is in.
fn phase(checkpoint: &Checkpoint) -> Option<String> {
    let progress = || checkpoint.progress.get("gsd_phase").and_then(plain);
    context_number(checkpoint, "phase_number").or_else(|| Some(phase_number(&progress()?)))
}

/// The position within the step, in a few words.
fn place(action: Action, checkpoint: &Checkpoint) -> String {
    let phase = context_number(checkpoint, "phase_number");
    if action != Action::ContinueExecution {
        return phase.map_or_else(String::new, |phase| format!("phase {phase}"));
    }
    let progress = &checkpoint.progress;
    let phase = progress.get("gsd_phase").and_then(plain).or(phase);
    let total = json::int(progress, "tasks_total");
    let of = total.map_or_else(String::new, |total| format!(" of {total}"));
    let task = json::int(progress, "tasks_completed");
    let task = task.map(|done| total.map_or(done, |total| done.min(total)));
    let task = task.map(|done| format!("after task {done}{of}"));
    let phase = phase.map(|phase| format!("phase {phase}"));
    phase.into_iter().chain(task).collect::<Vec<_>>().join(", ")
}

/// The recorded pull request.
fn pr_number(checkpoint: &Checkpoint, state: &State) -> Option<String> {
    let mut recorded = [&checkpoint.context, &checkpoint.progress].into_iter();
    let recorded = recorded.find_map(|map| map.get("pr_number").filter(|v| !v.is_null()));
    let recorded = recorded.and_then(plain);
    recorded.or_else(|| state.linked_prs().first().map(ToString::to_string))
}
