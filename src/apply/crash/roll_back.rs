//! Rolling back: every exchange that nobody has changed is reversed; what somebody changed stays.

mod about;
mod backups;

use std::io;
use std::path::{Path, PathBuf};

use super::Case;
use super::references;
use super::skipped_paths::{self, Why};
use super::state_table::{Found, Holds, RollBack};
use super::{Ended, move_ref};
use crate::apply::disk::{Disk, Node};
use crate::apply::error::ApplyError;
use crate::apply::exchange::{Base, Exchange, Opened, Spot, contents, know};
use crate::apply::folder::Mark;
use crate::apply::journal::Journal;
use crate::apply::locks;
use crate::model::LeftPath;
use crate::text::Shown as _;

pub(super) use backups::Trust;

/// How often all exchanges are tried again because another program is changing them at this moment.
const ROUNDS: usize = 3;

/// The final decision about an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    AlreadyBack,
    Reverse,
    ReturnTheirs,
    Skip(Why),
}

/// Rolls back every exchange except those that another program changed. Changes nothing unless all of them can be
/// examined.
pub(super) fn roll_back<D: Disk>(
    case: &Case<'_, D>,
    journal: &Journal,
) -> Result<Ended, ApplyError> {
    let (disk, folder) = (case.disk, case.folder);
    let doubt = |error: &io::Error| case.failed("Rolling back stopped", error);
    let mut rollback = Rollback::new(disk, journal, case.keep, case.trust);
    // Everything is examined before the first rename: a half-finished rollback is harder to explain than none.
    rollback.survey(case)?;
    let (applied, mut left) = references::now(case, journal)?;
    if case.trust != Trust::Slot {
        rollback.gone = rollback.find_gone();
        rollback.gone.extend(skipped_paths::noted(disk, folder));
        // What is still applied tells it, so it is written down before anything is rolled back.
        skipped_paths::note(disk, folder, &rollback.gone).map_err(|e| doubt(&e))?;
    }
    // What is visible after a crash may not be durable. It is made durable before anything depends on it.
    let touched = rollback.folders().map_err(|e| doubt(&e))?;
    disk.barrier(&touched).map_err(|e| doubt(&e))?;
    folder.set(disk, Mark::RollingBack).map_err(|e| doubt(&e))?;
    // A crash may have left the lock of a single reference, which blocks moving that reference back. A process that
    // lives has no lock left: what is there is that of a git command, and it may be empty.
    if case.trust != Trust::Slot && locks::any_left(disk, &journal.locks).map_err(|e| doubt(&e))? {
        references::unlock(case.refs, journal).map_err(|e| doubt(&e))?;
    }
    // References were moved after the files, so they are moved back before them. In reverse: a reference that keeps a
    // commit reachable was created before the branch left that commit.
    for moved in applied.iter().rev() {
        move_ref(case.refs, moved, true).map_err(|e| doubt(&e))?;
    }
    let mut rounds = 0;
    // Not repeated after an error: after a failed flush, a second one can report success although data was lost.
    let skipped = loop {
        if let Some(skipped) = rollback.all_batches().map_err(|e| doubt(&e))? {
            break skipped;
        }
        rounds += 1;
        if rounds == ROUNDS {
            return Err(case.unclear(
                "Another program is changing the files during the rollback.",
                &[],
            ));
        }
    };
    let lost: Vec<&LeftPath> = skipped
        .iter()
        .filter_map(|(why, one)| why.is_lost().then_some(one))
        .collect();
    if !lost.is_empty() {
        // Nothing staged is deleted, and no mark is set: without its backup, a path is resolved only by a person. Git
        // may be what restores it.
        locks::release(disk, &journal.locks).map_err(|e| doubt(&e))?;
        let paths: Vec<&Path> = lost.iter().map(|one| one.path.as_path()).collect();
        return Err(case.unclear(&backups::said(&lost), &paths));
    }
    left.extend(skipped.into_iter().map(|(_, one)| one));
    rollback.tidy();
    folder.drop_ballast(disk);
    skipped_paths::write(disk, folder, &left).map_err(|e| doubt(&e))?;
    // Before the mark: after it, no command would release them.
    locks::release(disk, &journal.locks).map_err(|e| doubt(&e))?;
    // Where the whole project was to stay as it is, nothing of it was rolled back.
    let (mark, ended) = if left.is_empty() || !case.keeps(&case.root()) {
        (Mark::RolledBack, Ended::RolledBack)
    } else {
        (Mark::HalfApplied, Ended::HalfApplied)
    };
    folder.set(disk, mark).map_err(|e| doubt(&e))?;
    Ok(ended)
}

