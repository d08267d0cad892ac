//! Everything about one pipeline that can be said without comparing its work tree.

use super::choosing::unreadable;
use super::{Engine, Opened, Result, unread_files};
use crate::foreign;
use crate::model::{
    Check, CheckSummary, Checkpoint, CheckpointKind, Dossier, Drift, Foreign, Pipeline, PipelineId,
    ResumePoint, Status, Timeline,
};
use crate::recover::resume_points;
use crate::world::World;

impl Opened {
    /// The resume points. Their work is not counted where a file that may record some of it cannot be read.
    pub(super) fn points(&self, checks: &[Check], world: &dyn World) -> Vec<ResumePoint> {
        let mut boundaries = self.case.boundaries(checks, world);
        unread_files::uncount(&mut boundaries, &self.unread);
        if let Some((unknown, _)) = self.unread_branch(world) {
            let all = boundaries.iter_mut();
            all.for_each(|boundary| boundary.warnings.push(unknown.clone()));
        }
        resume_points::climb(boundaries, |boundary| {
            self.case.without_project(boundary, world)
        })
    }

    /// What only the person can say where the repository cannot be read: whether the recorded branch is checked out. As a
    /// warning with the reason, and as a question.
    pub(super) fn unread_branch(&self, world: &dyn World) -> Option<(Foreign, Foreign)> {
        let reading = &self.pipeline.reading;
        let branch = reading.branch.as_ref()?;
        let expected = branch.expected.as_ref().filter(|name| !name.is_empty())?;
        let place = reading.work_tree.as_ref().unwrap_or(&reading.root);
        let unread = world.git().repo(place).err();
        let why = unread.filter(|why| branch.actual.is_none() && why.leaves_open())?;
        let warning = foreign!(
            "Whether {} is checked out is unknown, because the repository cannot be read: {}.",
            expected,
            why.to_string()
        );
        let question = foreign!("Is {} checked out in {}?", expected, place.as_path());
        Some((warning, question))
    }
}

impl Engine {
    /// Reads, verifies, and ranks the resume points.
    pub fn dossier(&self, id: &PipelineId) -> Result<Dossier> {
        self.dossier_in(id, &self.cached())
    }

    /// The same in a world that other questions are asked of.
    pub(super) fn dossier_in(&self, id: &PipelineId, world: &dyn World) -> Result<Dossier> {
        let opened = self.reopen_in(id, world)?;
        Ok(self.dossier_of(&opened, opened.verify(world), world))
    }

    /// The same for a pipeline that was just read, with these checks.
    pub(super) fn dossier_of(
        &self,
        opened: &Opened,
        checks: Vec<Check>,
        world: &dyn World,
    ) -> Dossier {
        let mut checkpoints = opened.case.checkpoints(world);
        let points = opened.points(&checks, world);
        let (own, unread) = self.own_checkpoints(&opened.pipeline.id);
        checkpoints.extend(own);
        checkpoints.sort_by_key(|checkpoint| checkpoint.taken_at);
        let mut pipeline = opened.pipeline.clone();
        let unlisted = opened.case.unlisted_checkpoints(world);
        let listed = pipeline.reading.findings.len();
        pipeline.reading.findings.extend(unlisted);
        pipeline.reading.findings.extend(unread);
        Dossier {
            own_findings: pipeline.reading.findings.len() - listed,
            pipeline,
            timeline: opened.case.timeline(),
            checks,
            points,
            checkpoints,
            amendable: opened.case.is_amendable(),
            by_steps: opened.case.goes_by_steps(),
            replays: Vec::new(),
            why: None,
        }
    }

    /// The checks of a pipeline, verified now.
    pub fn checks(&self, id: &PipelineId) -> Result<Vec<Check>> {
        let opened = self.reopen(id)?;
        let checks = opened.verify(self.world.as_ref());
        must_be_readable(&opened.pipeline, &checks)?;
        Ok(checks)
    }

    /// A pipeline with its events, without verifying anything.
    pub fn timeline(&self, id: &PipelineId) -> Result<(Pipeline, Timeline)> {
        let opened = self.reopen(id)?;
        Ok((opened.pipeline.clone(), opened.case.timeline()))
    }

    /// What the checks of something that a survey found come to, verified now.
    pub fn check_summary(&self, id: &PipelineId) -> CheckSummary {
        match self.recall(id) {
            Ok(opened) => CheckSummary::of(&opened.verify(&self.cached())),
            Err(_) => CheckSummary::UNREADABLE,
        }
    }

    /// How far the work tree has moved from a checkpoint, measured now, where a restore of it would write. `None`
    /// where that checkpoint is not of files.
    pub fn drift(&self, id: &PipelineId, checkpoint: &Checkpoint) -> Result<Option<Drift>> {
        let opened = self.recall(id)?;
        let home = match &checkpoint.kind {
            CheckpointKind::Commit { repo } => self.home(repo, checkpoint, &opened).ok(),
            CheckpointKind::Shadow { .. }
            | CheckpointKind::File { .. }
            | CheckpointKind::Folder { .. }
            | CheckpointKind::Record { .. } => None,
        };
        let Some(home) = home else {
            return self.measure(checkpoint, opened.pipeline.reading.work_tree.as_deref());
        };
        let drift = self.measure(checkpoint, Some(&home.work_tree))?;
        Ok(drift.map(|drift| drift.within(&home.only)))
    }
}

/// Refuses a pipeline of which nothing can be read, with what its checks say to do.
pub fn must_be_readable(pipeline: &Pipeline, checks: &[Check]) -> Result<()> {
    if pipeline.standing.status == Status::Unreadable {
        return Err(unreadable(pipeline, checks));
    }
    Ok(())
}
