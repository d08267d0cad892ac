//! What happens to each path of a tree action: files that are restored, files in their way, and files created after the
//! checkpoint.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::Measured;
use crate::model::{
    ActionKind, ChangeCounts, Drift, DriftPath, Foreign, Forms, PathChange, PathState, PlanOptions,
    PlanPath, RelPath, RestoreMode, above,
};

/// The paths of an action, in byte order, with what the losses say about them.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pub(super) listed: Vec<PlanPath>,
    pub(super) counts: ChangeCounts,
    /// Removed although the mode keeps files created after the checkpoint: the checkpoint has something else in their
    /// place.
    pub(super) making_room: Vec<Foreign>,
    /// Append-only logs, kept as they are.
    pub(super) logs: Vec<Foreign>,
    /// Files created after the checkpoint that are kept, logs included.
    pub(super) newer: Vec<Foreign>,
    /// What the checkpoint does not cover.
    pub(super) uncovered: Vec<Foreign>,
    /// What the checkpoint has, and relight never writes.
    pub(super) unwritten: Vec<Foreign>,
    /// The number of ignored paths.
    pub(super) ignored: u64,
}

/// Decides about every path of a drift. Only chosen paths are listed. What is never restored is listed for the whole
/// tree, because the result lacks it whichever paths are chosen.
fn decide(kind: ActionKind, measured: &Measured, options: &PlanOptions) -> Paths {
    let drift = &measured.drift;
    let chosen: Vec<bool> = drift.paths.iter().map(|p| is_chosen(p, options)).collect();
    // The restored files decide which files are in the way, so they are collected before any path is judged.
    let rooms = Rooms::of(drift.paths.iter().zip(&chosen));
    let exact = options.mode == RestoreMode::Exact;
    let mut paths = Paths::default();
    for (path, chosen) in drift.paths.iter().zip(&chosen) {
        let own = path.path.as_bytes();
        // A file where a directory is needed, or the reverse, is removed in every mode: otherwise the checkpoint's path
        // cannot exist.
        let astray = matches!(path.state, PathState::Created | PathState::InTheWay)
            && rooms.are_needed_by(path);
        let change = match path.state {
            // Never a place that relight writes to, so it is left as it is.
            PathState::Modified | PathState::Missing if !is_plain(own) => PathChange::NotCovered,
            _ if astray => {
                paths.making_room.push(path.path.clone());
                PathChange::Remove
            }
            PathState::InTheWay | PathState::Ignored => continue,
            PathState::Created if measured.records.contains(&path.path) => continue,
            // A log also records what happened after the checkpoint; restoring an older version would erase that.
            PathState::Modified if measured.append_only.contains(&path.path) => {
                paths.logs.push(path.path.clone());
                PathChange::KeepNewer
            }
            PathState::Created if measured.append_only.contains(&path.path) => {
                let tracked =
                    kind == ActionKind::ResetWorktree && measured.committed.contains(&path.path);
                if exact || tracked {
                    paths.logs.push(path.path.clone());
                }
                PathChange::KeepNewer
            }
            PathState::NotCovered | PathState::Hidden => PathChange::NotCovered,
            PathState::Created if !*chosen => PathChange::KeepNewer,
            PathState::Modified | PathState::Missing if !*chosen => continue,
            PathState::Modified => PathChange::Write,
            // A directory is in this place: to a person the path is overwritten, not created.
            PathState::Missing if rooms.folders.contains(own) => PathChange::Write,
            PathState::Missing => PathChange::Create,
            PathState::Created if !is_plain(own) => PathChange::KeepNewer,
            PathState::Created if exact => PathChange::Remove,
            // Git tracks this file now and the commit does not have it: a reset deletes it.
            PathState::Created
                if kind == ActionKind::ResetWorktree && measured.committed.contains(&path.path) =>
            {
                PathChange::Remove
            }
            PathState::Created => PathChange::KeepNewer,
        };
        match change {
            PathChange::KeepNewer if path.state == PathState::Created => {
                paths.newer.push(path.path.clone());
            }
            PathChange::NotCovered if path.blob.is_some() => {
                paths.unwritten.push(path.path.clone());
            }
            PathChange::NotCovered => paths.uncovered.push(path.path.clone()),
            PathChange::KeepNewer | PathChange::Write | PathChange::Create | PathChange::Remove => {
            }
        }
        // What is in the way is removed even if the person did not choose it.
        if !*chosen && change != PathChange::Remove {
            continue;
        }
        paths.listed.push(PlanPath {
            path: path.path.clone(),
            change,
            blob: path.blob.clone(),
            forms: forms(path, change, astray),
            drifted: false,
        });
    }
    paths.counts = ChangeCounts::of(paths.listed.iter().map(|path| path.change));
    paths.ignored = ignored(measured);
    if !measured.folders.is_empty() {
        add_folders(&mut paths, measured, &rooms);
    }
    paths
        .listed
        .sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    paths
}

