//! Identity, size and time of every file below some folders, to detect later changes. Reads no content and follows no
//! link.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};

use crate::model::OutsideKind;

/// How many entries are looked at: a home folder that is mistaken for a project must not stall a run.
const MOST: usize = 2_000_000;

/// What is compared for one entry; for a folder, only its existence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fact {
    identity: (u64, u64),
    mode: u32,
    /// Its size and when it was modified.
    content: Option<(u64, Times)>,
}

/// When a file was modified, which a program can set, and when it was changed, which only the system sets; with their
/// nanoseconds.
type Times = ((i64, i64), (i64, i64));

/// The facts of all files under some folders.
#[derive(Debug, Clone, Default)]
pub struct FileFacts {
    facts: BTreeMap<PathBuf, Fact>,
    /// True if there are more entries than the limit.
    pub cut: bool,
}

impl FileFacts {
    /// Scans everything below `roots` except below `but`. Unreadable entries count as absent.
    pub fn take(roots: &[PathBuf], but: &Path) -> Self {
        let mut found = Self::default();
        let mut left: Vec<PathBuf> = roots.to_vec();
        while let Some(path) = left.pop() {
            if path == but || is_refreshed(&path) {
                continue;
            }
            let Ok(meta) = path.symlink_metadata() else {
                continue;
            };
            if found.facts.len() >= MOST {
                found.cut = true;
                break;
            }
            if meta.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            }
            let fact = Fact::of(&meta, is_object(&path));
            found.facts.insert(path, fact);
        }
        found
    }

    /// The paths that differ in a later scan.
    pub fn changes(&self, later: &Self) -> Vec<(PathBuf, OutsideKind)> {
        let was = |path: &PathBuf| self.facts.get(path);
        let new = later.facts.iter().filter_map(|(path, now)| {
            let kind = match was(path) {
                None => OutsideKind::Created,
                Some(then) if then != now => OutsideKind::Changed,
                Some(_) => return None,
            };
            Some((path.clone(), kind))
        });
        let gone = self
            .facts
            .keys()
            .filter(|path| !later.facts.contains_key(*path));
        let gone = gone.map(|path| (path.clone(), OutsideKind::Removed));
        let mut all: Vec<_> = new.chain(gone).collect();
        all.sort();
        all
    }
}

/// The disk space of a folder and its contents, in bytes. A file with several names counts once for each.
pub fn disk_usage(root: &Path) -> u64 {
    let mut bytes = 0_u64;
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        bytes += meta.blocks() * 512;
        if meta.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            left.extend(entries.map(|entry| entry.path()));
        }
    }
    bytes
}

