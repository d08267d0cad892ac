//! Shadow checkpoint stores as crucible keeps them.

use crate::model::short_id;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use git2::{Index, ObjectType, Repository, RepositoryOpenFlags};
use ignore::WalkBuilder;
use rustix::fs::{FileType, Stat, lstat};

use super::layout::{self, io};
use super::{ScratchError, tree};

/// A git directory apart from the work tree whose states it keeps.
#[derive(Debug, Clone)]
pub struct Shadow {
    store: PathBuf,
    work_tree: PathBuf,
}

impl Shadow {
    /// Makes an empty store for a work tree that is already there.
    pub fn init(store: &Path, work_tree: &Path) -> Result<Self, ScratchError> {
        let work_tree = layout::canonical(work_tree)?;
        layout::make_dir(store)?;
        let store = layout::canonical(store)?;
        layout::git_dir(&store, "main", Some(&work_tree))?;
        Ok(Self { store, work_tree })
    }

    /// The store's git directory.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// The work tree whose states it keeps.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Takes a checkpoint of the whole work tree but what the project's `.gitignore` files ignore. Nested
    /// repositories become links without content. Gives the commit's id.
    pub fn snapshot(
        &self,
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let found = walk(&self.work_tree)?;
        self.keep(&found, reason, source, at)
    }

    /// Takes a checkpoint of the named files alone.
    pub fn snapshot_of(
        &self,
        files: &[&str],
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let mut found = Vec::new();
        for file in files {
            found.push((file.as_bytes().to_vec(), self.work_tree.join(file)));
        }
        self.keep(&found, reason, source, at)
    }

    /// Sets the times of the store's own files, so that nothing in it looks recently written.
    pub fn age(&self, at: DateTime<Utc>) -> Result<(), ScratchError> {
        layout::age(&self.store, at)
    }

    fn keep(
        &self,
        found: &[(Vec<u8>, PathBuf)],
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let none: [&Path; 0] = [];
        let flags = RepositoryOpenFlags::BARE
            | RepositoryOpenFlags::NO_SEARCH
            | RepositoryOpenFlags::NO_DOTGIT;
        let repo = Repository::open_ext(&self.store, flags, none)?;
        let mut index = Index::open(&self.store.join("index"))?;
        let before: Vec<git2::IndexEntry> = index.iter().collect();
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
            } else if let Some((mode, id)) = store_object(&repo, place, &stat)? {
                index.add(&tree::entry(path, mode, id, &stat))?;
            }
        }
        let tree = index.write_tree_to(&repo)?;
        index.write()?;
        let when = at.format("%Y-%m-%d %H:%M:%S");
        let subject = format!("{reason} | {when} | {source}\n");
        let id = layout::commit_to_head(&repo, tree, &subject, at)?.to_string();
        let short = short_id(&id);
        let row = format!("| {short} | {when} | {reason} | {source} |\n");
        layout::append(&self.store.join("checkpoint-manifest.md"), row.as_bytes())?;
        Ok(id)
    }
}

fn unchanged(old: &git2::IndexEntry, path: &[u8], stat: &Stat) -> bool {
    let now = tree::entry(path, old.mode, old.id, stat);
    let executable = stat.st_mode & 0o100 != 0;
    old.mode != 0o160_000
        && (old.mode == 0o100_755) == (executable && old.mode != 0o120_000)
        && (now.ctime, now.mtime, now.ino) == (old.ctime, old.mtime, old.ino)
        && now.file_size == old.file_size
}

/// Mode and object of one path; `None` for what git does not keep (sockets, pipes, empty repositories).
fn store_object(
    repo: &Repository,
    place: &Path,
    stat: &Stat,
) -> Result<Option<(u32, git2::Oid)>, ScratchError> {
    let (mode, bytes) = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_mode & 0o100 != 0 => {
            (0o100_755, fs::read(place).map_err(io(place))?)
        }
        FileType::RegularFile => (0o100_644, fs::read(place).map_err(io(place))?),
        FileType::Symlink => {
            let target = fs::read_link(place).map_err(io(place))?;
            (0o120_000, target.as_os_str().as_bytes().to_vec())
        }
        FileType::Directory => return Ok(head_of(place).map(|id| (0o160_000, id))),
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => return Ok(None),
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

/// Every path that a checkpoint takes, in byte order: files, links, and nested repositories as themselves.
fn walk(work_tree: &Path) -> Result<Vec<(Vec<u8>, PathBuf)>, ScratchError> {
    let mut builder = WalkBuilder::new(work_tree);
    builder
        .standard_filters(false)
        .git_ignore(true)
        .git_exclude(true)
        .require_git(false)
        .filter_entry(|entry| {
            // The walk stops at `.git`, and does not go beneath a folder that has one of its own.
            let nested = entry.depth() > 1
                && entry
                    .path()
                    .parent()
                    .is_some_and(|above| above.join(".git").exists());
            entry.file_name() != ".git" && !nested
        });
    let mut found = Vec::new();
    for entry in builder.build() {
        let entry = entry.map_err(|e| ScratchError::Name(e.to_string()))?;
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        let keep = !is_dir || (entry.depth() > 0 && entry.path().join(".git").exists());
        if let (true, Ok(rel)) = (keep, entry.path().strip_prefix(work_tree)) {
            found.push((rel.as_os_str().as_bytes().to_vec(), entry.path().to_owned()));
        }
    }
    found.sort();
    Ok(found)
}
