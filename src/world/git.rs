//! Questions to a repository. Implemented by the `git` module with git2, and by a fake in tests. All of it only reads; a
//! hostile repository's hooks, filters and `core.worktree` are ignored.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::{Drift, Foreign, TreeFacts};

/// Why a repository gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is no repository.
    #[error("no git repository")]
    NotARepository,
    /// A format this build cannot read (sha256 objects, reftable)
    #[error("a repository format that cannot be read here ({0})")]
    Unsupported(String),
    /// An index that leaves out files, is unmerged, or cannot be read as it is: `what` it is, and what makes it an
    /// ordinary one, with the command.
    #[error("{what} ({cure})")]
    Index {
        /// What it is, without a period.
        what: &'static str,
        /// What to do, from a small letter on.
        cure: String,
    },
    /// It belongs to another user.
    #[error(
        "the repository belongs to another user (git trusts it after git config --global --add safe.directory PATH)"
    )]
    OtherOwner,
    /// The object, branch or path asked for is not in it.
    #[error("not in the repository: {0}")]
    Missing(String),
    /// An id that names something, and no commit: `what` it does instead, as the rest of a sentence.
    #[error("`{id}` {what}")]
    NoCommit {
        /// The id, as asked for.
        id: String,
        /// What it is.
        what: String,
    },
    /// What was asked for may be in the repository, but not in this clone of it: it is shallow or partial.
    #[error("not in this clone: {0}")]
    NotFetched(String),
    /// A file or directory of the work tree cannot be read, or changed while it was read.
    #[error("{0}")]
    WorkTree(String),
    /// A shadow store is not as it should be: `core.worktree` points elsewhere, or objects are corrupt.
    #[error("{0}")]
    Hostile(String),
    /// Any other error, as git describes it.
    #[error("{0}")]
    Other(String),
}

impl GitError {
    /// Whether what was asked for may be there all the same: neither it nor the repository is known to be missing.
    pub fn is_unknown(&self) -> bool {
        !matches!(self, Self::NotARepository | Self::Missing(_))
    }

    /// Whether git may know what could not be asked: there is a repository, and it cannot be read.
    pub fn leaves_open(&self) -> bool {
        *self != Self::NotARepository
    }
}

/// The state of a work tree and its repository.
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
    /// The operation in progress: a merge, rebase, cherry-pick, revert, bisect or `git am`.
    pub busy: Option<&'static str>,
    /// Whether `index.lock` exists.
    pub index_locked: bool,
    /// The lock of HEAD or of its branch, if there is one: a git command is about to move it.
    pub ref_lock: Option<Foreign>,
    /// The main branch: origin's, else `main`, else `master`.
    pub default_branch: Option<Foreign>,
    /// True in a linked worktree.
    pub linked: bool,
}

/// The top of the main work tree, which a repository without one does not have: git lists its git directory instead.
pub fn main_tree(git: &dyn Git, dir: &Path) -> Option<PathBuf> {
    let common = git.repo(dir).ok()?.common_dir;
    let mut trees = git.worktrees(dir).ok()?.into_iter();
    let main = trees.find(|tree| tree.main)?.path;
    (main != common).then_some(main)
}

/// How the full names of local branches begin.
const LOCAL: &[u8] = b"refs/heads/";

/// What HEAD of a work tree is at, and the operation in progress: what decides how a branch is checked out.
pub fn head_facts(git: &dyn Git, work_tree: &Path, repo: &RepoFacts) -> TreeFacts {
    let detached = repo.head.as_deref().filter(|_| repo.branch.is_none());
    TreeFacts {
        branch: repo.branch.clone(),
        head: repo.head.clone(),
        unnamed: detached.is_some_and(|head| {
            let found = git.branch_with(work_tree, head).ok().flatten();
            !found.is_some_and(|name| name.as_bytes().starts_with(LOCAL))
        }),
        busy: repo.busy,
        ref_lock: repo.ref_lock.clone(),
        ..TreeFacts::default()
    }
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
    /// True for the main work tree, or the bare repository in its place.
    pub main: bool,
    /// True if it is locked (`git worktree lock`).
    pub locked: bool,
    /// True if its directory is missing.
    pub prunable: bool,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// 40 hex.
    pub id: String,
    /// Committer time.
    pub time: DateTime<Utc>,
    /// Author time: another one where the commit was rewritten (a rebase, an amendment).
    pub authored: DateTime<Utc>,
    /// First line of the message.
    pub subject: Foreign,
    /// The rest of the message.
    pub body: Foreign,
    /// Parent ids.
    pub parents: Vec<String>,
    /// Whether a shallow clone ends here: it lacks the parents, which are then not listed.
    pub cut: bool,
}

/// A path with uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPath {
    /// Relative to the work tree.
    pub path: Foreign,
    /// What HEAD and the index have of it.
    pub kind: StatusKind,
    /// False if it was deleted, which also a path can be that only the index has.
    pub on_disk: bool,
}

/// What HEAD and the index have of a path with uncommitted changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusKind {
    /// HEAD has it: it was changed or deleted.
    Changed,
    /// Only the index has it. What was renamed is one deleted and one new path.
    New,
    /// Neither has it, and git does not ignore it.
    Untracked,
}

