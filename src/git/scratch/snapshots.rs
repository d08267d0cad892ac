//! relight's own checkpoints: a store in relight's state folder for each pipeline. A checkpoint is a commit on top of
//! the one before it; its tree is the work tree, if that was requested. Its second parent has the state files, which
//! may be anywhere, under their absolute paths.

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use git2::{Index, ObjectType, Oid, Repository};
use rustix::fs::{Mode, OFlags, lstat, open, syncfs};

use super::files::{self, Rules, Walked};
use super::layout::{self, io};
use super::{ScratchError, tree as entries};
use crate::model::LeftOut;

/// The size limit for a file of a work tree, in bytes.
const LARGEST: u64 = 10 << 20;

/// A store of one pipeline.
#[derive(Debug)]
pub struct Snapshots {
    store: PathBuf,
}

/// A work tree to store.
pub struct TreeAsk<'a> {
    /// Its top.
    pub work_tree: &'a Path,
    /// Whether ignored files, secrets and large files are stored too.
    pub everything: bool,
    /// Excludes files.
    pub apart: &'a dyn Fn(&Path) -> bool,
}

impl Snapshots {
    /// Opens the store in a private folder, and creates it if the folder is empty.
    pub fn open(store: &Path) -> Result<Self, ScratchError> {
        if !store.join("HEAD").exists() {
            layout::git_dir(store, "main", None)?;
        }
        Ok(Self {
            store: store.to_owned(),
        })
    }

    /// Takes a checkpoint of files, and of a work tree if one is given. `subject` gets what was left out.
    pub fn take(
        &self,
        state: &[(PathBuf, Vec<u8>)],
        tree: Option<&TreeAsk<'_>>,
        subject: &dyn Fn(LeftOut) -> String,
        at: DateTime<Utc>,
    ) -> Result<(String, LeftOut), ScratchError> {
        let repo = files::open(&self.store)?;
        let kept = state_tree(&repo, state)?;
        let kept = layout::commit(&repo, kept, "state files\n", at, &[])?;
        let (walked, left_out) = tree.map(kept_files).transpose()?.unwrap_or_default();
        let top = match tree {
            Some(ask) => {
                // A store is only ever restored to the tree in its configuration.
                layout::config(&self.store, Some(ask.work_tree))?;
                files::tree(&repo, &self.store, files::OWN_INDEX, &walked.found)?
            }
            None => repo.treebuilder(None)?.write()?,
        };
        let before = repo.head().ok().and_then(|head| head.target());
        // Without an earlier checkpoint the state files are the only parent, so that they are always the last one.
        let parents: Vec<Oid> = before.into_iter().chain([kept]).collect();
        let message = format!("{}\n", subject(left_out));
        let id = layout::commit(&repo, top, &message, at, &parents)?;
        self.flush()?;
        layout::advance(&repo, id)?;
        self.flush()?;
        Ok((id.to_string(), left_out))
    }

    /// Without a flush, a power cut could leave a reference to missing objects, and the whole store would be
    /// unreadable.
    fn flush(&self) -> Result<(), ScratchError> {
        flush(&self.store)
    }
}

/// Waits until everything written to a store is on disk.
pub(super) fn flush(store: &Path) -> Result<(), ScratchError> {
    let dir = open(store, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty());
    let flushed = dir.and_then(syncfs);
    flushed.map_err(|error| io(store)(error.into()))
}

fn state_tree(repo: &Repository, state: &[(PathBuf, Vec<u8>)]) -> Result<Oid, ScratchError> {
    let mut index = Index::new()?;
    for (path, bytes) in state {
        let id = repo.odb()?.write(ObjectType::Blob, bytes)?;
        let stat = lstat(path).map_err(|e| io(path)(e.into()))?;
        let name = path.as_os_str().as_bytes();
        let name = name.strip_prefix(b"/").unwrap_or(name);
        index.add(&entries::entry(name, entries::FILE, id, &stat))?;
    }
    Ok(index.write_tree_to(repo)?)
}

fn kept_files(ask: &TreeAsk<'_>) -> Result<(Walked, LeftOut), ScratchError> {
    let secrets = Cell::new(0);
    let leave_out = |path: &Path, is_dir: bool| {
        if !is_dir && (ask.apart)(&ask.work_tree.join(path)) {
            return true;
        }
        let secret = !ask.everything && path.file_name().is_some_and(is_secret);
        secrets.set(secrets.get() + u64::from(secret));
        secret
    };
    let rules = Rules {
        ignored: ask.everything,
        leave_out: Some(&leave_out),
        largest: (!ask.everything).then_some(LARGEST),
    };
    let walked = files::walk(ask.work_tree, &rules)?;
    let left_out = LeftOut {
        ignored: walked.ignored,
        secret: secrets.get(),
        large: walked.large,
    };
    Ok((walked, left_out))
}

/// True for the names of files that usually hold keys or passwords.
fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let ends = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"];
    let whole = [
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        ".netrc",
        ".pgpass",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
    ];
    name.starts_with(".env")
        || whole.contains(&name.as_str())
        || ends.iter().any(|end| name.ends_with(end))
}
