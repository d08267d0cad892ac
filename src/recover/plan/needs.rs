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
    /// A folder, in exchange for what is there.
    Folder,
    /// Nothing: what is there, a folder with all that lies in it, is kept aside.
    Nothing,
}

/// The places that a list of paths changes, relative to the action's target, in byte order. No place lies
/// beneath one whose need is [`Need::Content`] or [`Need::Nothing`]: what is there goes along. Folders that
/// are not there yet are not listed; nothing of the person's is in their place.
pub fn needs(paths: &[PlanPath]) -> BTreeMap<&[u8], Need<'_>> {
    let put = |path: &&PlanPath| matches!(path.change, PathChange::Write | PathChange::Create);
    let folders: HashSet<&[u8]> = paths
        .iter()
        .filter(put)
        .flat_map(|path| above(path.path.as_bytes()))
        .collect();
    let mut needs: BTreeMap<&[u8], Need<'_>> = BTreeMap::new();
    for path in paths {
        if let Some(need) = need(path, &folders) {
            needs.insert(path.path.as_bytes(), need);
        }
    }
    let whole: HashSet<&[u8]> = needs
        .iter()
        .filter(|(_, need)| !matches!(need, Need::Folder))
        .map(|(path, _)| *path)
        .collect();
    needs.retain(|path, _| !above(path).any(|folder| whole.contains(folder)));
    needs
}

fn need<'a>(path: &'a PlanPath, folders: &HashSet<&[u8]>) -> Option<Need<'a>> {
    match path.change {
        PathChange::Write | PathChange::Create => Some(Need::Content(path)),
        PathChange::Remove if folders.contains(path.path.as_bytes()) => Some(Need::Folder),
        PathChange::Remove => Some(Need::Nothing),
        PathChange::KeepNewer | PathChange::NotCovered => None,
    }
}
