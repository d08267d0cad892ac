//! Plans of replays.

mod cost;

use super::{Engine, EngineError, Opened, Result};
use crate::model::{Offered, PipelineId, ReplayAsk, ReplayFrom, ReplayPart, ReplayPlan, Runner};
use crate::replay::plan::{continue_evidence, plan};
use crate::replay::runner;
use crate::replay::slurm::Slurm;
use crate::systems::Replayable;

impl Engine {
    /// The plan of a replay: validated, with nothing written. `Usage` for words that do not fit, `Refused` where
    /// the disk does not allow it. A plan with open conflicts is an answer; only running it is refused.
    pub fn replay_plan(&self, id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan> {
        let mut plan = self.uncosted_plan(id, ask)?;
        plan.cost = self.replay_cost(&plan);
        plan.earlier = self.earlier_evidence(&plan);
        continue_evidence(&mut plan);
        plan.offered = Offered {
            metrics: self.settings.metrics.clone(),
            no_slurm: Slurm::find(&self.settings.slurm).err(),
        };
        Ok(plan)
    }

    /// The same without what it costs: the sizes of all files and the usage of all earlier runs are not read.
    pub(super) fn uncosted_plan(&self, id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan> {
        let opened = self.reopen(id)?;
        let world = self.world.as_ref();
        let checkpoints = opened.case.checkpoints(world);
        let experiment = opened
            .case
            .replayable()
            .and_then(|case| case.experiment(&checkpoints, world))
            .ok_or_else(|| refusal(&opened))?;
        let runner = self.replay_runner(ask)?;
        let verified = || {
            let checks = opened.verify(world);
            let points = opened.points(&checks, world);
            let point = points.iter().find(|point| point.recommended)?;
            let starts = experiment.starts.iter();
            let mut starts = starts.filter(|start| start.point == point.boundary.id);
            starts.next()?.redo.first().copied()
        };
        // In the project itself, what was verified is kept: an interrupted run continues where a resume would.
        let open = ask.mutations.is_empty() && ask.template_ref.is_none();
        let resumed = match (ask.in_place && open, &ask.from) {
            (true, ReplayFrom::FirstAffected) => verified().map(|seq| ReplayAsk {
                from: ReplayFrom::Seq(seq),
                ..ask.clone()
            }),
            _ => None,
        };
        let ask = resumed.as_ref().unwrap_or(ask);
        let mut plan = plan(&opened.pipeline.id, experiment, ask, runner, world)?;
        if let Some(handoff) = &mut plan.handoff {
            self.settings
                .command(opened.pipeline.reading.system, handoff);
        }
        Ok(plan)
    }

    /// The runner that was asked for, else the configured one.
    fn replay_runner(&self, ask: &ReplayAsk) -> Result<Option<Runner>> {
        let own = std::env::current_exe().ok();
        let configured = self.settings.runner.as_ref();
        let chosen = runner::chosen(&ask.runner, configured, own.as_deref());
        let chosen = chosen.map_err(|text| EngineError::usage(text).about(ReplayPart::Runner))?;
        Ok(chosen.map(|runner| Runner {
            timeout_s: ask.timeout_s.unwrap_or(runner.timeout_s),
            retries: ask.retries.unwrap_or(runner.retries),
            ..runner
        }))
    }
}

/// Whether the dispatches of a pipeline are known, which its replays repeat.
pub(super) fn is_replayable(opened: &Opened) -> bool {
    let replayable = opened.case.replayable();
    replayable.is_some_and(Replayable::has_dispatches)
}

/// Why a pipeline that is not replayable cannot be replayed, nor its replays compared or continued.
pub(super) fn refusal(opened: &Opened) -> EngineError {
    let id = &opened.pipeline.id;
    if opened.case.replayable().is_some() {
        let text = "The run has no readable manifest, so its dispatches are unknown.";
        return EngineError::unreadable(text)
            .hint(format!("relight show {id} shows what is still readable."));
    }
    let text = format!(
        "Replaying {} pipelines is not supported: they do not record their dispatches.",
        opened.pipeline.reading.system
    );
    EngineError::refused(text).hint(if opened.case.is_read_only() {
        format!("See where the work can resume instead: relight points {id}")
    } else {
        format!("To compare what exists already: relight compare {id}")
    })
}

#[cfg(test)]
mod tests;
