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
    let steps = steps.iter().zip(measured);
    let places = steps.flat_map(|(step, measured)| touched(step, measured.as_ref(), options));
    let dirs: BTreeSet<PathBuf> = places
        .filter_map(|path| path.parent().map(ToOwned::to_owned))
        .collect();
    let mut refused: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (dir, why) in dirs.iter().filter_map(|dir| world.files().unwritable(dir)) {
        refused.entry(because(&why)).or_default().insert(dir);
    }
    let guard = |(why, dirs): (String, BTreeSet<PathBuf>)| {
        let names: Vec<_> = dirs.iter().map(|dir| dir.shown().to_string()).collect();
        let is = plural(names.len(), "is", "are");
        let text = format!("{} {is} not writable: {why}.", list_first(&names, NAMED));
        let them = plural(names.len(), "it", "them");
        let their = plural(names.len(), "its", "their");
        let cure = format!("Make {them} writable, or leave out {their} paths.");
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