/// The exchanges of a journal, and what is in their spots.
pub(super) struct Rollback<'a, D: Disk> {
    disk: &'a D,
    journal: &'a Journal,
    keep: &'a [PathBuf],
    trust: Trust,
    pub(super) gone: Vec<PathBuf>,
    opened: Opened<'a, D>,
}

impl<'a, D: Disk> Rollback<'a, D> {
    pub(super) fn new(
        disk: &'a D,
        journal: &'a Journal,
        keep: &'a [PathBuf],
        trust: Trust,
    ) -> Self {
        Self {
            disk,
            journal,
            keep,
            trust,
            gone: Vec::new(),
            opened: Opened::open_some(disk, &journal.bases),
        }
    }

    fn base(&self, spot: &Spot) -> Option<&Base> {
        self.journal.bases.get(spot.base)
    }

    pub(super) fn path(&self, spot: &Spot) -> PathBuf {
        spot.path(&self.journal.bases)
    }

    /// Whether the person wants one of its places to stay as it is.
    fn is_chosen(&self, exchange: &Exchange) -> bool {
        [&exchange.here, &exchange.there].into_iter().any(|spot| {
            let path = self.path(spot);
            self.keep.iter().any(|kept| path.starts_with(kept))
        })
    }

    pub(super) fn is_slot(&self, spot: &Spot) -> bool {
        spot.is_slot(&self.journal.bases)
    }

    /// Whether a slot was created by this transaction, not by the recovery that it undoes.
    pub(super) fn is_own(&self, spot: &Spot) -> bool {
        let own = |base: &Base| {
            let path = base.path.path();
            path.iter()
                .any(|part| part == std::ffi::OsStr::new(&self.journal.id))
        };
        self.is_slot(spot) && self.base(spot).is_some_and(own)
    }

    /// What is in the spots of an exchange.
    pub(super) fn found(&self, exchange: &Exchange) -> io::Result<Found> {
        self.look(exchange).map(|(found, _)| found)
    }

    /// The same, with the facts it was derived from.
    fn look(&self, exchange: &Exchange) -> io::Result<(Found, [Option<Node>; 2])> {
        // No progress of the crashed process is stored: which inode is where is the only evidence.
        let here = self.opened.see(&exchange.here)?;
        let there = self.opened.see(&exchange.there)?;
        let slot = self.is_slot(&exchange.there);
        let mut is_there = Holds::of(there.node, exchange);
        if slot && matches!(is_there, Holds::NewChanged | Holds::Other) {
            is_there = self.by_content(exchange, is_there)?;
        }
        let found = Found {
            here: here.reached.then(|| Holds::of(here.node, exchange)),
            there: there.reached.then_some(is_there),
            slot,
            had_old: exchange.here_had.is_some(),
            has_new: exchange.there_had.is_some(),
            there_kind: there.node.map(|node| node.kind),
        };
        Ok((found, [here.node, there.node]))
    }