/// What a path is now and afterwards, if it changes.
fn forms(path: &DriftPath, change: PathChange, astray: bool) -> Forms {
    match change {
        PathChange::KeepNewer | PathChange::NotCovered => Forms::default(),
        PathChange::Remove if !astray => Forms::new(path.forms.before, None),
        PathChange::Remove | PathChange::Write | PathChange::Create => path.forms,
    }
}

/// What a tree step would change, and what happens to each path.
#[derive(Debug)]
pub struct Decided {
    /// What it was decided from.
    pub measured: Measured,
    pub(super) paths: Paths,
}

impl Decided {
    /// Decides about every path of a tree step.
    pub fn new(kind: ActionKind, measured: Measured, options: &PlanOptions) -> Self {
        let paths = decide(kind, &measured, options);
        Self { measured, paths }
    }

    /// The paths that the action would change, in byte order.
    pub fn changed(&self) -> impl Iterator<Item = &Foreign> {
        self.paths.changed()
    }

    /// The paths that the action would write or create, in byte order.
    pub fn written(&self) -> impl Iterator<Item = &PlanPath> {
        let writes =
            |path: &&PlanPath| matches!(path.change, PathChange::Write | PathChange::Create);
        self.paths.listed.iter().filter(writes)
    }

    /// Attributes files of the checkpoint that stay as they are, and others that are removed.
    pub fn attributes_not_restored(&self) -> BTreeSet<Foreign> {
        let touched: HashSet<&Foreign> = self.changed().collect();
        let differs = |path: &&DriftPath| match path.state {
            PathState::Modified => !touched.contains(&path.path),
            PathState::Created => touched.contains(&path.path),
            // git reads attributes that are missing from its index, which most likely has those of the checkpoint.
            PathState::Missing
            | PathState::NotCovered
            | PathState::Hidden
            | PathState::InTheWay
            | PathState::Ignored => false,
        };
        let is_attributes = |path: &&DriftPath| path.path.as_path().ends_with(".gitattributes");
        let paths = self.measured.drift.paths.iter().filter(is_attributes);
        let paths = paths.filter(differs).map(|path| path.path.clone());
        paths.collect()
    }

    /// The paths that the action would change if the person had not left them out, in byte order.
    pub(super) fn not_chosen(&self, kind: ActionKind, options: &PlanOptions) -> Vec<Foreign> {
        if options.paths.is_empty() {
            return Vec::new();
        }
        let whole = PlanOptions {
            paths: Vec::new(),
            ..options.clone()
        };
        // A later file that would have been moved aside is told as one that is kept, and its directory is no file.
        let told: HashSet<&Foreign> = self.changed().chain(&self.paths.newer).collect();
        let folders: HashSet<&Foreign> = self.measured.folders.iter().collect();
        let is_file =
            |row: &PlanPath| row.change != PathChange::Remove || !folders.contains(&row.path);
        let all = decide(kind, &self.measured, &whole).listed.into_iter();
        let left = all.filter(|row| row.change.touches() && is_file(row));
        let left = left.map(|row| row.path);
        left.filter(|path| !told.contains(path)).collect()
    }
}

impl Paths {
    fn changed(&self) -> impl Iterator<Item = &Foreign> {
        let listed = self.listed.iter();
        let changes = listed.filter(|path| path.change.touches());
        changes.map(|path| &path.path)
    }
}

/// Paths that differ from the checkpoint afterwards: those that the person left out, append-only logs, and what relight
/// never writes though the checkpoint has it.
pub(super) fn left_out<'a>(
    measured: &'a Measured,
    options: &'a PlanOptions,
) -> impl Iterator<Item = Foreign> + 'a {
    let differs = |path: &&DriftPath| {
        let log = path.state == PathState::Modified && measured.append_only.contains(&path.path);
        match path.state {
            PathState::Modified | PathState::Missing => {
                log || !is_plain(path.path.as_bytes()) || !is_chosen(path, options)
            }
            PathState::Hidden => true,
            // A submodule at another commit, the content of a pointer of Git LFS, or what a sparse checkout leaves out.
            PathState::NotCovered => path.blob.is_some(),
            PathState::Created | PathState::InTheWay | PathState::Ignored => false,
        }
    };
    measured
        .drift
        .paths
        .iter()
        .filter(differs)
        .map(|path| path.path.clone())
}

