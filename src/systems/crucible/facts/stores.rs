//! Shadow checkpoint stores: finding them, their commits, and which of them belong to a boundary of this run. A store
//! may have more commits than its table has rows.

use std::path::{Path, PathBuf};

use super::project::dir_hash;
use super::sources::project_folders;
use crate::model::{Checkpoint, CheckpointKind, Place, Stamp};
use crate::systems::crucible::shape::{self, TableRow};
use crate::text::format::short_id;
use crate::world::World;
use crate::world::files::ReadError;
use crate::world::git::{Commit, GitError, ShadowFacts};

/// The folder of a project that has its stores.
const FOLDER: &str = "checkpoints";

/// One store.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) path: PathBuf,
    pub(crate) facts: Result<ShadowFacts, GitError>,
    pub(crate) rows: Vec<TableRow>,
}

impl Store {
    /// Reads the store in a folder, if there is one.
    fn read(place: &Place, world: &dyn World) -> Option<Self> {
        let path = place.path();
        let listing = match world.files().list(place) {
            Ok(listing) => listing,
            Err(ReadError::NotFound | ReadError::NotRegular | ReadError::Link) => return None,
            // A store that cannot be looked into may have every checkpoint of the run.
            Err(why @ (ReadError::TooLarge { .. } | ReadError::Denied | ReadError::Other(_))) => {
                return Some(Self {
                    facts: Err(GitError::Other(why.to_string())),
                    rows: Vec::new(),
                    path,
                });
            }
        };
        let table = place.join("checkpoint-manifest.md").ok()?;
        let text = world.files().whole(&table).ok();
        if !shape::is_git_dir_listing(&listing) && text.is_none() {
            return None;
        }
        Some(Self {
            facts: world.git().shadow(&path),
            rows: shape::table(&String::from_utf8_lossy(&text.unwrap_or_default())),
            path,
        })
    }

    /// True for a folder of stores that cannot be listed.
    pub(crate) fn is_unlisted(&self) -> bool {
        self.path.ends_with(FOLDER)
    }

    /// Its commits; none if it cannot be read.
    pub(crate) fn commits(&self) -> &[Commit] {
        self.facts.as_ref().map_or(&[], |facts| &facts.commits)
    }

    /// Its configured work tree.
    pub(crate) fn work_tree(&self) -> Option<&Path> {
        self.facts.as_ref().ok()?.work_tree.as_deref()
    }

    /// Its configured work tree, if the store's name is the hash of that path.
    pub(crate) fn proven_work_tree(&self) -> Option<&Path> {
        let path = self.work_tree()?;
        is_proven(&self.path, path).then_some(path)
    }

    /// True if its checkpoints belong to this work tree.
    pub(crate) fn is_of(&self, work_tree: &Path) -> bool {
        self.work_tree() == Some(work_tree) || is_proven(&self.path, work_tree)
    }
}

/// All stores in some project folders.
pub(crate) fn in_projects(projects: &[PathBuf], world: &dyn World) -> Vec<Store> {
    let all = folders(projects, world);
    all.filter_map(|place| Store::read(&place, world)).collect()
}

/// The work trees of the stores in some project folders, without reading their commits.
pub(crate) fn proven<'a>(
    projects: &'a [PathBuf],
    world: &'a dyn World,
) -> impl Iterator<Item = PathBuf> + 'a {
    folders(projects, world).filter_map(|place| {
        let store = place.path();
        let path = world.git().shadow_work_tree(&store).ok()??;
        is_proven(&store, &path).then_some(path)
    })
}

/// The folders that may be stores; where they cannot be listed, the folder that has them.
fn folders<'a>(projects: &'a [PathBuf], world: &'a dyn World) -> impl Iterator<Item = Place> + 'a {
    let folders = projects.iter().filter_map(|project| {
        let claude = world.places().claude.as_ref()?;
        let rel = project.strip_prefix(claude).ok()?;
        Place::known(claude, rel.join(FOLDER)).ok()
    });
    folders.flat_map(|folder| {
        let listed = world.files().list(&folder);
        let unlisted = listed.is_err().then(|| folder.clone());
        let entries = listed.unwrap_or_default().into_iter();
        let dirs = entries.filter(|entry| entry.is_dir);
        let dirs = dirs.filter_map(move |entry| folder.join(&entry.name).ok());
        unlisted.into_iter().chain(dirs)
    })
}

/// True if a store's name is the hash of the work tree.
fn is_proven(store: &Path, work_tree: &Path) -> bool {
    let name = store.file_name().and_then(|name| name.to_str());
    name == Some(&dir_hash(work_tree))
}

/// The stores of a work tree: in every project folder, under the hash of its path.
pub(crate) fn of_work_tree(work_tree: &Path, world: &dyn World) -> Vec<Store> {
    let projects = project_folders(world).map(|(project, _)| project);
    let projects: Vec<PathBuf> = projects.collect();
    let hash = dir_hash(work_tree);
    // One list of each folder answers for all pipelines of a run; by name, each pipeline would ask each folder again.
    let own = folders(&projects, world).filter(|place| place.path().ends_with(&hash));
    own.filter_map(|place| Store::read(&place, world)).collect()
}

/// A checkpoint of a store, or a commit of the project if the store has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Saved {
    /// The store, or the project's work tree.
    pub(crate) store: PathBuf,
    /// True for a commit of the project.
    pub(crate) of_project: bool,
    pub(crate) commit: String,
    pub(crate) at: Stamp,
    pub(crate) reason: String,
    pub(crate) source: String,
}

