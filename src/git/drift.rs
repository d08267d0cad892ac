//! How far a work tree has drifted from a commit: an exact answer from raw bytes, without filters and without writing.
//!
//! Two or more threads walk the commit's tree and the work tree in parallel, directory by directory. The index of the
//! store is only a cache of stat data: a file that it can vouch for is not read.

mod attributes;
mod blocked;
mod cache;
mod conversions;
mod directory;
mod disk;
mod filters;
mod here;
mod lfs;
mod rules;
mod walk;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use git2::Oid;

use crate::model::{Blob, Drift, DriftPath, Foreign, Forms, PathState};
use crate::text::format::count;
use crate::world::files::Files as _;
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::config::{LocalConfig, OwnConfig};
use super::index::SKIP_WORKTREE;
use super::objects::Repo;
use super::open::Opened;
use super::{history, open, scratch, store};
use crate::text::Shown as _;

pub(super) use conversions::small;
pub(super) use rules::Rules;
pub(super) use walk::with_exclude;

/// Where the commit is stored, and what is known about the work tree.
pub(super) struct Source {
    /// The git directory with `objects`.
    objects: PathBuf,
    /// The git directory with `index`.
    index: PathBuf,
    work_tree: PathBuf,
    /// Folders that do not count as content of the work tree.
    git_dirs: Vec<PathBuf>,
    /// The work tree's own repository, if there is one that can be read.
    project: Option<Project>,
    /// Whether it is the work tree's own repository.
    is_own: bool,
    /// Whether relight took the checkpoint: it stores the bytes of each file, as git does not.
    is_raw: bool,
    /// Attributes files that a restore leaves as they are though the commit has others, or removes.
    except: BTreeSet<Foreign>,
    own: Arc<OnceLock<OwnConfig>>,
}

/// A repository and one of its work trees.
struct Project {
    common_dir: PathBuf,
    /// The work tree's own git directory.
    git_dir: PathBuf,
}

impl Project {
    fn of(opened: &Opened) -> Self {
        Self {
            common_dir: opened.common_dir.clone(),
            git_dir: opened.git_dir.clone(),
        }
    }
}

/// Measures a work tree against a commit of a shadow store or of its own repository.
pub(super) fn measure(
    store: &Path,
    commit: &str,
    work_tree: &Path,
    except: &BTreeSet<Foreign>,
) -> Result<Drift, GitError> {
    let (mut source, repo) = Source::open(store, work_tree)?;
    source.except.clone_from(except);
    history::full_id(commit)?;
    let commit = history::find(&repo, commit)?;
    source.is_raw = !source.is_own && scratch::is_own(&commit);
    let rules = walk::project_rules(&source);
    let mut outcome = walk::run(&source, Some(commit.tree_id()), rules, Measure::Restore)?;
    leave_sparse(&mut outcome, &source.work_tree)?;
    if repo.objects.is_partial()? {
        let odb = repo.odb()?;
        for path in &mut outcome.paths {
            if let Some(blob) = &mut path.blob {
                blob.is_there = Oid::from_str(&blob.id).is_ok_and(|id| odb.exists(id));
            }
        }
    }
    Ok(sum(outcome))
}

/// Files that a sparse checkout leaves out of the work tree are missing by intention: written there, they would be
/// shown as changes, and an undo would leave them behind as deletions.
fn leave_sparse(outcome: &mut Outcome, work_tree: &Path) -> Result<(), GitError> {
    let missing = |path: &&mut DriftPath| path.state == PathState::Missing;
    let mut missing = outcome.paths.iter_mut().filter(missing).peekable();
    if missing.peek().is_none() {
        return Ok(());
    }
    let Ok(own) = open::open(work_tree) else {
        return Ok(());
    };
    let index = match super::index::read(&own) {
        Ok(index) => index,
        // Which files were deleted, and which were left out, only the index says.
        Err(error) if super::index::is_sparse(&own)? => return Err(error),
        Err(_) => return Ok(()),
    };
    for path in missing {
        let entry = super::index::entry(&index, path.path.as_bytes());
        if entry.is_some_and(|entry| entry.flags_extended & SKIP_WORKTREE != 0) {
            path.state = PathState::NotCovered;
        }
    }
    Ok(())
}

/// How the two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// What could be restored. Git converted the files on their way into the commit, that of a store too: what git would
    /// leave alone is no difference, and what it would not write as stored is not covered.
    Restore,
    /// As git's own status does: line endings that it would convert are no difference.
    AsGit,
}

/// The differences between a commit's tree (none before the first commit) and the work tree of its own repository.
/// `rules` are ignore rules with a lower precedence than the project's.
pub(super) fn as_git(
    source: &Source,
    tree: Option<Oid>,
    rules: Rules,
) -> Result<Vec<DriftPath>, GitError> {
    walk::run(source, tree, rules, Measure::AsGit).map(|outcome| outcome.paths)
}

