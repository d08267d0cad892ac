//! What one recovery says of another: which undid it, which followed it, and which deleted its backups.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use super::Entry;
use super::backups::slot_folders;
use crate::apply::disk::Disk;
use crate::model::{Action, PipelineId, RecoveryId, RecoveryState};

/// An undo uses the slots of the recovery that it undoes: once those are deleted, it has no backups either. Nothing is
/// kept of the places of either then; a missing backup would else mean that there was no file.
pub(super) fn emptied<D: Disk>(all: &mut [Entry<D>]) {
    let purged = all.iter().filter(|entry| entry.recovery.purged);
    let purged: Vec<String> = purged.map(|entry| entry.folder.name.clone()).collect();
    for entry in all {
        let names = |path: &Path| {
            let mut parts = path.iter();
            parts.any(|part| purged.iter().any(|name| part == OsStr::new(name)))
        };
        let journal = entry.good_journal();
        let emptied = journal.is_some_and(|of| slot_folders(of).any(|path| names(&path)));
        let recovery = &mut entry.recovery;
        recovery.purged |= emptied;
        if recovery.purged {
            recovery.actions.iter_mut().for_each(Action::forget_kept);
        }
    }
}

/// Marks each recovery with the later one that undid it, unless that one was undone itself, and whether that one has its
/// backups.
pub(super) fn undone<D: Disk>(newest_first: &mut [Entry<D>]) {
    let mut by: HashMap<RecoveryId, (RecoveryId, bool)> = HashMap::new();
    for entry in newest_first {
        let recovery = &mut entry.recovery;
        let undo = by.get(&recovery.id);
        recovery.undone_by = undo.map(|(id, _)| id.clone());
        recovery.undo_purged = undo.is_some_and(|(_, purged)| *purged);
        let is_applied = recovery.state == RecoveryState::Committed && recovery.undone_by.is_none();
        if let (true, Some(undone)) = (is_applied, &recovery.undoes) {
            by.insert(undone.clone(), (recovery.id.clone(), recovery.purged));
        }
    }
}

/// Marks each recovery with the later one of its pipeline that is applied or pending. Undos and redos are not counted:
/// they say of another one whether it is applied.
pub(super) fn superseded<D: Disk>(newest_first: &mut [Entry<D>]) {
    let mut by: HashMap<PipelineId, RecoveryId> = HashMap::new();
    for entry in newest_first {
        let recovery = &mut entry.recovery;
        recovery.superseded_by = by.get(&recovery.pipeline).cloned();
        let partly = match recovery.state {
            RecoveryState::NeedsAttention | RecoveryState::HalfApplied => true,
            RecoveryState::Committed | RecoveryState::RolledBack => false,
        };
        if recovery.undoes.is_none() && (partly || recovery.stands()) {
            let known = by.entry(recovery.pipeline.clone());
            known.or_insert_with(|| recovery.id.clone());
        }
    }
}