/// How many ignored paths the drift counted in this row.
fn ignored(measured: &Measured) -> u64 {
    let paths = &measured.drift.paths;
    if !paths.iter().any(|p| p.state == PathState::Ignored) {
        return 0;
    }
    let mut before: Option<&Foreign> = None;
    let mut listed = 0;
    for path in paths {
        let twin = before == Some(&path.path);
        before = Some(&path.path);
        let counts = match path.state {
            PathState::NotCovered | PathState::Hidden => true,
            PathState::InTheWay => !twin,
            PathState::Modified | PathState::Missing | PathState::Created | PathState::Ignored => {
                false
            }
        };
        listed += u64::from(counts);
    }
    measured.drift.not_covered.saturating_sub(listed)
}

/// Directories are removed if all they contain is removed. They are not files and are not counted.
fn add_folders(paths: &mut Paths, measured: &Measured, rooms: &Rooms<'_>) {
    let mut stays: HashSet<&[u8]> = HashSet::new();
    let going: HashSet<&[u8]> = removed(&paths.listed).collect();
    for path in &measured.drift.paths {
        // A path that stays keeps all directories above it.
        if !going.contains(path.path.as_bytes()) {
            stays.extend(above(path.path.as_bytes()));
        }
    }
    let folders = measured.folders.iter().filter(|folder| {
        let own = folder.as_bytes();
        // A restored file replaces such a directory, and has its own row already.
        !stays.contains(own) && !rooms.are_within(own) && !rooms.filled.contains(own)
    });
    let folders: Vec<PlanPath> = folders
        .map(|folder| PlanPath {
            path: folder.clone(),
            change: PathChange::Remove,
            blob: None,
            forms: Forms::default(),
            drifted: false,
        })
        .collect();
    paths.listed.extend(folders);
}

fn removed(paths: &[PlanPath]) -> impl Iterator<Item = &[u8]> {
    paths
        .iter()
        .filter(|path| path.change == PathChange::Remove)
        .map(|path| path.path.as_bytes())
}

/// The places that restored files need.
struct Rooms<'a> {
    /// Paths that get content.
    filled: HashSet<&'a [u8]>,
    /// Directories above them.
    above: HashSet<&'a [u8]>,
    /// Those of these directories that exist as directories now.
    folders: HashSet<&'a [u8]>,
}

impl<'a> Rooms<'a> {
    fn of(paths: impl Iterator<Item = (&'a DriftPath, &'a bool)> + Clone) -> Self {
        let filled: HashSet<&[u8]> = paths
            .clone()
            .filter(|(path, chosen)| {
                let filled = matches!(path.state, PathState::Modified | PathState::Missing);
                filled && **chosen && is_plain(path.path.as_bytes())
            })
            .map(|(path, _)| path.path.as_bytes())
            .collect();
        let folders = paths
            .filter(|(path, _)| path.state == PathState::InTheWay)
            .map(|(path, _)| path.path.as_bytes())
            .filter(|path| filled.contains(path))
            .collect();
        Self {
            above: filled.iter().flat_map(|path| above(path)).collect(),
            folders,
            filled,
        }
    }

    /// Whether the checkpoint needs this place for something else: for a directory, or for a file in place of a
    /// directory above the path.
    fn are_needed_by(&self, path: &DriftPath) -> bool {
        let own = path.path.as_bytes();
        self.above.contains(own) || self.are_within(own)
    }

    fn are_within(&self, path: &[u8]) -> bool {
        above(path).any(|folder| self.filled.contains(folder))
    }
}

/// Whether relight may write to a path: it contains no git directory and nothing that another system would read as
/// another place.
fn is_plain(path: &[u8]) -> bool {
    RelPath::check(path).is_ok()
}

fn is_chosen(path: &DriftPath, options: &PlanOptions) -> bool {
    let mut chosen = options.paths.iter();
    options.paths.is_empty() || chosen.any(|chosen| covers(chosen, &path.path))
}

/// The chosen paths of the checkpoint that a nested repository or another mount hides.
pub fn hidden<'a>(drift: &'a Drift, options: &'a PlanOptions) -> impl Iterator<Item = &'a Foreign> {
    let chosen = drift.hidden().filter(|path| is_chosen(path, options));
    chosen.map(|path| &path.path)
}

/// True where a chosen path names this one or a directory above it.
pub(super) fn covers(chosen: &Path, path: &Foreign) -> bool {
    path.as_path().starts_with(chosen)
}
