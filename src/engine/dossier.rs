//! Everything about one pipeline that can be said without measuring its work tree.

use super::{Engine, EngineError};
use crate::model::{
    Check, Checkpoint, Drift, Finding, Pipeline, PipelineId, ResumePoint, Timeline,
};
use crate::recover::ladder;

/// One pipeline, read anew.
#[derive(Clone)]
pub struct Dossier {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// Its events.
    pub timeline: Timeline,
    /// Its checks, in the note's order.
    pub checks: Vec<Check>,
    /// Its resume points, in order.
    pub points: Vec<ResumePoint>,
    /// Its checkpoints, oldest first, drift not measured.
    pub checkpoints: Vec<Checkpoint>,
}

impl Dossier {
    /// What the reader noticed.
    pub fn findings(&self) -> &[Finding] {
        &self.pipeline.findings
    }
}

impl Engine {
    /// Reads, verifies and climbs.
    pub fn dossier(&self, id: &PipelineId) -> Result<Dossier, EngineError> {
        let opened = self.reopen(id)?;
        let world = self.world.as_ref();
        let checks = opened.case.verify(world);
        let checkpoints = opened.case.checkpoints(world);
        let points = ladder::climb(opened.case.boundaries(&checks, &checkpoints, world));
        Ok(Dossier {
            pipeline: opened.pipeline.clone(),
            timeline: opened.case.timeline(),
            checks,
            points,
            checkpoints,
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
        self.measure(checkpoint, opened.pipeline.work_tree.as_deref())
    }
}
