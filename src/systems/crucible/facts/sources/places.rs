//! The directories in which crucible keeps the files of its runs.

use std::path::{Path, PathBuf};

use crate::model::{PathRefusal, Place};
use crate::systems::crucible::shape::sniff::place_of;
use crate::world::World;
use crate::world::files::{FileKind, ReadError, Stat};

/// A folder that was looked for and not found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    /// Nothing is there.
    #[default]
    Gone,
    /// Something else is in its place.
    Replaced,
    /// Whether it is there cannot be found out.
    Unknown,
}

impl Lost {
    pub(super) fn of(seen: &Result<Stat, ReadError>) -> Self {
        match seen {
            Ok(_) => Self::Replaced,
            Err(why) if why.leaves_unknown() => Self::Unknown,
            Err(_) => Self::Gone,
        }
    }
}

/// A directory that a foreign file names, if it is below the places where crucible keeps such directories.
pub(super) fn foreign_dir(world: &dyn World, text: &str) -> Result<Place, PathRefusal> {
    let places = world.places();
    let home = text.strip_prefix("~/").zip(places.home.as_deref());
    let full = home.map_or_else(|| PathBuf::from(text), |(rest, home)| home.join(rest));
    let roots = places.temp.iter().chain(&places.claude);
    let roots: Vec<&Path> = roots.map(PathBuf::as_path).collect();
    let text = full.to_string_lossy();
    Place::foreign(&roots, text.trim_end_matches('/').as_bytes())
}

/// All folders `projects/<name>`, with their scratch folders.
pub(crate) fn project_folders(world: &dyn World) -> impl Iterator<Item = (PathBuf, Place)> + '_ {
    let claude = world.places().claude.iter();
    claude.flat_map(move |claude| {
        let entries = world.files().entries(claude, "projects").into_iter();
        let dirs = entries.filter(|entry| entry.is_dir);
        dirs.filter_map(move |entry| {
            let project = Path::new("projects").join(&entry.name);
            let memory = Place::known(claude, project.join("memory")).ok()?;
            Some((claude.join(project), memory))
        })
    })
}

/// `projects/<name>` of a path in Claude's folders.
pub(crate) fn project_folder(world: &dyn World, path: &Path) -> Option<PathBuf> {
    let projects = world.places().claude.as_ref()?.join("projects");
    let name = path.strip_prefix(&projects).ok()?.iter().next()?;
    Some(projects.join(name))
}

/// A folder as a place: below the place that it belongs to, else opened by itself.
pub(super) fn folder(world: &dyn World, dir: &Path) -> Option<Place> {
    let places = world.places();
    let mut roots = places.claude.iter().chain(&places.temp);
    if roots.any(|root| dir.starts_with(root) && dir != root) {
        place_of(world, dir)
    } else {
        Some(Place::root(dir))
    }
}

/// A directory that belongs to this user; dispatch folders of others are ignored.
pub(crate) fn is_own_dir(world: &dyn World, place: &Place) -> bool {
    let stat = world.files().stat(place);
    stat.is_ok_and(|stat| stat.kind == FileKind::Dir && stat.uid == world.places().uid)
}