    /// Only relight works in a slot. If it holds another object, or another mode with the same content, then the state
    /// folder was copied, or somebody changed modes in it.
    fn by_content(&self, exchange: &Exchange, otherwise: Holds) -> io::Result<Holds> {
        let dir = self.opened.parent(&exchange.there)?;
        let Some(now) = know(self.disk, &dir, exchange.there.name.name())? else {
            return Ok(otherwise);
        };
        let same = |had: &Option<crate::apply::exchange::Known>| {
            let kind = had.is_some_and(|had| had.node.kind == now.node.kind);
            kind && now.digest.is_some() && had.and_then(|had| had.digest) == now.digest
        };
        Ok(if same(&exchange.there_had) {
            Holds::New
        } else if same(&exchange.here_had) {
            Holds::OldChanged
        } else {
            otherwise
        })
    }

    fn decision(&self, exchange: &Exchange) -> io::Result<Decision> {
        if self.is_chosen(exchange) {
            return Ok(Decision::Skip(Why::Chosen));
        }
        self.of(exchange, self.found(exchange)?)
    }

    fn of(&self, exchange: &Exchange, found: Found) -> io::Result<Decision> {
        if let Some(why) = self.lost(exchange, found)? {
            return Ok(Decision::Skip(why));
        }
        Ok(match found.roll_back() {
            RollBack::AlreadyBack => Decision::AlreadyBack,
            RollBack::ReturnTheirs => Decision::ReturnTheirs,
            RollBack::Lost => Decision::Skip(Why::Vanished),
            RollBack::Skip => Decision::Skip(Why::Changed),
            RollBack::Reverse if self.is_occupied(exchange)? => Decision::Skip(Why::Occupied),
            RollBack::Reverse => Decision::Reverse,
        })
    }

    /// Whether a folder that would move back into a slot contains something that was not in it when it left the slot.
    fn is_occupied(&self, exchange: &Exchange) -> io::Result<bool> {
        let is_dir = exchange.there_had.is_some_and(|had| had.is_dir());
        if !self.is_slot(&exchange.there) || !is_dir {
            return Ok(false);
        }
        let Some(dir) = self
            .opened
            .folder(exchange.here.base, &exchange.here.rel())?
        else {
            return Ok(false);
        };
        match exchange.within {
            Some(within) => Ok(contents(self.disk, &dir).ok() != Some(within)),
            // Older versions wrote no digest. The folders that they staged were empty.
            None => Ok(self.is_own(&exchange.there) && !self.disk.list(&dir)?.is_empty()),
        }
    }

    /// Checks that everything can be examined, and that the applied exchanges have a shape that a crash can leave:
    /// complete batches, then one partial batch, then none.
    fn survey(&self, case: &Case<'_, D>) -> Result<(), ApplyError> {
        let begun = case.folder.has(self.disk, Mark::RollingBack);
        let begun = begun.map_err(|e| case.failed("A disk operation failed", &e))?;
        let (mut last_moved, mut first_left) = (None, None);
        let mut blocked = Vec::new();
        for exchange in &self.journal.exchanges {
            if self.is_chosen(exchange) {
                continue;
            }
            let found = match self.found(exchange) {
                Ok(found) => found,
                Err(error) => {
                    blocked.push((self.blocked(exchange), error));
                    continue;
                }
            };
            match found.moved() {
                Some(true) => last_moved = last_moved.max(Some(exchange.batch)),
                Some(false) if first_left.is_none_or(|first| exchange.batch < first) => {
                    first_left = Some(exchange.batch);
                }
                Some(false) | None => {}
            }
        }
        if let Some((first, error)) = blocked.first() {
            let text = format!("{}: {error}.", first.shown());
            let paths: Vec<&Path> = blocked.iter().map(|(path, _)| path.as_path()).collect();
            return Err(case.unclear(&text, &paths));
        }
        match (last_moved, first_left) {
            // An interrupted rollback may have left some paths for a person.
            (Some(last), Some(first)) if last > first && !begun => {
                let text = "The journal and the disk disagree (unexpected rename order).";
                Err(case.unclear(text, &[]))
            }
            _ => Ok(()),
        }
    }

