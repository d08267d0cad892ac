//! The index of a worktree after a reset: exactly the commit's entries.
//!
//! The bytes are computed here; `apply` stages, exchanges and undoes them like any file. This module writes no files,
//! keeps nothing that the old index said about replaced files, and refuses an index that leaves part of the commit out
//! of the work tree.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};
use git2::{ErrorClass, Index, IndexEntry, Oid, Signature, Time};
use sha1::{Digest as _, Sha1};

use crate::model::path::is_git_dir;
use crate::model::{Foreign, Place};
use crate::text::format::{hex, shell_path};
use crate::world::files::Files as _;
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::config::LocalConfig;
use super::open::{self, Opened};
use super::refs::Settings;
use super::{history, trees};
use crate::text::Shown as _;

/// git's flag of an entry that a sparse checkout leaves out.
pub(super) const SKIP_WORKTREE: u16 = 1 << 14;
/// The mode of an entry for a nested repository.
const GITLINK: u32 = 0o160_000;
/// Signature and version 2, which every git reads.
const HEADER: [u8; 8] = *b"DIRC\0\0\0\x02";
/// The bits of an entry's flags for its side in a merge.
const STAGE: u16 = 0x3000;
/// The bits of an entry's flags for the length of its path; all bits set means longer.
const LENGTH: u16 = 0x0fff;

/// The git directory with the `index` and `index.lock` of a work tree: its own, not the common one.
pub fn git_dir(work_tree: &Path) -> Result<PathBuf, GitError> {
    top(work_tree).map(|opened| opened.git_dir)
}

/// Whether git checks out links in a work tree as links, and not as files with their targets.
pub fn keeps_links(work_tree: &Path) -> bool {
    let config = open::open(work_tree)
        .and_then(|opened| LocalConfig::of_work_tree(&opened.common_dir, &opened.git_dir));
    !config.is_ok_and(|config| config.is_off("core.symlinks"))
}

/// Refuses, in a sentence, a work tree whose index has more information than its commit: a sparse or split index, or an
/// unfinished merge.
pub fn check(work_tree: &Path) -> Result<(), GitError> {
    old_entries(&top(work_tree)?).map(drop)
}

/// The paths with conflicts that are not resolved, in order.
pub(super) fn unmerged(opened: &Opened) -> Result<Vec<Foreign>, GitError> {
    let index = read(opened)?;
    let sides = index.iter().filter(|entry| entry.flags & STAGE != 0);
    let mut paths: Vec<Foreign> = sides.map(|entry| entry.path.into()).collect();
    paths.dedup();
    Ok(paths)
}

/// The index of a commit (40 hex) for a work tree of its repository, as bytes. Entries of the current index for files
/// that are the same in both keep their stat data, so that git need not read those files again, except `written` ones:
/// git would take a size that the new file has not for a change, without reading it.
pub fn of_commit(
    work_tree: &Path,
    commit: &str,
    written: &BTreeSet<&[u8]>,
) -> Result<Vec<u8>, GitError> {
    let opened = top(work_tree)?;
    let old = old_entries(&opened)?;
    history::full_id(commit)?;
    let tree = history::find(&opened.repo, commit)?.tree_id();
    let entries = flatten(&opened, tree)?;
    let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let mut bytes = HEADER.to_vec();
    bytes.extend_from_slice(&count.to_be_bytes());
    for (path, (mode, id)) in &entries {
        let known = old
            .get(path)
            .filter(|old| (old.mode, old.id) == (*mode, *id))
            .filter(|_| !written.contains(path.as_slice()));
        put(&mut bytes, path, *mode, *id, known);
    }
    let sum = Sha1::digest(&bytes);
    bytes.extend_from_slice(&sum);
    Ok(bytes)
}

/// Whether the index of a work tree has exactly the entries of HEAD's commit and no flags, as [`of_commit`] writes it. Every
/// `git status` may write the index anew with other stat data.
pub fn is_of_head(work_tree: &Path) -> Result<bool, GitError> {
    /// The bit of an entry that git does not look at again (`git update-index --assume-unchanged`).
    const ASSUME_UNCHANGED: u16 = 1 << 15;
    let opened = top(work_tree)?;
    let head = opened.repo.head()?.peel_to_tree()?;
    let wanted = flatten(&opened, head.id())?;
    let index = read(&opened)?;
    let mut found = Vec::new();
    for entry in index.iter() {
        if entry.flags & (ASSUME_UNCHANGED | STAGE) != 0 || entry.flags_extended != 0 {
            return Ok(false);
        }
        found.push((entry.path, (entry.mode, entry.id)));
    }
    Ok(found == wanted)
}

