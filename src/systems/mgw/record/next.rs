//! The step that an answer names as the next one: one of the resume points of the new state. And which step may not come
//! next.

use crate::model::{Foreign, NextStep, Result};
use crate::systems::kit::forms::{Ask, refused};
use crate::systems::mgw::facts::{Facts, evidence};
use crate::systems::mgw::points::target::of_state;
use crate::systems::mgw::points::{Goal, Point};
use crate::systems::mgw::shape::{Checkpoint, Stage, State, Step};
use crate::text::format::capital;

/// What comes next in a new state: what the record says, as far as there is a point for it, whatever is on disk; nothing
/// where a person must decide first. And the document that the recorded step needs, if there is none.
pub(super) fn listed(
    ask: &Ask<'_>,
    state: &State,
    said: Goal,
) -> (Option<NextStep>, Option<Foreign>) {
    if state.stage().is_some_and(Stage::waits) || state.dead_letter() {
        return (None, None);
    }
    let facts = Facts::gather(ask.world, &ask.site.dir, &ask.site.key);
    let target = of_state(&facts, state, Some(ask.at.to_utc()), ask.world.clock());
    let next = match (said, target.last()) {
        (Goal::Step(step), Some(last)) => Goal::Step(step.min(last)),
        (Goal::Nothing | Goal::Cleanup, Some(last)) => Goal::Step(last),
        (_, None) => target.goal,
    };
    (named(next), lack(ask, &facts, state))
}

/// The document that the recorded step needs, if there is none where the new state says that it is.
fn lack(ask: &Ask<'_>, facts: &Facts, state: &State) -> Option<Foreign> {
    let step = state.checkpoint()?.step?;
    facts.evidence.lacks(step)?;
    let phase = facts.listed().and_then(|listed| listed.phase_number());
    let (lookup, branch) = (&facts.lookup, &facts.branch);
    let evidence = evidence::scan(ask.world, lookup, state, branch, phase.as_deref(), None);
    let (_, document) = evidence
        .lacks(step)
        .filter(|_| evidence.roadmap.is_none())?;
    let lack = capital(&evidence.lack(document));
    Some(format!("{lack}, which the step {} needs.", step.word()).into())
}

/// A goal as a step.
pub(super) fn named(goal: Goal) -> Option<NextStep> {
    let (point, label, step) = match goal {
        Goal::Nothing => return None,
        Goal::Cleanup => (Point::Cleanup, "Clean up after the pull request", Step::Pr),
        Goal::Step(step) => (Point::Step(step), step.name(), step),
    };
    Some(NextStep::new(point.id().0, label, step.word()))
}

/// Refuses a step that goes on while the issue waits for a person: only the step at which it stopped may be recorded.
pub(super) fn waits(state: &State, stage: Stage, step: Step) -> Result<()> {
    let reached = state.checkpoint().and_then(Checkpoint::effective);
    let from = state.text("previous_stage");
    let from = from.and_then(|word| word.parse::<Stage>().ok());
    if step <= reached.unwrap_or(Step::Triage)
        || from.is_some_and(|from| step.stages().contains(&from))
    {
        return Ok(());
    }
    let (stage, step) = (stage.word(), step.word());
    let text = format!("The issue is at the stage {stage}, so it cannot go on to the step {step}.");
    let hint = "Only a person may end that stage: --stage STAGE --approved-by NAME";
    Err(refused(text).hint(hint))
}
