//! The facts of a repository.

use git2::RepositoryState;

use crate::model::Foreign;
use crate::world::git::{GitState, RepoFacts};

use super::history;
use super::open::Opened;

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