/// What the entries of a work tree's index say: paths, modes, objects, stages and flags, and not the stat data, which every
/// `git status` may write anew.
pub fn digest(work_tree: &Path) -> Result<String, GitError> {
    let index = read(&top(work_tree)?)?;
    let mut digest = Sha1::new();
    for entry in index.iter() {
        digest.update((entry.path.len() as u64).to_be_bytes());
        digest.update(&entry.path);
        digest.update(entry.mode.to_be_bytes());
        digest.update(entry.id.as_bytes());
        digest.update(entry.flags.to_be_bytes());
        digest.update(entry.flags_extended.to_be_bytes());
    }
    Ok(hex(&digest.finalize()))
}

/// Saves staged content that is in no commit: writes a commit without a parent that contains the index's objects,
/// flushed, and returns its id for a reference. `None` if the index equals HEAD. Without it, the index that a reset
/// keeps aside would name objects that no reference keeps, and `git gc` would delete them. Entries whose object is
/// missing, such as those of `git add -N`, are skipped.
pub fn keep_staged(
    work_tree: &Path,
    at: DateTime<FixedOffset>,
) -> Result<Option<String>, GitError> {
    let opened = top(work_tree)?;
    let _settings = Settings::apply(&opened)?;
    let repo = &opened.repo;
    let odb = repo.odb()?;
    let mut index = Index::new()?;
    for entry in repo.index()?.iter() {
        if entry.mode != GITLINK && odb.exists(entry.id) {
            index.add(&entry)?;
        }
    }
    let tree = index.write_tree_to(repo)?;
    let head = repo.head().and_then(|head| head.peel_to_tree());
    if head.is_ok_and(|head| head.id() == tree) {
        return Ok(None);
    }
    let minutes = at.offset().local_minus_utc() / 60;
    let time = Time::new(at.timestamp(), minutes);
    let who = Signature::new("relight", "relight@localhost", &time)?;
    let tree = repo.find_tree(tree)?;
    let text = "What was staged before a recovery\n";
    let kept = repo.commit(None, &who, &who, text, &tree, &[])?;
    Ok(Some(kept.to_string()))
}

fn top(work_tree: &Path) -> Result<Opened, GitError> {
    let opened = open::open(work_tree)?;
    if opened.work_tree.is_some() && opened.work_tree == RealFiles.canonical(work_tree) {
        return Ok(opened);
    }
    Err(GitError::Other(format!(
        "{} is not the top of a work tree",
        work_tree.shown()
    )))
}

/// The entry of a path. A path that no file can have, with a NUL in it, has none.
pub(super) fn entry(index: &Index, path: &[u8]) -> Option<IndexEntry> {
    if path.contains(&0) {
        return None;
    }
    #[expect(clippy::disallowed_methods, reason = "the path has no NUL")]
    index.get_path(Path::new(OsStr::from_bytes(path)), 0)
}

/// The index as it is on the disk: a repository that stays open would go on with what it read first.
pub(super) fn read(opened: &Opened) -> Result<Index, GitError> {
    let index = Index::open(&opened.git_dir.join("index"));
    index.map_err(|e| {
        // libgit2 knows neither of these two extensions, and says no more than their names.
        let needs = |extension| e.class() == ErrorClass::Index && e.message().contains(extension);
        let ordinary = |command| run(opened, "make it an ordinary one", command);
        if needs("'link'") {
            GitError::Index {
                what: "the index is split in two files (split index), which cannot be read here",
                cure: ordinary("update-index --no-split-index"),
            }
        } else if needs("'sdir'") {
            GitError::Index {
                what: "the index is sparse (sparse index), which cannot be read here",
                cure: if is_sparse(opened).unwrap_or(false) {
                    ordinary("sparse-checkout reapply --no-sparse-index")
                } else {
                    ordinary("sparse-checkout disable")
                },
            }
        } else if e.class() == ErrorClass::Index {
            GitError::Index {
                what: "the index is damaged",
                cure: run(
                    opened,
                    "build it again from the last commit",
                    "read-tree HEAD",
                ),
            }
        } else {
            e.into()
        }
    })
}

