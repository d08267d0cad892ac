//! Without a usable state file: what worktree, plan and commits alone let one conclude (format note, section
//! e.6). Confidence is low, and every sentence says so.

use crate::model::Foreign;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::decision::{Decision, Means, Offer, Outlook, Target};
use crate::systems::nine_step::shape::steps::StepNo;

/// The decision from git and plan.
pub(crate) fn decide(facts: &Facts) -> Decision {
    let committed = facts.git.phases.keys().next_back().copied().unwrap_or(0);
    let dirty = !facts.git.dirty().is_empty() || !facts.tests.is_empty();
    let outlook = Outlook {
        total: facts.total(),
        planned: &|phase| facts.plan.phases.contains_key(&phase),
    };
    let mut decision = if dirty {
        in_the_middle(facts, committed.saturating_add(1))
    } else if committed > 0 {
        crate::systems::nine_step::points::decision::table::next_phase(committed, &outlook)
    } else {
        at_the_start(facts)
    };
    decision.warnings.push(
        "There is no usable state file: this was concluded from worktree, plan and commits, and wants your judgement."
            .to_owned(),
    );
    decision
}

/// Clean and without a phase commit: the plan was approved when a worktree was made for it.
fn at_the_start(facts: &Facts) -> Decision {
    let (step, reason) = if facts.plan.place.is_some() {
        (
            StepNo::Code,
            "A plan and a worktree are there and nothing is committed: phase 1 begins with its code.",
        )
    } else {
        (
            StepNo::Plan,
            "Neither plan nor phase commits are there: the work begins with a plan.",
        )
    };
    Decision {
        chosen: Target::Step(1, step),
        reason: reason.to_owned(),
        offers: Vec::new(),
        warnings: Vec::new(),
        loops: Vec::new(),
    }
}

/// Uncommitted work: what kind of files it is tells how far it came. Reviews leave no trace, so the review
/// before the concluded step is offered too.
fn in_the_middle(facts: &Facts, phase: i64) -> Decision {
    let docs = facts
        .git
        .dirty()
        .iter()
        .any(|change| is_document(&change.path));
    let (step, review, seen) = if !facts.tests.is_empty() {
        (
            StepNo::Test,
            StepNo::DocsReview,
            "temporary tests lie in .test/",
        )
    } else if docs {
        (
            StepNo::Docs,
            StepNo::CodeReview,
            "code and documents are uncommitted",
        )
    } else {
        (StepNo::Code, StepNo::CodeReview, "code is uncommitted")
    };
    let mut offers = vec![Offer {
        target: Target::Step(phase, review),
        means: Means::Other,
        why: format!(
            "Step {} ({}) leaves no trace, so it may be what comes next.",
            review.word(),
            review.title()
        ),
    }];
    if step > StepNo::CodeReview {
        offers.push(Offer {
            target: Target::Step(phase, StepNo::Code),
            means: Means::Back,
            why: "The code of the phase is not finished.".to_owned(),
        });
    }
    Decision {
        chosen: Target::Step(phase, step),
        reason: format!(
            "Phase {phase} is under way: {seen}, so step {} is taken up.",
            step.word()
        ),
        offers,
        warnings: if step > StepNo::CodeReview {
            vec!["Whether the reviews before this step were made is not on record.".to_owned()]
        } else {
            Vec::new()
        },
        loops: Vec::new(),
    }
}

fn is_document(path: &Foreign) -> bool {
    let path = path.lossy().to_lowercase();
    let markdown = std::path::Path::new(&path)
        .extension()
        .is_some_and(|end| end == "md");
    markdown || path.starts_with("docs/") || path.contains("/docs/")
}
