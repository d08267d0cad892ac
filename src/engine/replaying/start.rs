//! Whether the programs of a replay are there, as far as they are still to be run.

use std::path::Path;

use crate::engine::{EngineError, Result};
use crate::model::{PipelineId, ReplayPlan, ReplaySession, RunsOn, SessionState};
use crate::replay::{runner, session};

/// What of a run is still to be done, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// The values of its metrics.
    Values,
    /// Dispatches, in a tree that is set up.
    Steps,
    /// All of it.
    Whole,
}

impl Left {
    /// What is left of a session.
    pub(super) fn of(session: &ReplaySession, state: &Path, pipeline: &PipelineId) -> Self {
        if session.state == SessionState::Done {
            Self::Values
        } else if session::is_set_up(state, pipeline, &session.id) {
            Self::Steps
        } else {
            Self::Whole
        }
    }
}

/// Refuses a runner, a setup command or a metric whose program is not there and that is still to be run, before anything
/// is made for it.
pub(super) fn can_start(plan: &ReplayPlan, left: Left) -> Result<()> {
    let Some(runner) = &plan.runner else {
        return Ok(());
    };
    if left > Left::Values {
        runner::program(runner).map_err(|why| {
            EngineError::refused(format!("The runner cannot be started: {why}.")).hint(
                "Nothing was started. Name another runner with --runner, or your own program after `--`.",
            )
        })?;
    }
    // On a cluster the rest is run elsewhere.
    if plan.ask.on == RunsOn::Slurm {
        return Ok(());
    }
    if left == Left::Whole {
        runner::exists(&plan.ask.isolation.setup).map_err(|why| {
            let text = format!("The setup command cannot be run: {why}.");
            EngineError::refused(text)
                .hint("Nothing was started. Install the program, or name another with --setup.")
        })?;
    }
    plan.ask.metrics.iter().try_for_each(|metric| {
        runner::exists(&metric.command).map_err(|why| {
            let text = format!("The metric {} cannot be measured: {why}.", metric.name);
            EngineError::refused(text).hint(
                "Nothing was started. Install the program, or name another with --metric NAME=CMD.",
            )
        })
    })
}
