//! What can override the table: a rollback's plan, unrecorded reviews, contradicting records, loops.

use super::{Decision, Means, Outlook, Target, table};
use crate::systems::nine_step::facts::{Approval, Ledger, Position};
use crate::systems::nine_step::shape::{Class, ResumePlan, StepNo};

/// A loop is reported from this many failures of one reviewer on. The plugin asks at the same number.
const LOOP: u64 = 3;

/// Only rollbacks write a `resume_plan`. It counts until something newer is recorded. The plugin never removes it, but
/// a `note` in `last_execution` shows that the rollback is still the latest event.
pub(super) fn follow(decision: &mut Decision, plan: &ResumePlan, position: &Position) {
    let target = Target::Step(plan.phase, plan.step);
    if target == decision.chosen {
        return;
    }
    if position.record.note.is_none() {
        decision.warn(format!(
            "The resume_plan (phase {}, step {}) is ignored: steps were recorded after it.",
            plan.phase, plan.step
        ));
        return;
    }
    let earlier = std::mem::replace(&mut decision.chosen, target);
    decision.offer(earlier, "The records without the resume_plan lead here.");
    decision.reason = format!(
        "The recorded resume_plan leads here: {}.",
        plan.reason.trim_end_matches('.')
    );
}

/// An unrecorded review of the phase comes first, and no code of phase 1 comes before an approval.
pub(super) fn hold_at_gates(decision: &mut Decision, ledger: &Ledger) {
    let Target::Step(phase, step) = decision.chosen else {
        return;
    };
    let early = phase == 1 && step > StepNo::Approval && ledger.approved() == Approval::Missing;
    let approval = early.then_some(StepNo::Approval);
    let Some(gate) = approval.or_else(|| ledger.missing_gate((phase, step))) else {
        return;
    };
    let passed = decision.chosen;
    let gated = Target::Step(phase, gate);
    decision.chosen = gated;
    decision.reason = format!(
        "Step {} of phase {phase} is not on record before step {step}, and may not be skipped.",
        gate.named()
    );
    decision.offers.retain(|offer| offer.target < gated);
    if gate == StepNo::Approval {
        decision.offer_by(Means::Approve, passed,
            "Choose this if you approve the plan, or have approved it before; work resumes after the gate.",
        );
    }
}

/// If step number and agent contradict each other, the agent is trusted, because agents of this plugin number their
/// steps differently. The other interpretation is offered, unless it would skip an unrecorded review.
pub(super) fn show_both(decision: &mut Decision, ledger: &Ledger, outlook: &Outlook<'_>) {
    let position = &ledger.position;
    let (Some(_), Some(written)) = (position.record.by_agent, position.record.written) else {
        return;
    };
    let by_number = Position {
        step: written,
        ..position.clone()
    };
    let other = table::by_status(&by_number, ledger, outlook).chosen;
    decision.warn(format!(
        "The record names step {written} and the agent {}, which runs step {}: ask which it was.",
        position.record.agent, position.step
    ));
    // The merge of work that may not have been committed is never offered.
    if let Target::Step(phase, step) = other
        && ledger.missing_gate((phase, step)).is_none()
    {
        let why = "Choose this if the step number is right and the agent is wrong.";
        decision.offer(other, why);
    }
}

/// Where work resumes if the phase is skipped for now. Never past an open gate: a pending decision of the user, a
/// rejection, an approval or a review that comes next.
pub(super) fn skip_the_phase(decision: &mut Decision, ledger: &Ledger, outlook: &Outlook<'_>) {
    let Some((phase, step)) = decision.chosen.spot() else {
        return;
    };
    let decides = matches!(ledger.position.class, Class::Waiting | Class::Hard);
    // The commit follows a passed review: nothing else of the phase is left.
    let open = decides || step < StepNo::Code || step.is_gate() || step == StepNo::Commit;
    let next = table::next_phase(phase, outlook).chosen;
    let follows = !open && next != Target::Merge;
    decision.next_phase = follows.then_some(((phase, step), next));
}

/// Warns of a reviewer that failed repeatedly.
pub(super) fn warn_of_loops(decision: &mut Decision, ledger: &Ledger) {
    let Target::Step(phase, _) = decision.chosen else {
        return;
    };
    for reviewer in [StepNo::CodeReview, StepNo::DocsReview, StepNo::TestReview] {
        let failures = ledger.failures_at((phase, reviewer));
        if failures >= LOOP {
            decision.loops.push((phase, reviewer, failures));
            decision.warn(format!(
                "Step {} of phase {phase} failed {failures} times: review the plan or the design first.",
                reviewer.named()
            ));
            decision.offer(
                Target::Step(phase, StepNo::Plan),
                "Revise the plan, because the same step failed repeatedly.",
            );
        }
    }
}
