//! Where the work should be taken up: the decision tables of the format note (sections e.1 to e.4), with the
//! gates that may never be passed unsaid.

pub(crate) mod infer;

use super::facts::Facts;
use super::files::ResumePlan;
use super::ledger::{Approval, Ledger, Position};
use super::status::Class;
use super::steps::StepNo;

/// Failures of one reviewer from which on the loop is named (format note, section e.4).
pub(crate) const LOOP: u64 = 3;

/// Where work can be taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Target {
    /// A step of a phase.
    Step(i64, StepNo),
    /// The merge stage, which asks the user first.
    Merge,
}

impl Target {
    /// The fixed word of the point.
    pub(crate) fn id(self) -> String {
        match self {
            Self::Step(phase, step) => format!("phase-{phase}-step-{}", step.word()),
            Self::Merge => "merge".to_owned(),
        }
    }
}

/// What a person would say by choosing a target beside the recommended one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// Earlier work is done again.
    Back,
    /// The user has approved the plan.
    Approve,
    /// A step is left out.
    Skip(StepNo),
    /// Another reading of the records.
    Other,
}

/// A target beside the recommended one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The target.
    pub(crate) target: Target,
    /// What choosing it says.
    pub(crate) means: Means,
    /// Why one would, in a sentence.
    pub(crate) why: String,
}

/// What should be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The recommended target.
    pub(crate) chosen: Target,
    /// Why, in a sentence.
    pub(crate) reason: String,
    /// What else may be chosen.
    pub(crate) offers: Vec<Offer>,
    /// What a person should know, a sentence each.
    pub(crate) warnings: Vec<String>,
}

/// Decides; from the records where there are any, else from worktree, plan and commits.
pub(crate) fn decide(facts: &Facts) -> Decision {
    match (&facts.ledger, &facts.state) {
        (Some(ledger), Some(state)) => {
            let outlook = Outlook {
                total: facts.total(),
                planned: &|p| facts.plan.phases.contains_key(&p),
            };
            recorded(ledger, state.resume_plan.as_ref(), &outlook)
        }
        _ => infer::decide(facts),
    }
}

/// What lies ahead of a position.
pub(crate) struct Outlook<'a> {
    /// How many phases there are, where that is known.
    pub(crate) total: Option<i64>,
    /// Whether the plan has a phase of this number.
    pub(crate) planned: &'a dyn Fn(i64) -> bool,
}

/// The decision from records: the table, then a rollback's own plan, then the gates.
pub(crate) fn recorded(
    ledger: &Ledger,
    resume_plan: Option<&ResumePlan>,
    outlook: &Outlook<'_>,
) -> Decision {
    let mut decision = by_table(&ledger.position, ledger, outlook);
    if let Some(plan) = resume_plan {
        follow(&mut decision, plan, &ledger.position);
    }
    hold_at_gates(&mut decision, ledger);
    show_both(&mut decision, ledger, outlook);
    warn_of_loops(&mut decision, ledger);
    let chosen = decision.chosen;
    decision.offers.retain(|offer| offer.target != chosen);
    decision
}

/// Section e.1, every row as recommended.
fn by_table(position: &Position, ledger: &Ledger, outlook: &Outlook<'_>) -> Decision {
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
        if !decision
            .offers
            .iter()
            .any(|offer| offer.target == Target::Step(phase, back))
        {
            let target = Target::Step(phase, back);
            decision.offers.push(Offer {
                target,
                means: Means::Back,
                why: why.to_owned(),
            });
        }
    }
    decision
}

/// After a step that passed: the next of the list, the next phase, or the merge.
fn after(position: &Position, outlook: &Outlook<'_>) -> Decision {
    let (phase, step) = (position.phase, position.step);
    if let Some(next) = step.next() {
        let reason = match next {
            StepNo::Approval => {
                "The plan was reviewed; the user must approve it before any code.".to_owned()
            }
            _ => format!(
                "Step {} ({}) passed; step {} follows.",
                step.word(),
                step.title(),
                next.word()
            ),
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
    let why = match other {
        StepNo::Plan => "The plugin's own resume code begins every phase with a plan.",
        _ => {
            "The plugin's other documents plan once and begin every phase with its code; this passes the approval of a plan."
        }
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

/// What a rollback wrote for going on counts while nothing newer was recorded (format note, section e.2).
fn follow(decision: &mut Decision, plan: &ResumePlan, position: &Position) {
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
fn hold_at_gates(decision: &mut Decision, ledger: &Ledger) {
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
fn show_both(decision: &mut Decision, ledger: &Ledger, outlook: &Outlook<'_>) {
    let position = &ledger.position;
    let (Some(_), Some(written)) = (position.record.by_agent, position.record.written) else {
        return;
    };
    let by_number = Position {
        step: written,
        ..position.clone()
    };
    let other = by_table(&by_number, ledger, outlook).chosen;
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
fn warn_of_loops(decision: &mut Decision, ledger: &Ledger) {
    let Target::Step(phase, _) = decision.chosen else {
        return;
    };
    for reviewer in [StepNo::CodeReview, StepNo::DocsReview, StepNo::TestReview] {
        let failures = ledger.failures_at((phase, reviewer));
        if failures >= LOOP {
            decision.warnings.push(format!(
                "Step {} of phase {phase} failed {failures} times: review the plan or redesign before going on. Continue anyway? The default is no.",
                reviewer.word()
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

/// What the plugin's own resume code would answer, as `phase P, step S`; `None` where it answers nothing. It
/// is said beside the recommended point, because the orchestrator shows it (format note, section e.1).
pub(crate) fn upstream(position: &Position) -> Option<String> {
    let (phase, step) = (
        position.phase,
        position.record.written.unwrap_or(position.step),
    );
    let next = match (position.record.status.as_str(), step) {
        ("failed", StepNo::CodeReview) => "3",
        ("failed", StepNo::DocsReview) => "5",
        ("waiting_approval", _) => "2.5",
        ("completed" | "in_progress", StepNo::Commit) => {
            return Some(format!("phase {}, step 1", phase.saturating_add(1)));
        }
        ("completed" | "in_progress", StepNo::Approval) => "3.5",
        ("completed" | "in_progress", StepNo::PlanReview) => "3",
        ("completed" | "in_progress", step) => step.next()?.word(),
        _ => return None,
    };
    Some(format!("phase {phase}, step {next}"))
}

#[cfg(test)]
mod tests;
