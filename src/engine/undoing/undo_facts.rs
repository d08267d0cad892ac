//! What the plan of an undo is made from.

use std::ffi::OsStr;
use std::mem::take;
use std::path::{Path, PathBuf};

use crate::apply::disk::RealDisk;
use crate::apply::exchange::BaseKind;
use crate::apply::history::Entry;
use crate::apply::home::is_id;
use crate::apply::record::Record;
use crate::apply::undo::{self, Reading, Undo};
use crate::engine::stays::appended;
use crate::engine::{EngineError, Result};
use crate::foreign;
use crate::git::index;
use crate::model::{Action, ActionKind, Foreign, Forms, Plan, Recovery, RecoveryState};
use crate::recover::undo_plan;

use super::wholes::Wholes;

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
    let lost = || {
        let done = entry.recovery.when_undone().done();
        let (why, hints) = match entry.recovery.trouble.split_first() {
            Some((why, hints)) => (foreign!(" {}", why), hints),
            None => (Foreign::default(), &[][..]),
        };
        EngineError::refused(foreign!("{} cannot be {}.{}", id.0.as_str(), done, why)).hints(hints)
    };
    let journal = entry
        .good_journal()
        .filter(|_| !entry.recovery.is_out_of_reach());
    let undo = undo::work_out(disk, journal.ok_or_else(lost)?, keep, reading);
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

/// What the plan of an undo is made of, besides the pipeline and git.
pub(super) fn facts_of(
    entry: &Entry<RealDisk>,
    undo: &Undo,
    keep: &[PathBuf],
    whole: &mut Wholes,
) -> undo_plan::Facts {
    let nothing = undo.basis.iter().filter(|(_, _, kept)| kept.is_none());
    let absent = undo.basis.iter().filter(|(_, now, _)| now.is_none());
    let forms = undo.basis.iter().map(|(path, now, kept)| {
        let [now, kept] = [now, kept].map(|known| known.map(|known| known.node.form()));
        (path.clone(), Forms::new(now, kept))
    });
    undo_plan::Facts {
        drifted: undo.drifted.clone(),
        moved: undo.moved.clone(),
        staying: undo.staying.clone(),
        made: nothing.map(|(path, ..)| path.clone()).collect(),
        empty: absent.map(|(path, ..)| path.clone()).collect(),
        places: undo.basis.iter().map(|(path, ..)| path.clone()).collect(),
        forms: forms.collect(),
        same: undo.same.clone(),
        whole: take(&mut whole.rows),
        in_moved: take(&mut whole.moved),
        keep: keep.to_vec(),
        moves_refs: !undo.draft.refs.is_empty(),
        redo: entry.recovery.is_undo(),
        appended: appended(entry),
    }
}
