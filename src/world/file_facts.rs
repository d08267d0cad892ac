//! Identity, size and time of every file below some folders, to detect later changes. Reads no content and follows no
//! link.

use std::collections::BTreeMap;
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
    is_dir: bool,
    identity: (u64, u64),
    mode: u32,
    size: u64,
    modified: (i64, i64),
}

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
            found.facts.insert(path, Fact::of(&meta));
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

/// Why nothing can be read or written in a directory that is there or is still to be made: the path that is in the
/// way, and the reason. Only asks, so `None` is no promise.
pub fn unusable(dir: &Path) -> Option<(PathBuf, io::Error)> {
    dir.ancestors().find_map(|above| match is_usable(above) {
        Ok(()) => Some(None),
        Err(why) if why.kind() == io::ErrorKind::NotFound => None,
        Err(why) => Some(Some((above.to_owned(), why))),
    })?
}

fn is_usable(dir: &Path) -> io::Result<()> {
    if !fs::metadata(dir)?.is_dir() {
        return Err(io::Error::other("it is not a directory"));
    }
    let wanted = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
    rustix::fs::accessat(CWD, dir, wanted, AtFlags::EACCESS)?;
    // Root may write everywhere, and still cannot make a directory in /proc.
    if rustix::fs::statvfs(dir)?.f_blocks == 0 {
        return Err(io::Error::other("its file system keeps no files"));
    }
    Ok(())
}

impl Fact {
    fn of(meta: &fs::Metadata) -> Self {
        let is_dir = meta.is_dir();
        Self {
            is_dir,
            identity: (meta.dev(), meta.ino()),
            mode: meta.mode(),
            // The facts of a folder only say that some entry changed.
            size: if is_dir { 0 } else { meta.size() },
            modified: if is_dir {
                (0, 0)
            } else {
                (meta.mtime(), meta.mtime_nsec())
            },
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

#[cfg(test)]
mod tests {
    use super::*;

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
