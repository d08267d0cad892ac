//! Where transactions are stored: folders of relight's own, private to their owner.
//!
//! ```text
//! <state>/relight/                      0700
//!   locks/<dev>-<ino>                   one lock for each project, whatever path leads to it
//!   <project id>/                       0700
//!     lock                              one lock for this folder
//!     <recovery id>/                    journal, marks, and the slots if they can be on this file system
//! ```
//!
//! Nothing here reads the environment or a person's files. Files are created and removed in these folders only.

mod slots;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub use slots::{Seat, forget, is_cleaned, pointers};

use super::disk::{Disk, FileKind, Identity};
use super::exchange::present;
use crate::clean;
use crate::model::text::hex;
use crate::text::format::shell_path;

/// The folder under the state folder.
const RELIGHT: &str = "relight";

/// The folder of rehearsals.
const REHEARSALS: &str = "rehearsals";

/// The folder of briefings that were handed over.
const BRIEFINGS: &str = "handoffs";

/// The folder of replays.
const REPLAYS: &str = "replays";

/// The folder of relight's own checkpoints.
const CHECKPOINTS: &str = "checkpoints";

/// The folder of the projects' locks.
const LOCKS: &str = "locks";

/// The folder of a project's records: their ledger, journal and slots.
const RECORDS: &str = "records";

/// The lock of one project's folder. It is never removed.
const LOCK: &str = "lock";

/// Characters of a project's id.
const ID_LEN: usize = 16;

