//! What may be asked of a repository. Implemented by the `git` room with git2, and by a fake in tests. All
//! of it reads; a hostile repository's hooks, filters and `core.worktree` are never obeyed.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::{Drift, Foreign};

/// Why a repository could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is no repository.
    #[error("no git repository")]
    NotARepository,
    /// A format this build cannot read (sha256 objects, reftable)
    #[error("a repository format that cannot be read here ({0})")]
    Unsupported(String),
    /// It belongs to another user.
    #[error("the repository belongs to another user")]
    OtherOwner,
    /// The object, branch or path asked for is not in it.
    #[error("not in the repository: {0}")]
    Missing(String),
    /// A shadow store is not what it should be: `core.worktree` elsewhere, corrupt objects.
    #[error("{0}")]
    Hostile(String),
    /// Anything else, in git's words.
    #[error("{0}")]
    Other(String),
}

/// An operation that a repository is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GitState {
    /// None.
    Clean,
    /// A merge, rebase, cherry-pick, revert, bisect or `git am`: the word for it.
    Busy(&'static str),
}

/// What a work tree and its repository look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoFacts {
    /// The top of the work tree; `None` for a bare repository.
    pub work_tree: Option<PathBuf>,
    /// This work tree's own git directory.
    pub git_dir: PathBuf,
    /// The common git directory of all its worktrees.
    pub common_dir: PathBuf,
    /// The branch that HEAD names, short; `None` when detached.
    pub branch: Option<Foreign>,
    /// The commit that HEAD is at, 40 hex; `None` before the first commit.
    pub head: Option<String>,
    /// Whether something is under way.
    pub state: GitState,
    /// Whether `index.lock` is there.
    pub index_locked: bool,
    /// The main branch: origin's, else `main`, else `master`.
    pub default_branch: Option<Foreign>,
    /// True in a linked worktree.
    pub linked: bool,
}

/// A worktree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its directory, as recorded.
    pub path: PathBuf,
    /// Its branch, short; `None` when detached.
    pub branch: Option<Foreign>,
    /// The commit it is at.
    pub head: Option<String>,
    /// True for the main work tree.
    pub main: bool,
    /// True where someone locked it.
    pub locked: bool,
    /// True where its directory is gone.
    pub prunable: bool,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// 40 hex.
    pub id: String,
    /// Committer time.
    pub time: DateTime<Utc>,
    /// First line of the message.
    pub subject: Foreign,
    /// The rest of it.
    pub body: Foreign,
    /// Parent ids.
    pub parents: Vec<String>,
}

/// A path with uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPath {
    /// Relative to the work tree.
    pub path: Foreign,
    /// True where git does not track it (and does not ignore it).
    pub untracked: bool,
}

/// Which shadow store holds checkpoints, as read from its own configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowFacts {
    /// `core.worktree`, as written.
    pub work_tree: Option<PathBuf>,
    /// Its commits, newest first.
    pub commits: Vec<Commit>,
}

/// Asking repositories. Paths are work trees, git directories or anything beneath a work tree's top where
/// said so; revisions are full object ids or full branch names, and an expression is only for [`Git::revision`].
pub trait Git: Send + Sync {
    /// The repository that a directory lies in, climbing to the top of its work tree.
    fn repo(&self, dir: &Path) -> Result<RepoFacts, GitError>;

    /// `user.name`, as git would sign a commit in this directory.
    fn user_name(&self, _dir: &Path) -> Option<String> {
        None
    }

    /// All worktrees of a repository, the main one first.
    fn worktrees(&self, dir: &Path) -> Result<Vec<Worktree>, GitError>;

    /// The local branches, short, sorted.
    fn branches(&self, dir: &Path) -> Result<Vec<Foreign>, GitError>;

    /// The commit a local branch is at.
    fn branch_tip(&self, dir: &Path, branch: &str) -> Result<String, GitError>;

    /// The commit that a revision names: a branch, a tag, an id, or one of those with `~N`, `^N` or `@{N}`.
    fn revision(&self, _dir: &Path, revision: &str) -> Result<String, GitError> {
        Err(GitError::Missing(revision.to_owned()))
    }

    /// Whether a commit is in the repository; the id may be shortened to 7 hex or more.
    fn find_commit(&self, dir: &Path, id: &str) -> Result<Commit, GitError>;

    /// The commits reachable from `tip` and not from `base`, newest first, at most `limit`.
    fn log(
        &self,
        dir: &Path,
        tip: &str,
        base: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Commit>, GitError>;

    /// Whether `ancestor` is reachable from `descendant` (a commit is its own ancestor).
    fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> Result<bool, GitError>;

    /// The best common ancestor of two commits.
    fn merge_base(&self, dir: &Path, a: &str, b: &str) -> Result<Option<String>, GitError>;

    /// Commits on `a` alone and on `b` alone.
    fn ahead_behind(&self, dir: &Path, a: &str, b: &str) -> Result<(u64, u64), GitError>;

    /// The upstream tip of a local branch, if it tracks one.
    fn upstream(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError>;

    /// Uncommitted changes of a work tree, by path.
    fn status(&self, work_tree: &Path) -> Result<Vec<StatusPath>, GitError>;

    /// Whether git ignores a path of the work tree.
    fn is_ignored(&self, work_tree: &Path, path: &Path) -> Result<bool, GitError>;

    /// The content of a path in a commit.
    fn blob(&self, dir: &Path, commit: &str, path: &Path) -> Result<Vec<u8>, GitError>;

    /// The content of a blob by its id.
    fn blob_by_id(&self, dir: &Path, blob: &str) -> Result<Vec<u8>, GitError>;

    /// The paths of a commit's tree beneath a directory of it, files only, sorted.
    fn tree_paths(
        &self,
        dir: &Path,
        commit: &str,
        beneath: &Path,
    ) -> Result<Vec<Foreign>, GitError>;

    /// The commits that changed a path, newest first, at most `limit`.
    fn path_history(&self, dir: &Path, path: &Path, limit: usize) -> Result<Vec<Commit>, GitError>;

    /// A shadow checkpoint store, opened bare and without search, its configured work tree not used.
    fn shadow(&self, store: &Path) -> Result<ShadowFacts, GitError>;

    /// The work tree that a shadow store is configured for; cheaper than [`Self::shadow`], which lists its commits.
    fn shadow_work_tree(&self, store: &Path) -> Result<Option<PathBuf>, GitError> {
        Ok(self.shadow(store)?.work_tree)
    }

    /// How far a work tree has moved from a commit of a shadow store (or of its own repository). Never
    /// writes, not even an index.
    fn drift(&self, store: &Path, commit: &str, work_tree: &Path) -> Result<Drift, GitError>;

    /// Whether the index of a work tree could be put to a commit: it is neither sparse nor split nor in an
    /// unfinished merge. The error says what it is and what ends it.
    fn resettable(&self, _work_tree: &Path) -> Result<(), GitError> {
        Ok(())
    }
}
