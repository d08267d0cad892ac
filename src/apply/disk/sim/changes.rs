//! Changes of entries, and what makes them and content durable.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use super::state::State;
use super::tree::{Body, Ino, Inode, Tree};

/// One atomic change of entries in one or two directories.
#[derive(Debug)]
pub(super) struct Change {
    /// The directories that it orders itself by.
    pub(super) dirs: Vec<Ino>,
    /// What each entry leads to afterwards.
    sets: Vec<(Ino, OsString, Option<Ino>)>,
    /// The inode that it makes, empty as it was made.
    born: Option<(Ino, Arc<Inode>)>,
}

impl Change {
    /// Something new at a name. Nothing else refers to it yet.
    pub(super) fn make(dir: Ino, name: &OsStr, ino: Ino, inode: Inode) -> Self {
        Self {
            dirs: vec![dir],
            sets: vec![(dir, name.to_owned(), Some(ino))],
            born: Some((ino, Arc::new(inode))),
        }
    }

    /// Other entries for names.
    pub(super) fn set(sets: &[(Ino, &OsStr, Option<Ino>)]) -> Self {
        let dirs: BTreeSet<Ino> = sets.iter().map(|(dir, ..)| *dir).collect();
        let own = |(dir, name, to): &(Ino, &OsStr, Option<Ino>)| (*dir, (*name).to_owned(), *to);
        Self {
            dirs: dirs.into_iter().collect(),
            sets: sets.iter().map(own).collect(),
            born: None,
        }
    }

    /// Applies it to a tree.
    pub(super) fn apply(&self, tree: &mut Tree) {
        if let Some((ino, inode)) = &self.born
            && tree.get(*ino).is_none()
        {
            // It is there already where its content was synced before its entry.
            tree.put(*ino, Arc::clone(inode));
        }
        for (dir, name, to) in &self.sets {
            // The directory may be one that did not survive itself.
            if tree.get(*dir).is_some() {
                tree.set(*dir, name, *to);
            }
        }
    }

    pub(super) fn touches(&self, dirs: &BTreeSet<Ino>) -> bool {
        self.dirs.iter().any(|dir| dirs.contains(dir))
    }
}

impl State {
    /// Lets a change happen, not durable yet.
    pub(super) fn change(&mut self, mut change: Change) {
        if let Some((ino, inode)) = &change.born
            && self.promises.children_need_parents
            && inode.entries().is_some()
        {
            change.dirs.push(*ino);
        }
        change.apply(&mut self.now);
        self.pending.push(Arc::new(change));
    }

    /// Makes durable what touched these directories, and whatever that depends on.
    pub(super) fn persist_dirs(&mut self, dirs: impl IntoIterator<Item = Ino>) {
        let mut wanted: BTreeSet<Ino> = dirs.into_iter().collect();
        let asked: Vec<Ino> = wanted.iter().copied().collect();
        let mut settled = vec![false; self.pending.len()];
        for (at, change) in self.pending.iter().enumerate().rev() {
            if change.touches(&wanted) {
                settled[at] = true;
                wanted.extend(&change.dirs);
            }
        }
        let mut left = Vec::new();
        for (change, settled) in std::mem::take(&mut self.pending).into_iter().zip(settled) {
            if settled {
                self.make_room_for(&change);
                change.apply(&mut self.durable);
            } else {
                left.push(change);
            }
        }
        self.pending = left;
        if self.promises.barrier_syncs_content {
            for dir in asked {
                let entries = self.now.get(dir).and_then(|dir| dir.entries());
                for ino in entries
                    .into_iter()
                    .flatten()
                    .map(|(_, ino)| *ino)
                    .collect::<Vec<_>>()
                {
                    self.persist_inode(ino);
                }
            }
        }
    }

    /// A directory whose own entry is not durable still holds what was made durable in it: it exists, only no
    /// name leads to it.
    fn make_room_for(&mut self, change: &Change) {
        for dir in &change.dirs {
            if self.durable.get(*dir).is_none()
                && let Some(now) = self.now.get(*dir)
            {
                let mut empty = Inode::clone(now);
                empty.body = Body::Dir(std::collections::BTreeMap::new());
                self.durable.put(*dir, Arc::new(empty));
            }
        }
    }

    /// Makes the content, mode and attributes of one inode durable; not its name.
    pub(super) fn persist_inode(&mut self, ino: Ino) {
        let Some(now) = self.now.get(ino).filter(|now| !now.broken).cloned() else {
            return;
        };
        match (now.entries(), self.durable.get(ino)) {
            // Entries have their own way to become durable.
            (Some(_), None) => {}
            (Some(_), Some(_)) => self.durable.get_mut(ino).meta = now.meta.clone(),
            (None, _) => self.durable.put(ino, now),
        }
    }

    /// Makes everything on one device durable.
    pub(super) fn persist_device(&mut self, dev: u64) {
        let on_it = |ino: &Ino| self.now.get(*ino).is_some_and(|inode| inode.dev == dev);
        let inodes: Vec<Ino> = self.now.numbers().filter(on_it).collect();
        self.persist_dirs(inodes.iter().copied());
        for ino in inodes {
            self.persist_inode(ino);
        }
        self.collect();
    }

    /// An fsync of this inode failed: its dirty pages are dropped and count as clean (fsyncgate).
    pub(super) fn break_inode(&mut self, ino: Ino) {
        if self
            .now
            .get(ino)
            .is_some_and(|inode| inode.file().is_some())
        {
            self.now.get_mut(ino).broken = true;
        }
    }

    /// A flush of this device failed: whatever was dirty on it never becomes durable.
    pub(super) fn break_device(&mut self, dev: u64) {
        let dirty = |ino: &Ino| match (self.now.get(*ino), self.durable.get(*ino)) {
            (Some(now), Some(then)) => now.dev == dev && !Arc::ptr_eq(now, then),
            (Some(now), None) => now.dev == dev,
            _ => false,
        };
        let broken: Vec<Ino> = self.now.numbers().filter(dirty).collect();
        for ino in broken {
            self.break_inode(ino);
        }
    }
}
