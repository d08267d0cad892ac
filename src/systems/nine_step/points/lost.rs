//! Phases that are recorded as committed and that the branch has no commit of: nobody passes them unasked.

use crate::model::Guard;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::{Decision, Target};
use crate::systems::nine_step::shape::StepNo;
use crate::text::format::{plural, short_id};

/// What is known of such a phase, as a sentence.
pub(crate) fn sentence(facts: &Facts, phase: i64) -> String {
    match facts.git.off_branch.get(&phase).map(|id| short_id(id)) {
        Some(id) => format!(
            "Phase {phase} is recorded as committed, and no commit of the branch has it; {id} exists: see git show {id}, and git reflog for how the branch lost it."
        ),
        None => format!(
            "Phase {phase} is recorded as committed, and no commit of the branch names it: see git log, and git reflog for what the branch had."
        ),
    }
}

/// What is said where git cannot say which phases are committed, and no record does.
pub(crate) fn unknown(facts: &Facts) -> Option<String> {
    let why = facts.unknown_phases()?;
    Some(format!("Which phases are committed is unknown: {why}."))
}

/// What is said of those that a target passes, a sentence each.
pub(crate) fn passed(facts: &Facts, target: Target) -> Vec<String> {
    let lost = facts.lost_phases().into_iter();
    let passed = lost.filter(|phase| target > Target::Step(*phase, StepNo::Commit));
    passed.map(|phase| sentence(facts, phase)).collect()
}

/// Says it where a decision passes one, instead of that the phase is committed.
pub(crate) fn say(facts: &Facts, decision: &mut Decision) {
    let said = passed(facts, decision.chosen).join(" ");
    let Some(first) = facts.lost_phases().first().copied() else {
        return;
    };
    if said.is_empty() {
        return;
    }
    let at = facts.position().filter(|at| at.step == StepNo::Commit);
    let is_last =
        at.is_some_and(|at| at.class.is_done() && facts.lost_phases().contains(&at.phase));
    decision.reason = match decision.chosen {
        Target::Merge if is_last => format!("{said} By the records the merge is next."),
        Target::Step(phase, step) if is_last => {
            let step = step.named();
            format!("{said} By the records step {step} of phase {phase} is next.")
        }
        Target::Merge | Target::Step(..) => format!("{said} {}", decision.reason),
    };
    let why = format!("Choose this to build phase {first} again.");
    decision.offer(Target::Step(first, StepNo::Code), why);
}

/// The question before one is passed.
pub(crate) fn question(facts: &Facts, target: Target) -> Option<Guard> {
    let said = passed(facts, target);
    let without = plural(said.len(), "it", "them");
    let text = format!("{} Continue without {without}?", said.join(" "));
    (!said.is_empty()).then(|| Guard::ask("gate:phase-commit", text))
}

/// How the phases are called before the merge.
pub(crate) fn every_phase(facts: &Facts) -> &'static str {
    if facts.lost_phases().is_empty() {
        "committed"
    } else {
        "recorded as committed"
    }
}
