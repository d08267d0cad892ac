//! Where work resumes, by the status of the last record.

use super::{Decision, Means, Outlook, Target};
use crate::systems::nine_step::facts::{Ledger, Position};
use crate::systems::nine_step::shape::{Class, StepNo};

/// The decision for a position.
pub(super) fn by_status(position: &Position, ledger: &Ledger, outlook: &Outlook<'_>) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let at = |step| Target::Step(phase, step);
    match position.class {
        Class::Success => after(position, outlook),
        Class::Conditional => {
            let mut decision = after(position, outlook);
            decision.warn(format!(
                "Step {step} was approved under conditions: verify them first, or treat it as a revision."
            ));
            let why = "Choose this if the conditions are not met.";
            decision.offer(at(step.returns_to()), why);
            decision
        }
        Class::Failure => failed(position),
        Class::Hard => rejected(position),
        Class::Waiting if step == StepNo::Commit && merge_next(phase, ledger, outlook) => {
            let why = "The merge is waiting for the user's approval.";
            Decision::new(Target::Merge, why)
        }
        Class::Waiting => {
            let named = step.named();
            let why = format!("The user's decision on step {named} is pending: ask.");
            let mut decision = Decision::new(at(step), why);
            if step == StepNo::Approval {
                let why = "Choose this to approve the plan; work resumes after the gate.";
                decision.offer_by(Means::Approve, at(StepNo::Code), why);
            }
            decision
        }
        Class::InFlight | Class::Unknown => interrupted(position),
    }
}

/// An interrupted step runs again. Skipping it needs explicit consent, and is never offered for a gate, a review or the
/// commit.
fn interrupted(position: &Position) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let why = format!("Step {} was interrupted and runs again.", step.named());
    let mut decision = Decision::new(Target::Step(phase, step), why);
    if position.class == Class::Unknown && !position.record.is_skipped() {
        let status = &position.record.status;
        decision.warn(format!(
            "The status `{status}` is unknown: check it before you continue."
        ));
    }
    let may_skip = !step.is_gate() && !matches!(step, StepNo::PlanReview | StepNo::Commit);
    if let Some(next) = step.next().filter(|_| may_skip) {
        let why = format!("Choose this to skip step {step}.");
        decision.offer_by(Means::Skip(step), Target::Step(phase, next), why);
    }
    decision
}

/// A failed review returns to the step that it reviewed; any other step is repeated.
fn failed(position: &Position) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let back = step.returns_to();
    let reason = if step == StepNo::Approval {
        "The user asked for changes: the plan is revised with them.".to_owned()
    } else if back == step {
        format!("Step {} failed and runs again.", step.named())
    } else {
        format!("Step {} sent the work back to step {back}.", step.named())
    };
    let mut decision = Decision::new(Target::Step(phase, back), reason);
    if back != step && back.next() == Some(step) && !back.is_gate() && back > StepNo::Approval {
        let why = format!(
            "Choose this if the requested changes are already made; step {step} runs again."
        );
        decision.offer_by(Means::Skip(back), Target::Step(phase, step), why);
    }
    if matches!(step, StepNo::Test | StepNo::TestReview) {
        let why = "Choose this if the tests fail because of the code.";
        decision.offer(Target::Step(phase, StepNo::Code), why);
    }
    decision
}

/// A rejection needs the user: the work stays at the step until they decide.
fn rejected(position: &Position) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let named = step.named();
    let why = format!(
        "Step {named} was rejected, and relight does not choose for you: revise the plan (step 1), go back one step, reduce the scope, or abort."
    );
    let mut decision = Decision::new(Target::Step(phase, step), why);
    let backs = [
        (StepNo::Plan, "Revise the plan."),
        (step.returns_to(), "Repeat the work under the same plan."),
    ];
    for (back, why) in backs {
        let target = Target::Step(phase, back);
        if decision.offer_for(target).is_none() {
            decision.offer(target, why);
        }
    }
    decision
}

/// After a passed step: the next of the list, the next phase, or the merge.
fn after(position: &Position, outlook: &Outlook<'_>) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let Some(next) = step.next() else {
        let later = next_phase(phase, outlook);
        if !(outlook.uncommitted)(phase) {
            return later;
        }
        let why = format!(
            "Phase {phase} is recorded as committed, but no commit of the branch names it and there are uncommitted changes: they are committed first."
        );
        let mut decision = Decision::new(Target::Step(phase, StepNo::Commit), why);
        let why = format!(
            "Phase {phase} is in a commit that does not name it, and the changes are not part of it."
        );
        decision.offer(later.chosen, why);
        return decision;
    };
    let passed = if position.class == Class::Conditional {
        "was approved under conditions"
    } else {
        "passed"
    };
    let reason = if next == StepNo::Approval {
        "The plan was reviewed; the user must approve it before any code.".to_owned()
    } else {
        format!("Step {} {passed}; step {next} is next.", step.named())
    };
    Decision::new(Target::Step(phase, next), reason)
}

/// After a phase's commit. The plugin's documents contradict each other on where the next phase starts: a plan that
/// covers the phase decides, and the other answer is offered.
pub(super) fn next_phase(phase: i64, outlook: &Outlook<'_>) -> Decision {
    if outlook.total.is_some_and(|total| phase >= total) {
        let reason = format!("Phase {phase} was the last; the merge needs your approval.");
        return Decision::new(Target::Merge, reason);
    }
    let next = phase.saturating_add(1);
    let planned = (outlook.planned)(next);
    let starts = match planned {
        Some(true) => format!("the approved plan covers phase {next}, which starts with its code"),
        Some(false) => format!("no plan covers phase {next}, so it starts with a new plan"),
        None => format!("the plan cannot be read, so phase {next} starts with a new one"),
    };
    let reason = format!("Phase {phase} is committed; {starts}.");
    let (by_code, by_plan) = (
        "The plugin's own resume code starts every phase with a plan.",
        "The plugin's other documents plan once and start every phase with its code; this skips the approval of a plan.",
    );
    let (first, other, why) = if planned == Some(true) {
        (StepNo::Code, StepNo::Plan, by_code)
    } else {
        (StepNo::Plan, StepNo::Code, by_plan)
    };
    let mut decision = Decision::new(Target::Step(next, first), reason);
    decision.offer(Target::Step(next, other), why);
    if outlook.total.is_none() {
        decision.warn("The number of phases is not on record.");
        decision.offer(Target::Merge, format!("Phase {phase} was the last one."));
    }
    decision
}

fn merge_next(phase: i64, ledger: &Ledger, outlook: &Outlook<'_>) -> bool {
    outlook.total.is_some_and(|total| phase >= total) && ledger.has((phase, StepNo::Commit))
}
