//! Shadow checkpoint stores: judged first, then opened bare and only read.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};
use std::path::{Path, PathBuf};

use git2::Oid;

use crate::model::Place;
use crate::world::files::{FileKind, Files as _};
use crate::world::git::{Commit, GitError, ShadowFacts};
use crate::world::real_files::RealFiles;

use super::config::LocalConfig;
use super::objects::Repo;
use super::{error, history, open};

/// How many commits are listed.
const COMMITS: usize = 100_000;

/// Files and folders by which a store would take objects or history from elsewhere, with a description.
const FOREIGN_SOURCES: [(&str, &str); 5] = [
    (
        "objects/info/alternates",
        "takes objects from another store",
    ),
    ("info/grafts", "rewrites its history by grafts"),
    ("refs/replace", "replaces objects by others"),
    ("shallow", "is shallow, so that its history is cut off"),
    ("commondir", "leads to another git directory"),
];

/// Opens a store, or says why it is not trustworthy.
pub(super) fn open(store: &Path) -> Result<Repo, GitError> {
    let config = LocalConfig::read(store)?;
    if config.includes {
        return Err(hostile("includes configuration from elsewhere"));
    }
    config.supported()?;
    for folder in ["objects", "refs"] {
        match kind(store, folder) {
            Some(FileKind::Dir) => {}
            None => return Err(GitError::NotARepository),
            Some(_) => return Err(hostile(&format!("has no directory `{folder}` of its own"))),
        }
    }
    for (name, what) in FOREIGN_SOURCES {
        if kind(store, name).is_some_and(|kind| kind != FileKind::Dir || has_files(store, name)) {
            return Err(hostile(what));
        }
    }
    if read(store, "packed-refs").is_some_and(|refs| find(&refs, b" refs/replace/")) {
        return Err(hostile("replaces objects by others"));
    }
    open::plain_files(store, store)?;
    only_files(store, "refs", 0)?;
    open::open_bare_objects(store)
}

/// The configuration of a store, and its commits, newest first. A commit that cannot be read is left out with its
/// ancestors.
pub(super) fn facts(store: &Path) -> Result<ShadowFacts, GitError> {
    let repo = open(store)?;
    let mut tips = BTreeSet::new();
    for reference in repo.references()? {
        let target = reference
            .ok()
            .and_then(|found| found.resolve().ok()?.target());
        tips.extend(target);
    }
    let head = repo.refname_to_id("HEAD").ok();
    tips.extend(head);
    if let Some(head) = head {
        repo.check(head)?;
        let commit = repo.find_commit(head);
        commit.map_err(|e| repo.objects.error("commit", head, &e))?;
    }
    Ok(ShadowFacts {
        work_tree: LocalConfig::read(store)?.work_tree(),
        commits: commits(&repo, tips),
    })
}

/// The work tree in a store's configuration.
pub(super) fn work_tree(store: &Path) -> Result<Option<PathBuf>, GitError> {
    open(store)?;
    Ok(LocalConfig::read(store)?.work_tree())
}

/// Walks from the tips by committer time; a parent follows its child whatever their times are.
fn commits(repo: &Repo, tips: BTreeSet<Oid>) -> Vec<Commit> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut heap = BinaryHeap::new();
    let mut order = 0_u64;
    let mut push = |heap: &mut BinaryHeap<_>, id: Oid| {
        if seen.insert(id)
            && repo.check(id).is_ok()
            && let Ok(commit) = repo.find_commit(id)
        {
            order += 1;
            heap.push((commit.time().seconds(), Reverse(order), id));
        }
    };
    for id in tips {
        push(&mut heap, id);
    }
    while let Some((_, _, id)) = heap.pop() {
        let Ok(commit) = repo.find_commit(id) else {
            continue;
        };
        found.push(history::commit(&commit));
        if found.len() >= COMMITS {
            break;
        }
        for parent in commit.parent_ids() {
            push(&mut heap, parent);
        }
    }
    found
}

/// An error about a store that is not trustworthy.
pub(super) fn hostile(what: &str) -> GitError {
    GitError::Hostile(format!("the checkpoint store {what}"))
}

fn kind(store: &Path, name: &str) -> Option<FileKind> {
    let place = Place::known(store, name).ok()?;
    RealFiles.stat(&place).ok().map(|stat| stat.kind)
}

fn has_files(store: &Path, name: &str) -> bool {
    Place::known(store, name)
        .ok()
        .and_then(|place| RealFiles.list(&place).ok())
        .is_none_or(|entries| !entries.is_empty())
}

fn read(store: &Path, name: &str) -> Option<Vec<u8>> {
    let place = Place::known(store, name).ok()?;
    RealFiles.read(&place, 64 << 20).ok()
}

fn find(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}

/// Walks the references as files: no links, no pipes, limited depth.
fn only_files(store: &Path, name: &str, depth: usize) -> Result<(), GitError> {
    let place = error::place(store, name)?;
    let entries = RealFiles.list(&place).map_err(|e| error::file(name, &e))?;
    for entry in entries {
        let Some(text) = entry.name.to_str() else {
            continue;
        };
        let beneath = format!("{name}/{text}");
        match kind(store, &beneath) {
            Some(FileKind::Dir) if depth < 32 => only_files(store, &beneath, depth + 1)?,
            Some(FileKind::File) | None => {}
            Some(_) => {
                return Err(hostile(&format!(
                    "has a reference `{beneath}` that is not a file"
                )));
            }
        }
    }
    Ok(())
}
