//! What is in the directories that an undo moves as a whole.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::{Folders, Undo};
use crate::apply::disk::Disk;
use crate::apply::exchange::{Known, Opened, Spot, know};
use crate::apply::journal::Journal;

/// A place where a directory leaves, comes or is exchanged, with everything in it, or whose content moves among the
/// person's files.
#[derive(Debug, Default)]
pub struct Whole {
    /// What is there now.
    pub now: Side,
    /// What is restored to it.
    pub kept: Side,
    /// Whether the directory that is there now is the one that the recovery put there.
    pub is_own: bool,
    /// Whether something was added to it since then, changed in it or removed from it; `None` if that is not known.
    pub altered: Option<bool>,
    /// Whether what is there now stays among the person's files.
    pub moved: bool,
}

/// One side of an exchange.
#[derive(Debug, Default)]
pub struct Side {
    /// Everything in it, relative to the place, which is itself the empty path. What the undo moves by itself is left
    /// out.
    pub found: BTreeMap<PathBuf, Found>,
    /// Directories with a repository in them.
    pub nested: Vec<PathBuf>,
    /// Directories that cannot be read.
    pub unread: Vec<PathBuf>,
}

/// An entry.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// Facts about it. Where its content cannot be read, without a digest.
    pub known: Known,
    /// The latest time at which it can have got its name or its content, in nanoseconds since the epoch.
    pub changed_ns: Option<i64>,
}

impl Whole {
    /// The directories that leave from a journal's places, are restored to them or are exchanged, and all that moves
    /// among the person's files. Reads only.
    pub fn all<D: Disk>(
        disk: &D,
        journal: &Journal,
        undo: &Undo,
    ) -> io::Result<BTreeMap<PathBuf, Self>> {
        let journal = &journal.clone().present(disk);
        let basis = undo.basis.iter().map(|(path, now, kept)| (path, now, kept));
        let places: HashMap<&PathBuf, [&Option<Known>; 2]> =
            basis.map(|(path, now, kept)| (path, [now, kept])).collect();
        let is_dir = |known: &Option<Known>| known.is_some_and(|known| known.is_dir());
        let opened = Opened::open(disk, &journal.bases)?;
        let folders = Folders::of(journal, &[]);
        let mut all = BTreeMap::new();
        for exchange in &journal.exchanges {
            let here = exchange.here.path(&journal.bases);
            let Some([now, kept]) = places.get(&here).copied() else {
                continue;
            };
            // One that the recovery made for other paths leaves empty, or stays.
            let made = is_dir(now) && folders.is_made(exchange, &here, journal);
            let replaced = now.is_some() && is_dir(&exchange.there_had);
            let moved = !exchange.there.is_slot(&journal.bases);
            let is_whole = is_dir(now) || is_dir(kept) || replaced || moved;
            if made || undo.staying.contains(&here) || !is_whole {
                continue;
            }
            let side = |spot: &Spot, known: &Option<Known>| {
                let skip = |path: &Path| places.contains_key(&here.join(path));
                known.map_or_else(Side::default, |known| {
                    Side::of(disk, &opened, (spot, known), &skip)
                })
            };
            let one = Self {
                now: side(&exchange.here, now),
                kept: side(&exchange.there, kept),
                is_own: now.map(|now| now.node.id) == exchange.there_had.map(|had| had.node.id),
                altered: opened.is_altered(&exchange.here, exchange.within),
                moved,
            };
            all.insert(here, one);
        }
        Ok(all)
    }
}

/// The outermost place that contains a path and moves with everything in it; `None` where the path moves alone.
pub fn moves_with(journal: &Journal, path: &Path) -> Option<PathBuf> {
    let folders = Folders::of(journal, &[]);
    let exchanges = journal.exchanges.iter().filter_map(|exchange| {
        let here = exchange.here.path(&journal.bases);
        let whole = !folders.is_made(exchange, &here, journal);
        let ends = std::iter::once(here).chain(exchange.moves_to(&journal.bases));
        let mut ends = ends.filter(|_| whole);
        ends.find(|end| path != end && path.starts_with(end))
    });
    exchanges.min()
}

impl Side {
    fn of<D: Disk>(
        disk: &D,
        opened: &Opened<'_, D>,
        (spot, known): (&Spot, Known),
        skip: &dyn Fn(&Path) -> bool,
    ) -> Self {
        let mut side = Self::default();
        let changed_ns = opened
            .folder(spot.base, &spot.parent.path())
            .ok()
            .flatten()
            .and_then(|dir| disk.named_ns(&dir, spot.name.name()).ok().flatten());
        side.found
            .insert(PathBuf::new(), Found { known, changed_ns });
        if !known.is_dir() {
            return side;
        }
        match opened.folder(spot.base, &spot.rel()) {
            Ok(Some(dir)) => side.walk(disk, dir, skip),
            Ok(None) => {}
            Err(_) => side.unread.push(PathBuf::new()),
        }
        side
    }

    fn walk<D: Disk>(&mut self, disk: &D, top: D::Dir, skip: &dyn Fn(&Path) -> bool) {
        let mut todo = vec![(PathBuf::new(), top)];
        while let Some((rel, dir)) = todo.pop() {
            let Ok(names) = disk.list(&dir) else {
                self.unread.push(rel);
                continue;
            };
            for name in names {
                if name == ".git" {
                    self.nested.push(rel.clone());
                    continue;
                }
                let path = rel.join(&name);
                let Some(found) = found(disk, &dir, &name) else {
                    continue;
                };
                if found.known.is_dir() {
                    match disk.dir(&dir, name.as_ref()) {
                        Ok(inner) => todo.push((path.clone(), inner)),
                        Err(_) => self.unread.push(path.clone()),
                    }
                }
                if !skip(&path) {
                    self.found.insert(path, found);
                }
            }
        }
    }
}

/// Facts about a name in a directory; `None` if there is nothing any more.
fn found<D: Disk>(disk: &D, dir: &D::Dir, name: &OsStr) -> Option<Found> {
    let known = know(disk, dir, name).or_else(|_| {
        let node = disk.look(dir, name)?;
        io::Result::Ok(node.map(|node| Known { node, digest: None }))
    });
    Some(Found {
        known: known.ok().flatten()?,
        changed_ns: disk.named_ns(dir, name).ok().flatten(),
    })
}
