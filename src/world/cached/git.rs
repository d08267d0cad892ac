//! Repositories with a cache. Answers that are large or about a single file are not cached.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Answers;
use crate::model::{Drift, Foreign};
use crate::world::git::{Commit, Git, GitError, RepoFacts, ShadowFacts, StatusPath, Worktree};

type GitResult<T> = Result<T, GitError>;
/// A directory, and the name that is looked up in its repository.
type Lookup = (PathBuf, String);
/// A directory, tip, base and limit of a log.
type Range = (PathBuf, String, Option<String>, usize);

pub(super) struct CachedGit<'a> {
    git: &'a dyn Git,
    /// Asked in place of the other, where there is one.
    look: Option<Box<dyn Git>>,
    known: Known,
}

impl<'a> CachedGit<'a> {
    pub(super) fn new(git: &'a dyn Git) -> Self {
        Self {
            git,
            look: git.for_one_look(),
            known: Known::default(),
        }
    }

    fn git(&self) -> &dyn Git {
        self.look.as_deref().unwrap_or(self.git)
    }
}

/// The answers so far.
#[derive(Default)]
struct Known {
    repos: Answers<PathBuf, GitResult<RepoFacts>>,
    worktrees: Answers<PathBuf, GitResult<Vec<Worktree>>>,
    branches: Answers<PathBuf, GitResult<Vec<Foreign>>>,
    tips: Answers<Lookup, GitResult<String>>,
    holders: Answers<Lookup, GitResult<Option<Foreign>>>,
    commits: Answers<Lookup, GitResult<Commit>>,
    logs: Answers<Range, GitResult<Vec<Commit>>>,
    ancestors: Answers<(PathBuf, String, String), GitResult<bool>>,
    bases: Answers<(PathBuf, String, String), GitResult<Option<String>>>,
    upstreams: Answers<Lookup, GitResult<Option<String>>>,
    statuses: Answers<PathBuf, GitResult<Vec<StatusPath>>>,
    unmerged: Answers<PathBuf, GitResult<Vec<Foreign>>>,
    histories: Answers<(PathBuf, PathBuf, usize), GitResult<Vec<Commit>>>,
    shadows: Answers<PathBuf, GitResult<ShadowFacts>>,
    shadow_trees: Answers<PathBuf, GitResult<Option<PathBuf>>>,
}

