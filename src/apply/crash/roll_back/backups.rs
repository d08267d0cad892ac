//! Whether a slot still holds the backup that the journal recorded.

use std::io;
use std::path::PathBuf;

use super::super::skipped_paths::Why;
use super::super::state_table::{Found, RollBack};
use super::Rollback;
use crate::apply::disk::Disk;
use crate::apply::exchange::{Exchange, know};
use crate::model::LeftPath;
use crate::text::format::count_of;

/// How many lost backups get a sentence each.
const NAMED: usize = 20;

/// What is taken for the backup in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::apply::crash) enum Trust {
    /// Whatever is in it. The process that applied the exchanges rolls them back, so only a program that still writes
    /// to the old file can have changed it, and its file goes back with everything written since.
    Slot,
    /// The same object with the same size and times. The history must not read whole files.
    Facts,
    /// The same content.
    Content,
}

impl<D: Disk> Rollback<'_, D> {
    /// Why the content from before cannot be restored although the exchange was applied, if so.
    pub(in crate::apply::crash) fn lost(
        &self,
        exchange: &Exchange,
        found: Found,
    ) -> io::Result<Option<Why>> {
        Ok(match found.roll_back() {
            RollBack::Lost if !found.is_nowhere() => Some(Why::Missing),
            RollBack::Lost => {
                let gone = self.gone.contains(&self.path(&exchange.here));
                gone.then_some(Why::Gone)
            }
            // Only while the exchanges are applied can a file that was saved in that instant get into a slot.
            RollBack::ReturnTheirs if found.had_old && self.trust != Trust::Slot => {
                Some(Why::Damaged)
            }
            RollBack::Reverse if !self.is_whole(exchange)? => Some(Why::Damaged),
            RollBack::Reverse | RollBack::ReturnTheirs | RollBack::AlreadyBack | RollBack::Skip => {
                None
            }
        })
    }

    /// The places that were emptied and whose backup is missing. An empty place with an empty slot may also be one that
    /// somebody else emptied before its exchange; it is not, where a later exchange was applied.
    pub(in crate::apply::crash) fn find_gone(&self) -> Vec<PathBuf> {
        let mut exchanges: Vec<&Exchange> = self.journal.exchanges.iter().collect();
        exchanges.sort_by_key(|exchange| exchange.batch);
        let (mut later, mut gone) = (false, Vec::new());
        for exchange in exchanges.into_iter().rev() {
            let Ok(found) = self.found(exchange) else {
                continue;
            };
            later |= found.moved() == Some(true);
            if later && found.roll_back() == RollBack::Lost && found.is_nowhere() {
                gone.push(self.path(&exchange.here));
            }
        }
        gone
    }

    /// Whether a slot holds the backup that the journal recorded.
    fn is_whole(&self, exchange: &Exchange) -> io::Result<bool> {
        let had = exchange.here_had.filter(|_| self.is_slot(&exchange.there));
        let Some(had) = had.filter(|had| had.digest.is_some()) else {
            return Ok(true);
        };
        let trusted = match self.trust {
            Trust::Slot => true,
            Trust::Facts => self.opened.see(&exchange.there)?.node == Some(had.node),
            Trust::Content => false,
        };
        if trusted {
            return Ok(true);
        }
        let dir = self.opened.parent(&exchange.there)?;
        let now = know(self.disk, &dir, exchange.there.name.name())?;
        Ok(now.and_then(|now| now.digest) == had.digest)
    }
}

/// What is said where backups are missing or damaged.
pub(super) fn said(lost: &[&LeftPath]) -> String {
    let named = lost.iter().take(NAMED).map(|one| one.text.lossy());
    let mut text: String = named.flat_map(|one| [one, " ".into()]).collect();
    if let Some(more @ 1..) = lost.len().checked_sub(NAMED) {
        text += &count_of(
            more,
            "more path has no backup. ",
            "more paths have no backup. ",
        );
    }
    text + "The rest was rolled back."
}
