//! A project that is missing: the records of some systems are elsewhere and outlive it.

use std::path::Path;

use crate::foreign;
use crate::model::Guard;
use crate::world::World;

/// Whether the project of a pipeline is missing.
pub(crate) fn is_lost(root: &Path, world: &dyn World) -> bool {
    !root.as_os_str().is_empty() && world.files().canonical(root).is_none()
}

/// The guard that refuses to resume a pipeline in a project that is missing.
pub(crate) fn guard(root: &Path, world: &dyn World) -> Option<Guard> {
    is_lost(root, world).then(|| {
        let text = foreign!(
            "The project of this pipeline, {}, is missing, so there is no directory to resume it in.",
            root
        );
        Guard::fails("work_tree", text, "Bring the directory back.")
    })
}
