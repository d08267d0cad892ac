//! The places outside projects where systems keep state: Claude's project folders and temporary directories.

use std::path::{Path, PathBuf};

use crate::model::Place;
use crate::systems::{Found, Hit};
use crate::world::World;

use super::Names;

/// Claude's project folders, `projects/*`.
pub fn claude_projects(world: &dyn World) -> Vec<PathBuf> {
    let Some(claude) = &world.places().claude else {
        return Vec::new();
    };
    let projects = claude.join("projects");
    let entries = world.files().list(&Place::root(&projects));
    let dirs = entries.unwrap_or_default().into_iter();
    let dirs = dirs.filter(|entry| entry.is_dir);
    dirs.map(|entry| projects.join(entry.name)).collect()
}

/// The direct entries of the temporary directories that match a name and belong to this user.
pub fn temp_entries(world: &dyn World, names: &Names, sink: &(dyn Fn(Hit) + Sync)) {
    if names.is_empty() {
        return;
    }
    for dir in &world.places().temp {
        let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
        for entry in entries {
            let name = std::os::unix::ffi::OsStrExt::as_bytes(entry.name.as_os_str());
            names.fitting(name, entry.is_dir, |marker| {
                let path = dir.join(&entry.name);
                if is_ours(world, dir, &entry.name) {
                    sink(Hit {
                        marker,
                        path,
                        found: Found::Temp { dir: dir.clone() },
                    });
                }
            });
        }
    }
}

/// Whether a dispatch folder belongs to this user; those of other users are ignored.
fn is_ours(world: &dyn World, dir: &Path, name: &std::ffi::OsStr) -> bool {
    let stat = Place::known(dir, name).map(|place| world.files().stat(&place));
    stat.is_ok_and(|stat| stat.is_ok_and(|stat| stat.uid == world.places().uid))
}
