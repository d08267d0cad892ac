//! Which files differ between two trees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::Engine;
use super::listing::{Content, MOST};
use crate::model::{
    ArtifactChange, Artifacts, Drift, DriftPath, Foreign, Forms, PathState, Place, RunTree,
};
use crate::replay::compare::artifacts::{Contents, Tally};
use crate::text::Shown as _;
use crate::world::files::FileKind;

/// Characters of a commit's id that are shown.
const SHORT: usize = 8;

/// Paths that differ, and how.
type Changes = BTreeMap<Foreign, ArtifactChange>;

impl Engine {
    /// The files that differ; `None` where a side has none that can be read. The error says why
    /// they could not be compared. The names are those of the sides.
    pub(super) fn changed_files(
        &self,
        a: &RunTree,
        b: &RunTree,
        names: (&str, &str),
        bases: (Option<&RunTree>, Option<&RunTree>),
    ) -> Result<Option<Artifacts>, String> {
        if *a == RunTree::None || *b == RunTree::None {
            return Ok(None);
        }
        let mut changes = self.changes(a, b)?;
        // What was untracked when a replay's checkpoint was made is in its tree and in no commit of the original.
        changes.retain(|path, change| {
            let (base, tree) = match (&change, bases) {
                (ArtifactChange::Added, (None, Some(base))) => (base, b),
                (ArtifactChange::Removed, (Some(base), None)) => (base, a),
                _ => return true,
            };
            let was = self.content_of(base, path);
            was.is_err() || was == Ok(Content::Absent) || was != self.content_of(tree, path)
        });
        let mut tally = Tally::new(self.between(a, b, names));
        for (path, change) in changes {
            let read = |tree: &RunTree| match self.content_of(tree, &path) {
                Ok(Content::Absent) => Some(None),
                Ok(Content::Bytes(bytes)) => Some(Some(bytes)),
                Ok(Content::Huge(_)) | Err(_) => None,
            };
            let both = || -> Option<Contents> { Some((read(a)?, read(b)?)) };
            let forms = Forms::new(self.form_of(a, &path), self.form_of(b, &path));
            tally.push(path.clone(), change, forms, both);
        }
        Ok(Some(tally.done()))
    }

    fn changes(&self, a: &RunTree, b: &RunTree) -> Result<Changes, String> {
        match (a, b) {
            _ if a == b => Ok(Changes::new()),
            (RunTree::Commit { commit, .. }, RunTree::WorkTree(top))
            | (RunTree::WorkTree(top), RunTree::Commit { commit, .. }) => {
                let drift = self.world.git().drift(top, commit, top);
                let drift = drift.map_err(|why| why.to_string())?;
                let mut changes = from_drift(&drift, matches!(a, RunTree::WorkTree(_)));
                changes.extend(self.differing(a, b, self.nested_files(top, &drift)?));
                Ok(changes)
            }
            (RunTree::WorkTree(left), RunTree::WorkTree(right)) => {
                match self.since_common(left, right)? {
                    Some(paths) => Ok(self.differing(a, b, paths)),
                    None => self.by_listing(a, b),
                }
            }
            _ => self.by_listing(a, b),
        }
    }

    /// The paths that have changed in either of two work trees since a commit that both know; `None` without one.
    fn since_common(&self, left: &Path, right: &Path) -> Result<Option<Vec<Foreign>>, String> {
        let git = self.world.git();
        let heads = [left, right].map(|top| git.repo(top).ok().and_then(|repo| repo.head));
        let known = |commit: &&String| {
            let in_both = [left, right].map(|top| git.find_commit(top, commit).is_ok());
            in_both == [true, true]
        };
        let Some(commit) = heads.iter().flatten().find(known) else {
            return Ok(None);
        };
        let mut found = Vec::new();
        for top in [left, right] {
            let Ok(drift) = git.drift(top, commit, top) else {
                return Ok(None);
            };
            found.extend(self.nested_files(top, &drift)?);
            found.extend(drift.changed());
        }
        Ok(Some(found))
    }