impl Source {
    /// Opens the repository of the commit too.
    fn open(store: &Path, work_tree: &Path) -> Result<(Self, Repo), GitError> {
        let canonical = |path| RealFiles.canonical(path);
        let work_tree = canonical(work_tree)
            .ok_or_else(|| GitError::Missing(format!("work tree {}", work_tree.shown())))?;
        let store = canonical(store).ok_or(GitError::NotARepository)?;
        // A shadow store is bare, and hostile until judged; a repository of the person is opened as git would.
        if open::is_apart(&store) {
            return Self::shadow(store, work_tree);
        }
        // A commit must not be compared with the work tree of another repository: every file would differ.
        let theirs = open::open(&store)?;
        let ours = open::open(&work_tree)?;
        if ours.work_tree.as_deref() != Some(&work_tree) || ours.common_dir != theirs.common_dir {
            return Err(GitError::Hostile(format!(
                "{} is not a work tree of that repository",
                work_tree.shown()
            )));
        }
        Ok((Self::own(&ours, work_tree), ours.repo))
    }

    /// A repository's own commits and its own work tree.
    pub(super) fn own(ours: &Opened, work_tree: PathBuf) -> Self {
        Self {
            objects: ours.common_dir.clone(),
            index: ours.git_dir.clone(),
            work_tree,
            // In a linked worktree these two differ.
            git_dirs: vec![ours.git_dir.clone(), ours.common_dir.clone()],
            project: Some(Project::of(ours)),
            is_own: true,
            is_raw: false,
            except: BTreeSet::new(),
            own: Arc::clone(&ours.own),
        }
    }

    fn shadow(store: PathBuf, work_tree: PathBuf) -> Result<(Self, Repo), GitError> {
        let repo = store::open(&store)?;
        // Shadow stores of several projects share a folder; the one to restore from must name this work tree.
        let named = LocalConfig::read(&store)?.work_tree();
        let named = named.ok_or_else(|| store::hostile("names no work tree"))?;
        if RealFiles.canonical(&store.join(&named)).as_deref() != Some(&work_tree) {
            return Err(store::hostile(&format!(
                "is for another work tree, {}",
                named.shown()
            )));
        }
        let source = Self {
            objects: store.clone(),
            index: store.clone(),
            project: open::open(&work_tree).ok().map(|own| Project::of(&own)),
            work_tree,
            git_dirs: vec![store],
            is_own: false,
            is_raw: false,
            except: BTreeSet::new(),
            own: Arc::default(),
        };
        Ok((source, repo))
    }
}

/// The result of the threads.
#[derive(Debug, Default)]
struct Outcome {
    paths: Vec<DriftPath>,
    /// Top-most paths that the project's ignore rules match.
    ignored: u64,
}

impl Outcome {
    /// Turns paths added since an index into hidden ones. Paths that the commit does not have are dropped.
    fn hide(&mut self, since: usize) {
        let added = self.paths.split_off(since);
        let covered = added.into_iter().filter(|path| path.blob.is_some());
        self.paths.extend(covered.map(|path| DriftPath {
            state: PathState::Hidden,
            ..path
        }));
    }

    /// Records the stat and hash of the path that was added last.
    fn saw(&mut self, seen: Vec<u8>) {
        if let Some(last) = self.paths.last_mut() {
            last.seen = Some(seen);
        }
    }

    /// Records what the path that was added last is now, and what the commit has.
    fn formed(&mut self, forms: Forms) {
        if let Some(last) = self.paths.last_mut() {
            last.forms = forms;
        }
    }

    fn add(&mut self, path: Vec<u8>, state: PathState, blob: Option<Blob>) {
        self.paths.push(DriftPath {
            path: Foreign::from(path),
            state,
            blob,
            forms: Forms::default(),
            seen: None,
        });
    }
}

fn sum(mut outcome: Outcome) -> Drift {
    // Only now, because another thread may have found the mount or nested repository that blocks a path.
    blocked::hide(&mut outcome);
    // By bytes: the threads finish in any order, and the plan's fingerprint depends on this order.
    let mut paths = outcome.paths;
    paths.sort_unstable_by(|a, b| (a.path.as_bytes(), a.state).cmp(&(b.path.as_bytes(), b.state)));
    let mut drift = Drift::of(paths);
    if outcome.ignored > 0 {
        drift.not_covered += outcome.ignored;
        drift.paths.push(DriftPath {
            path: Foreign::from(format!("({})", count(outcome.ignored, "ignored path"))),
            state: PathState::Ignored,
            blob: None,
            forms: Forms::default(),
            seen: None,
        });
    }
    drift
}

#[cfg(test)]
mod tests;
