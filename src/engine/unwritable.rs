//! Directories that a plan would change and that refuse it: said before anybody agrees to the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::apply::preflight::because;
use crate::model::{ActionKind, Guard, PlanOptions, Step};
use crate::recover::plan::{Measured, changed};
use crate::text::Shown as _;
use crate::text::format::{list_first, plural};
use crate::world::World;

/// How many directories are named.
const NAMED: usize = 3;

/// A guard for each reason.
pub(super) fn guards(
    steps: &[Step],
    measured: &[Option<Measured>],
    options: &PlanOptions,
    world: &dyn World,
) -> Vec<Guard> {
    let mut dirs = BTreeSet::new();
    for (step, measured) in steps.iter().zip(measured) {
        let touched = touched(step, measured.as_ref(), options);
        let tree = step.tree().filter(|_| !touched.is_empty());
        let repo = tree.and_then(|(_, tree, ..)| world.git().repo(tree).ok());
        // The index is locked there.
        dirs.extend(repo.map(|repo| (repo.git_dir, true)));
        let above = touched.iter().filter_map(|path| path.parent());
        dirs.extend(above.map(|dir| (dir.to_owned(), false)));
    }
    let mut refused: BTreeMap<_, BTreeSet<PathBuf>> = BTreeMap::new();
    for (dir, is_git) in &dirs {
        if let Some((dir, why)) = world.files().unwritable(dir) {
            refused
                .entry((*is_git, because(&why)))
                .or_default()
                .insert(dir);
        }
    }
    let guard = |((is_git, why), dirs): ((bool, String), BTreeSet<PathBuf>)| {
        let names: Vec<_> = dirs.iter().map(|dir| dir.shown().to_string()).collect();
        let is = plural(names.len(), "is", "are");
        let text = format!("{} {is} not writable: {why}.", list_first(&names, NAMED));
        let them = plural(names.len(), "it", "them");
        let their = plural(names.len(), "its", "their");
        let cure = if is_git {
            format!("Make {them} writable: git's index is locked there.")
        } else {
            format!("Make {them} writable, or leave out {their} paths.")
        };
        Guard::fails("writable", text, cure)
    };
    refused.into_iter().map(guard).collect()
}

/// The files that a step would replace, create or move. Lines are appended to a log in its place.
fn touched(step: &Step, measured: Option<&Measured>, options: &PlanOptions) -> Vec<PathBuf> {
    if let Some(action) = step.change() {
        let replaces = action.kind != ActionKind::AppendLines;
        return replaces
            .then(|| action.target.clone())
            .into_iter()
            .collect();
    }
    let Some(((kind, tree, ..), measured)) = step.tree().zip(measured) else {
        return Vec::new();
    };
    let paths = changed(kind, measured, options).into_iter();
    paths.map(|path| tree.join(path.as_path())).collect()
}
