//! The step that an answer names as the next one: one of the resume points of the new state.

use crate::model::NextStep;
use crate::systems::kit::forms::Ask;
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::points::Goal;
use crate::systems::mgw::points::target::of_state;
use crate::systems::mgw::shape::{Stage, State, Step};

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
    let (id, label, step) = match goal {
        Goal::Nothing => return None,
        Goal::Cleanup => (
            "cleanup".to_owned(),
            "Clean up after the pull request",
            Step::Pr,
        ),
        Goal::Step(step) => (format!("step-{}", step.word()), step.name(), step),
    };
    Some(NextStep {
        id,
        label: label.to_owned(),
        phase: step.word().to_owned(),
    })
}
