//! What the plan of an undo is made from.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::apply::disk::RealDisk;
use crate::apply::exchange::{BaseKind, Known};
use crate::apply::history::Entry;
use crate::apply::home::is_id;
use crate::apply::record::Record;
use crate::apply::undo::{self, Reading, Undo};
use crate::engine::stays::appended;
use crate::engine::{EngineError, Result};
use crate::git::index;
use crate::model::{Action, ActionKind, Place, Plan, Recovery, RecoveryState};
use crate::recover::undo_plan;
use crate::world::World;

/// What undoing a recovery would do.
pub(in crate::engine) fn undo_of(
    disk: &RealDisk,
    entry: &Entry<RealDisk>,
    keep: &[PathBuf],
    reading: Reading,
) -> Result<Undo> {
    let id = &entry.recovery.id;
    let refuse = |text: String| EngineError::refused(text);
    match entry.recovery.state {
        RecoveryState::Committed => {}
        RecoveryState::RolledBack => {
            let text = format!("{id} was rolled back, so there is nothing to undo.");
            return Err(EngineError::nothing_to_do(text));
        }
        RecoveryState::HalfApplied => {
            let text = format!("{id} was left half-applied, so it cannot be undone.");
            return Err(refuse(text).hints(&entry.recovery.trouble));
        }
        RecoveryState::NeedsAttention => {
            let text = format!("{id} is not complete, so it cannot be undone.");
            return Err(refuse(text).hint(entry.recovery.completion()));
        }
    }
    if entry.recovery.purged {
        let done = entry.recovery.when_undone().done();
        let owner = owner(entry);
        let text = if owner == id.0 {
            format!("{id} cannot be {done}: its backups were deleted.")
        } else {
            format!("{id} cannot be {done}: it uses the backups of {owner}, which were deleted.")
        };
        return Err(refuse(text).hint("relight history shows what can still be undone."));
    }
    let Some(journal) = entry.good_journal() else {
        return Err(refuse(format!("The journal of {id} cannot be read.")));
    };
    let undo = undo::work_out(disk, journal, keep, reading);
    undo.map_err(|error| refuse(format!("{id} cannot be undone: {error}.")))
}

/// The recovery that the slots of this one belong to: an undo uses those of the recovery that it undoes.
pub(in crate::engine) fn owner(entry: &Entry<RealDisk>) -> String {
    let journal = entry.good_journal().into_iter();
    let bases = journal.flat_map(|journal| &journal.bases);
    let slots = bases.filter(|base| base.kind == BaseKind::Slots);
    let mut ids = slots.filter_map(|base| {
        let path = base.path.path();
        let mut parts = path.iter().filter_map(OsStr::to_str);
        parts.find(|part| is_id(part)).map(str::to_owned)
    });
    ids.next().unwrap_or_else(|| entry.recovery.id.0.clone())
}

/// Whether a changed path is the index that a recovery left, with the same entries: `git status` wrote it anew. A reset
/// leaves the index of HEAD; an undo or a redo that of before the recovery that it undoes.
pub(super) fn is_refreshed(recovery: &Recovery, undone: Option<&Record>, path: &Path) -> bool {
    let is_left = |tree: &Path| match undone.and_then(|record| record.index(tree)) {
        Some(before) => index::digest(tree).is_ok_and(|now| now == before),
        None => !recovery.is_undo() && index::is_of_head(tree).unwrap_or(false),
    };
    let mut trees = resets(&recovery.actions);
    trees.any(|tree| {
        index::git_dir(tree).is_ok_and(|dir| dir.join("index") == path) && is_left(tree)
    })
}

/// What the entries of each index say that a plan replaces.
pub(in crate::engine) fn indexes(plan: &Plan) -> Vec<(PathBuf, String)> {
    let trees = resets(&plan.actions);
    trees
        .filter_map(|tree| Some((tree.to_owned(), index::digest(tree).ok()?)))
        .collect()
}

fn resets(actions: &[Action]) -> impl Iterator<Item = &Path> {
    let resets = actions.iter();
    let resets = resets.filter(|action| action.kind == ActionKind::ResetWorktree);
    resets.map(|reset| reset.target.as_path())
}

/// What is in the directories that an undo moves away from the place of a file.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// The files in each that leave with it.
    pub(super) files: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// A repository in one of them: none is ever moved.
    pub(super) nested: Option<PathBuf>,
    /// A directory in one of them that cannot be read.
    pub(super) unread: Option<PathBuf>,
}

impl Held {
    pub(super) fn of(undo: &Undo, keep: &[PathBuf], world: &dyn World) -> Self {
        let is_dir = |known: &Option<Known>| known.is_some_and(|known| known.is_dir());
        let dirs = undo.basis.iter().filter(|(_, now, _)| is_dir(now));
        let mut dirs = dirs
            .filter(|(path, _, kept)| {
                // What was added to one that a redo brought back is no change of the directory's own facts.
                let replaced = kept.is_some() && !is_dir(kept);
                let leaves =
                    replaced || undo.drifted.contains(path) || undo.moved.contains_key(path);
                let stays =
                    undo.staying.contains(path) || keep.iter().any(|kept| path.starts_with(kept));
                leaves && !stays
            })
            .peekable();
        if dirs.peek().is_none() {
            return Self::default();
        }
        let own: HashSet<&PathBuf> = undo.basis.iter().map(|(path, ..)| path).collect();
        let mut held = Self::default();
        for (path, ..) in dirs {
            let mut files = held.look(path, world);
            files.retain(|file| !own.contains(file));
            files.sort();
            if !undo.moved.contains_key(path) {
                held.files.insert(path.clone(), files);
            }
        }
        held
    }

    fn look(&mut self, path: &Path, world: &dyn World) -> Vec<PathBuf> {
        let (mut files, mut todo) = (Vec::new(), vec![Place::root(path)]);
        while let Some(dir) = todo.pop() {
            let Ok(entries) = world.files().list(&dir) else {
                self.unread.get_or_insert_with(|| dir.path());
                continue;
            };
            for entry in entries {
                if entry.name == ".git" {
                    self.nested.get_or_insert_with(|| dir.path());
                } else if let (Ok(place), true) = (dir.join(&entry.name), entry.is_dir) {
                    todo.push(place);
                } else {
                    files.push(dir.path().join(&entry.name));
                }
            }
        }
        files
    }
}

/// What the plan of an undo is made of, besides the pipeline and git.
pub(super) fn facts_of(
    entry: &Entry<RealDisk>,
    undo: &Undo,
    keep: &[PathBuf],
    held: BTreeMap<PathBuf, Vec<PathBuf>>,
) -> undo_plan::Facts {
    let nothing = undo.basis.iter().filter(|(_, _, kept)| kept.is_none());
    let absent = undo.basis.iter().filter(|(_, now, _)| now.is_none());
    undo_plan::Facts {
        drifted: undo.drifted.clone(),
        moved: undo.moved.clone(),
        staying: undo.staying.clone(),
        made: nothing.map(|(path, ..)| path.clone()).collect(),
        empty: absent.map(|(path, ..)| path.clone()).collect(),
        held,
        keep: keep.to_vec(),
        moves_refs: !undo.draft.refs.is_empty(),
        redo: entry.recovery.is_undo(),
        appended: appended(entry),
    }
}
