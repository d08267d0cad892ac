//! Which commits would be lost with a reference.

use std::fs;
use std::path::Path;

use git2::{Oid, Repository};

use super::current;
use crate::git::open;
use crate::world::git::GitError;

/// How many commits nothing else reaches than a reference of relight's own, if the references `with` it go too. Reflogs do
/// not count: git forgets their entries. `dir` is a work tree or a git directory.
pub fn reached_only_by(dir: &Path, name: &str, with: &[String]) -> Result<usize, GitError> {
    let opened = open::open(dir)?;
    let repo: &Repository = &opened.repo;
    let Some(tip) = current(repo, name)? else {
        return Ok(0);
    };
    opened.repo.check_history(&[tip])?;
    let mut walk = repo.revwalk()?;
    walk.push(tip)?;
    for reference in repo.references()? {
        let reference = reference?;
        let named = String::from_utf8_lossy(reference.name_bytes());
        if named != name && !with.iter().any(|other| *other == named) {
            // A tag may mark what is no commit.
            if let Ok(commit) = reference.peel_to_commit() {
                walk.hide(commit.id())?;
            }
        }
    }
    for head in heads(&opened.common_dir) {
        if repo.find_commit(head).is_ok() {
            walk.hide(head)?;
        }
    }
    let mut count = 0;
    for id in walk {
        id?;
        count += 1;
    }
    Ok(count)
}

/// The commits that work trees have checked out without a branch.
fn heads(common_dir: &Path) -> Vec<Oid> {
    let linked = fs::read_dir(common_dir.join("worktrees"));
    let linked = linked.into_iter().flatten().flatten();
    let linked = linked.map(|entry| entry.path().join("HEAD"));
    let files = linked.chain([common_dir.join("HEAD")]);
    let texts = files.filter_map(|file| fs::read_to_string(file).ok());
    let ids = texts.filter_map(|text| text.trim().parse().ok());
    ids.collect()
}