impl Git for CachedGit<'_> {
    fn repo(&self, dir: &Path) -> GitResult<RepoFacts> {
        self.known.repos.get(dir, || self.git().repo(dir))
    }

    fn user_name(&self, dir: &Path) -> Option<String> {
        self.git().user_name(dir)
    }

    fn worktrees(&self, dir: &Path) -> GitResult<Vec<Worktree>> {
        let common = self.repo(dir).ok().map(|facts| facts.common_dir);
        // A git directory apart from its work tree does not name it, so there the answer depends on where it is asked.
        let shared = common.filter(|common| common.file_name() == Some(OsStr::new(".git")));
        let key = shared.as_deref().unwrap_or(dir);
        self.known.worktrees.get(key, || self.git().worktrees(dir))
    }

    fn branches(&self, dir: &Path) -> GitResult<Vec<Foreign>> {
        self.known.branches.get(dir, || self.git().branches(dir))
    }

    fn branch_tip(&self, dir: &Path, branch: &str) -> GitResult<String> {
        let about = (dir.to_owned(), branch.to_owned());
        self.known
            .tips
            .get(&about, || self.git().branch_tip(dir, branch))
    }

    fn branch_with(&self, dir: &Path, commit: &str) -> GitResult<Option<Foreign>> {
        let about = (dir.to_owned(), commit.to_owned());
        self.known
            .holders
            .get(&about, || self.git().branch_with(dir, commit))
    }

    fn revision(&self, dir: &Path, revision: &str) -> GitResult<String> {
        self.git().revision(dir, revision)
    }

    fn find_commit(&self, dir: &Path, id: &str) -> GitResult<Commit> {
        let about = (dir.to_owned(), id.to_owned());
        self.known
            .commits
            .get(&about, || self.git().find_commit(dir, id))
    }

    fn log(
        &self,
        dir: &Path,
        tip: &str,
        base: Option<&str>,
        limit: usize,
    ) -> GitResult<Vec<Commit>> {
        let range = (
            dir.to_owned(),
            tip.to_owned(),
            base.map(str::to_owned),
            limit,
        );
        self.known
            .logs
            .get(&range, || self.git().log(dir, tip, base, limit))
    }

    fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> GitResult<bool> {
        let two = (dir.to_owned(), ancestor.to_owned(), descendant.to_owned());
        self.known
            .ancestors
            .get(&two, || self.git().is_ancestor(dir, ancestor, descendant))
    }

    fn merge_base(&self, dir: &Path, a: &str, b: &str) -> GitResult<Option<String>> {
        let two = (dir.to_owned(), a.to_owned(), b.to_owned());
        self.known
            .bases
            .get(&two, || self.git().merge_base(dir, a, b))
    }

    fn ahead_behind(&self, dir: &Path, a: &str, b: &str) -> GitResult<(u64, u64)> {
        self.git().ahead_behind(dir, a, b)
    }

    fn upstream(&self, dir: &Path, branch: &str) -> GitResult<Option<String>> {
        let about = (dir.to_owned(), branch.to_owned());
        self.known
            .upstreams
            .get(&about, || self.git().upstream(dir, branch))
    }

    fn status(&self, work_tree: &Path) -> GitResult<Vec<StatusPath>> {
        self.known
            .statuses
            .get(work_tree, || self.git().status(work_tree))
    }

    fn is_ignored(&self, work_tree: &Path, path: &Path) -> GitResult<bool> {
        self.git().is_ignored(work_tree, path)
    }

    fn blob(&self, dir: &Path, commit: &str, path: &Path) -> GitResult<Vec<u8>> {
        self.git().blob(dir, commit, path)
    }

    fn blob_by_id(&self, dir: &Path, blob: &str) -> GitResult<Vec<u8>> {
        self.git().blob_by_id(dir, blob)
    }

    fn tree_paths(&self, dir: &Path, commit: &str, beneath: &Path) -> GitResult<Vec<Foreign>> {
        self.git().tree_paths(dir, commit, beneath)
    }

    fn tree_files(&self, dir: &Path, commit: &str) -> GitResult<usize> {
        self.git().tree_files(dir, commit)
    }

    fn path_history(&self, dir: &Path, path: &Path, limit: usize) -> GitResult<Vec<Commit>> {
        let about = (dir.to_owned(), path.to_owned(), limit);
        self.known
            .histories
            .get(&about, || self.git().path_history(dir, path, limit))
    }

    fn changed_paths(&self, dir: &Path, commits: &[&str]) -> Vec<Option<Vec<Foreign>>> {
        self.git().changed_paths(dir, commits)
    }

    fn shadow(&self, store: &Path) -> GitResult<ShadowFacts> {
        self.known.shadows.get(store, || self.git().shadow(store))
    }

    fn shadow_work_tree(&self, store: &Path) -> GitResult<Option<PathBuf>> {
        self.known
            .shadow_trees
            .get(store, || self.git().shadow_work_tree(store))
    }

    fn drift_except(
        &self,
        commit: (&Path, &str),
        work_tree: &Path,
        attributes: &BTreeSet<Foreign>,
    ) -> GitResult<Drift> {
        self.git().drift_except(commit, work_tree, attributes)
    }

    fn unmerged(&self, work_tree: &Path) -> GitResult<Vec<Foreign>> {
        self.known
            .unmerged
            .get(work_tree, || self.git().unmerged(work_tree))
    }

    fn resettable(&self, work_tree: &Path) -> GitResult<()> {
        self.git().resettable(work_tree)
    }
}
