//! The decision without a usable state file, from worktree, plan and commits alone. Confidence is low, and every
//! decision says so.

use std::path::Path;

use super::{Decision, Outlook, Target};
use crate::model::Foreign;
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::points::{MOST_PHASES, lost};
use crate::systems::nine_step::shape::StepNo;

/// The decision from git and plan.
pub(super) fn decide(facts: &Facts, outlook: &Outlook<'_>) -> Decision {
    if let Some(reason) = lost::unknown(facts) {
        return unknown(facts, reason);
    }
    let committed = facts.git.phases.keys().next_back().copied().unwrap_or(0);
    let dirty = !facts.git.dirty.is_empty() || !facts.tests.is_empty();
    let mut decision = if dirty {
        in_the_middle(facts, committed.saturating_add(1))
    } else {
        after(facts, committed, outlook)
    };
    if let (Some(why), Home::Orphan(_)) = (&facts.git.unread, &facts.home) {
        decision.warn(format!(
            "Whether there is uncommitted work is unknown: {why}."
        ));
    }
    decision.warn(
        "There is no usable state file: this was inferred from worktree, plan and commits. Check it before you continue.",
    );
    decision
}

/// The commits cannot be read, so every phase may be next: no decision, and all that a person can choose from.
fn unknown(facts: &Facts, reason: String) -> Decision {
    let mut decision = Decision::new(Target::Step(1, StepNo::Code), reason);
    for phase in 2..=facts.total().unwrap_or(1).min(MOST_PHASES) {
        let why = "Choose this if the phases before it are committed.";
        decision.offer(Target::Step(phase, StepNo::Code), why);
    }
    decision
}

/// The decision where nothing is uncommitted, as after a reset to the commit of a phase.
pub(super) fn after(facts: &Facts, committed: i64, outlook: &Outlook<'_>) -> Decision {
    if committed > 0 {
        super::table::next_phase(committed, outlook)
    } else if facts.plan.place.is_some() {
        // The plugin creates a worktree only after the approval.
        let why =
            "A plan and a worktree exist and nothing is committed: phase 1 starts with its code.";
        Decision::new(Target::Step(1, StepNo::Code), why)
    } else {
        let why = "There is no plan and no phase commit: the work starts with a plan.";
        Decision::new(Target::Step(1, StepNo::Plan), why)
    }
}

/// Uncommitted work: the kind of files shows the step. Reviews leave no files, so the review before the inferred step
/// is offered too.
fn in_the_middle(facts: &Facts, phase: i64) -> Decision {
    use StepNo::{Code, CodeReview, Docs, DocsReview, Test};
    let mut dirty = facts.git.dirty.iter();
    let docs = dirty.any(|change| is_document(&change.path));
    let (step, review, seen) = if !facts.tests.is_empty() {
        (Test, DocsReview, "there are temporary tests in .test/")
    } else if docs {
        (Docs, CodeReview, "code and documents are uncommitted")
    } else {
        (Code, CodeReview, "code is uncommitted")
    };
    let why = format!("Phase {phase} is in progress: {seen}, so step {step} is next.");
    let mut decision = Decision::new(Target::Step(phase, step), why);
    let why = format!(
        "Step {} leaves no trace, so it may be next.",
        review.named()
    );
    decision.offer(Target::Step(phase, review), why);
    if step > CodeReview {
        decision.offer(
            Target::Step(phase, Code),
            "Choose this if the code of the phase is not finished.",
        );
        decision.warn("It is not on record whether the reviews before this step were done.");
    }
    decision
}

fn is_document(path: &Foreign) -> bool {
    let path = path.lossy().to_lowercase();
    let markdown = Path::new(&path).extension().is_some_and(|end| end == "md");
    markdown || path.starts_with("docs/") || path.contains("/docs/")
}
