//! The folders that belong to the original: no run may change anything in them.

use std::path::PathBuf;

use crate::model::ReplayPlan;
use crate::world::World;

/// The folders of the original, each once: the project and its repository, the store of the checkpoint, the folders
/// of its notes and dispatches, and the plugin's templates. None is in another.
pub(crate) fn folders(plan: &ReplayPlan, world: &dyn World) -> Vec<PathBuf> {
    let experiment = &plan.experiment;
    let project = experiment.work_tree.clone();
    let repository = project
        .as_deref()
        .and_then(|tree| world.git().repo(tree).ok())
        .map(|facts| facts.common_dir);
    let checkpoint = plan.begin().and_then(|start| start.checkpoint.as_ref());
    let store = checkpoint.and_then(|checkpoint| checkpoint.kind.repository().cloned());
    let manifest = experiment.manifest.parent().map(ToOwned::to_owned);
    let mut all: Vec<PathBuf> = [
        project,
        repository,
        store,
        experiment.scratch_dir.clone(),
        experiment.dispatch_dir.clone(),
        manifest,
    ]
    .into_iter()
    .flatten()
    .chain(experiment.plugin_templates.iter().cloned())
    .chain(plan.ask.templates.clone())
    .filter_map(|path| world.files().canonical(&path))
    .collect();
    all.sort();
    // A folder comes right before what is in it.
    all.dedup_by(|inner, outer| inner.starts_with(outer));
    all
}
