//! What may change the table's answer: a rollback's own plan, reviews that are not on record, records that
//! contradict each other, loops.

use super::{Decision, Means, Outlook, Target, table};
use crate::systems::nine_step::facts::ledger::{Approval, Ledger, Position};
use crate::systems::nine_step::shape::ResumePlan;
use crate::systems::nine_step::shape::status::Class;
use crate::systems::nine_step::shape::steps::StepNo;

/// From this many failures of one reviewer on, the loop is named. Upstream asks at the same number.
const LOOP: u64 = 3;

/// A `resume_plan` is written by rollbacks only. It counts until something newer is recorded, and upstream
/// never removes it: a `note` in `last_execution` shows that the rollback is still the last thing that happened.
pub(super) fn follow(decision: &mut Decision, plan: &ResumePlan, position: &Position) {
    let target = Target::Step(plan.phase, plan.step);
    if target == decision.chosen {
        return;
    }
    if position.record.note.is_none() {
        decision.warn(format!(
            "The resume_plan (phase {}, step {}) is ignored: steps were recorded after it.",
            plan.phase,
            plan.step.word()
        ));
        return;
    }
    let earlier = std::mem::replace(&mut decision.chosen, target);
    decision.offer(
        earlier,
        Means::Other,
        "The records without the resume_plan lead here.",
    );
    decision.reason = format!(
        "The recorded resume_plan leads here: {}.",
        plan.reason.trim_end_matches('.')
    );
}

/// A review of the phase that is not on record comes first, and no code of phase 1 comes before an approval.
pub(super) fn hold_at_gates(decision: &mut Decision, ledger: &Ledger) {
    let Target::Step(phase, step) = decision.chosen else {
        return;
    };
    let early = phase == 1 && step > StepNo::Approval && ledger.approved() == Approval::Missing;
    let gate = if early {
        Some(StepNo::Approval)
    } else {
        ledger.missing_gate((phase, step))
    };
    let Some(gate) = gate else {
        return;
    };
    let passed = decision.chosen;
    let gated = Target::Step(phase, gate);
    decision.chosen = gated;
    decision.reason = format!(
        "Step {} of phase {phase} is not on record before step {}, and may not be skipped.",
        gate.named(),
        step.word()
    );
    decision.offers.retain(|offer| offer.target < gated);
    if gate == StepNo::Approval {
        decision.offer(
            passed,
            Means::Approve,
            "You approve the plan, or did so before; the work resumes after the gate.",
        );
    }
}

/// If step number and agent contradict each other, the agent is trusted, because agents of this plugin number
/// their steps differently. The other reading is offered, unless it would pass a review that is not on record.
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
        "The record names step {} and the agent {}, which runs step {}: ask which it was.",
        written.word(),
        position.record.agent,
        position.step.word()
    ));
    let held = match other {
        Target::Step(phase, step) => ledger.missing_gate((phase, step)).is_some(),
        Target::Merge => other > decision.chosen,
    };
    if !held {
        decision.offer(
            other,
            Means::Other,
            "The step number is right, and the agent is wrong.",
        );
    }
}

/// Where the work resumes if the phase is left out for now. Never over an open gate: a decision of the user that is
/// pending, a rejection, an approval or a review that comes next.
pub(super) fn after_the_phase(
    chosen: Target,
    ledger: &Ledger,
    outlook: &Outlook<'_>,
) -> Option<Target> {
    let Target::Step(phase, step) = chosen else {
        return None;
    };
    let decides = matches!(ledger.position.class, Class::Waiting | Class::Hard);
    // The commit follows a review that passed: the phase is done but for it.
    let open = decides || step < StepNo::Code || step.is_gate() || step == StepNo::Commit;
    let next = table::next_phase(phase, outlook).chosen;
    (!open && next != Target::Merge).then_some(next)
}

/// A reviewer that failed again and again.
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
                Means::Back,
                "Revise the plan, because the same step failed again and again.",
            );
        }
    }
}
