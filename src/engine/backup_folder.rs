//! Where a recovery will keep the files that it replaces, and what it locks: known before anything is written.

use std::path::{Path, PathBuf};

use super::history::project_of;
use super::{Engine, EngineError};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::home::Home;
use crate::model::{Asked, Pipeline, Plan};

impl Engine {
    /// The folder that will keep what a plan replaces or moves aside: that of the
    /// project in relight's state, or that of the recovery which is undone. `None` where the project is
    /// on another mount, so that it is decided when it is tried. Reads only.
    pub fn kept_in(&self, plan: &Plan) -> Option<PathBuf> {
        let root = match &plan.asked {
            Asked::Undo { recovery, .. } => {
                return self.recovery(recovery).ok()?.kept_in.into_iter().next();
            }
            Asked::Resume { .. } => {
                locked_root(&self.recall(&plan.pipeline).ok()?.pipeline).to_owned()
            }
        };
        let disk = RealDisk::new();
        let root = self.world.files().canonical(&root)?;
        let dir = disk.root(&root).ok()?;
        let state = self.state_dir().ok()?;
        // It is made when it is first needed; until then a folder above it says which mount it will be on.
        let there = state.ancestors().find_map(|above| disk.root(above).ok())?;
        let (ours, theirs) = (disk.mount(&there).ok()?, disk.mount(&dir).ok()?);
        let project = project_of(&disk, &root)?;
        (ours == theirs).then(|| Home::<RealDisk>::path_of(&state, &project))
    }

    /// The canonical path of a folder that must be there.
    pub(super) fn present(&self, root: &Path) -> Result<PathBuf, EngineError> {
        let gone = || {
            let text = format!("{} is not there.", root.to_string_lossy());
            EngineError::refused(text)
        };
        self.world.files().canonical(root).ok_or_else(gone)
    }
}

/// The folder whose lock keeps others out of a pipeline.
pub(super) fn locked_root(pipeline: &Pipeline) -> &Path {
    let reading = &pipeline.reading;
    reading.work_tree.as_deref().unwrap_or(&reading.root)
}
