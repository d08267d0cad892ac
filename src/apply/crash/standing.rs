//! What is at each path of a transaction that was interrupted. Reads only.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;

use super::roll_back::{Rollback, Trust};
use super::skipped_paths::Why;
use super::state_table::{Found, Holds, RollBack};
use crate::apply::appends;
use crate::apply::disk::Disk;
use crate::apply::exchange::Exchange;
use crate::apply::journal::Journal;
use crate::model::{KeptContent, LeftPath, PendingPath, PendingState};

/// The paths, sorted.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// All that can be examined.
    pub paths: Vec<PendingPath>,
    /// Those that a rollback would leave as they are now.
    pub left: Vec<LeftPath>,
    /// Whether all its lines are in their logs.
    pub logged: bool,
    /// How many cannot be examined, because their folder is not there or is another one.
    pub unseen: usize,
    /// What the slot of each path keeps.
    pub kept: HashMap<PathBuf, KeptContent>,
    /// The bytes of the backups among that.
    pub backup_bytes: u64,
}

/// Examines the paths of a journal.
pub fn standing<D: Disk>(disk: &D, journal: &Journal) -> Standing {
    let journal = journal.clone().present(disk);
    let mut rollback = Rollback::new(disk, &journal, &[], Trust::Facts);
    rollback.gone = rollback.find_gone();
    let found = journal.exchanges.iter();
    let found = found.filter_map(|one| Some((one, rollback.found(one).ok()?)));
    let mut found: Vec<(&Exchange, Found)> = found.collect();
    // As the rollback goes: a folder that was moved away last comes back first, with the places of what was in it.
    found.sort_by_key(|(exchange, _)| Reverse(exchange.batch));
    let reversed = found.iter();
    let reversed = reversed.filter(|(_, found)| found.roll_back() == RollBack::Reverse);
    let last = reversed.map(|(exchange, _)| exchange.batch).max();
    let mut all = Standing {
        logged: appends::are_there(disk, &journal),
        unseen: journal.exchanges.len() - found.len(),
        ..Standing::default()
    };
    let mut moved: Vec<(PathBuf, u32)> = Vec::new();
    for (exchange, found) in found {
        let mut path = rollback.path(&exchange.here);
        let went_along = moved.iter().any(|(above, batch)| {
            *batch > exchange.batch && path != *above && path.starts_with(above)
        });
        // Batches follow one another, so this one was applied; its other place may have gone with a later one.
        let applied = Some(exchange.batch) < last && (went_along || found.is_planned());
        let unrestorable = rollback.lost(exchange, found).ok().flatten();
        let state = match found.roll_back() {
            _ if applied => PendingState::Planned,
            _ if unrestorable.is_some() && found.is_planned() => PendingState::Planned,
            RollBack::AlreadyBack => PendingState::Before,
            RollBack::Reverse => PendingState::Planned,
            RollBack::ReturnTheirs | RollBack::Skip | RollBack::Lost => PendingState::Changed,
        };
        if state == PendingState::Planned {
            moved.push((path.clone(), exchange.batch));
        }
        let kept = kept(found, state);
        // The slots of the recovery that it undoes are counted there.
        if kept == KeptContent::Backup
            && rollback.is_own(&exchange.there)
            && let Some(had) = exchange.here_had.filter(|had| had.digest.is_some())
        {
            all.backup_bytes += had.node.size;
        }
        all.kept.insert(path.clone(), kept);
        let why = match found.roll_back() {
            _ if unrestorable.is_some() => unrestorable,
            RollBack::Skip if state == PendingState::Changed => Some(Why::Changed),
            RollBack::Lost => Some(Why::Vanished),
            RollBack::Skip | RollBack::AlreadyBack | RollBack::Reverse | RollBack::ReturnTheirs => {
                None
            }
        };
        if let Some(why) = why
            && let Ok(left) = rollback.about(exchange, why)
        {
            // Where a file was moved aside, the other name may be the changed one.
            path.clone_from(&left.path);
            all.left.push(left);
        }
        if !rollback.is_slot(&exchange.here) {
            all.paths.push(PendingPath { path, state });
        }
    }
    all.left.sort_by(|a, b| a.path.cmp(&b.path));
    all.paths.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// What the slot of an exchange keeps. Before the exchange that is what was prepared, and afterwards the backup.
fn kept(found: Found, state: PendingState) -> KeptContent {
    match (found.there, state) {
        (Some(Holds::Old | Holds::OldChanged), _) => KeptContent::Backup,
        (Some(Holds::New | Holds::NewChanged), _) => KeptContent::Planned,
        // An empty slot says something only where one of the two contents is that nothing is there.
        (Some(Holds::Nothing), PendingState::Planned) if !found.had_old => KeptContent::Backup,
        (Some(Holds::Nothing), PendingState::Before) if !found.has_new => KeptContent::Planned,
        (Some(Holds::Nothing | Holds::Other) | None, _) => KeptContent::Unknown,
    }
}
