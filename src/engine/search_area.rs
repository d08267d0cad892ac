//! Where a survey searches: scopes and paths as directories to walk, and the test for pipelines found elsewhere.

use std::path::{Path, PathBuf};

use super::{Engine, EngineError, ErrorKind, Request, Scope};
use crate::discover::enters;
use crate::model::{Pipeline, Place};
use crate::world::files::FileKind;

/// Where a survey looks, once the request is understood.
pub(super) struct SearchArea {
    pub(super) scope: Scope,
    /// Directories to walk, none of which the walk of another comes by.
    pub(super) roots: Vec<PathBuf>,
    /// What pipelines from other places must belong to; `None` for anything.
    within: Option<Vec<PathBuf>>,
    /// Files that were named themselves.
    pub(super) files: Vec<PathBuf>,
}

impl SearchArea {
    /// Whether a path lies in what was asked.
    pub(super) fn holds_path(&self, path: &Path) -> bool {
        let within = self.within.as_ref();
        within.is_none_or(|within| within.iter().any(|root| path.starts_with(root)))
    }

    /// Whether a pipeline belongs to where was asked.
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
    pub(super) fn search_area(&self, request: &Request) -> Result<SearchArea, EngineError> {
        let repo = self.world.git().repo(&request.cwd).ok();
        let usual = if repo.is_some() {
            Scope::Repository
        } else {
            Scope::Machine
        };
        let mut files = Vec::new();
        let (scope, mut roots) = if request.paths.is_empty() {
            let scope = request.scope.unwrap_or(usual);
            let top = repo.as_ref().and_then(|repo| repo.work_tree.clone());
            let mut trees = match (scope, top) {
                (_, None) => Vec::new(),
                (Scope::Repository | Scope::Machine, Some(top)) => self.worktrees(&top),
                (Scope::Here | Scope::Paths, Some(top)) => vec![top],
            };
            // Always, as if it had been named: it may lie in no repository, or where no walk from the top comes by.
            trees.extend(self.world.files().canonical(&request.cwd));
            (scope, trees)
        } else {
            let mut dirs = Vec::new();
            for path in &request.paths {
                let path = self.existing(&request.cwd, path)?;
                let stat = self.world.files().stat(&Place::root(&path));
                if stat.is_ok_and(|stat| stat.kind == FileKind::Dir) {
                    dirs.push(path);
                } else {
                    files.push(path);
                }
            }
            (Scope::Paths, dirs)
        };
        for root in &request.roots {
            roots.push(self.existing(&request.cwd, root)?);
        }
        let everywhere = scope == Scope::Machine;
        let within = (!everywhere).then(|| [roots.clone(), files.clone()].concat());
        if everywhere {
            roots.extend(
                self.roots
                    .iter()
                    .filter_map(|root| self.world.files().canonical(root)),
            );
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
        let paths = listed
            .into_iter()
            .filter(|w| !w.prunable)
            .filter_map(|w| self.world.files().canonical(&w.path));
        std::iter::once(top.to_owned()).chain(paths).collect()
    }

    /// Refuses paths and roots that are not there, and a system that there is not.
    pub fn validate(&self, request: &Request) -> Result<(), EngineError> {
        self.search_area(request)?;
        self.chosen(request).map(drop)
    }

    /// Whether there is anything at a path.
    pub fn is_there(&self, cwd: &Path, path: &Path) -> bool {
        self.existing(cwd, path).is_ok()
    }

    /// A path that was named, as it truly is.
    pub(super) fn existing(&self, cwd: &Path, path: &Path) -> Result<PathBuf, EngineError> {
        let true_path = self.world.files().canonical(&cwd.join(path));
        true_path.ok_or_else(|| {
            let text = format!("There is nothing at {}.", path.to_string_lossy());
            EngineError::new(ErrorKind::NotFound, text)
                .hint("Name an existing file or folder; relight --help lists the commands.")
        })
    }
}

/// Roots without those that the walk of another comes by.
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
