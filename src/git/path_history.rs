//! The history of paths: the commits that changed them.
//!
//! A pipeline asks for the history of several files, a list for those of many pipelines in one repository, and a large
//! one has 50,000 commits. They are walked once, what trees have at a name is looked up once, and in which commits a
//! directory changed is remembered: nothing beneath it changed in any other.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use git2::Oid;

use crate::world::git::{Commit, GitError};

use super::history::{self, commit};
use super::objects::Repo;
use super::open::Opened;

/// How many commits are kept in memory for the next question, at a hundred bytes each.
const KEPT: usize = 1 << 17;

/// The object and mode of an entry; `None` if there is none of that name.
type Entry = Option<(Oid, i32)>;

/// What trees have at the names that were asked for.
#[derive(Default)]
pub(super) struct Entries(HashMap<Vec<u8>, HashMap<Oid, Entry>>);

impl Entries {
    /// The object and mode at a path beneath a tree. Step by step, so that no unchecked tree is read.
    pub(super) fn at(
        &mut self,
        repo: &Repo,
        mut tree: Oid,
        path: &Path,
    ) -> Result<Entry, GitError> {
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let of_name = self.0.entry(part.as_os_str().as_bytes().to_vec());
            let of_name = of_name.or_default();
            let entry = if let Some(known) = of_name.get(&tree) {
                *known
            } else {
                repo.check(tree)?;
                let read = repo.find_tree(tree);
                let read = read.map_err(|e| repo.objects.error("tree", tree, &e))?;
                let entry = read.get_name_bytes(part.as_os_str().as_bytes());
                let entry = entry.map(|entry| (entry.id(), entry.filemode()));
                of_name.insert(tree, entry);
                entry
            };
            match entry {
                _ if parts.peek().is_none() => return Ok(entry),
                Some((beneath, 0o040_000)) => tree = beneath,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// A walk through the commits reachable from a tip, newest first, as far as a question needed it.
pub(super) struct Walk {
    tip: Oid,
    /// The commits to visit next, by time; of one second, the one that was found first.
    next: BinaryHeap<(i64, Reverse<usize>, Oid)>,
    /// The tree of each commit that was found.
    trees: HashMap<Oid, Oid>,
    /// The commits in order, each with its parents.
    visited: Vec<(Oid, Vec<Oid>)>,
    /// Whether a path differs from every parent, for the commits in order, as far as it was asked for.
    changes: HashMap<PathBuf, Vec<bool>>,
    entries: Entries,
}

impl Walk {
    fn new(repo: &Repo, tip: Oid) -> Result<Self, GitError> {
        let mut walk = Self {
            tip,
            next: BinaryHeap::new(),
            trees: HashMap::new(),
            visited: Vec::new(),
            changes: HashMap::new(),
            entries: Entries::default(),
        };
        repo.check_history(&[tip])?;
        walk.find(repo, tip)?;
        Ok(walk)
    }

    /// Adds a commit that was not found before.
    fn find(&mut self, repo: &Repo, id: Oid) -> Result<(), GitError> {
        if self.trees.contains_key(&id) {
            return Ok(());
        }
        let found = repo
            .find_commit(id)
            .map_err(|e| repo.objects.error("commit", id, &e))?;
        let order = Reverse(self.trees.len());
        self.trees.insert(id, found.tree_id());
        self.next.push((found.time().seconds(), order, id));
        Ok(())
    }

    /// Visits one more commit. False if there is none.
    fn advance(&mut self, repo: &Repo) -> Result<bool, GitError> {
        let Some((_, _, id)) = self.next.pop() else {
            return Ok(false);
        };
        let parents: Vec<Oid> = repo.find_commit(id)?.parent_ids().collect();
        for parent in &parents {
            self.find(repo, *parent)?;
        }
        self.visited.push((id, parents));
        Ok(true)
    }

    fn entry(&mut self, repo: &Repo, commit: Oid, path: &Path) -> Result<Entry, GitError> {
        match self.trees.get(&commit) {
            Some(tree) => self.entries.at(repo, *tree, path),
            None => Ok(None),
        }
    }

    /// Whether a path differs from every parent in the commit at a place of the walk.
    fn differs(&mut self, repo: &Repo, at: usize, path: &Path) -> Result<bool, GitError> {
        let Some((id, parents)) = self.visited.get(at).cloned() else {
            return Ok(false);
        };
        let now = self.entry(repo, id, path)?;
        let mut differs = now.is_some() || !parents.is_empty();
        for parent in parents {
            differs = differs && self.entry(repo, parent, path)? != now;
        }
        Ok(differs)
    }

    fn history(&mut self, repo: &Repo, path: &Path, limit: usize) -> Result<Vec<Commit>, GitError> {
        let mut parts: Vec<&Path> = path.ancestors().collect();
        parts.pop();
        parts.reverse();
        let changes = parts.iter().map(|part| self.changes.remove(*part));
        let mut changes: Vec<Vec<bool>> = changes.map(Option::unwrap_or_default).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while found.len() < limit && (at < self.visited.len() || self.advance(repo)?) {
            // A path differs only where each directory above it does.
            let mut differs = !parts.is_empty();
            for (part, known) in parts.iter().zip(&mut changes) {
                if at == known.len() {
                    known.push(differs && self.differs(repo, at, part)?);
                }
                differs = known.get(at).is_some_and(|differs| *differs);
            }
            if let (true, Some((id, _))) = (differs, self.visited.get(at)) {
                found.push(commit(&repo.find_commit(*id)?));
            }
            at += 1;
        }
        let parts = parts.into_iter().map(Path::to_owned);
        self.changes.extend(parts.zip(changes));
        Ok(found)
    }
}

/// The commits reachable from HEAD in which a path differs from every parent, newest first.
pub(super) fn path_history(
    opened: &Opened,
    path: &Path,
    limit: usize,
) -> Result<Vec<Commit>, GitError> {
    let repo = &opened.repo;
    let Some(tip) = history::head(repo)? else {
        return Ok(Vec::new());
    };
    let mut walk = match opened.walk.take() {
        Some(kept) if kept.tip == tip => kept,
        _ => Box::new(Walk::new(repo, tip)?),
    };
    let found = walk.history(repo, path, limit)?;
    if walk.trees.len() <= KEPT {
        opened.walk.set(Some(walk));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