/// A path of relight's own with the links of its existing part resolved, as [`Disk::root`] needs it. The path of the
/// state folder may contain links; a path under a project's root may not.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let mut missing = PathBuf::new();
    for above in path.ancestors() {
        match std::fs::canonicalize(above) {
            Ok(found) if missing.as_os_str().is_empty() => return Ok(found),
            Ok(found) => return Ok(found.join(missing)),
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                let name = above.file_name().ok_or(why)?;
                missing = if missing.as_os_str().is_empty() {
                    PathBuf::from(name)
                } else {
                    Path::new(name).join(&missing)
                };
            }
            Err(why) => return Err(why),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The id of a project: 16 hex digits, from the inode of its root and its canonical path. The device is left out,
/// because the same file system can have another device number after a reboot.
pub fn project_id(root: Identity, path: &Path) -> String {
    let mut hash = Sha256::new();
    hash.update(root.ino.to_le_bytes());
    hash.update(path.as_os_str().as_bytes());
    let mut id = hex(&hash.finalize());
    id.truncate(ID_LEN);
    id
}

/// The folder of one project's transactions.
#[derive(Debug)]
pub struct Home<D: Disk> {
    /// The project's id.
    pub project: String,
    /// The folder, opened.
    pub dir: D::Dir,
    /// Its path.
    pub path: PathBuf,
    base: D::Dir,
}

impl<D: Disk> Clone for Home<D> {
    fn clone(&self) -> Self {
        Self {
            project: self.project.clone(),
            dir: self.dir.clone(),
            path: self.path.clone(),
            base: self.base.clone(),
        }
    }
}

impl<D: Disk> Home<D> {
    /// Opens the folder and creates it if it does not exist, private and durable. `state` is canonical ([`canonical`]),
    /// `root` is the project's root and its canonical path, `me` the user's id. Refuses a folder of another user.
    pub fn make(disk: &D, state: &Path, root: (Identity, &Path), me: u32) -> io::Result<Self> {
        let project = project_id(root.0, root.1);
        let base = private_all(disk, state, &[], me)?;
        let own = own(state);
        private(disk, (&base, &own), OsStr::new(LOCKS), me)?;
        let dir = private(disk, (&base, &own), OsStr::new(&project), me)?.0;
        let path = own.join(&project);
        Ok(Self {
            project,
            dir,
            path,
            base,
        })
    }

    /// Creates an empty private folder for a rehearsal, and returns its path.
    pub fn rehearsal(disk: &D, state: &Path, id: &str, me: u32) -> io::Result<(D::Dir, PathBuf)> {
        let dir = private_all(disk, state, &[REHEARSALS.as_ref(), id.as_ref()], me)?;
        Ok((dir, rehearsals_path(state).join(id)))
    }

    /// Opens the folder of one pipeline's replays and creates it if it does not exist, private and durable. Returns its
    /// path, too. `name` is a single plain component.
    pub fn replays(disk: &D, state: &Path, name: &OsStr, me: u32) -> io::Result<(D::Dir, PathBuf)> {
        let dir = private_all(disk, state, &[REPLAYS.as_ref(), name], me)?;
        Ok((dir, replays_path(state, name)))
    }

    /// The same for relight's own checkpoints of a pipeline.
    pub fn checkpoints(disk: &D, state: &Path, name: &OsStr, me: u32) -> io::Result<PathBuf> {
        private_all(disk, state, &[CHECKPOINTS.as_ref(), name], me)?;
        Ok(checkpoints_path(state, name))
    }

    /// Opens the folder of a project by its id, for reading; `None` if it does not exist.
    pub fn open(disk: &D, state: &Path, project: &str) -> io::Result<Option<Self>> {
        let Some(base) = present(disk.root(&own(state)))? else {
            return Ok(None);
        };
        let found = present(disk.dir(&base, Path::new(project)))?;
        Ok(found.map(|dir| Self {
            project: project.to_owned(),
            dir,
            path: own(state).join(project),
            base,
        }))
    }

    /// The names in this folder that are ids of recoveries.
    pub fn ids(&self, disk: &D) -> io::Result<Vec<String>> {
        let names = disk.list(&self.dir)?.into_iter();
        let names = names.filter_map(|name| name.into_string().ok());
        Ok(names.filter(|name| is_id(name)).collect())
    }

    /// Takes the lock of this folder; `None` if another process holds it.
    pub fn lock(&self, disk: &D) -> io::Result<Option<D::Lock>> {
        disk.lock(&self.dir, OsStr::new(LOCK))
    }

    /// Whether a process holds the lock of this folder.
    pub fn is_locked(&self, disk: &D) -> bool {
        disk.is_locked(&self.dir, OsStr::new(LOCK))
    }

    /// Takes the lock of a project, the same for every path that leads to it; `None` if another process holds it.
    pub fn project_lock(&self, disk: &D, root: Identity) -> io::Result<Option<D::Lock>> {
        disk.lock(
            &disk.dir(&self.base, Path::new(LOCKS))?,
            OsStr::new(&lock_name(root)),
        )
    }

    /// Opens the folder of the project's records, and creates it if it does not exist.
    pub fn records(&self, disk: &D, me: u32) -> io::Result<D::Dir> {
        Ok(private(disk, (&self.dir, &self.path), OsStr::new(RECORDS), me)?.0)
    }

    /// Opens the folder of the project's records, if it exists.
    pub fn records_if_any(&self, disk: &D) -> io::Result<Option<D::Dir>> {
        present(disk.dir(&self.dir, Path::new(RECORDS)))
    }

    /// The path of the folder of records.
    pub fn records_path(&self) -> PathBuf {
        self.path.join(RECORDS)
    }

    /// What the holder of a project's lock wrote into it, for people; empty if it wrote nothing.
    pub fn holder(&self, disk: &D, root: Identity) -> Vec<u8> {
        disk.dir(&self.base, Path::new(LOCKS))
            .and_then(|locks| disk.read(&locks, OsStr::new(&lock_name(root)), 4096))
            .unwrap_or_default()
    }
}

/// Where briefings are, made or not.
pub fn briefings_path(state: &Path) -> PathBuf {
    own(state).join(BRIEFINGS)
}

/// Makes the folder of briefings, private, where it is not there yet.
pub fn briefings<D: Disk>(disk: &D, state: &Path, me: u32) -> io::Result<D::Dir> {
    private_all(disk, state, &[BRIEFINGS.as_ref()], me)
}

/// The folder of relight's own state, made or not.
pub fn own(state: &Path) -> PathBuf {
    state.join(RELIGHT)
}

/// Where rehearsals are, made or not.
pub fn rehearsals_path(state: &Path) -> PathBuf {
    own(state).join(REHEARSALS)
}

/// Where the replays of a pipeline are.
pub fn replays_path(state: &Path, name: &OsStr) -> PathBuf {
    own(state).join(REPLAYS).join(name)
}

/// Where relight's own checkpoints of a pipeline are, made or not.
pub fn checkpoints_path(state: &Path, name: &OsStr) -> PathBuf {
    own(state).join(CHECKPOINTS).join(name)
}

/// What is in the place of relight's own folders and is none: what they would hold is not known.
pub fn in_the_way(state: &Path) -> Vec<PathBuf> {
    let names = [
        "handoffs",
        "rehearsals",
        REPLAYS,
        CHECKPOINTS,
        LOCKS,
        RECORDS,
    ];
    let paths = names.map(|name| own(state).join(name)).into_iter();
    let odd = paths.filter(|path| path.symlink_metadata().is_ok() && !path.is_dir());
    odd.collect()
}

/// The ids of the projects that have a folder here, sorted. Reads only; none where nothing was ever made.
pub fn projects<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<String>> {
    let Some(base) = present(disk.root(&own(state)))? else {
        return Ok(Vec::new());
    };
    let is_id = |name: &String| {
        name.len() == ID_LEN
            && name
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let names = disk.list(&base)?.into_iter();
    Ok(names
        .filter_map(|name| name.into_string().ok())
        .filter(is_id)
        .collect())
}

fn lock_name(root: Identity) -> String {
    format!("{}-{}", root.dev, root.ino)
}

/// Opens a folder by its path, and creates the missing part of it.
fn make_all<D: Disk>(disk: &D, path: &Path, me: u32) -> io::Result<D::Dir> {
    if let Some(dir) = present(disk.root(path))? {
        return Ok(dir);
    }
    let (above, name) = path
        .parent()
        .zip(path.file_name())
        .ok_or(io::ErrorKind::NotFound)?;
    let dir = make_all(disk, above, me)?;
    Ok(private(disk, (&dir, above), name, me)?.0)
}

/// Opens a folder within that of relight's own state, and creates what is missing of it, as [`private`] does.
fn private_all<D: Disk>(disk: &D, state: &Path, names: &[&OsStr], me: u32) -> io::Result<D::Dir> {
    let mut at = make_all(disk, state, me)?;
    let mut path = state.to_path_buf();
    for name in std::iter::once(&OsStr::new(RELIGHT)).chain(names) {
        at = private(disk, (&at, &path), name, me)?.0;
        path.push(name);
    }
    Ok(at)
}

/// Opens a folder of relight's own, or creates it, durable. True if it was created. A folder that another user owns or
/// can write to is refused; if others can only read it, that permission is removed.
fn private<D: Disk>(
    disk: &D,
    (at, above): (&D::Dir, &Path),
    name: &OsStr,
    me: u32,
) -> io::Result<(D::Dir, bool)> {
    let made = match disk.look(at, name)? {
        None => match disk.mkdir(at, name, 0o700) {
            Ok(()) => true,
            // Another relight created it a moment earlier.
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => false,
            Err(why) => return Err(why),
        },
        Some(_) => false,
    };
    let node = disk.look(at, name)?.ok_or(io::ErrorKind::NotFound)?;
    let path = above.join(name);
    let named = clean!("{}", path);
    let refused = |text: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    if node.kind != FileKind::Dir {
        return refused(format!("{named} is not a directory"));
    }
    if node.uid != me {
        return refused(format!("the directory {named} belongs to another user"));
    }
    if node.mode & 0o022 != 0 {
        let cure = shell_path(&path).map_or_else(String::new, |path| {
            format!(" (chmod go-w {path} removes that)")
        });
        return refused(format!(
            "the directory {named} can be written by other users{cure}"
        ));
    }
    if node.mode & 0o077 != 0 {
        disk.copy_metadata((at, name), 0o700, None)?;
    }
    if made {
        disk.barrier(std::slice::from_ref(at))?;
    }
    Ok((disk.dir(at, Path::new(name))?, made))
}

/// Whether a name is an id: ids begin with the time, such as `20261121T064512`.
pub fn is_id(name: &str) -> bool {
    let digits = name.bytes().take(8).filter(u8::is_ascii_digit).count();
    digits == 8 && name.as_bytes().get(8) == Some(&b'T')
}
