//! Where a survey searches: scopes and paths as directories to walk, and the test for pipelines found elsewhere.

use std::path::{Path, PathBuf};

use super::{Engine, EngineError, ErrorKind, Request, Result, Scope};
use crate::discover::enters;
use crate::foreign;
use crate::model::{Pipeline, Place};
use crate::world::files::ReadError;

/// Where a survey looks, once the request is understood.
pub(super) struct SearchArea {
    pub(super) scope: Scope,
    /// Directories to walk, none of which the walk of another reaches.
    pub(super) roots: Vec<PathBuf>,
    /// What pipelines from other places must belong to; `None` for anything.
    within: Option<Vec<PathBuf>>,
    /// Files that were named themselves.
    pub(super) files: Vec<PathBuf>,
}

impl SearchArea {
    /// Whether a path is beneath a directory of the requested area.
    pub(super) fn holds_path(&self, path: &Path) -> bool {
        let within = self.within.as_ref().unwrap_or(&self.roots);
        within.iter().any(|root| path.starts_with(root))
    }

    /// Whether a pipeline belongs to the requested area.
    pub(super) fn holds(&self, pipeline: &Pipeline) -> bool {
        let Some(within) = &self.within else {
            return true;
        };
        let work_tree = pipeline.reading.work_tree.iter();
        let mut theirs = std::iter::once(&pipeline.reading.root)
            .chain(work_tree)
            .chain(&pipeline.reading.state_files);
        theirs.any(|path| within.iter().any(|root| path.starts_with(root)))
    }
}

impl Engine {
    /// Where to look.
    pub(super) fn search_area(&self, request: &Request) -> Result<SearchArea> {
        let repo = self.world.git().repo(&request.cwd).ok();
        let usual = if repo.is_some() {
            Scope::Repository
        } else {
            Scope::Machine
        };
        let mut files = Vec::new();
        let (scope, mut roots) = if request.paths.is_empty() {
            let mut scope = request.scope.unwrap_or(usual);
            if scope == Scope::Repository && repo.is_none() {
                // There is none to speak of.
                scope = Scope::Here;
            }
            let of_repository = matches!(scope, Scope::Repository | Scope::Machine);
            let mut trees = match &repo {
                // A bare one has no work tree of its own, but may have linked ones.
                Some(repo) if of_repository => {
                    self.worktrees(repo.work_tree.as_ref().unwrap_or(&repo.git_dir))
                }
                Some(repo) => repo.work_tree.iter().cloned().collect(),
                None => Vec::new(),
            };
            // Always, as if it had been named: it may be in no repository, or where no walk from the top comes by.
            trees.extend(self.known_path(&request.cwd));
            (scope, trees)
        } else {
            let mut dirs = Vec::new();
            for path in &request.paths {
                let path = self.existing(&request.cwd, path)?;
                if self.is_directory(&path)? {
                    dirs.push(path);
                } else {
                    files.push(path);
                }
            }
            (Scope::Paths, dirs)
        };
        for root in &request.roots {
            let root = self.existing(&request.cwd, root)?;
            self.is_directory(&root)?;
            roots.push(root);
        }
        let everywhere = scope == Scope::Machine;
        let within = (!everywhere).then(|| [roots.clone(), files.clone()].concat());
        if everywhere {
            roots.extend(self.roots.iter().filter_map(|root| self.known_path(root)));
        }
        Ok(SearchArea {
            scope,
            roots: outermost(roots),
            within,
            files,
        })
    }

    /// The work trees of a repository.
    fn worktrees(&self, top: &Path) -> Vec<PathBuf> {
        let listed = self.world.git().worktrees(top).unwrap_or_default();
        // git takes one for gone that only cannot be reached.
        let paths = listed
            .into_iter()
            .filter(|w| !w.prunable || self.refusal(&w.path).is_some())
            .filter_map(|w| self.known_path(&w.path));
        std::iter::once(top.to_owned()).chain(paths).collect()
    }

    /// A path as it truly is. One that the system does not let be looked at is kept as it is given: a walk that begins
    /// there reports it.
    pub(super) fn known_path(&self, path: &Path) -> Option<PathBuf> {
        let real = self.world.files().canonical(path);
        real.or_else(|| self.refusal(path).map(|_| path.to_owned()))
    }

    /// Why it is unknown what is at a path.
    fn refusal(&self, path: &Path) -> Option<ReadError> {
        let stat = self.world.files().stat(&Place::root(path));
        stat.err().filter(ReadError::leaves_unknown)
    }

    /// Whether a directory is at a path that was named. One that cannot be read is an error: "no pipelines" would be
    /// no answer.
    fn is_directory(&self, path: &Path) -> Result<bool> {
        let files = self.world.files();
        let place = Place::root(path);
        if !files.is_dir(&place) {
            return Ok(false);
        }
        let listed = files.list(&place).err();
        match listed.filter(ReadError::leaves_unknown) {
            Some(why) => Err(unreadable(path, &format!("cannot be read: {why}"))),
            None => Ok(true),
        }
    }

    /// Refuses paths and roots that are not there, and a system that there is not.
    pub fn validate(&self, request: &Request) -> Result<()> {
        self.search_area(request)?;
        self.chosen(request).map(drop)
    }

    /// Whether there is anything at a path.
    pub fn is_there(&self, cwd: &Path, path: &Path) -> bool {
        self.existing(cwd, path).is_ok()
    }

    /// A path that was named, as it truly is.
    pub(super) fn existing(&self, cwd: &Path, path: &Path) -> Result<PathBuf> {
        let at = cwd.join(path);
        let true_path = self.world.files().canonical(&at);
        true_path.ok_or_else(|| {
            if let Some(why) = self.refusal(&at) {
                return unreadable(path, &format!("cannot be read: {why}"));
            }
            let text = foreign!("There is nothing at {}.", path);
            EngineError::new(ErrorKind::NotFound, text)
                .hint("Name an existing file or directory; relight --help lists the commands.")
        })
    }
}

/// A path that was named cannot be read, so that nothing can be said of what is in it.
pub(super) fn unreadable(path: &Path, reason: &str) -> EngineError {
    EngineError::unreadable(foreign!("{} {}.", path, reason))
        .hint("Run relight as a user who may read it, or change its permissions.")
}

/// Roots without those that the walk of another reaches.
fn outermost(mut roots: Vec<PathBuf>) -> Vec<PathBuf> {
    roots.sort();
    roots.dedup();
    let mut kept: Vec<PathBuf> = Vec::new();
    for root in roots {
        if !kept.iter().any(|above| enters(above, &root)) {
            kept.push(root);
        }
    }
    kept
}
