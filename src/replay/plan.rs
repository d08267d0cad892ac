//! From the facts of a pipeline and what was asked to the plan of a replay. Validates everything; writes nothing.

mod merge;

use crate::model::{Experiment, Foreign, PipelineId, ReplayAsk, ReplayPlan, Runner};
use crate::world::World;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", text.clean())]
pub struct Refused {
    /// True where the words of the command are at fault (exit 2), false where the disk is (exit 3).
    pub usage: bool,
    /// What is wrong, in a sentence.
    pub text: Foreign,
    /// What can be typed or done.
    pub hints: Vec<Foreign>,
}

/// The plan of a replay. `runner` is the one that was settled on, if any.
pub fn plan(
    pipeline: &PipelineId,
    experiment: Experiment,
    ask: &ReplayAsk,
    runner: Option<Runner>,
    world: &dyn World,
) -> Result<ReplayPlan, Refused> {
    let _ = (pipeline, &experiment, ask, &runner, world);
    Err(Refused {
        usage: false,
        text: "Replays are not built yet.".into(),
        hints: Vec::new(),
    })
}