/// What prevents relight from keeping files in a directory.
#[derive(Debug)]
pub struct Obstacle {
    /// The path that is in the way.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a directory.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Something else is in its place.
    #[error("it is not a directory")]
    NotADirectory,
    /// Others could replace what is in it.
    #[error("it can be written by other users")]
    Shared,
    /// It is another user's.
    #[error("it belongs to another user")]
    Foreign,
    /// Its file system keeps no files.
    #[error("its file system keeps no files")]
    NoFiles,
    /// The system refuses.
    #[error("{0}")]
    Refused(#[from] io::Error),
}

/// A path, or where nothing is found there, what is nearest above it.
pub fn nearest_found(path: &Path) -> &Path {
    let found = path.ancestors().find(|above| above.metadata().is_ok());
    found.unwrap_or(path)
}

/// Why nothing can be read or written in a directory of this user that is there or is still to be made. Only asks, so
/// `None` is no promise.
pub fn unusable(dir: &Path, me: u32) -> Option<Obstacle> {
    let absent = |fault: &Fault| match fault {
        // A file above it is found on the way up.
        Fault::Refused(why) => matches!(
            why.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
        Fault::NotADirectory | Fault::Shared | Fault::Foreign | Fault::NoFiles => false,
    };
    dir.ancestors().find_map(|above| {
        // Only the directory itself has to be private.
        let owner = (above == dir).then_some(me);
        match is_usable(above, owner) {
            Ok(()) => Some(None),
            Err(fault) if absent(&fault) => None,
            Err(fault) => Some(Some(Obstacle {
                path: above.to_owned(),
                fault,
            })),
        }
    })?
}

/// Why no entry can be made or renamed in a directory that is there or is still to be made, and the directory that
/// refuses it. Only asks, as [`unusable`].
pub fn unwritable(dir: &Path) -> Option<(PathBuf, io::Error)> {
    // What is in the way of a directory is replaced by it, so the directory above counts.
    let is_dir = |above: &&Path| above.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let above = dir.ancestors().find(is_dir)?;
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    let answer = rustix::fs::accessat(CWD, above, wanted, AtFlags::EACCESS);
    answer.err().map(|why| (above.to_owned(), why.into()))
}

fn is_usable(dir: &Path, owner: Option<u32>) -> Result<(), Fault> {
    let meta = fs::metadata(dir)?;
    if !meta.is_dir() {
        return Err(Fault::NotADirectory);
    }
    let wanted = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
    rustix::fs::accessat(CWD, dir, wanted, AtFlags::EACCESS).map_err(io::Error::from)?;
    // Root may write everywhere, and still cannot make a directory in /proc.
    if rustix::fs::statvfs(dir).map_err(io::Error::from)?.f_blocks == 0 {
        return Err(Fault::NoFiles);
    }
    match owner {
        Some(me) if meta.uid() != me => Err(Fault::Foreign),
        Some(_) if meta.mode() & 0o022 != 0 => Err(Fault::Shared),
        Some(_) | None => Ok(()),
    }
}

impl Fact {
    fn of(meta: &fs::Metadata, is_object: bool) -> Self {
        // Git sets the time of an object that it would have written again, in the repository that lends it, too.
        let times = if is_object {
            Times::default()
        } else {
            (
                (meta.mtime(), meta.mtime_nsec()),
                (meta.ctime(), meta.ctime_nsec()),
            )
        };
        // The facts of a folder only say that some entry changed.
        let content = (meta.size(), times);
        Self {
            content: (!meta.is_dir()).then_some(content),
            identity: (meta.dev(), meta.ino()),
            mode: meta.mode(),
        }
    }
}

/// Whether a path is a repository's index or its lock. Every `git status` of a shell prompt may write them, and they
/// hold no content of the project.
fn is_refreshed(path: &Path) -> bool {
    let name = path.file_name();
    let in_git = path.parent().and_then(Path::file_name) == Some(".git".as_ref());
    in_git && (name == Some("index".as_ref()) || name == Some("index.lock".as_ref()))
}

/// Whether a path is that of an object of git, or of a pack of them: `objects/ab/cdef`, `objects/pack/x.pack`.
fn is_object(path: &Path) -> bool {
    let mut above = path.ancestors().skip(1).filter_map(Path::file_name);
    let folder = above.next().and_then(OsStr::to_str).unwrap_or_default();
    let is_hex = folder.len() == 2 && folder.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_in_objects = (is_hex || folder == "pack") && above.next() == Some("objects".as_ref());
    let git_dir = path.ancestors().nth(3);
    is_in_objects && git_dir.is_some_and(|dir| dir.join("HEAD").symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_git_may_set_a_time_and_only_of_its_objects() {
        let dir = crate::world::temporary::directory();
        let root = dir.path().to_owned();
        for folder in [".git/objects/ab", ".git/objects/pack", "objects/ab"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let names = [
            ".git/objects/ab/cd",
            ".git/objects/pack/x.pack",
            "objects/ab/cd",
            "text",
        ];
        for name in names {
            fs::write(root.join(name), "1").unwrap();
        }
        let roots = std::slice::from_ref(&root);
        let before = FileFacts::take(roots, &root.join("own"));
        let now = fs::metadata(root.join("text")).unwrap().modified().unwrap();
        let set = |name: &str, at| {
            let file = fs::File::options()
                .write(true)
                .open(root.join(name))
                .unwrap();
            file.set_modified(at).unwrap();
        };
        for name in names {
            set(name, now + std::time::Duration::from_secs(60));
        }
        // Other content of the same size, and its time put back.
        fs::write(root.join("text"), "2").unwrap();
        set("text", now);
        let after = FileFacts::take(roots, &root.join("own"));
        let found = before.changes(&after).into_iter();
        let found: Vec<_> = found
            .map(|(path, _)| path.strip_prefix(&root).unwrap().to_owned())
            .collect();
        assert_eq!(found, ["objects/ab/cd", "text"].map(PathBuf::from));
    }

    #[test]
    fn changed_created_and_removed_files_are_found() {
        let dir = crate::world::temporary::directory();
        let root = dir.path().to_owned();
        let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
        for folder in ["sub", ".git", "own"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        for name in ["same", "size", "swapped", "gone", ".git/index"] {
            write(name, "1");
        }
        let own = root.join("own");
        let before = FileFacts::take(std::slice::from_ref(&root), &own);
        write("size", "22");
        write("new", "1");
        // The same text in another file: only its identity differs.
        write("other", "1");
        fs::rename(root.join("other"), root.join("swapped")).unwrap();
        fs::remove_file(root.join("gone")).unwrap();
        write(".git/index", "refreshed");
        write("own/output", "of the run");
        let after = FileFacts::take(std::slice::from_ref(&root), &own);
        let found = before.changes(&after);
        let found: Vec<_> = found
            .iter()
            .map(|(path, kind)| (path.strip_prefix(&root).unwrap().to_str().unwrap(), *kind))
            .collect();
        assert_eq!(
            found,
            [
                ("gone", OutsideKind::Removed),
                ("new", OutsideKind::Created),
                ("size", OutsideKind::Changed),
                ("swapped", OutsideKind::Changed),
            ]
        );
        assert_eq!(before.changes(&before), []);
    }
}
