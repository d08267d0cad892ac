//! What a tree action's list of paths asks of the disk, one place at a time: some rows go along with others,
//! and folders must be there before what lies in them.

use std::collections::{BTreeMap, HashSet};

use super::paths::above;
use crate::model::{PathChange, PlanPath};

/// What one place is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need<'a> {
    /// The file or link of this row; whatever is there, a folder too, is exchanged for it as a whole.
    Content(&'a PlanPath),
    /// A folder: the one that is there, else a new one in exchange for what is there.
    Folder,
    /// Nothing: what is there, a folder with all that lies in it, is kept aside.
    Nothing,
}

/// The places that a list of paths changes, relative to the action's target, in byte order. No place lies
/// beneath one whose need is [`Need::Content`] or [`Need::Nothing`]: what is there goes along.
pub fn needs(paths: &[PlanPath]) -> BTreeMap<&[u8], Need<'_>> {
    let mut needs: BTreeMap<&[u8], Need<'_>> = BTreeMap::new();
    let put = |path: &&PlanPath| matches!(path.change, PathChange::Write | PathChange::Create);
    for path in paths.iter().filter(put) {
        for folder in above(path.path.as_bytes()) {
            needs.insert(folder, Need::Folder);
        }
        needs.insert(path.path.as_bytes(), Need::Content(path));
    }
    for path in paths.iter().filter(|p| p.change == PathChange::Remove) {
        needs.entry(path.path.as_bytes()).or_insert(Need::Nothing);
    }
    let whole: HashSet<&[u8]> = needs
        .iter()
        .filter(|(_, need)| !matches!(need, Need::Folder))
        .map(|(path, _)| *path)
        .collect();
    needs.retain(|path, _| !above(path).any(|folder| whole.contains(folder)));
    needs
}
