//! Rolling back: every token that nobody has touched goes to where it was, and what somebody touched stays.

use std::io;
use std::path::{Path, PathBuf};

use super::Case;
use super::fate::{Fate, Found, Is};
use super::heads;
use super::left::{self, Why};
use super::move_ref;
use crate::apply::disk::{Disk, Kind, Node};
use crate::apply::folder::Mark;
use crate::apply::journal::Journal;
use crate::apply::locks;
use crate::apply::token::{Base, BaseKind, Opened, Spot, Token, contents, know};
use crate::apply::trouble::Trouble;
use crate::model::LeftPath;

/// How often the tokens are gone through again because somebody is changing them at this very moment.
const ROUNDS: usize = 3;

/// What becomes of a token in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Rest,
    Turn,
    Return,
    Stays(Why),
}

/// Puts everything back but what is somebody's. Changes nothing unless everything can be looked at.
pub(super) fn roll_back<D: Disk>(case: &Case<'_, D>, journal: &Journal) -> Result<(), Trouble> {
    let (disk, folder) = (case.disk, case.folder);
    let doubt = |error: &io::Error| case.failed("Rolling back stopped", error);
    let back = Back::new(disk, journal, case.keep);
    back.survey(case)?;
    let (turned, mut left) = heads::now(case, journal)?;
    // What a crash left half-known becomes certain before anything rests on it.
    let touched = back.folders().map_err(|e| doubt(&e))?;
    disk.barrier(&touched).map_err(|e| doubt(&e))?;
    folder.set(disk, Mark::RollingBack).map_err(|e| doubt(&e))?;
    if locks::any_left(disk, &journal.locks).map_err(|e| doubt(&e))? {
        heads::unlock(case.refs, journal).map_err(|e| doubt(&e))?;
    }
    for moved in turned.iter().rev() {
        move_ref(case.refs, moved, true).map_err(|e| doubt(&e))?;
    }
    let mut rounds = 0;
    // Never again after an error: a flush that failed is not made good by another.
    while back.all_waves().map_err(|e| doubt(&e))? {
        rounds += 1;
        if rounds == ROUNDS {
            return Err(case.unclear("Files are being changed while they are put back.", &[]));
        }
    }
    left.extend(back.left().map_err(|e| doubt(&e))?);
    back.tidy();
    folder.drop_ballast(disk);
    left::write(disk, folder, &left).map_err(|e| doubt(&e))?;
    // Before the mark: nobody settles it again afterwards.
    locks::release(disk, &journal.locks).map_err(|e| doubt(&e))?;
    folder.set(disk, Mark::RolledBack).map_err(|e| doubt(&e))
}

/// Which paths rolling a transaction back would leave as they are now. Reads only.
pub fn foreseen<D: Disk>(disk: &D, journal: &Journal) -> Vec<LeftPath> {
    let journal = journal.clone().present(disk);
    let back = Back::new(disk, &journal, &[]);
    let tokens = journal.tokens.iter();
    let mut left: Vec<LeftPath> = tokens
        .filter(|token| back.found(token).is_ok_and(|f| f.fate() == Fate::Left))
        .filter_map(|token| back.about(token, Why::Changed).ok())
        .collect();
    left.sort_by(|a, b| a.path.cmp(&b.path));
    left
}

struct Back<'a, D: Disk> {
    disk: &'a D,
    journal: &'a Journal,
    keep: &'a [PathBuf],
    opened: Opened<'a, D>,
}

impl<'a, D: Disk> Back<'a, D> {
    fn new(disk: &'a D, journal: &'a Journal, keep: &'a [PathBuf]) -> Self {
        Self {
            disk,
            journal,
            keep,
            opened: Opened::open_some(disk, &journal.bases),
        }
    }

    fn base(&self, spot: &Spot) -> Option<&Base> {
        self.journal.bases.get(spot.base)
    }

    fn path(&self, spot: &Spot) -> PathBuf {
        let base = self.base(spot).map(|base| base.path.path());
        base.unwrap_or_default().join(spot.rel())
    }

    /// Whether the person wants one of its places left as it is.
    fn is_chosen(&self, token: &Token) -> bool {
        [&token.here, &token.there].into_iter().any(|spot| {
            let path = self.path(spot);
            self.keep.iter().any(|kept| path.starts_with(kept))
        })
    }

    fn is_slot(&self, spot: &Spot) -> bool {
        self.base(spot)
            .is_some_and(|base| base.kind == BaseKind::Slots)
    }

    /// Whether a slot is one that this transaction made, rather than that of a recovery which it undoes.
    fn is_own(&self, spot: &Spot) -> bool {
        let own = |base: &Base| {
            let path = base.path.path();
            path.iter()
                .any(|part| part == std::ffi::OsStr::new(&self.journal.id))
        };
        self.is_slot(spot) && self.base(spot).is_some_and(own)
    }

