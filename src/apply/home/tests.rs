//! Homes and slots on real folders.

mod homes;
mod slots;

use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::*;
use crate::apply::disk::RealDisk;

/// A state folder and a project, on one file system.
struct Context {
    disk: RealDisk,
    path: PathBuf,
    me: u32,
    _temp: tempfile::TempDir,
}

impl Context {
    fn new() -> Self {
        let temp = crate::world::temporary::directory();
        let path = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(path.join("work/project/sub")).unwrap();
        Self {
            disk: RealDisk::new(),
            me: path.metadata().unwrap().uid(),
            path,
            _temp: temp,
        }
    }

    fn state(&self) -> PathBuf {
        self.path.join("home/.local/state")
    }

    fn root(&self) -> PathBuf {
        self.path.join("work/project")
    }

    fn identity(&self) -> Identity {
        let meta = self.root().metadata().unwrap();
        Identity {
            dev: meta.dev(),
            ino: meta.ino(),
        }
    }

    fn make(&self) -> io::Result<Home<RealDisk>> {
        let root = self.root();
        Home::make(&self.disk, &self.state(), (self.identity(), &root), self.me)
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
