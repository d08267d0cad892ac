//! What may change the table's answer: a rollback's own plan, reviews that are not on record, records that
//! disagree with themselves, loops (format note, sections e.2 to e.4).

use crate::systems::nine_step::facts::ledger::{Approval, Ledger, Position};
use crate::systems::nine_step::points::decision::{Decision, Means, Offer, Outlook, Target, table};
use crate::systems::nine_step::shape::ResumePlan;
use crate::systems::nine_step::shape::steps::StepNo;

/// Failures of one reviewer from which on the loop is named (format note, section e.4).
const LOOP: u64 = 3;

/// What a rollback wrote for going on counts while nothing newer was recorded (format note, section e.2).
pub(crate) fn follow(decision: &mut Decision, plan: &ResumePlan, position: &Position) {
    let target = Target::Step(plan.phase, plan.step);
    if target == decision.chosen {
        return;
    }
    if position.record.note.is_none() {
        decision.warnings.push(format!(
            "An older resume_plan (phase {}, step {}) is ignored: steps were recorded since.",
            plan.phase,
            plan.step.word()
        ));
        return;
    }
    let earlier = std::mem::replace(&mut decision.chosen, target);
    let why = "The records alone would say so.".to_owned();
    decision.offers.push(Offer {
        target: earlier,
        means: Means::Other,
        why,
    });
    decision.reason = format!(
        "The recorded resume_plan says so: {}.",
        plan.reason.trim_end_matches('.')
    );
}

/// A review of the phase that is not on record is made up for first, and no code is taken up in phase 1
/// before an approval (format note, sections e.3 and N12).
pub(crate) fn hold_at_gates(decision: &mut Decision, ledger: &Ledger) {
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
    decision.chosen = Target::Step(phase, gate);
    decision.reason = format!(
        "Step {} ({}) of phase {phase} is not on record before step {}, and may not be skipped.",
        gate.word(),
        gate.title(),
        step.word()
    );
    let gated = decision.chosen;
    decision.offers.retain(|offer| offer.target < gated);
    if gate == StepNo::Approval {
        decision.offers.push(Offer {
            target: passed,
            means: Means::Approve,
            why: "You approve the plan, or did so before; the work goes on after the gate."
                .to_owned(),
        });
    }
}

/// Where step number and agent disagree, the agent is trusted and the other reading is offered, unless that
/// would pass a review that is not on record (format note, section e.2).
pub(crate) fn show_both(decision: &mut Decision, ledger: &Ledger, outlook: &Outlook<'_>) {
    let position = &ledger.position;
    let (Some(_), Some(written)) = (position.record.by_agent, position.record.written) else {
        return;
    };
    let by_number = Position {
        step: written,
        ..position.clone()
    };
    let other = table::by_status(&by_number, ledger, outlook).chosen;
    decision.warnings.push(format!(
        "The record says step {} and the agent {}, who works at step {}: ask which it was.",
        written.word(),
        position.record.agent,
        position.step.word()
    ));
    let held = match other {
        Target::Step(phase, step) => ledger.missing_gate((phase, step)).is_some(),
        Target::Merge => other > decision.chosen,
    };
    if !held {
        let why = "The step number is right, and the agent is not.".to_owned();
        decision.offers.push(Offer {
            target: other,
            means: Means::Other,
            why,
        });
    }
}

/// A reviewer that failed again and again (format note, section e.4).
pub(crate) fn warn_of_loops(decision: &mut Decision, ledger: &Ledger) {
    let Target::Step(phase, _) = decision.chosen else {
        return;
    };
    for reviewer in [StepNo::CodeReview, StepNo::DocsReview, StepNo::TestReview] {
        let failures = ledger.failures_at((phase, reviewer));
        if failures >= LOOP {
            decision.loops.push((phase, reviewer, failures));
            decision.warnings.push(format!(
                "Step {} ({}) of phase {phase} failed {failures} times: review the plan or the design first.",
                reviewer.word(),
                reviewer.title()
            ));
            decision.offers.push(Offer {
                target: Target::Step(phase, StepNo::Plan),
                means: Means::Back,
                why: "The plan is reviewed, because the same step failed again and again."
                    .to_owned(),
            });
        }
    }
}
