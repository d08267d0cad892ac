//! Directories that a plan would change and that refuse it, and what is in the place of a file that it would write: said
//! before anybody agrees to the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::planning::PART;
use crate::apply::preflight::because;
use crate::foreign;
use crate::model::{ActionKind, Guard, Place, Step, in_parts};
use crate::recover::plan::Decided;
use crate::systems::kit::odd_files::no_file;
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

/// A guard for each file that a step would replace or create and that is none. What another step moves is not in its
/// way.
pub(super) fn in_the_way(steps: &[Step], world: &dyn World) -> Vec<Guard> {
    let actions = || steps.iter().filter_map(Step::change);
    let of_kind = |kinds: &[ActionKind], path: &Path| {
        actions().any(|action| kinds.contains(&action.kind) && action.target == path)
    };
    let written = [ActionKind::ReplaceFile, ActionKind::TruncateRows];
    let targets: BTreeSet<&Path> = actions().map(|action| action.target.as_path()).collect();
    let guard = |path: &Path| {
        let odd = no_file(&Place::of(path)?, world)?;
        let text = foreign!("{} {}.", path, odd.problem);
        Some(Guard::fails("target", text, odd.remedy))
    };
    let targets = targets
        .into_iter()
        .filter(|path| of_kind(&written, path) && !of_kind(&[ActionKind::MoveAside], path));
    targets.filter_map(guard).collect()
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