    /// What lies in the spots of a token.
    fn found(&self, token: &Token) -> io::Result<Found> {
        self.look(token).map(|(found, _)| found)
    }

    /// The same, with the facts that it was told from.
    fn look(&self, token: &Token) -> io::Result<(Found, [Option<Node>; 2])> {
        let here = self.opened.see(&token.here)?;
        let there = self.opened.see(&token.there)?;
        let slot = self.is_slot(&token.there);
        let mut is_there = Is::of(there.node, token);
        if slot && matches!(is_there, Is::NewChanged | Is::Other) {
            is_there = self.by_content(token, is_there)?;
        }
        let found = Found {
            here: here.reached.then(|| Is::of(here.node, token)),
            there: there.reached.then_some(is_there),
            slot,
            had_old: token.here_had.is_some(),
            has_new: token.there_had.is_some(),
            there_kind: there.node.map(|node| node.kind),
        };
        Ok((found, [here.node, there.node]))
    }

    /// Nobody but relight works in a slot. Where what lies there is another object or has another mode and the
    /// same content, the state folder was copied, or somebody changed the modes in it.
    fn by_content(&self, token: &Token, otherwise: Is) -> io::Result<Is> {
        let dir = self.opened.parent(&token.there)?;
        let Some(now) = know(self.disk, &dir, token.there.name.name())? else {
            return Ok(otherwise);
        };
        let same = |had: &Option<crate::apply::token::Known>| {
            let kind = had.is_some_and(|had| had.node.kind == now.node.kind);
            kind && now.digest.is_some() && had.and_then(|had| had.digest) == now.digest
        };
        Ok(if same(&token.there_had) {
            Is::New
        } else if same(&token.here_had) {
            Is::OldChanged
        } else {
            otherwise
        })
    }

    fn verdict(&self, token: &Token) -> io::Result<Verdict> {
        if self.is_chosen(token) {
            return Ok(Verdict::Stays(Why::Chosen));
        }
        self.of(token, self.found(token)?)
    }

    fn of(&self, token: &Token, found: Found) -> io::Result<Verdict> {
        Ok(match found.fate() {
            Fate::Rest => Verdict::Rest,
            Fate::Return => Verdict::Return,
            Fate::Left => Verdict::Stays(Why::Changed),
            Fate::Turn if self.is_occupied(token)? => Verdict::Stays(Why::Occupied),
            Fate::Turn => Verdict::Turn,
        })
    }

    /// Whether a folder that is to go into a slot holds something that it did not hold when it came out.
    fn is_occupied(&self, token: &Token) -> io::Result<bool> {
        let is_dir = |had: Option<Node>| had.is_some_and(|node| node.kind == Kind::Dir);
        if !self.is_slot(&token.there) || !is_dir(token.there_had.map(|known| known.node)) {
            return Ok(false);
        }
        let Some(dir) = self.opened.folder(token.here.base, &token.here.rel())? else {
            return Ok(false);
        };
        match token.within {
            Some(within) => Ok(contents(self.disk, &dir).ok() != Some(within)),
            // An older relight wrote no digest. What it staged itself was empty.
            None => Ok(self.is_own(&token.there) && !self.disk.list(&dir)?.is_empty()),
        }
    }

    /// Everything can be looked at, and what was moved has a shape that a crash can leave: full waves, then one
    /// wave in part, then none.
    fn survey(&self, case: &Case<'_, D>) -> Result<(), Trouble> {
        let begun = case.folder.has(self.disk, Mark::RollingBack);
        let begun = begun.map_err(|e| case.failed("The disk reported an error", &e))?;
        let (mut last_moved, mut first_left) = (None, None);
        let mut blocked = Vec::new();
        for token in &self.journal.tokens {
            if self.is_chosen(token) {
                continue;
            }
            let found = match self.found(token) {
                Ok(found) => found,
                Err(error) => {
                    blocked.push((self.blocked(token), error));
                    continue;
                }
            };
            match found.moved() {
                Some(true) => last_moved = last_moved.max(Some(token.wave)),
                Some(false) if first_left.is_none_or(|first| token.wave < first) => {
                    first_left = Some(token.wave);
                }
                Some(false) | None => {}
            }
        }
        if let Some((first, error)) = blocked.first() {
            let text = format!("{}: {error}.", first.to_string_lossy());
            let paths: Vec<&Path> = blocked.iter().map(|(path, _)| path.as_path()).collect();
            return Err(case.unclear(&text, &paths));
        }
        match (last_moved, first_left) {
            // Rolling back that was cut short may have left some of it for a person.
            (Some(last), Some(first)) if last > first && !begun => {
                let text = "The journal and the disk disagree (unexpected rename order).";
                Err(case.unclear(text, &[]))
            }
            _ => Ok(()),
        }
    }

