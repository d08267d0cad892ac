//! The git module: the only one that names `git2`. It reads repositories, worktrees and shadow checkpoint stores, and
//! measures how far a work tree has drifted from a checkpoint.
//!
//! It must never change a person's repository or work tree, run what a repository configures (hooks, filters,
//! `core.worktree`, alternates of a store), read `GIT_*` from the environment, or search beyond the `.git` it was
//! given. Only [`scratch`] writes files, and only in folders that relight made. [`refs`] moves references for a
//! recovery.

mod absent;
pub mod blobs;
mod config;
mod drift;
mod error;
mod facts;
mod heads;
mod history;
pub mod index;
mod objects;
mod open;
mod path_history;
mod pool;
pub mod refs;
pub mod scratch;
mod status;
mod store;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod trees;
mod worktrees;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use git2::Oid;

use crate::model::{Drift, Foreign};
use crate::world::git::{Commit, Git, GitError, RepoFacts, ShadowFacts, StatusPath, Worktree};
use pool::{Asking, Look};

/// The version of libgit2.
pub fn library_version() -> String {
    let (major, minor, patch) = git2::Version::get().libgit2_version();
    format!("{major}.{minor}.{patch}")
}

/// The repositories of this machine. It can be used from any thread; a repository that two threads use at once is
/// opened for each.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealGit;

impl<A: Asking> Git for A {
    fn for_one_look(&self) -> Option<Box<dyn Git>> {
        Some(Box::<Look>::default())
    }

    fn repo(&self, dir: &Path) -> Result<RepoFacts, GitError> {
        self.ask(dir, facts::repo)
    }

    fn user_name(&self, dir: &Path) -> Option<String> {
        let own = self.ask(dir, |opened| Ok(opened.repo.config()?));
        let config = own.or_else(|_| git2::Config::open_default());
        config.ok()?.get_string("user.name").ok()
    }

    fn worktrees(&self, dir: &Path) -> Result<Vec<Worktree>, GitError> {
        self.ask(dir, worktrees::list)
    }

    fn branches(&self, dir: &Path) -> Result<Vec<Foreign>, GitError> {
        self.ask(dir, |opened| history::branches(&opened.repo))
    }

    fn branch_tip(&self, dir: &Path, branch: &str) -> Result<String, GitError> {
        let name = format!("refs/heads/{branch}");
        self.ask(dir, |opened| {
            history::find(&opened.repo, &name).map(|found| found.id().to_string())
        })
    }

    fn branch_with(&self, dir: &Path, commit: &str) -> Result<Option<Foreign>, GitError> {
        self.ask(dir, |opened| heads::branch_with(&opened.repo, commit))
    }

    fn revision(&self, dir: &Path, revision: &str) -> Result<String, GitError> {
        let missing = |_| GitError::Missing(revision.to_owned());
        self.ask(dir, |opened| {
            let found = opened.repo.revparse_single(revision);
            let commit = found.and_then(|object| object.peel_to_commit());
            commit
                .map(|commit| commit.id().to_string())
                .map_err(missing)
        })
    }

    fn find_commit(&self, dir: &Path, id: &str) -> Result<Commit, GitError> {
        self.ask(dir, |opened| history::find_by_id(&opened.repo, id))
    }

    fn log(
        &self,
        dir: &Path,
        tip: &str,
        base: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Commit>, GitError> {
        self.ask(dir, |opened| history::log(&opened.repo, tip, base, limit))
    }

    fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> Result<bool, GitError> {
        self.ask(dir, |opened| {
            history::is_ancestor(&opened.repo, ancestor, descendant)
        })
    }

    fn merge_base(&self, dir: &Path, a: &str, b: &str) -> Result<Option<String>, GitError> {
        self.ask(dir, |opened| history::merge_base(&opened.repo, a, b))
    }

    fn ahead_behind(&self, dir: &Path, a: &str, b: &str) -> Result<(u64, u64), GitError> {
        self.ask(dir, |opened| history::ahead_behind(&opened.repo, a, b))
    }

    fn upstream(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        self.ask(dir, |opened| history::upstream(&opened.repo, branch))
    }

    fn status(&self, work_tree: &Path) -> Result<Vec<StatusPath>, GitError> {
        self.ask(work_tree, status::list)
    }

    fn is_ignored(&self, work_tree: &Path, path: &Path) -> Result<bool, GitError> {
        self.ask(work_tree, |opened| status::is_ignored(opened, path))
    }

    fn blob(&self, dir: &Path, commit: &str, path: &Path) -> Result<Vec<u8>, GitError> {
        self.ask(dir, |opened| history::blob_at(&opened.repo, commit, path))
    }

    fn blob_by_id(&self, dir: &Path, blob: &str) -> Result<Vec<u8>, GitError> {
        let missing = |_| GitError::Missing(format!("blob {blob}"));
        let id = Oid::from_str(blob).map_err(missing)?;
        self.ask(dir, |opened| history::blob(&opened.repo, id))
    }

    fn tree_paths(
        &self,
        dir: &Path,
        commit: &str,
        beneath: &Path,
    ) -> Result<Vec<Foreign>, GitError> {
        self.ask(dir, |opened| trees::paths(&opened.repo, commit, beneath))
    }

    fn tree_files(&self, dir: &Path, commit: &str) -> Result<usize, GitError> {
        self.ask(dir, |opened| trees::files(&opened.repo, commit))
    }

    fn path_history(&self, dir: &Path, path: &Path, limit: usize) -> Result<Vec<Commit>, GitError> {
        self.ask(dir, |opened| {
            path_history::path_history(opened, path, limit)
        })
    }

    fn changed_paths(&self, dir: &Path, commits: &[&str]) -> Vec<Option<Vec<Foreign>>> {
        let all = self.ask(dir, |opened| {
            Ok(history::changed_paths(&opened.repo, commits))
        });
        all.unwrap_or_else(|_unread| vec![None; commits.len()])
    }

    fn shadow(&self, store: &Path) -> Result<ShadowFacts, GitError> {
        store::facts(store)
    }

    fn shadow_work_tree(&self, store: &Path) -> Result<Option<PathBuf>, GitError> {
        store::work_tree(store)
    }

    fn drift_except(
        &self,
        (store, commit): (&Path, &str),
        work_tree: &Path,
        attributes: &BTreeSet<Foreign>,
    ) -> Result<Drift, GitError> {
        drift::measure(store, commit, work_tree, attributes)
    }

    fn unmerged(&self, work_tree: &Path) -> Result<Vec<Foreign>, GitError> {
        self.ask(work_tree, index::unmerged)
    }

    fn resettable(&self, work_tree: &Path) -> Result<(), GitError> {
        index::check(work_tree)
    }
}
