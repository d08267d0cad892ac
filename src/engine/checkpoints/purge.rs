//! Deleting relight's own checkpoints.

use std::path::{Path, PathBuf};

use super::own::store_name;
use crate::apply::disk::RealDisk;
use crate::apply::home::checkpoints_path;
use crate::apply::purge::remove_folder;
use crate::engine::backup_folder::locked_root;
use crate::engine::{Engine, EngineError, Request, Result};
use crate::model::PipelineId;

impl Engine {
    /// The pipelines among these words that have checkpoints of relight's own, for `purge`: whole ids, because what is
    /// deleted may be all that is left of a pipeline. The other words are returned.
    pub fn purgeable_checkpoints(&self, words: &[String]) -> (Vec<PipelineId>, Vec<String>) {
        let all = words.iter().cloned();
        let (own, others): (Vec<String>, Vec<String>) = all.partition(|word| {
            let (own, unread) = self.own_checkpoints(&PipelineId(word.clone()));
            !own.is_empty() || unread.is_some()
        });
        (own.into_iter().map(PipelineId).collect(), others)
    }

    /// The root whose lock keeps others out of a pipeline that is there: a recovery or a record of its project may be
    /// taking a checkpoint. Nothing is written for one that is gone.
    pub(in crate::engine) fn checkpoints_root(
        &self,
        id: &PipelineId,
        request: &Request,
    ) -> Option<PathBuf> {
        let found = self.select(id.0.as_ref(), request);
        let opened = found.and_then(|id| self.recall(&id)).ok()?;
        self.present(locked_root(&opened.pipeline)).ok()
    }

    /// Deletes all of relight's own checkpoints of a pipeline, whose root is locked. Gives how many there were.
    pub(in crate::engine) fn remove_checkpoints(
        &self,
        disk: &RealDisk,
        state: &Path,
        id: &PipelineId,
    ) -> Result<usize> {
        let many = self.own_checkpoints(id).0.len();
        let store = checkpoints_path(state, store_name(id).as_ref());
        let removed = remove_folder(disk, &store);
        removed.map_err(|error| {
            let text = format!("The checkpoints of {id} could not be deleted: {error}.");
            EngineError::refused(text).hint("Run the same command again.")
        })?;
        Ok(many)
    }
}
