//! The disk of this machine, held to its promises on real folders.

mod content;
mod cutting;
mod durable;
mod locking;
mod metadata;
mod mounts;
mod moving;
mod opening;
mod racing;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{RealDir, RealDisk};
use crate::apply::disk::{Disk as _, Identity, Node};

/// A folder with a project, slots beside it, and something outside that nothing may touch.
struct Context {
    disk: RealDisk,
    path: PathBuf,
    root: RealDir,
    slots: RealDir,
    _temp: tempfile::TempDir,
}

impl Context {
    fn new() -> Self {
        Self::within(crate::world::temporary::directory())
    }

    fn within(temp: tempfile::TempDir) -> Self {
        let path = temp.path().canonicalize().unwrap();
        for name in ["project", "slots", "outside"] {
            std::fs::create_dir(path.join(name)).unwrap();
        }
        std::fs::write(path.join("outside/canary"), "alive").unwrap();
        let disk = RealDisk::new();
        Self {
            root: disk.root(&path.join("project")).unwrap(),
            slots: disk.root(&path.join("slots")).unwrap(),
            disk,
            path,
            _temp: temp,
        }
    }

    fn project(&self, rel: impl AsRef<Path>) -> PathBuf {
        self.path.join("project").join(rel)
    }

    fn write(&self, rel: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.project(rel);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Stages content in a slot.
    fn stage(&self, slot: &str, content: &[u8]) {
        let mut file = self.disk.create(&self.slots, name(slot), 0o600).unwrap();
        self.disk.write(&mut file, content).unwrap();
    }

    fn look(&self, at: &RealDir, entry: &str) -> Option<Node> {
        self.disk.look(at, name(entry)).unwrap()
    }
}

/// Says that it is over when it goes, so that a failed test ends the thread beside it, too.
struct Over<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

fn name(text: &str) -> &OsStr {
    OsStr::new(text)
}

/// The number of an error.
fn errno<T: std::fmt::Debug>(found: std::io::Result<T>) -> Option<rustix::io::Errno> {
    rustix::io::Errno::from_io_error(&found.unwrap_err())
}

/// Every entry under a folder: which it is, its mode, and its content.
fn census(path: &Path) -> BTreeMap<PathBuf, (Identity, u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![path.to_path_buf()];
    while let Some(path) = todo.pop() {
        let meta = path.symlink_metadata().unwrap();
        let content = if meta.is_dir() {
            todo.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
            Vec::new()
        } else if meta.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            target.as_os_str().as_bytes().to_vec()
        } else {
            std::fs::read(&path).unwrap()
        };
        let id = Identity {
            dev: meta.dev(),
            ino: meta.ino(),
        };
        found.insert(path, (id, meta.mode(), content));
    }
    found
}