impl StatusPath {
    /// True if git neither tracks nor ignores it.
    pub fn is_untracked(&self) -> bool {
        self.kind == StatusKind::Untracked
    }
}

/// A shadow store of checkpoints, according to its own configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowFacts {
    /// `core.worktree`, as written.
    pub work_tree: Option<PathBuf>,
    /// Its commits, newest first.
    pub commits: Vec<Commit>,
}

/// Questions to repositories. Paths are work trees, git directories or, where stated, anything below the top of a work
/// tree. Revisions are full object ids or full branch names; only [`Git::revision`] takes an expression.
pub trait Git: Send + Sync {
    /// The same for one look: a repository that was judged in it is not judged again until it is dropped. `None` where
    /// that would save nothing.
    fn for_one_look(&self) -> Option<Box<dyn Git>> {
        None
    }

    /// The repository that contains a directory, found by climbing to the top of its work tree.
    fn repo(&self, dir: &Path) -> Result<RepoFacts, GitError>;

    /// `user.name`, as git would use it for a commit in this directory.
    fn user_name(&self, dir: &Path) -> Option<String>;

    /// All worktrees of a repository, the main one first.
    fn worktrees(&self, dir: &Path) -> Result<Vec<Worktree>, GitError>;

    /// The local branches, short, sorted.
    fn branches(&self, dir: &Path) -> Result<Vec<Foreign>, GitError>;

    /// The commit a local branch is at.
    fn branch_tip(&self, dir: &Path, branch: &str) -> Result<String, GitError>;

    /// The first branch that has a commit, by its full name. The main branch is asked first, then the other local ones,
    /// then those of remotes as they were last fetched. There is none only if every one of them could be asked.
    fn branch_with(&self, dir: &Path, commit: &str) -> Result<Option<Foreign>, GitError>;

    /// The commit that a revision names: a branch, a tag, an id, or one of them with `~N`, `^N` or `@{N}`.
    fn revision(&self, dir: &Path, revision: &str) -> Result<String, GitError>;

    /// The commit with this id, which may be shortened to 7 hex or more; of an annotated tag, the commit that it is of.
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

    /// The number of commits only on `a` and only on `b`.
    fn ahead_behind(&self, dir: &Path, a: &str, b: &str) -> Result<(u64, u64), GitError>;

    /// The upstream tip of a local branch, if it has an upstream.
    fn upstream(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError>;

    /// Uncommitted changes of a work tree, by path.
    fn status(&self, work_tree: &Path) -> Result<Vec<StatusPath>, GitError>;

    /// Whether git ignores a path of the work tree.
    fn is_ignored(&self, work_tree: &Path, path: &Path) -> Result<bool, GitError>;

    /// The content of a path in a commit.
    fn blob(&self, dir: &Path, commit: &str, path: &Path) -> Result<Vec<u8>, GitError>;

    /// The content of a blob by its id.
    fn blob_by_id(&self, dir: &Path, blob: &str) -> Result<Vec<u8>, GitError>;

    /// The files of a commit's tree below a directory, sorted.
    fn tree_paths(
        &self,
        dir: &Path,
        commit: &str,
        beneath: &Path,
    ) -> Result<Vec<Foreign>, GitError>;

    /// How many files and links a commit has. Each of its folders is read and verified.
    fn tree_files(&self, dir: &Path, commit: &str) -> Result<usize, GitError> {
        let paths = self.tree_paths(dir, commit, Path::new(""));
        paths.map(|paths| paths.len())
    }

    /// The commits that changed a path, newest first, at most `limit`. One that is `cut` has it, and may have changed it.
    fn path_history(&self, dir: &Path, path: &Path, limit: usize) -> Result<Vec<Commit>, GitError>;

    /// The paths in which each commit differs from its first parent; `None` where they cannot be told.
    fn changed_paths(&self, dir: &Path, commits: &[&str]) -> Vec<Option<Vec<Foreign>>>;

    /// A shadow checkpoint store, opened bare and without a search; its configured work tree is not used.
    fn shadow(&self, store: &Path) -> Result<ShadowFacts, GitError>;

    /// The work tree of a shadow store's configuration; cheaper than [`Self::shadow`], which lists its commits.
    fn shadow_work_tree(&self, store: &Path) -> Result<Option<PathBuf>, GitError>;

    /// How far a work tree has drifted from a commit of a shadow store (or of its own repository). Never writes, not
    /// even an index.
    fn drift(&self, store: &Path, commit: &str, work_tree: &Path) -> Result<Drift, GitError> {
        self.drift_except((store, commit), work_tree, &BTreeSet::new())
    }

    /// The same for a restore that leaves out attributes files of the commit: those that are named here
    /// stay as they are, or are removed where the commit has none.
    fn drift_except(
        &self,
        commit: (&Path, &str),
        work_tree: &Path,
        attributes: &BTreeSet<Foreign>,
    ) -> Result<Drift, GitError>;

    /// The paths of a work tree with conflicts that are not resolved. `git stash pop` and `git checkout -m` leave them
    /// without an operation in progress.
    fn unmerged(&self, work_tree: &Path) -> Result<Vec<Foreign>, GitError>;

    /// Whether the index of a work tree can be reset to a commit: it is not sparse, split or in an unfinished merge.
    /// The error says which, and how to end it.
    fn resettable(&self, work_tree: &Path) -> Result<(), GitError>;
}
