//! Whether a conversation worked on a pipeline, and why that is believed.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::{Head, SLACK};
use crate::conversations::claude::Transcript;
use crate::model::{Foreign, Reading, Stamp};
use crate::world::World;

/// What is known of the pipeline.
pub(super) struct Subject<'a> {
    reading: &'a Reading,
    /// Its root and its work tree, as they are named and as they are on disk.
    dirs: Vec<PathBuf>,
    /// How many of them, at the front, are the root.
    roots: usize,
    /// The folders of its state files, which are not a project's own.
    state_dirs: Vec<&'a Path>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(reading: &'a Reading, world: &dyn World) -> Self {
        let mut dirs = Vec::new();
        let mut roots = 0;
        for dir in std::iter::once(&reading.root).chain(&reading.work_tree) {
            for dir in [dir.clone(), world.files().resolved(dir)] {
                if !dirs.contains(&dir) {
                    dirs.push(dir);
                }
            }
            roots = if roots == 0 { dirs.len() } else { roots };
        }
        let parents = reading.state_files.iter().filter_map(|file| file.parent());
        let state_dirs = parents.filter(|parent| !dirs.iter().any(|dir| dir.starts_with(parent)));
        Self {
            reading,
            state_dirs: state_dirs.collect(),
            dirs,
            roots,
        }
    }

    pub(super) const fn reading(&self) -> &Reading {
        self.reading
    }

    pub(super) fn dirs(&self) -> impl Iterator<Item = &Path> {
        self.dirs.iter().map(PathBuf::as_path)
    }

    /// Whether the pipeline had begun when a file was last written.
    pub(super) fn began_before(&self, at: DateTime<Utc>) -> bool {
        let began = self.reading.started_at.or(self.reading.last_activity_at);
        began.is_none_or(|began| at + SLACK >= began.at)
    }

    /// Whether the pipeline was still written after a conversation began: otherwise that did not stop it.
    pub(super) fn was_written_after(&self, head: &Head) -> bool {
        let times = head.at.zip(self.reading.last_activity_at);
        times.is_none_or(|(began, written)| began.at <= written.at + SLACK)
    }

    /// Whether text holds one of its directories, whoever wrote it.
    pub(super) fn is_named_in(&self, bytes: &[u8]) -> bool {
        let dirs = self.dirs().chain(self.state_dirs.iter().copied());
        dirs.map(|dir| dir.as_os_str().as_encoded_bytes())
            .any(|dir| memchr::memmem::find(bytes, dir).is_some())
    }

    /// Whether a beginning allows it: its directory is the pipeline's, or is not known yet.
    pub(super) fn may_be(&self, head: &Head) -> bool {
        head.cwd.as_deref().is_none_or(|cwd| self.holds(cwd))
    }

    /// Whether a directory is the pipeline's. Where it has a worktree of its own, the others of its project are not.
    fn holds(&self, dir: &Path) -> bool {
        let own_tree = self.reading.work_tree.as_ref();
        let own_tree = own_tree.is_some_and(|tree| *tree != self.reading.root);
        let whole = self.dirs.len() - usize::from(own_tree) * self.roots;
        let (roots, trees) = self.dirs.split_at(self.dirs.len() - whole);
        roots.iter().any(|root| dir == root) || trees.iter().any(|tree| dir.starts_with(tree))
    }

    /// Why it is believed, the strongest reason first; `None` where it is not. The branch and the time never
    /// suffice: several pipelines share them.
    pub(super) fn reasons(
        &self,
        dirs: &[Option<&Path>],
        (first, last): (Option<Stamp>, Option<Stamp>),
        transcript: &Transcript,
    ) -> Option<Vec<Foreign>> {
        let mut reasons: Vec<Foreign> = Vec::new();
        if let Some(file) = transcript.written.iter().find(|file| self.is_state(file)) {
            let shown = self.dirs().find_map(|dir| file.strip_prefix(dir).ok());
            let shown = shown.unwrap_or(file).display();
            reasons.push(format!("It wrote {shown}, which belongs to this pipeline.").into());
        }
        let inside = dirs.iter().flatten().any(|dir| self.holds(dir));
        let system = self.reading.system.0;
        let skill = |name: &String| name.to_ascii_lowercase().contains(system);
        if inside && transcript.skills.iter().any(skill) {
            reasons.push(format!("It ran {system} in this project.").into());
        }
        let strong = !reasons.is_empty();
        let meanwhile = self.overlaps(first, last);
        if !(strong || inside && meanwhile) {
            return None;
        }
        if inside {
            reasons.push("Its directory is this project.".into());
        }
        if meanwhile {
            reasons.push("It ran while the pipeline was written.".into());
        }
        let branch = self
            .reading
            .branch
            .as_ref()
            .and_then(|branch| branch.expected.as_ref());
        if branch.is_some() && branch == transcript.branch.as_ref() {
            reasons.push("It was on the pipeline's branch.".into());
        }
        Some(reasons)
    }

    fn is_state(&self, file: &Path) -> bool {
        self.reading.state_files.iter().any(|state| state == file)
            || self.state_dirs.iter().any(|dir| file.starts_with(dir))
    }

    fn overlaps(&self, first: Option<Stamp>, last: Option<Stamp>) -> bool {
        let Some(written) = self.reading.last_activity_at else {
            return false;
        };
        let began = self.reading.started_at.unwrap_or(written);
        first.is_some_and(|first| first.at <= written.at + SLACK)
            && last.is_some_and(|last| last.at + SLACK >= began.at)
    }
}