impl Saved {
    /// Parses a commit: its subject is `<reason> | <timestamp> | <source>`; the commit's own time is preferred.
    fn of(store: &Path, commit: &Commit) -> Self {
        let subject = commit.subject.lossy();
        let mut parts = subject.split(" | ").map(str::trim);
        Self {
            of_project: false,
            reason: parts.next().unwrap_or_default().to_owned(),
            source: parts.nth(1).unwrap_or_default().to_owned(),
            ..Self::of_project(store, commit)
        }
    }

    /// A commit of the project.
    pub(crate) fn of_project(work_tree: &Path, commit: &Commit) -> Self {
        Self {
            store: work_tree.to_owned(),
            of_project: true,
            commit: commit.id.clone(),
            at: Stamp::utc(commit.time),
            reason: "project commit".to_owned(),
            source: "git".to_owned(),
        }
    }

    /// Its name in a sentence.
    pub(crate) fn name(&self) -> String {
        if self.of_project {
            format!("commit {} of the project", short_id(&self.commit))
        } else {
            self.reason.clone()
        }
    }

    /// As a checkpoint of the model.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let store = self.store.clone();
        let (kind, brings_back, cannot) = if self.of_project {
            let kind = CheckpointKind::Commit { repo: store };
            (kind, "Every file of that commit.", UNCOMMITTED)
        } else {
            let text = "Every file of the work tree as it was, except ignored ones.";
            (CheckpointKind::Shadow { store }, text, LEFT_OUT)
        };
        Checkpoint {
            id: self.commit.clone(),
            kind,
            reason: self.reason.as_str().into(),
            taken_at: Some(self.at),
            source: self.source.as_str().into(),
            brings_back: brings_back.into(),
            cannot: cannot.iter().map(|text| (*text).into()).collect(),
            drift: None,
        }
    }
}

/// What no commit of the project contains.
const UNCOMMITTED: &[&str] = &["Changes that were uncommitted at that time are not in the commit."];

/// What no shadow checkpoint contains, whatever its table says.
const LEFT_OUT: &[&str] = &[
    "Files ignored by the project's `.gitignore` are not in the checkpoint.",
    "Nested repositories and linked worktrees are not in the checkpoint.",
    "The project's commits, index and branch are not in the checkpoint.",
];

/// The checkpoints of some stores inside a run's window, oldest first.
pub(crate) fn saved<'a>(stores: impl IntoIterator<Item = &'a Store>, window: Window) -> Vec<Saved> {
    let of_store = |store: &'a Store| store.commits().iter().map(|it| Saved::of(&store.path, it));
    let all = stores.into_iter().flat_map(of_store);
    oldest_first(all.filter(|saved| window.holds(saved.at)))
}

/// Checkpoints by their time, each commit once.
pub(crate) fn oldest_first(all: impl Iterator<Item = Saved>) -> Vec<Saved> {
    let mut all: Vec<Saved> = all.collect();
    all.sort_by(|a, b| (a.at, &a.commit).cmp(&(b.at, &b.commit)));
    all.dedup_by(|a, b| a.commit == b.commit);
    all
}

/// Checkpoints of other stores whose own work tree is missing, as after a move of the project.
pub(crate) fn stranded(
    stores: &[Store],
    work_tree: &Path,
    window: Window,
    world: &dyn World,
) -> Vec<Saved> {
    let gone = |store: &&Store| {
        let own = store.work_tree();
        !store.is_of(work_tree) && own.is_some_and(|path| world.files().canonical(path).is_none())
    };
    saved(stores.iter().filter(gone), window)
}

/// The time of one run: from its start to the start of the next one. All runs of a directory share a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Window {
    pub(crate) from: Option<Stamp>,
    pub(crate) until: Option<Stamp>,
}

impl Window {
    /// True for a moment in the window.
    pub(crate) fn holds(self, at: Stamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
}

/// True if a checkpoint's reason equals `wanted`, or starts with it and continues with a character that is not a digit:
/// `pre-wave-1` is not `pre-wave-10`.
pub(crate) fn is_reason(reason: &str, wanted: &str) -> bool {
    let rest = reason.trim().strip_prefix(wanted);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The wave of a reason `pre-wave-N`.
pub(crate) fn wave(reason: &str) -> Option<u64> {
    let rest = reason.trim().strip_prefix("pre-wave-")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.get(..digits)?.parse().ok().filter(|wave| *wave >= 1)
}

/// The newest checkpoint with one of these reasons.
pub(crate) fn newest<'a>(saved: &'a [Saved], reasons: &[String]) -> Option<&'a Saved> {
    let fits = |saved: &Saved| {
        reasons
            .iter()
            .any(|wanted| is_reason(&saved.reason, wanted))
    };
    saved.iter().rfind(|saved| fits(saved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_matched_whole() {
        let table = [
            ("pre-wave-1", "pre-wave-1", true),
            ("pre-wave-10", "pre-wave-1", false),
            ("pre-wave-1 (retry)", "pre-wave-1", true),
            ("pre-wave-1-retry", "pre-wave-1", true),
            ("pre-wave-2", "pre-wave-1", false),
            ("re: pre-wave-1", "pre-wave-1", false),
        ];
        for (reason, wanted, fits) in table {
            assert_eq!(is_reason(reason, wanted), fits, "{reason}");
        }
        assert_eq!(wave("pre-wave-12 again"), Some(12));
        assert_eq!(wave("pre-wave-x"), None);
        assert_eq!(wave("pre-wave-0"), None);
    }
}
