//! The step that an answer names as the next one: one of the resume points of the new state. And which step may not come
//! next.

use crate::model::{NextStep, Result};
use crate::systems::kit::forms::{Ask, refused};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::points::target::of_state;
use crate::systems::mgw::points::{Goal, Point};
use crate::systems::mgw::shape::{Checkpoint, Stage, State, Step};

/// What comes next in a new state: what the record says, where that is one of the points, else what they recommend;
/// nothing where a person must decide first.
pub(super) fn listed(ask: &Ask<'_>, state: &State, said: Goal) -> Option<NextStep> {
    if state.stage().is_some_and(Stage::waits) || state.dead_letter() {
        return None;
    }
    let facts = Facts::gather(ask.world, &ask.site.dir, &ask.site.key);
    let target = of_state(&facts, state, Some(ask.at.to_utc()), ask.world.clock());
    match (said, target.last()) {
        (Goal::Step(step), Some(last)) if step <= last => named(said),
        _ => named(target.goal),
    }
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
