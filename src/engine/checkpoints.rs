//! `restore --checkpoint`: a plan that puts files back from one checkpoint and changes nothing else.

use super::{EngineError, ErrorKind};
use crate::model::{
    Checkpoint, CheckpointKind, CheckpointNeed, Foreign, Intent, Pipeline, ResumePoint, Step,
};

/// The checkpoint that an id, or an unambiguous beginning of one, means.
pub(super) fn find<'a>(
    checkpoints: &'a [Checkpoint],
    id: &str,
    pipeline: &Pipeline,
) -> Result<&'a Checkpoint, EngineError> {
    let exact = checkpoints.iter().find(|c| c.id == id);
    let mut fitting = checkpoints.iter().filter(|c| c.id.starts_with(id));
    let begun = (id.len() >= 4).then(|| fitting.next()).flatten();
    match (exact, begun, fitting.next()) {
        (Some(found), ..) | (None, Some(found), None) => Ok(found),
        (None, Some(_), Some(_)) => Err(hinted(
            EngineError::new(
                ErrorKind::Ambiguous,
                format!("{id} means several checkpoints."),
            ),
            pipeline,
        )),
        (None, None, _) => Err(hinted(
            EngineError::new(ErrorKind::NotFound, format!("There is no checkpoint {id}.")),
            pipeline,
        )),
    }
}

fn hinted(error: EngineError, pipeline: &Pipeline) -> EngineError {
    error.hint(format!(
        "relight checkpoints {} lists them with their ids.",
        pipeline.id
    ))
}

/// The point that stands for a restore of files: the one that this checkpoint belongs to, else the
/// recommended one.
pub(super) fn point(
    points: &[ResumePoint],
    checkpoint: &Checkpoint,
    pipeline: &Pipeline,
) -> Result<ResumePoint, EngineError> {
    let of_it = |point: &&ResumePoint| match &point.boundary.checkpoint {
        CheckpointNeed::Found(found) => found.id == checkpoint.id,
        CheckpointNeed::None | CheckpointNeed::Missing { .. } => false,
    };
    let found = points.iter().find(of_it);
    let found = found.or_else(|| points.iter().find(|p| p.recommended));
    found
        .or_else(|| points.first())
        .cloned()
        .map(|mut point| {
            point.boundary.checkpoint = CheckpointNeed::Found(checkpoint.clone());
            point
        })
        .ok_or_else(|| {
            EngineError::new(
                ErrorKind::NothingToDo,
                format!("{} has no point to restore for.", pipeline.id),
            )
        })
}

/// Leaves of an intent only the restore of this checkpoint's files.
pub(super) fn only_files(
    intent: &mut Intent,
    checkpoint: &Checkpoint,
    pipeline: &Pipeline,
) -> Result<(), EngineError> {
    let step = match (&checkpoint.kind, &pipeline.work_tree) {
        (CheckpointKind::Shadow { store }, Some(work_tree)) => Step::RestoreTree {
            store: store.clone(),
            commit: checkpoint.id.clone(),
            work_tree: work_tree.clone(),
        },
        (CheckpointKind::Commit { repo }, Some(_)) => Step::ResetWorktree {
            worktree: repo.clone(),
            commit: checkpoint.id.clone(),
        },
        (CheckpointKind::Shadow { .. } | CheckpointKind::Commit { .. }, None) => {
            let text =
                "The project of this run cannot be found, so there is nowhere to restore to.";
            return Err(EngineError::new(ErrorKind::Refused, text)
                .hint("Say where it is with --work-tree PATH."));
        }
        (
            CheckpointKind::File { .. }
            | CheckpointKind::Folder { .. }
            | CheckpointKind::Record { .. },
            _,
        ) => {
            let text = "This checkpoint is a record in the pipeline's own state; no files can be restored from it alone.";
            return Err(EngineError::new(ErrorKind::Usage, text).hint(format!(
                "relight points {} lists the points; relight resume takes one of them.",
                pipeline.id
            )));
        }
    };
    intent.steps = vec![step];
    intent.losses = Vec::<Foreign>::new();
    Ok(())
}
