//! Deleting relight's own checkpoints.

use super::own::store_name;
use crate::apply::disk::RealDisk;
use crate::apply::home::checkpoints_path;
use crate::apply::purge::remove_folder;
use crate::apply::session::Session;
use crate::engine::applying::apply_error;
use crate::engine::backup_folder::locked_root;
use crate::engine::{Engine, EngineError, ErrorKind, Request};
use crate::model::{Cancel, PipelineId};

impl Engine {
    /// The pipelines among these words that have checkpoints of relight's own, for `purge`: whole ids, because what is
    /// deleted may be all that is left of a pipeline. The other words are returned.
    pub fn purgeable_checkpoints(&self, words: &[String]) -> (Vec<PipelineId>, Vec<String>) {
        let all = words.iter().cloned();
        let (own, others): (Vec<String>, Vec<String>) =
            all.partition(|word| !self.own_checkpoints(&PipelineId(word.clone())).is_empty());
        (own.into_iter().map(PipelineId).collect(), others)
    }

    /// Deletes all of relight's own checkpoints of a pipeline. Gives how many there were. Refused while a recovery or
    /// a record of its project is under way, which may be taking one.
    pub fn purge_checkpoints(
        &self,
        id: &PipelineId,
        request: &Request,
    ) -> Result<usize, EngineError> {
        let (state, disk, cancel) = (self.state_dir()?, RealDisk::new(), Cancel::new());
        // Nothing is written for a pipeline that is gone.
        let found = self.select(id.0.as_ref(), request);
        let opened = found.and_then(|id| self.recall(&id)).ok();
        let root = opened.and_then(|opened| self.present(locked_root(&opened.pipeline)).ok());
        let place = root.map(|root| self.write_place(root)).transpose()?;
        let context = place.as_ref();
        let context = context.map(|place| place.context(self, &disk, &cancel));
        let locked = context.as_ref().map(Session::lock).transpose();
        let _locked = locked.map_err(apply_error)?;
        let many = self.own_checkpoints(id).len();
        let store = checkpoints_path(&state, store_name(id).as_ref());
        let removed = remove_folder(&disk, &store);
        removed.map_err(|error| {
            let text = format!("The checkpoints of {id} could not be deleted: {error}.");
            EngineError::new(ErrorKind::Refused, text).hint("Run the same command again.")
        })?;
        Ok(many)
    }
}
