//! Where a recovery will keep the files that it replaces, and what it locks: known before anything is written.

use std::path::{Path, PathBuf};

use super::history::project_of;
use super::{Engine, EngineError, Result};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::home::{is_cleaned, own};
use crate::model::{Asked, Guard, Intent, Pipeline, Plan};
use crate::text::Shown as _;

impl Engine {
    /// The folder that will keep what a plan replaces or moves aside: that of the
    /// project in relight's state, or that of the recovery which is undone. `None` where the project is
    /// on another mount, so that it is decided when it is tried. Reads only.
    pub fn kept_in(&self, plan: &Plan) -> Option<PathBuf> {
        let root = match &plan.asked {
            Asked::Undo { recovery, .. } => {
                let mut of = self.alone(recovery)?.recovery;
                // An undo and a redo use the backups of the first recovery; their own folder stays empty.
                while let Some(undone) = of.undoes.clone() {
                    of = self.alone(&undone)?.recovery;
                }
                return of.kept_in.into_iter().next();
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
        (ours == theirs).then(|| own(&state).join(&project))
    }

    /// The first of these work trees that relight's own state lies in. What is written there would be part of the files
    /// that a plan compares, and `git clean` would delete the backups. Neither holds for what git ignores.
    pub(super) fn state_within<'a>(
        &self,
        roots: impl Iterator<Item = &'a Path>,
    ) -> Option<PathBuf> {
        let state = self.state_dir().ok()?;
        let mut roots = roots.filter_map(|root| self.world.files().canonical(root));
        let ignored = |root: &Path| self.world.git().is_ignored(root, &state).unwrap_or(false);
        roots.find(|root| is_cleaned(root, &state) && !ignored(root))
    }

    /// What keeps a plan of a pipeline from being applied, whatever else it depends on.
    pub(super) fn blocking_guards(&self, pipeline: &Pipeline, intent: &Intent) -> Vec<Guard> {
        let pending = self.pending_guard(&pipeline.id, locked_root(pipeline));
        let guards = pending.into_iter();
        guards.chain(self.state_guard(intent)).collect()
    }

    /// A guard that fails where a plan would change a work tree that relight's own state lies in.
    fn state_guard(&self, intent: &Intent) -> Option<Guard> {
        let tree = intent.tree.as_ref().filter(|_| !intent.steps.is_empty())?;
        let root = self.state_within(std::iter::once(tree.work_tree.as_path()))?;
        let text = format!(
            "relight's own state directory is in the project {}.",
            root.shown()
        );
        let cure = "Set XDG_STATE_HOME to a directory outside the project.";
        Some(Guard::fails("state_directory", text, cure))
    }

    /// The canonical path of a folder that must be there.
    pub(super) fn present(&self, root: &Path) -> Result<PathBuf> {
        let gone = || {
            let text = format!("{} is not there.", root.shown());
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
