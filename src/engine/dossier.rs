//! Everything about one pipeline that can be said without measuring its work tree.

use std::num::NonZero;

use super::{Engine, EngineError};
use crate::model::{
    Checkpoint, Dossier, Drift, ListRow, Pipeline, PipelineId, Status, Timeline, Verdict,
};
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
            why: None,
        })
    }

    /// A pipeline with its events, without verifying anything.
    pub fn timeline(&self, id: &PipelineId) -> Result<(Pipeline, Timeline), EngineError> {
        let opened = self.reopen(id)?;
        Ok((opened.pipeline.clone(), opened.case.timeline()))
    }

    /// The worst verdict of what a survey found; `skipped` where nothing can be verified.
    pub fn verdict(&self, id: &PipelineId) -> Verdict {
        match self.recall(id) {
            Ok(opened) if opened.pipeline.standing.status != Status::Unreadable => {
                Verdict::overall(&opened.case.verify(self.world.as_ref()))
            }
            Ok(_) | Err(_) => Verdict::Skipped,
        }
    }

    /// Verifies all rows of a list.
    pub fn verify_rows(&self, rows: &mut [ListRow]) {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let part = rows.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            for rows in rows.chunks_mut(part) {
                scope.spawn(|| {
                    for row in rows {
                        row.verified(self.verdict(&row.pipeline.id));
                    }
                });
            }
        });
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
