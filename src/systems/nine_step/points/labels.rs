//! What is said about a point: its label, the reason to choose it, the warnings.

use std::fmt::Write as _;

use crate::model::Foreign;
use crate::systems::nine_step::facts::{Facts, Source};
use crate::systems::nine_step::points::Point;
use crate::systems::nine_step::points::decision::{self, Decision, Means, Offer, Target};
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::steps::StepNo;

/// The label says which gates a point passes.
pub(crate) fn label(
    facts: &Facts,
    decision: &Decision,
    point: &Point,
    offer: Option<&Offer>,
) -> Foreign {
    let text = match point {
        Point::Take(Target::Merge) => "Merge and clean up, after your approval".to_owned(),
        Point::FromBackup => "Restore the state file from its backup, one save older".to_owned(),
        Point::Commit { phase: 0, .. } => "Reset the worktree to where the branch began".to_owned(),
        Point::Commit { phase, .. } => format!("Reset the worktree to the commit of phase {phase}"),
        Point::Take(Target::Step(phase, step)) => {
            let mut text = format!("Phase {phase}, step {}: {}", step.word(), step.title());
            text.push_str(&passed(decision.chosen, (*phase, *step), offer));
            if facts.source == Source::Inferred && *step > StepNo::CodeReview {
                text.push_str(" — whether the reviews before it were made is not on record");
            }
            text
        }
    };
    sentence(text)
}

/// The gates between the recommended point and a later one of the same phase, and what else is left out.
fn passed(chosen: Target, (phase, step): (i64, StepNo), offer: Option<&Offer>) -> String {
    let mut text = String::new();
    if let Some(Means::Skip(left_out)) = offer.map(|offer| offer.means) {
        text = format!(
            " — leaving out step {} ({})",
            left_out.word(),
            left_out.title()
        );
    }
    let Target::Step(from_phase, from) = chosen else {
        return text;
    };
    let gates = StepNo::ORDER
        .into_iter()
        .filter(|gate| gate.is_gate() && *gate >= from && *gate < step);
    for gate in gates.filter(|_| from_phase == phase) {
        let approve = offer.is_some_and(|offer| offer.means == Means::Approve);
        let by = if approve { ", by your approval" } else { "" };
        let (word, title) = (gate.word(), gate.title());
        // Writing to a string cannot fail.
        let _ = write!(text, " — past the gate {word} ({title}){by}");
    }
    text
}

/// Why one would choose it.
pub(crate) fn reason(
    point: &Point,
    decision: &Decision,
    offer: Option<&Offer>,
    chosen: bool,
) -> Foreign {
    sentence(match point {
        Point::Take(target) if *target == decision.chosen => decision.reason.clone(),
        Point::Take(_) => offer.map_or_else(
            || "The work from here on is to be done again.".to_owned(),
            |offer| offer.why.clone(),
        ),
        Point::FromBackup if chosen => format!(
            "The state file cannot be read, and its backup can. {}",
            decision.reason
        ),
        Point::FromBackup => "The last save is wrong, and the one before it is good.".to_owned(),
        Point::Commit { .. } => {
            "The later phases are to be thrown away and built again.".to_owned()
        }
    })
}

/// What a person should know before.
pub(crate) fn warnings(
    facts: &Facts,
    decision: &Decision,
    point: &Point,
    chosen: bool,
) -> Vec<Foreign> {
    let mut warnings: Vec<String> = Vec::new();
    let leads = matches!(point, Point::FromBackup) || *point == Point::Take(decision.chosen);
    if chosen && leads {
        warnings.extend(decision.warnings.iter().cloned());
        warnings.extend(other_answer(facts, decision.chosen));
    }
    match point {
        Point::Take(_) if !chosen && facts.state.is_some() => {
            warnings.push(
                "The state file is changed, so that the records end before this point.".to_owned(),
            );
        }
        Point::Commit { phase, .. } => {
            let times = facts.rollbacks.to_phase(*phase);
            if times >= 2 {
                warnings.push(format!(
                    "Phase {phase} was rolled back to {times} times already."
                ));
            }
            if facts
                .git
                .phases
                .get(phase)
                .is_some_and(|found| found.shared)
            {
                warnings.push("The commit stands for several phases.".to_owned());
            }
        }
        Point::Take(_) | Point::FromBackup => {}
    }
    warnings.into_iter().map(sentence).collect()
}

/// What the plugin itself would answer, where that is another step.
fn other_answer(facts: &Facts, chosen: Target) -> Option<String> {
    let position = &facts.ledger.as_ref()?.position;
    let ours = match chosen {
        Target::Step(phase, step) => format!("phase {phase}, step {}", step.word()),
        Target::Merge => "the merge".to_owned(),
    };
    match decision::upstream(position) {
        Some(theirs) if theirs == ours => None,
        Some(theirs) => Some(format!(
            "The plugin's own resume code would answer {theirs}: name the step to it."
        )),
        None => Some(
            "The plugin's own resume code answers nothing here: name the step to it.".to_owned(),
        ),
    }
}
