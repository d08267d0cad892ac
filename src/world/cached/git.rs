//! Repositories with a cache. Answers that are large or about a single file are not cached.

use std::path::{Path, PathBuf};

use super::Answers;
use crate::model::{Drift, Foreign};
use crate::world::git::{Commit, Git, GitError, RepoFacts, ShadowFacts, StatusPath, Worktree};

type Told<T> = Result<T, GitError>;
/// A directory, and the name that is looked up in its repository.
type About = (PathBuf, String);
/// A directory, tip, base and limit of a log.
type Range = (PathBuf, String, Option<String>, usize);

pub(super) struct CachedGit<'a> {
    git: &'a dyn Git,
    repos: Answers<PathBuf, Told<RepoFacts>>,
    worktrees: Answers<PathBuf, Told<Vec<Worktree>>>,
    branches: Answers<PathBuf, Told<Vec<Foreign>>>,
    tips: Answers<About, Told<String>>,
    commits: Answers<About, Told<Commit>>,
    logs: Answers<Range, Told<Vec<Commit>>>,
    ancestors: Answers<(PathBuf, String, String), Told<bool>>,
    bases: Answers<(PathBuf, String, String), Told<Option<String>>>,
    upstreams: Answers<About, Told<Option<String>>>,
    statuses: Answers<PathBuf, Told<Vec<StatusPath>>>,
    histories: Answers<(PathBuf, PathBuf, usize), Told<Vec<Commit>>>,
    shadows: Answers<PathBuf, Told<ShadowFacts>>,
    shadow_trees: Answers<PathBuf, Told<Option<PathBuf>>>,
}

impl<'a> CachedGit<'a> {
    pub(super) fn new(git: &'a dyn Git) -> Self {
        Self {
            git,
            repos: Answers::new(),
            worktrees: Answers::new(),
            branches: Answers::new(),
            tips: Answers::new(),
            commits: Answers::new(),
            logs: Answers::new(),
            ancestors: Answers::new(),
            bases: Answers::new(),
            upstreams: Answers::new(),
            statuses: Answers::new(),
            histories: Answers::new(),
            shadows: Answers::new(),
            shadow_trees: Answers::new(),
        }
    }
}

impl Git for CachedGit<'_> {
    fn repo(&self, dir: &Path) -> Told<RepoFacts> {
        self.repos.get(dir, || self.git.repo(dir))
    }

    fn user_name(&self, dir: &Path) -> Option<String> {
        self.git.user_name(dir)
    }

    fn worktrees(&self, dir: &Path) -> Told<Vec<Worktree>> {
        self.worktrees.get(dir, || self.git.worktrees(dir))
    }

    fn branches(&self, dir: &Path) -> Told<Vec<Foreign>> {
        self.branches.get(dir, || self.git.branches(dir))
    }

    fn branch_tip(&self, dir: &Path, branch: &str) -> Told<String> {
        let about = (dir.to_owned(), branch.to_owned());
        self.tips.get(&about, || self.git.branch_tip(dir, branch))
    }

    fn revision(&self, dir: &Path, revision: &str) -> Told<String> {
        self.git.revision(dir, revision)
    }

    fn find_commit(&self, dir: &Path, id: &str) -> Told<Commit> {
        let about = (dir.to_owned(), id.to_owned());
        self.commits.get(&about, || self.git.find_commit(dir, id))
    }

    fn log(&self, dir: &Path, tip: &str, base: Option<&str>, limit: usize) -> Told<Vec<Commit>> {
        let range = (
            dir.to_owned(),
            tip.to_owned(),
            base.map(str::to_owned),
            limit,
        );
        self.logs
            .get(&range, || self.git.log(dir, tip, base, limit))
    }

    fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> Told<bool> {
        let two = (dir.to_owned(), ancestor.to_owned(), descendant.to_owned());
        self.ancestors
            .get(&two, || self.git.is_ancestor(dir, ancestor, descendant))
    }

    fn merge_base(&self, dir: &Path, a: &str, b: &str) -> Told<Option<String>> {
        let two = (dir.to_owned(), a.to_owned(), b.to_owned());
        self.bases.get(&two, || self.git.merge_base(dir, a, b))
    }

    fn ahead_behind(&self, dir: &Path, a: &str, b: &str) -> Told<(u64, u64)> {
        self.git.ahead_behind(dir, a, b)
    }

    fn upstream(&self, dir: &Path, branch: &str) -> Told<Option<String>> {
        let about = (dir.to_owned(), branch.to_owned());
        self.upstreams
            .get(&about, || self.git.upstream(dir, branch))
    }

    fn status(&self, work_tree: &Path) -> Told<Vec<StatusPath>> {
        self.statuses.get(work_tree, || self.git.status(work_tree))
    }

    fn is_ignored(&self, work_tree: &Path, path: &Path) -> Told<bool> {
        self.git.is_ignored(work_tree, path)
    }

    fn blob(&self, dir: &Path, commit: &str, path: &Path) -> Told<Vec<u8>> {
        self.git.blob(dir, commit, path)
    }

    fn blob_by_id(&self, dir: &Path, blob: &str) -> Told<Vec<u8>> {
        self.git.blob_by_id(dir, blob)
    }

    fn tree_paths(&self, dir: &Path, commit: &str, beneath: &Path) -> Told<Vec<Foreign>> {
        self.git.tree_paths(dir, commit, beneath)
    }

    fn path_history(&self, dir: &Path, path: &Path, limit: usize) -> Told<Vec<Commit>> {
        let about = (dir.to_owned(), path.to_owned(), limit);
        self.histories
            .get(&about, || self.git.path_history(dir, path, limit))
    }

    fn shadow(&self, store: &Path) -> Told<ShadowFacts> {
        self.shadows.get(store, || self.git.shadow(store))
    }

    fn shadow_work_tree(&self, store: &Path) -> Told<Option<PathBuf>> {
        self.shadow_trees
            .get(store, || self.git.shadow_work_tree(store))
    }

    fn drift(&self, store: &Path, commit: &str, work_tree: &Path) -> Told<Drift> {
        self.git.drift(store, commit, work_tree)
    }

    fn resettable(&self, work_tree: &Path) -> Told<()> {
        self.git.resettable(work_tree)
    }
}
