//! Every check, holding and failing.

mod places;
mod staged;
mod writing;

use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::*;
use crate::apply::disk::{RealDir, RealDisk};

/// A project, the slots of a transaction, and the transaction's folder.
struct Context {
    disk: RealDisk,
    path: PathBuf,
    root: RealDir,
    slots: RealDir,
    tx_dir: RealDir,
    me: u32,
    git_dirs: Vec<Identity>,
    _temp: tempfile::TempDir,
}

impl Context {
    fn new() -> Self {
        let temp = crate::world::temporary::directory();
        let path = temp.path().canonicalize().unwrap();
        for dir in ["project/sub/deep", "tx/slots"] {
            std::fs::create_dir_all(path.join(dir)).unwrap();
        }
        std::fs::write(path.join("project/sub/file"), "old").unwrap();
        let disk = RealDisk::new();
        let open = |rel: &str| disk.root(&path.join(rel)).unwrap();
        Self {
            root: open("project"),
            slots: open("tx/slots"),
            tx_dir: open("tx"),
            me: path.metadata().unwrap().uid(),
            git_dirs: Vec::new(),
            disk,
            path,
            _temp: temp,
        }
    }

    fn preflight(&self) -> Preflight<'_, RealDisk> {
        Preflight {
            disk: &self.disk,
            tx: "7",
            tx_dir: &self.tx_dir,
            me: self.me,
            git_dirs: &self.git_dirs,
        }
    }

    fn project(&self, rel: &str) -> PathBuf {
        self.path.join("project").join(rel)
    }

    fn dir(&self, rel: &str) -> RealDir {
        self.disk.root(&self.project(rel)).unwrap()
    }

    fn parent(&self, rel: &str) -> Parent<RealDisk> {
        Parent {
            dir: self.dir(rel),
            slots: self.slots.clone(),
            path: self.project(rel),
            slots_path: None,
        }
    }

    /// Every entry under the context with its mode and content.
    fn census(&self) -> Vec<(PathBuf, u32, Vec<u8>)> {
        let mut found = Vec::new();
        let mut todo = vec![self.path.clone()];
        while let Some(path) = todo.pop() {
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                todo.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
            }
            let content = std::fs::read(&path).unwrap_or_default();
            found.push((path, meta.mode(), content));
        }
        found.retain(|(path, ..)| !path.ends_with("tx/probes"));
        found.sort();
        found
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A check that failed, and said these words.
#[track_caller]
fn said(found: Result<(), Foreign>, words: &[&str]) {
    let why = found.unwrap_err().lossy().into_owned();
    for word in words {
        assert!(why.contains(word), "{word:?} in {why:?}");
    }
    assert!(why.ends_with('.'), "{why:?}");
}