    /// The path that prevents an exchange from being examined: its base, if that cannot be opened.
    fn blocked(&self, exchange: &Exchange) -> PathBuf {
        let here = self.base(&exchange.here).filter(|_| {
            let all = [&exchange.here, &exchange.there];
            all.iter().any(|spot| self.opened.base(spot.base).is_err())
        });
        here.map_or_else(|| self.path(&exchange.here), |base| base.path.path())
    }

    /// The folders that exchanges are in and that are there.
    fn folders(&self) -> io::Result<Vec<D::Dir>> {
        let mut dirs = Vec::new();
        for exchange in &self.journal.exchanges {
            if self.is_chosen(exchange) {
                continue;
            }
            for spot in [&exchange.here, &exchange.there] {
                dirs.extend(self.opened.folder(spot.base, &spot.parent.path())?);
            }
        }
        Ok(dirs)
    }

    /// Goes through all batches, the last first. `None` where something can still be moved, else the skipped paths.
    fn all_batches(&self) -> io::Result<Option<Vec<(Why, LeftPath)>>> {
        let last = self
            .journal
            .exchanges
            .iter()
            .map(|exchange| exchange.batch)
            .max();
        // The last batch first: a folder can only be moved away after its new content has been moved out.
        for batch in (0..last.map_or(0, |last| last + 1)).rev() {
            let of_it = self.journal.exchanges.iter().filter(|t| t.batch == batch);
            let mut touched = Vec::new();
            for exchange in of_it {
                touched.extend(self.step(exchange)?.into_iter().flatten());
            }
            if !touched.is_empty() {
                self.disk.barrier(&touched)?;
            }
        }
        self.skipped()
    }

    /// Reverses one exchange, if it needs to be.
    fn step(&self, exchange: &Exchange) -> io::Result<Option<[D::Dir; 2]>> {
        if self.is_chosen(exchange) {
            return Ok(None);
        }
        let (found, contents) = self.look(exchange)?;
        let decision = self.of(exchange, found)?;
        if !matches!(decision, Decision::Reverse | Decision::ReturnTheirs) {
            return Ok(None);
        }
        let dirs = self.opened.parents(exchange)?;
        match self.opened.exchange_in(&dirs, exchange, contents) {
            Ok(()) => Ok(Some(dirs)),
            // Another program was faster, or the rename happened although it reported an error: the next look decides.
            // Either way it must be made durable.
            Err(_) if self.look(exchange)? != (found, contents) => Ok(Some(dirs)),
            Err(error) => Err(error),
        }
    }

    /// Deletes what was staged and never used, only in this transaction's own slots and only what it staged itself.
    /// What cannot be removed only occupies space.
    fn tidy(&self) {
        for exchange in &self.journal.exchanges {
            let staged = self.is_own(&exchange.there)
                && matches!(self.decision(exchange), Ok(Decision::AlreadyBack))
                && self
                    .found(exchange)
                    .is_ok_and(|found| found.there == Some(Holds::New));
            if let (true, Ok(dir)) = (staged, self.opened.parent(&exchange.there)) {
                let _ignored = self.disk.remove(&dir, exchange.there.name.name());
            }
        }
    }

    /// The paths that are skipped, sorted; `None` where something can still be moved.
    fn skipped(&self) -> io::Result<Option<Vec<(Why, LeftPath)>>> {
        let mut left = Vec::new();
        for exchange in &self.journal.exchanges {
            // One look answers both questions. Otherwise a folder that another program moves away and back could be
            // unreachable when its files should be moved, and reachable when they should be listed.
            match self.decision(exchange)? {
                Decision::AlreadyBack => {}
                Decision::Reverse | Decision::ReturnTheirs => return Ok(None),
                Decision::Skip(why) => {
                    let at_rest = |found: Found| found.roll_back() == RollBack::AlreadyBack;
                    // A path that the person chose to keep is listed only if it is not as before.
                    if why != Why::Chosen || !self.found(exchange).is_ok_and(at_rest) {
                        left.push((why, self.about(exchange, why)?));
                    }
                }
            }
        }
        left.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
        Ok(Some(left))
    }
}