/// Whether the work tree is a sparse checkout.
pub(super) fn is_sparse(opened: &Opened) -> Result<bool, GitError> {
    let config = opened.repo.config()?;
    Ok(config.get_bool("core.sparseCheckout").unwrap_or(false))
}

/// What to do, with the command of git that does it in a work tree.
fn run(opened: &Opened, what: &str, command: &str) -> String {
    let tree = opened.work_tree.as_deref().and_then(shell_path);
    let at = tree.map_or_else(String::new, |tree| format!("-C {tree} "));
    format!("{what}: git {at}{command}")
}

/// The entries of the current index whose stat data can be trusted, by path.
fn old_entries(opened: &Opened) -> Result<HashMap<Vec<u8>, IndexEntry>, GitError> {
    let disable = || run(opened, "check out all files", "sparse-checkout disable");
    if is_sparse(opened)? {
        let what = "the index belongs to a sparse checkout, which leaves files out";
        return Err(GitError::Index {
            what,
            cure: disable(),
        });
    }
    // The time is read before the content: if the index is replaced in between, fewer entries are trusted.
    let written = Place::known(&opened.git_dir, "index")
        .ok()
        .and_then(|place| RealFiles.stat(&place).ok())
        .map(|stat| stat.modified);
    let index = read(opened)?;
    if index.has_conflicts() {
        let what = "the index has unresolved conflicts";
        let cure = "resolve them, or abort the merge".to_owned();
        return Err(GitError::Index { what, cure });
    }
    let mut known = HashMap::new();
    for entry in index.iter() {
        if entry.flags_extended & SKIP_WORKTREE != 0 {
            let what = "the index leaves files out of the work tree";
            return Err(GitError::Index {
                what,
                cure: disable(),
            });
        }
        // An entry as new as the index itself may have changed undetected, and a newer index would hide that.
        let time = chrono::DateTime::from_timestamp(
            i64::from(entry.mtime.seconds()),
            entry.mtime.nanoseconds(),
        );
        if time
            .zip(written)
            .is_some_and(|(time, written)| time < written)
        {
            known.insert(entry.path.clone(), entry);
        }
    }
    Ok(known)
}

type Wanted = (u32, Oid);

/// The entries of a commit's tree, gitlinks included, in index order.
fn flatten(opened: &Opened, tree: Oid) -> Result<Vec<(Vec<u8>, Wanted)>, GitError> {
    let mut found = Vec::new();
    for leaf in trees::leaves(&opened.repo, tree, Vec::new())? {
        let mut end = 0;
        for part in leaf.path.split_inclusive(|byte| *byte == b'/') {
            end += part.len();
            let name = part.strip_suffix(b"/").unwrap_or(part);
            if is_git_dir(name) {
                let path = leaf.path.get(..end).unwrap_or_default();
                let path = path.strip_suffix(b"/").unwrap_or(path);
                return Err(GitError::Hostile(format!(
                    "the commit has {}, which leads into a git directory",
                    path.shown()
                )));
            }
        }
        found.push((leaf.path, (leaf.kind.mode(), leaf.id)));
    }
    Ok(found)
}

/// One entry, padded as version 2 requires. Without an old one its times are zero, so that git reads the file.
fn put(bytes: &mut Vec<u8>, path: &[u8], mode: u32, id: Oid, known: Option<&IndexEntry>) {
    let mut number = |value: u32| bytes.extend_from_slice(&value.to_be_bytes());
    let stat = known.map_or([0; 6], |old| {
        [
            old.ctime.seconds().cast_unsigned(),
            old.ctime.nanoseconds(),
            old.mtime.seconds().cast_unsigned(),
            old.mtime.nanoseconds(),
            old.dev,
            old.ino,
        ]
    });
    stat.into_iter().for_each(&mut number);
    number(mode);
    let owner = known.map_or([0; 3], |old| [old.uid, old.gid, old.file_size]);
    owner.into_iter().for_each(&mut number);
    bytes.extend_from_slice(id.as_bytes());
    let length = u16::try_from(path.len()).unwrap_or(LENGTH).min(LENGTH);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(path);
    // At least one NUL, and as many as make the entry (62 bytes and its path) a multiple of 8.
    let padding = 8 - (62 + path.len()) % 8;
    bytes.resize(bytes.len() + padding, 0);
}

#[cfg(test)]
mod tests;
