//! The facts of a repository.

use git2::RepositoryState;

use crate::model::Foreign;
use crate::world::git::{GitError, RepoFacts};

use super::history;
use super::open::Opened;

pub(super) fn repo(opened: &Opened) -> Result<RepoFacts, GitError> {
    let repo = &opened.repo;
    let tip = history::head(repo)?;
    let head = repo.find_reference("HEAD").ok();
    let branch = head.as_ref().and_then(|head| {
        let target = head.symbolic_target_bytes()?;
        target.strip_prefix(b"refs/heads/").map(Foreign::from)
    });
    Ok(RepoFacts {
        work_tree: opened.work_tree.clone(),
        git_dir: opened.git_dir.clone(),
        common_dir: opened.common_dir.clone(),
        branch,
        head: tip.map(|tip| tip.to_string()),
        busy: busy(repo.state()),
        index_locked: rustix::fs::lstat(opened.git_dir.join("index.lock")).is_ok(),
        default_branch: history::default_branch(repo),
        linked: opened.linked,
    })
}

fn busy(state: RepositoryState) -> Option<&'static str> {
    use RepositoryState as S;
    match state {
        S::Clean => None,
        S::Merge => Some("merge"),
        S::Revert | S::RevertSequence => Some("revert"),
        S::CherryPick | S::CherryPickSequence => Some("cherry-pick"),
        S::Bisect => Some("bisect"),
        S::Rebase | S::RebaseInteractive | S::RebaseMerge => Some("rebase"),
        S::ApplyMailbox | S::ApplyMailboxOrRebase => Some("am"),
    }
}
