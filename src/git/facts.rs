//! The facts of a repository.

use std::path::PathBuf;

use git2::RepositoryState;

use crate::foreign;
use crate::model::Foreign;
use crate::world::git::{GitError, RepoFacts};

use super::history;
use super::open::Opened;

pub(super) fn repo(opened: &Opened) -> Result<RepoFacts, GitError> {
    let repo = &opened.repo;
    let tip = history::head(repo)?;
    let head = repo.find_reference("HEAD")?;
    let target = head.symbolic_target_bytes();
    let branch = target.and_then(|name| name.strip_prefix(b"refs/heads/"));
    let branch = branch.map(Foreign::from);
    let is_locked = |lock: &PathBuf| rustix::fs::lstat(lock).is_ok();
    let of_branch = branch.as_ref().map(|branch| {
        let lock = foreign!("refs/heads/{}.lock", branch);
        opened.common_dir.join(lock.as_path())
    });
    let of_head = opened.git_dir.join("HEAD.lock");
    let ref_lock = of_branch.into_iter().chain([of_head]).find(is_locked);
    Ok(RepoFacts {
        work_tree: opened.work_tree.clone(),
        git_dir: opened.git_dir.clone(),
        common_dir: opened.common_dir.clone(),
        branch,
        head: tip.map(|tip| tip.to_string()),
        busy: busy(repo.state()),
        index_locked: rustix::fs::lstat(opened.git_dir.join("index.lock")).is_ok(),
        ref_lock: ref_lock.map(|lock| Foreign::from(&lock)),
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
