//! The step that an answer names as the next one: one of the resume points of the new state. And which step may not come
//! next.

use crate::model::{Foreign, NextStep, Result};
use crate::systems::kit::forms::{Ask, refused};
use crate::systems::mgw::facts::{Evidence, Facts};
use crate::systems::mgw::points::target::decide_from;
use crate::systems::mgw::points::{Goal, Point, Target};
use crate::systems::mgw::shape::{Checkpoint, Home, Stage, State, Step};
use crate::text::format::capital;

/// What comes next in a new state: the point that is then recommended, unless a check of it fails; nothing where a
/// person must decide first. And the document that is needed for what was recorded, if there is none.
pub(super) fn listed(ask: &Ask<'_>, state: &State) -> (Option<NextStep>, Option<Foreign>) {
    if state.stage().is_some_and(Stage::waits) || state.dead_letter() {
        return (None, None);
    }
    let facts = Facts::gather_for(ask.world, &ask.site.dir, &ask.site.key, Some(state));
    let evidence = facts.evidence_for(ask.world, state, Some(ask.at.to_utc()));
    let target = decide_from(state, &evidence, Home::Active);
    (named(target.goal), lack(state, &target, &evidence))
}

/// The document that the recorded step needs, or the one that its action starts, if there is none.
fn lack(state: &State, target: &Target, evidence: &Evidence) -> Option<Foreign> {
    let checkpoint = state.checkpoint().filter(|_| evidence.roadmap.is_none())?;
    let started = checkpoint.action.and(target.claimed);
    let mut steps = [checkpoint.step, started].into_iter().flatten();
    let (step, (_, document)) = steps.find_map(|step| Some((step, evidence.lacks(step)?)))?;
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
    let text =
        format!("The issue is at the stage {stage}, so it cannot continue with the step {step}.");
    let hint = "Only a person may end that stage: --stage STAGE --approved-by NAME";
    Err(refused(text).hint(hint))
}
