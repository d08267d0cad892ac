//! What a repository and its work tree look like.

use std::path::{Path, PathBuf};

use git2::{ErrorCode, RepositoryState, StatusOptions};

use crate::model::Foreign;
use crate::world::files::Files as _;
use crate::world::git::{GitError, GitState, RepoFacts, StatusPath};
use crate::world::real_files::RealFiles;

use super::error::from_git;
use super::history;
use super::objects::Objects;
use super::open::Opened;

/// The facts of an opened repository.
pub(super) fn repo(opened: &Opened) -> RepoFacts {
    let repo = &opened.repo;
    let head = repo.find_reference("HEAD").ok();
    let branch = head.as_ref().and_then(|head| {
        let target = head.symbolic_target_bytes()?;
        target.strip_prefix(b"refs/heads/").map(Foreign::from)
    });
    let tip = repo.refname_to_id("HEAD").ok();
    RepoFacts {
        work_tree: opened.work_tree.clone(),
        git_dir: opened.git_dir.clone(),
        common_dir: opened.common_dir.clone(),
        branch,
        head: tip.map(|tip| tip.to_string()),
        state: state(repo.state()),
        index_locked: rustix::fs::lstat(opened.git_dir.join("index.lock")).is_ok(),
        default_branch: history::default_branch(repo),
        linked: opened.linked,
    }
}

fn state(state: RepositoryState) -> GitState {
    match state {
        RepositoryState::Clean => GitState::Clean,
        RepositoryState::Merge => GitState::Busy("merge"),
        RepositoryState::Revert | RepositoryState::RevertSequence => GitState::Busy("revert"),
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => {
            GitState::Busy("cherry-pick")
        }
        RepositoryState::Bisect => GitState::Busy("bisect"),
        RepositoryState::Rebase
        | RepositoryState::RebaseInteractive
        | RepositoryState::RebaseMerge => GitState::Busy("rebase"),
        RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => {
            GitState::Busy("am")
        }
    }
}

fn top(opened: &Opened) -> Result<&Path, GitError> {
    opened
        .work_tree
        .as_deref()
        .ok_or_else(|| GitError::Other("the repository has no work tree".to_owned()))
}

/// Uncommitted changes, sorted by path. Nothing is written, submodules are not opened.
pub(super) fn status(opened: &Opened) -> Result<Vec<StatusPath>, GitError> {
    top(opened)?;
    if let Ok(head) = opened.repo.refname_to_id("HEAD") {
        let commit = history::find(&opened.repo, &head.to_string())?;
        Objects::of(&opened.repo).check_tree(commit.tree_id())?;
    }
    let mut options = StatusOptions::new();
    options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .include_ignored(false)
        .include_unmodified(false)
        .exclude_submodules(true)
        .renames_head_to_index(false)
        .renames_index_to_workdir(false)
        .update_index(false);
    let statuses = opened
        .repo
        .statuses(Some(&mut options))
        .map_err(|e| from_git(&e))?;
    let mut found: Vec<StatusPath> = statuses
        .iter()
        .map(|entry| StatusPath {
            path: entry.path_bytes().into(),
            untracked: entry.status().is_wt_new(),
        })
        .collect();
    found.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    Ok(found)
}

/// Whether git ignores a path. What it tracks it does not ignore, whatever the rules say.
pub(super) fn is_ignored(opened: &Opened, path: &Path) -> Result<bool, GitError> {
    let inside = beneath(top(opened)?, path)?;
    let index = opened.repo.index().map_err(|e| from_git(&e))?;
    if index.get_path(&inside, 0).is_some() {
        return Ok(false);
    }
    match opened.repo.is_path_ignored(&inside) {
        Ok(ignored) => Ok(ignored),
        Err(e) if e.code() == ErrorCode::NotFound => Ok(false),
        Err(e) => Err(from_git(&e)),
    }
}

fn beneath(top: &Path, path: &Path) -> Result<PathBuf, GitError> {
    if path.is_relative() {
        return Ok(path.to_owned());
    }
    let outside = || GitError::Missing(path.to_string_lossy().into_owned());
    if let Ok(inside) = path.strip_prefix(top) {
        return Ok(inside.to_owned());
    }
    // The same place by another name, such as a temporary folder behind a link.
    let parent = path.parent().and_then(|above| RealFiles.canonical(above));
    let (parent, name) = parent.zip(path.file_name()).ok_or_else(outside)?;
    let inside = parent.strip_prefix(top).ok().ok_or_else(outside)?;
    Ok(inside.join(name))
}
