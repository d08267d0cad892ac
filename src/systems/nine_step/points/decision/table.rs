//! The table of resume points by status (format note, section e.1), every row as recommended.

use crate::systems::nine_step::facts::ledger::{Ledger, Position};
use crate::systems::nine_step::points::decision::{Decision, Means, Offer, Outlook, Target};
use crate::systems::nine_step::shape::status::Class;
use crate::systems::nine_step::shape::steps::StepNo;

/// Section e.1, every row as recommended.
pub(crate) fn by_status(position: &Position, ledger: &Ledger, outlook: &Outlook<'_>) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let at = |step| Target::Step(phase, step);
    let title = step.title();
    match position.class {
        Class::Success => after(position, outlook),
        Class::Conditional => {
            let mut decision = after(position, outlook);
            decision.warnings.push(format!(
                "Step {} was approved under conditions: verify them first, or take it as a revision.",
                step.word()
            ));
            let back = Offer {
                target: at(step.returns_to()),
                means: Means::Back,
                why: "The conditions are not met.".to_owned(),
            };
            decision.offers.push(back);
            decision
        }
        Class::Failure => failed(position),
        Class::Hard => rejected(position),
        Class::Waiting if step == StepNo::Commit && merge_next(phase, ledger, outlook) => simple(
            Target::Merge,
            "The merge waits for the user's approval.".to_owned(),
        ),
        Class::Waiting => {
            let mut decision = simple(
                at(step),
                format!(
                    "The user's decision on step {} ({title}) is pending: ask.",
                    step.word()
                ),
            );
            if step == StepNo::Approval {
                decision.offers.push(Offer {
                    target: at(StepNo::Code),
                    means: Means::Approve,
                    why: "You approve the plan; the work goes on after the gate.".to_owned(),
                });
            }
            decision
        }
        Class::InFlight | Class::Unknown => cut_off(position),
    }
}

fn simple(chosen: Target, reason: String) -> Decision {
    Decision {
        chosen,
        reason,
        offers: Vec::new(),
        warnings: Vec::new(),
        loops: Vec::new(),
    }
}

/// A step that was cut off is done again; leaving it out wants explicit consent and is never offered for a
/// gate, a review or the commit.
fn cut_off(position: &Position) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let mut decision = simple(
        Target::Step(phase, step),
        format!(
            "Step {} ({}) was cut off and is done again.",
            step.word(),
            step.title()
        ),
    );
    if position.class == Class::Unknown {
        decision.warnings.push(format!(
            "The status `{}` is not a known one: look before going on.",
            position.record.status
        ));
    }
    let may_skip = !step.is_gate() && !matches!(step, StepNo::PlanReview | StepNo::Commit);
    if let Some(next) = step.next().filter(|_| may_skip) {
        decision.offers.push(Offer {
            target: Target::Step(phase, next),
            means: Means::Skip(step),
            why: format!("Step {} is left out, by your decision.", step.word()),
        });
    }
    decision
}

/// A failed review goes back to what it reviewed, any other step to itself.
fn failed(position: &Position) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let back = step.returns_to();
    let reason = if step == StepNo::Approval {
        "The user asked for changes: the plan is revised with them.".to_owned()
    } else if back == step {
        format!(
            "Step {} ({}) failed and is done again.",
            step.word(),
            step.title()
        )
    } else {
        format!(
            "Step {} ({}) sent the work back to step {}.",
            step.word(),
            step.title(),
            back.word()
        )
    };
    let mut decision = simple(Target::Step(phase, back), reason);
    if back != step && back.next() == Some(step) && !back.is_gate() && back > StepNo::Approval {
        decision.offers.push(Offer {
            target: Target::Step(phase, step),
            means: Means::Skip(back),
            why: format!(
                "What the review asked for is done already; step {} is made again.",
                step.word()
            ),
        });
    }
    if matches!(step, StepNo::Test | StepNo::TestReview) {
        decision.offers.push(Offer {
            target: Target::Step(phase, StepNo::Code),
            means: Means::Back,
            why: "The tests fail because of the code.".to_owned(),
        });
    }
    decision
}

/// A rejection is for the user: the work stays where it is until they decide.
fn rejected(position: &Position) -> Decision {
    let (phase, step) = (position.phase, position.step);
    let mut decision = simple(
        Target::Step(phase, step),
        format!(
            "Step {} ({}) was rejected; relight does not choose for you: revise the plan (step 1), go back one step, reduce the scope, or abort.",
            step.word(),
            step.title()
        ),
    );
    let backs = [
        (StepNo::Plan, "The plan is revised."),
        (
            step.returns_to(),
            "The work is done again under the same plan.",
        ),
    ];
    for (back, why) in backs {
        let target = Target::Step(phase, back);
        if !decision.offers.iter().any(|offer| offer.target == target) {
            let why = why.to_owned();
            decision.offers.push(Offer {
                target,
                means: Means::Back,
                why,
            });
        }
    }
    decision
}

/// After a step that passed: the next of the list, the next phase, or the merge.
fn after(position: &Position, outlook: &Outlook<'_>) -> Decision {
    let (phase, step) = (position.phase, position.step);
    if let Some(next) = step.next() {
        let reason = if next == StepNo::Approval {
            "The plan was reviewed; the user must approve it before any code.".to_owned()
        } else {
            format!(
                "Step {} ({}) passed; step {} follows.",
                step.word(),
                step.title(),
                next.word()
            )
        };
        return simple(Target::Step(phase, next), reason);
    }
    next_phase(phase, outlook)
}

/// After a phase's commit.
pub(crate) fn next_phase(phase: i64, outlook: &Outlook<'_>) -> Decision {
    if outlook.total.is_some_and(|total| phase >= total) {
        let reason = format!("Phase {phase} was the last; the merge asks for your approval.");
        return simple(Target::Merge, reason);
    }
    let next = phase.saturating_add(1);
    let planned = (outlook.planned)(next);
    let (first, other) = if planned {
        (StepNo::Code, StepNo::Plan)
    } else {
        (StepNo::Plan, StepNo::Code)
    };
    let reason = if planned {
        format!(
            "Phase {phase} is committed; the approved plan covers phase {next}, which begins with its code."
        )
    } else {
        format!("Phase {phase} is committed; no plan covers phase {next}, so it begins with one.")
    };
    let mut decision = simple(Target::Step(next, first), reason);
    let why = if planned {
        "The plugin's own resume code begins every phase with a plan."
    } else {
        "The plugin's other documents plan once and begin every phase with its code; this passes the approval of a plan."
    };
    let target = Target::Step(next, other);
    decision.offers.push(Offer {
        target,
        means: Means::Other,
        why: why.to_owned(),
    });
    if outlook.total.is_none() {
        decision
            .warnings
            .push("How many phases there are is not on record.".to_owned());
        decision.offers.push(Offer {
            target: Target::Merge,
            means: Means::Other,
            why: format!("Phase {phase} was the last one."),
        });
    }
    decision
}

fn merge_next(phase: i64, ledger: &Ledger, outlook: &Outlook<'_>) -> bool {
    outlook.total.is_some_and(|total| phase >= total) && ledger.has((phase, StepNo::Commit))
}
