//! Everything about one pipeline that can be said without measuring its work tree.

use super::{Engine, EngineError};
use crate::model::{Checkpoint, Dossier, Drift, PipelineId};
use crate::recover::resume_points;

impl Engine {
    /// Reads, verifies and climbs.
    pub fn dossier(&self, id: &PipelineId) -> Result<Dossier, EngineError> {
        let opened = self.reopen(id)?;
        let world = self.world.as_ref();
        let checks = opened.case.verify(world);
        let mut checkpoints = opened.case.checkpoints(world);
        let points = resume_points::climb(opened.case.boundaries(&checks, &checkpoints, world));
        checkpoints.extend(self.own_checkpoints(id));
        checkpoints.sort_by_key(|checkpoint| checkpoint.taken_at);
        Ok(Dossier {
            pipeline: opened.pipeline.clone(),
            timeline: opened.case.timeline(),
            checks,
            points,
            checkpoints,
            amendable: opened.case.is_amendable(),
            by_steps: opened.case.goes_by_steps(),
            replays: Vec::new(),
        })
    }

    /// How far the work tree has moved from a checkpoint, measured now. `None` where that checkpoint is not
    /// of files.
    pub fn drift(
        &self,
        id: &PipelineId,
        checkpoint: &Checkpoint,
    ) -> Result<Option<Drift>, EngineError> {
        let opened = self.recall(id)?;
        self.measure(checkpoint, opened.pipeline.reading.work_tree.as_deref())
    }
}
