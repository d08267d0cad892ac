//! Directories that a plan would change and that refuse it: said before anybody agrees to the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::planning::PART;
use crate::apply::preflight::because;
use crate::model::{ActionKind, Guard, Step, in_parts};
use crate::recover::plan::Decided;
use crate::text::Shown as _;
use crate::text::format::{list_first, plural};
use crate::world::World;

/// How many directories are named.
const NAMED: usize = 3;

/// A guard for each reason.
pub(super) fn guards(steps: &[Step], decided: &[Option<Decided>], world: &dyn World) -> Vec<Guard> {
    let mut dirs = BTreeSet::new();
    for (step, decided) in steps.iter().zip(decided) {
        let touched = touched(step, decided.as_ref());
        let tree = step.tree().filter(|_| !touched.is_empty());
        let repo = tree.and_then(|(_, tree, ..)| world.git().repo(tree).ok());
        // The index is locked there.
        dirs.extend(repo.map(|repo| (repo.git_dir, true)));
        dirs.extend(touched.into_iter().map(|dir| (dir, false)));
    }
    let dirs: Vec<(PathBuf, bool)> = dirs.into_iter().collect();
    let unwritable = |(dir, is_git): &(PathBuf, bool)| {
        let (dir, why) = world.files().unwritable(dir)?;
        Some((dir, (*is_git, because(&why))))
    };
    let mut refused: BTreeMap<_, BTreeSet<PathBuf>> = BTreeMap::new();
    for (dir, why) in in_parts(&dirs, PART, unwritable).into_iter().flatten() {
        refused.entry(why).or_default().insert(dir);
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

/// The directories of the files that a step would replace, create or move. Lines are appended to a log in its place.
fn touched(step: &Step, decided: Option<&Decided>) -> Vec<PathBuf> {
    if let Some(action) = step.change() {
        let replaces = action.kind != ActionKind::AppendLines;
        let dir = action.target.parent().filter(|_| replaces);
        return dir.map(Path::to_owned).into_iter().collect();
    }
    let Some(((_, tree, ..), decided)) = step.tree().zip(decided) else {
        return Vec::new();
    };
    let dirs = decided.changed().map(|path| {
        let path = path.as_path();
        path.parent().unwrap_or(path)
    });
    // Most paths are beside the one before.
    let mut dirs: Vec<&Path> = dirs.collect();
    dirs.dedup();
    dirs.into_iter().map(|dir| tree.join(dir)).collect()
}
