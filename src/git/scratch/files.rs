//! Stores the files of a work tree as a tree in a separate store.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use git2::{Index, ObjectType, Oid, Repository, RepositoryOpenFlags};
use ignore::WalkBuilder;
use rustix::fs::{Stat, lstat};

use super::layout::io;
use super::{ScratchError, tree as entries};
use crate::world::files::FileKind;

/// Whether a path of the work tree is left out; the flag is true for a folder.
type LeaveOut<'a> = &'a dyn Fn(&Path, bool) -> bool;

/// Which files of a work tree are stored. Nested repositories become links without content, and `.git` is never stored.
#[derive(Default)]
pub(super) struct Rules<'a> {
    /// Whether ignored files are stored too.
    pub(super) ignored: bool,
    /// Excludes paths; a folder is excluded with its contents.
    pub(super) leave_out: Option<LeaveOut<'a>>,
    /// The largest file, in bytes.
    pub(super) largest: Option<u64>,
}

/// A path in the tree, and where it is in the file system.
pub(super) type Found = (Vec<u8>, PathBuf);

/// The result of the walk.
#[derive(Default)]
pub(super) struct Walked {
    /// In byte order.
    pub(super) found: Vec<Found>,
    /// Files and folders that git ignores.
    pub(super) ignored: u64,
    /// Files that are too large.
    pub(super) large: u64,
}

/// Opens a store.
pub(super) fn open(store: &Path) -> Result<Repository, ScratchError> {
    let none: [&Path; 0] = [];
    let flags =
        RepositoryOpenFlags::BARE | RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
    Ok(Repository::open_ext(store, flags, none)?)
}

/// The index that git itself uses in a store.
pub(super) const INDEX: &str = "index";

/// An index that only relight uses. A process that is killed while it writes an index leaves a lock, and a lock on
/// [`INDEX`] would block every later `git add` of the system that owns the store.
pub(in crate::git) const OWN_INDEX: &str = "relight.index";

/// Stores files and returns their tree. The index with this name avoids storing unchanged files again.
pub(super) fn tree(
    repo: &Repository,
    store: &Path,
    name: &str,
    found: &[Found],
) -> Result<Oid, ScratchError> {
    let mut index = Index::open(&store.join(name))?;
    let before: Vec<git2::IndexEntry> = if index.is_empty() {
        Index::open(&store.join(INDEX))?.iter().collect()
    } else {
        index.iter().collect()
    };
    index.clear()?;
    for (path, place) in found {
        let stat = lstat(place).map_err(|e| io(place)(e.into()))?;
        let same = before
            .binary_search_by(|entry| entry.path.cmp(path))
            .ok()
            .and_then(|at| before.get(at))
            .filter(|old| unchanged(old, path, &stat));
        if let Some(old) = same {
            index.add(old)?;
        } else if let Some((mode, id)) = store_object(repo, place, &stat)? {
            index.add(&entries::entry(path, mode, id, &stat))?;
        }
    }
    let tree = index.write_tree_to(repo)?;
    if name == OWN_INDEX {
        // Left by a killed writer: the project is locked, so nobody else is writing it now.
        drop(fs::remove_file(store.join(format!("{name}.lock"))));
    }
    index.write()?;
    Ok(tree)
}

fn unchanged(old: &git2::IndexEntry, path: &[u8], stat: &Stat) -> bool {
    let now = entries::entry(path, old.mode, old.id, stat);
    let executable = stat.st_mode & 0o100 != 0;
    old.mode != 0o160_000
        && (old.mode == 0o100_755) == (executable && old.mode != 0o120_000)
        && (now.ctime, now.mtime, now.ino) == (old.ctime, old.mtime, old.ino)
        && now.file_size == old.file_size
}

/// Mode and object of one path; `None` for entries that git does not store (sockets, pipes, empty repositories).
fn store_object(
    repo: &Repository,
    place: &Path,
    stat: &Stat,
) -> Result<Option<(u32, git2::Oid)>, ScratchError> {
    let (mode, bytes) = match FileKind::of_mode(stat.st_mode) {
        FileKind::File if stat.st_mode & 0o100 != 0 => {
            (0o100_755, fs::read(place).map_err(io(place))?)
        }
        FileKind::File => (0o100_644, fs::read(place).map_err(io(place))?),
        FileKind::Link => {
            let target = fs::read_link(place).map_err(io(place))?;
            (0o120_000, target.as_os_str().as_bytes().to_vec())
        }
        FileKind::Dir => return Ok(head_of(place).map(|id| (0o160_000, id))),
        FileKind::Other => return Ok(None),
    };
    let id = repo.odb()?.write(ObjectType::Blob, &bytes)?;
    Ok(Some((mode, id)))
}

fn head_of(nested: &Path) -> Option<git2::Oid> {
    let none: [&Path; 0] = [];
    let repo = Repository::open_ext(nested, RepositoryOpenFlags::NO_SEARCH, none).ok()?;
    let head = repo.head().ok()?;
    head.target()
}

/// Every stored path: files, links, and nested repositories as single entries.
pub(super) fn walk(work_tree: &Path, rules: &Rules<'_>) -> Result<Walked, ScratchError> {
    let mut builder = WalkBuilder::new(work_tree);
    builder
        .standard_filters(false)
        .git_ignore(!rules.ignored)
        .git_exclude(!rules.ignored)
        .require_git(false)
        .filter_entry(|entry| {
            // The walk stops at `.git` and does not enter nested repositories.
            let above = entry.path().parent();
            entry.file_name() != ".git" && (entry.depth() < 2 || !above.is_some_and(is_repository))
        });
    let (mut walked, mut seen, mut folders) = (Walked::default(), HashSet::new(), Vec::new());
    let mut left_out: Vec<PathBuf> = Vec::new();
    for entry in builder.build() {
        let entry = entry.map_err(|e| ScratchError::Name(e.to_string()))?;
        let path = entry.path().to_owned();
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        let nested = is_dir && entry.depth() > 0 && is_repository(&path);
        seen.insert(path.clone());
        let Ok(rel) = path.strip_prefix(work_tree) else {
            continue;
        };
        let unwanted = rules.leave_out.is_some_and(|leave| leave(rel, is_dir));
        if unwanted || left_out.last().is_some_and(|above| path.starts_with(above)) {
            if is_dir && unwanted {
                left_out.push(path);
            }
            continue;
        }
        if is_dir && !nested {
            folders.push(path);
            continue;
        }
        let size = rules
            .largest
            .and_then(|_| entry.metadata().ok())
            .map(|meta| meta.len());
        if !is_dir && size > rules.largest {
            walked.large += 1;
        } else {
            walked
                .found
                .push((rel.as_os_str().as_bytes().to_vec(), path));
        }
    }
    if rules.leave_out.is_some() {
        // Entries of a walked folder that the walk did not report are ignored ones.
        for folder in folders {
            let entries = fs::read_dir(&folder).map_err(io(&folder))?;
            let ignored = entries.filter_map(Result::ok).filter(|entry| {
                entry.file_name() != OsStr::new(".git") && !seen.contains(&entry.path())
            });
            walked.ignored += ignored.count() as u64;
        }
    }
    walked.found.sort();
    Ok(walked)
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists()
}