    /// The path that keeps a token from being looked at: its base where that cannot be opened.
    fn blocked(&self, token: &Token) -> PathBuf {
        let here = self.base(&token.here).filter(|_| {
            let all = [&token.here, &token.there];
            all.iter().any(|spot| self.opened.base(spot.base).is_err())
        });
        here.map_or_else(|| self.path(&token.here), |base| base.path.path())
    }

    /// The folders that tokens lie in and that are there.
    fn folders(&self) -> io::Result<Vec<D::Dir>> {
        let mut dirs = Vec::new();
        for token in &self.journal.tokens {
            if self.is_chosen(token) {
                continue;
            }
            for spot in [&token.here, &token.there] {
                dirs.extend(self.opened.folder(spot.base, &spot.parent.path())?);
            }
        }
        Ok(dirs)
    }

    /// Goes through all waves, the last first. True where something is still to be moved.
    fn all_waves(&self) -> io::Result<bool> {
        let last = self.journal.tokens.iter().map(|token| token.wave).max();
        for wave in (0..last.map_or(0, |last| last + 1)).rev() {
            let of_it = self.journal.tokens.iter().filter(|t| t.wave == wave);
            let mut touched = Vec::new();
            for token in of_it {
                touched.extend(self.step(token)?.into_iter().flatten());
            }
            if !touched.is_empty() {
                self.disk.barrier(&touched)?;
            }
        }
        for token in &self.journal.tokens {
            if matches!(self.verdict(token)?, Verdict::Turn | Verdict::Return) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves one token, if it is to be moved.
    fn step(&self, token: &Token) -> io::Result<Option<[D::Dir; 2]>> {
        if self.is_chosen(token) {
            return Ok(None);
        }
        let (found, [here, there]) = self.look(token)?;
        let verdict = self.of(token, found)?;
        if !matches!(verdict, Verdict::Turn | Verdict::Return) {
            return Ok(None);
        }
        let dirs = [
            self.opened.parent(&token.here)?,
            self.opened.parent(&token.there)?,
        ];
        match self.opened.exchange(token, here, there) {
            Ok(_) => Ok(Some(dirs)),
            // Somebody was faster, or it was done all the same: the next look decides. Either way it is to be
            // durable.
            Err(_) if self.look(token)? != (found, [here, there]) => Ok(Some(dirs)),
            Err(error) => Err(error),
        }
    }

    /// Deletes what was staged and never used. Only in slots of this transaction's own, and only what it staged
    /// itself; what cannot be removed only takes room.
    fn tidy(&self) {
        for token in &self.journal.tokens {
            let staged = self.is_own(&token.there)
                && matches!(self.verdict(token), Ok(Verdict::Rest))
                && self
                    .found(token)
                    .is_ok_and(|found| found.there == Some(Is::New));
            if let (true, Ok(dir)) = (staged, self.opened.parent(&token.there)) {
                let _ignored = self.disk.remove(&dir, token.there.name.name());
            }
        }
    }

    /// What stays as it is, sorted by path.
    fn left(&self) -> io::Result<Vec<LeftPath>> {
        let mut left = Vec::new();
        for token in &self.journal.tokens {
            if let Verdict::Stays(why) = self.verdict(token)? {
                let rest = |found: Found| found.fate() == Fate::Rest;
                // What the person wanted left and what is as it was anyway need no words.
                if why != Why::Chosen || !self.found(token).is_ok_and(rest) {
                    left.push(self.about(token, why)?);
                }
            }
        }
        left.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(left)
    }

    fn about(&self, token: &Token, why: Why) -> io::Result<LeftPath> {
        let path = self.path(&token.here);
        // What cannot be looked at is left by the person's own wish.
        let there = match self.found(token) {
            Ok(found) => found.there.unwrap_or(Is::Nothing),
            Err(_) if why == Why::Chosen => Is::Nothing,
            Err(error) => return Err(error),
        };
        let other = self.path(&token.there);
        if !self.is_slot(&token.there) {
            // Both places are the person's: the one that was changed is named.
            let moved = !matches!(there, Is::Old | Is::New | Is::Nothing);
            let path = if moved { &other } else { &path };
            return Ok(left::about(path, why, None, None));
        }
        let other = Some(other.as_path());
        let (before, planned) = match there {
            Is::Old | Is::OldChanged | Is::Other => (other, None),
            Is::New | Is::NewChanged => (None, other),
            Is::Nothing => (None, None),
        };
        Ok(left::about(&path, why, before, planned))
    }
}
