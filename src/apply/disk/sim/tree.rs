//! Inodes and the entries that lead to them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::Content;
use crate::apply::disk::{FileKind, Identity, Node};

/// An inode's number.
pub(super) type Ino = u64;

/// The number of `/`.
pub(super) const ROOT: Ino = 1;

/// Device of everything that is not on a mount of its own.
pub(super) const MAIN_DEV: u64 = 64;

/// Mode, owner and extended attributes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Meta {
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) xattrs: BTreeMap<String, Vec<u8>>,
}

impl Meta {
    pub(super) fn of_mode(mode: u32) -> Self {
        Self {
            mode,
            uid: 1000,
            gid: 1000,
            xattrs: BTreeMap::new(),
        }
    }
}

/// What an inode holds.
#[derive(Debug, Clone)]
pub(super) enum Body {
    File(Arc<Content>),
    Dir(BTreeMap<OsString, Ino>),
    Link(Vec<u8>),
    Other,
}

/// An inode.
#[derive(Debug, Clone)]
pub(super) struct Inode {
    pub(super) body: Body,
    pub(super) meta: Meta,
    pub(super) dev: u64,
    /// Tells two inodes apart that had the same number one after the other; also the time of a link.
    pub(super) birth: u64,
    /// A directory that was removed while it was open: nothing can be made in it.
    pub(super) gone: bool,
    /// Its fsync failed: what is not durable by now never will be.
    pub(super) broken: bool,
}

impl Inode {
    pub(super) fn new(body: Body, mode: u32, dev: u64, birth: u64) -> Self {
        Self {
            body,
            meta: Meta::of_mode(mode),
            dev,
            birth,
            gone: false,
            broken: false,
        }
    }

    pub(super) fn kind(&self) -> FileKind {
        match self.body {
            Body::File(_) => FileKind::File,
            Body::Dir(_) => FileKind::Dir,
            Body::Link(_) => FileKind::Link,
            Body::Other => FileKind::Other,
        }
    }

    pub(super) fn file(&self) -> Option<&Arc<Content>> {
        match &self.body {
            Body::File(content) => Some(content),
            Body::Dir(_) | Body::Link(_) | Body::Other => None,
        }
    }

    pub(super) fn entries(&self) -> Option<&BTreeMap<OsString, Ino>> {
        match &self.body {
            Body::Dir(entries) => Some(entries),
            Body::File(_) | Body::Link(_) | Body::Other => None,
        }
    }

    pub(super) fn facts(&self, ino: Ino) -> Node {
        let time = i64::try_from(self.birth).unwrap_or(i64::MAX);
        let (size, mtime_ns) = match &self.body {
            Body::File(content) => (content.bytes.len() as u64, content.mtime_ns),
            Body::Link(target) => (target.len() as u64, time),
            Body::Other => (0, time),
            Body::Dir(_) => (0, 0),
        };
        Node {
            kind: self.kind(),
            id: Identity { dev: self.dev, ino },
            mode: self.meta.mode,
            uid: self.meta.uid,
            gid: self.meta.gid,
            size,
            mtime_ns,
        }
    }
}

/// All inodes by their numbers; cheap to clone, copied where it is changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    inodes: Vec<Option<Arc<Inode>>>,
}

impl Tree {
    pub(super) fn get(&self, ino: Ino) -> Option<&Arc<Inode>> {
        self.inodes.get(index(ino))?.as_ref()
    }

    /// The inode, to be changed; it must be there.
    pub(super) fn get_mut(&mut self, ino: Ino) -> &mut Inode {
        let place = self.inodes.get_mut(index(ino)).and_then(Option::as_mut);
        Arc::make_mut(place.expect("the inode is there"))
    }

    pub(super) fn put(&mut self, ino: Ino, inode: Arc<Inode>) {
        let at = index(ino);
        if self.inodes.len() <= at {
            self.inodes.resize(at + 1, None);
        }
        self.inodes[at] = Some(inode);
    }

    /// Numbers that are in use, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Ino> {
        let places = self.inodes.iter().enumerate();
        places.filter_map(|(at, place)| place.as_ref().map(|_| at as Ino))
    }

    pub(super) fn child(&self, dir: Ino, name: &OsStr) -> Option<Ino> {
        self.get(dir)?.entries()?.get(name).copied()
    }

    /// Lets an entry of a directory lead to an inode, or to nothing.
    pub(super) fn set(&mut self, dir: Ino, name: &OsStr, to: Option<Ino>) {
        if let Body::Dir(entries) = &mut self.get_mut(dir).body {
            match to {
                Some(ino) => entries.insert(name.to_owned(), ino),
                None => entries.remove(name),
            };
        }
    }

    /// Everything that can be reached from a directory with the shortest way there, itself as the empty path.
    /// A file with several names is there once for each.
    pub(super) fn walk(&self, from: Ino) -> Vec<(PathBuf, Ino)> {
        let mut found = vec![(PathBuf::new(), from)];
        let mut seen = BTreeSet::from([from]);
        let mut at = 0;
        while let Some((path, ino)) = found.get(at).cloned() {
            at += 1;
            let Some(entries) = self.get(ino).and_then(|inode| inode.entries()) else {
                continue;
            };
            for (name, child) in entries {
                let is_dir = self.get(*child).is_some_and(|c| c.entries().is_some());
                if !is_dir || seen.insert(*child) {
                    found.push((path.join(name), *child));
                }
            }
        }
        found
    }

    /// How many entries lead to an inode.
    pub(super) fn names(&self, ino: Ino) -> usize {
        let inodes = self.inodes.iter().flatten();
        let entries = inodes.filter_map(|inode| inode.entries());
        entries
            .flat_map(BTreeMap::values)
            .filter(|to| **to == ino)
            .count()
    }

    /// The numbers that can be reached from `/`.
    pub(super) fn reachable(&self) -> BTreeSet<Ino> {
        self.walk(ROOT).into_iter().map(|(_, ino)| ino).collect()
    }

    /// A path that leads to an inode, for messages.
    pub(super) fn path_of(&self, ino: Ino) -> Option<PathBuf> {
        let mut all = self.walk(ROOT).into_iter();
        let (path, _) = all.find(|(_, found)| *found == ino)?;
        Some(Path::new("/").join(path))
    }

    /// Forgets every inode that is not among these.
    pub(super) fn retain(&mut self, keep: &BTreeSet<Ino>) {
        for (at, place) in self.inodes.iter_mut().enumerate() {
            if !keep.contains(&(at as Ino)) {
                *place = None;
            }
        }
    }
}

fn index(ino: Ino) -> usize {
    usize::try_from(ino).expect("inode numbers are small")
}
