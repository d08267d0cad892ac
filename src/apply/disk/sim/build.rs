//! What is on the disk before a test, and what somebody else does meanwhile. All of it is durable at once,
//! but for [`SimDisk::file_unsynced`]. A path that cannot be what it is asked to be fails the test.

#![expect(
    clippy::missing_panics_doc,
    reason = "a test that builds something impossible is to fail"
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::Arc;

use super::SimDisk;
use super::calls::SimDir;
use super::changes::Change;
use super::content::Content;
use super::state::State;
use super::tree::{Body, Ino, ROOT};

impl SimDisk {
    /// A folder, with those above it.
    pub fn folder(&self, path: impl AsRef<Path>) -> &Self {
        let mut state = self.lock_state();
        state.folder(path.as_ref());
        drop(state);
        self
    }

    /// A file with this content. One that is there is written over in place, as a careless program does.
    pub fn file(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> &Self {
        self.lock_state().file(path.as_ref(), bytes.as_ref(), true);
        self
    }

    /// The same, not durable yet.
    pub fn file_unsynced(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> &Self {
        self.lock_state().file(path.as_ref(), bytes.as_ref(), false);
        self
    }

    /// A symbolic link.
    pub fn link(&self, path: impl AsRef<Path>, target: impl AsRef<OsStr>) -> &Self {
        let target = target.as_ref().as_encoded_bytes().to_vec();
        self.lock_state()
            .place(path.as_ref(), Body::Link(target), 0o777);
        self
    }

    /// A pipe, which may be moved and never opened.
    pub fn pipe(&self, path: impl AsRef<Path>) -> &Self {
        self.lock_state().place(path.as_ref(), Body::Other, 0o644);
        self
    }

    /// Another name for a file.
    pub fn hard_link(&self, old: impl AsRef<Path>, new: impl AsRef<Path>) -> &Self {
        let mut state = self.lock_state();
        let ino = state
            .at(old.as_ref())
            .expect("there is something to link to");
        let (dir, name) = state.parent(new.as_ref());
        state.change(Change::set(&[(dir.ino, name, Some(ino))]));
        state.persist_dirs([dir.ino]);
        drop(state);
        self
    }

    /// Mode and owner of what is there.
    pub fn mode(&self, path: impl AsRef<Path>, mode: u32, uid: u32) -> &Self {
        self.lock_state().edit(path.as_ref(), |meta| {
            meta.mode = mode;
            meta.uid = uid;
        });
        self
    }

    /// An extended attribute of what is there.
    pub fn attribute(&self, path: impl AsRef<Path>, name: &str, value: &[u8]) -> &Self {
        self.lock_state().edit(path.as_ref(), |meta| {
            meta.xattrs.insert(name.to_owned(), value.to_vec());
        });
        self
    }

    /// Somebody moves something to where nothing is.
    pub fn moved(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> &Self {
        let mut state = self.lock_state();
        let (from, to) = (state.parent(from.as_ref()), state.parent(to.as_ref()));
        state.move_to(from, to).expect("it may be moved");
        state.persist_dirs([from.0.ino, to.0.ino]);
        drop(state);
        self
    }

    /// Somebody removes a name with everything under it.
    pub fn removed(&self, path: impl AsRef<Path>) -> &Self {
        let mut state = self.lock_state();
        state.drop_name(path.as_ref());
        drop(state);
        self
    }

    /// Another file system at a folder that is made for it.
    pub fn mounted(&self, path: impl AsRef<Path>) -> &Self {
        let mut state = self.lock_state();
        let body = Body::Dir(BTreeMap::new());
        let ino = state.place(path.as_ref(), body, 0o755);
        let dev = 1000 + ino;
        state.now.get_mut(ino).dev = dev;
        state.durable.get_mut(ino).dev = dev;
        drop(state);
        self
    }
}

impl State {
    /// What a path leads to, mounts crossed, no link followed.
    pub(super) fn at(&self, path: &Path) -> Option<Ino> {
        let mut parts = path.components().filter(|part| *part != Component::RootDir);
        parts.try_fold(ROOT, |at, part| self.now.child(at, part.as_os_str()))
    }

    fn dir_at(&self, ino: Ino) -> SimDir {
        let birth = self.now.get(ino).expect("it is there").birth;
        SimDir { ino, birth }
    }

    fn parent<'a>(&self, path: &'a Path) -> (SimDir, &'a OsStr) {
        let parent = path.parent().expect("a path beneath the root");
        let ino = self.at(parent);
        let ino = ino.unwrap_or_else(|| panic!("{} is not there", parent.display()));
        (
            self.dir_at(ino),
            path.file_name().expect("a path with a name"),
        )
    }

    fn folder(&mut self, path: &Path) {
        if self.at(path).is_none() {
            self.folder(path.parent().expect("the root is there"));
            self.place(path, Body::Dir(BTreeMap::new()), 0o755);
        }
    }

    /// Something new, durable.
    fn place(&mut self, path: &Path, body: Body, mode: u32) -> Ino {
        let ino = self.place_unsynced(path, body, mode);
        let (dir, _) = self.parent(path);
        self.persist_dirs([dir.ino]);
        self.persist_inode(ino);
        ino
    }

    fn place_unsynced(&mut self, path: &Path, body: Body, mode: u32) -> Ino {
        let (dir, name) = self.parent(path);
        let placed = self.make(dir, name, body, mode);
        placed.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(super) fn file(&mut self, path: &Path, bytes: &[u8], durable: bool) {
        let there = self.at(path);
        let ino = match there {
            Some(ino) => ino,
            None if durable => self.place(path, Body::File(Arc::default()), 0o644),
            None => self.place_unsynced(path, Body::File(Arc::default()), 0o644),
        };
        let time = self.tick().cast_signed();
        let content = Arc::new(Content::new(bytes.to_vec(), time));
        self.now.get_mut(ino).body = Body::File(content);
        if durable {
            self.persist_inode(ino);
        }
    }

    /// Takes a name away with everything under it, durably.
    pub(super) fn drop_name(&mut self, path: &Path) {
        let ino = self.at(path).expect("there is something to remove");
        let (dir, name) = self.parent(path);
        self.change(Change::set(&[(dir.ino, name, None)]));
        self.persist_dirs([dir.ino]);
        for (_, inside) in self.now.walk(ino) {
            self.now.get_mut(inside).gone = true;
        }
        self.collect();
    }

    /// The content of the file at a path, if there is one.
    pub(super) fn content(&self, path: &Path) -> Option<Vec<u8>> {
        let ino = self.at(path)?;
        Some(self.now.get(ino)?.file()?.bytes.clone())
    }

    fn edit(&mut self, path: &Path, edit: impl FnOnce(&mut super::tree::Meta)) {
        let ino = self.at(path).expect("there is something to change");
        edit(&mut self.now.get_mut(ino).meta);
        self.persist_inode(ino);
    }
}