    /// The files of nested repositories of a work tree, which git does not look into, and what they hide of the commit.
    pub(super) fn nested_files(&self, top: &Path, drift: &Drift) -> Result<Vec<Foreign>, String> {
        let is_git_dir = |path: &Foreign| {
            let bytes = path.as_bytes();
            bytes == b".git" || bytes.ends_with(b"/.git")
        };
        let mut found = Vec::new();
        for path in &drift.paths {
            if path.state == PathState::Hidden {
                found.push(path.path.clone());
            }
            if path.state != PathState::NotCovered || is_git_dir(&path.path) {
                continue;
            }
            let below = path.path.as_path();
            let place = Place::known(top, below).map_err(|why| why.to_string())?;
            let stat = self.world.files().stat(&place);
            if stat.is_ok_and(|stat| stat.kind == FileKind::Dir) {
                let files = self.walk(&top.join(below), MOST)?;
                let within =
                    |file: &Foreign| [path.path.as_bytes(), b"/", file.as_bytes()].concat();
                found.extend(files.iter().map(within).map(Foreign::from));
            }
        }
        Ok(found)
    }

    fn by_listing(&self, a: &RunTree, b: &RunTree) -> Result<Changes, String> {
        let is_part = |tree: &RunTree| matches!(tree, RunTree::Files(_));
        // What a recovery left alone is not missing after it.
        let (of_a, of_b) = (self.paths_of(a)?, self.paths_of(b)?);
        let paths: BTreeSet<_> = match (is_part(a), is_part(b)) {
            (true, false) => of_a,
            (false, true) => of_b,
            (true, true) | (false, false) => &of_a | &of_b,
        };
        if paths.len() > MOST {
            return Err(format!("there are more than {MOST} files"));
        }
        Ok(self.differing(a, b, paths))
    }

    /// Those of the paths whose content differs.
    fn differing(
        &self,
        a: &RunTree,
        b: &RunTree,
        paths: impl IntoIterator<Item = Foreign>,
    ) -> Changes {
        let mut changes = Changes::new();
        for path in paths {
            // A file that cannot be read is not the same as another; its lines are not counted.
            let left = self.content_of(a, &path).unwrap_or(Content::Huge(0));
            let right = self.content_of(b, &path).unwrap_or(Content::Huge(u64::MAX));
            let forms = || Forms::new(self.form_of(a, &path), self.form_of(b, &path));
            // A directory alone is no file.
            if left == right && (left == Content::Absent || forms().is_same()) {
                continue;
            }
            let change = match (left, right) {
                (Content::Absent, _) => ArtifactChange::Added,
                (_, Content::Absent) => ArtifactChange::Removed,
                _ => ArtifactChange::Modified,
            };
            changes.insert(path, change);
        }
        changes
    }

    /// What is compared with what, as git would be asked where it can be; else the names of the sides.
    fn between(&self, a: &RunTree, b: &RunTree, names: (&str, &str)) -> Foreign {
        match (a, b) {
            (RunTree::Commit { commit: a, .. }, RunTree::Commit { commit: b, .. }) => {
                format!("git diff {}..{}", short(a), short(b)).into()
            }
            (RunTree::Commit { commit, .. }, RunTree::WorkTree(top)) => {
                match self.clean_head(top) {
                    Some(head) => format!("git diff {}..{}", short(commit), short(&head)),
                    None => format!("git diff {} (in {})", short(commit), top.shown()),
                }
                .into()
            }
            _ => format!("{} and {}", names.0, names.1).into(),
        }
    }

    /// The commit that a work tree is at, if it holds nothing else.
    fn clean_head(&self, top: &Path) -> Option<String> {
        let git = self.world.git();
        let clean = git.status(top).ok()?.is_empty();
        git.repo(top).ok()?.head.filter(|_| clean)
    }
}

/// A drift as changes from the commit to the work tree, or back.
fn from_drift(drift: &Drift, back: bool) -> Changes {
    let change = |state| match (state, back) {
        (PathState::Modified, _) => Some(ArtifactChange::Modified),
        (PathState::Created, false) | (PathState::Missing | PathState::InTheWay, true) => {
            Some(ArtifactChange::Added)
        }
        (PathState::Created, true) | (PathState::Missing | PathState::InTheWay, false) => {
            Some(ArtifactChange::Removed)
        }
        (PathState::NotCovered | PathState::Hidden | PathState::Ignored, _) => None,
    };
    let changed = |path: &DriftPath| Some((path.path.clone(), change(path.state)?));
    drift.paths.iter().filter_map(changed).collect()
}

fn short(commit: &str) -> String {
    commit.chars().take(SHORT).collect()
}
