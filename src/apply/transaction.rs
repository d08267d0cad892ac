//! Carrying a draft out: stage, prepare, exchange in waves, verify, commit, append (safety.md 3.2 and 3.3).
//!
//! Until the journal is complete nothing in the person's files has changed, and a person may cancel. From then
//! on whatever happens is settled by [`super::settle`], here or by the next process.

use std::io;
use std::path::Path;

use super::appends;
use super::disk::{Disk, Identity, Kind};
use super::draft::Draft;
use super::folder::{Folder, Mark, SLOTS};
use super::journal::Journal;
use super::locks;
use super::preflight::{Preflight, because};
use super::refs::Refs;
use super::settle::{self, Ended};
use super::stage::{SlotFolder, stage};
use super::token::{Opened, Token};
use super::trouble::Trouble;
use crate::model::{Cancel, Stage, StageProgress};

/// Up to so many files are flushed one by one.
const FEW: usize = 64;

/// Chooses where the slots for a base of the draft lie.
pub type SlotChoice<'a, D> =
    dyn Fn(usize, &Folder<D>) -> Result<Option<SlotFolder<<D as Disk>::Dir>>, Trouble> + 'a;

/// Looks at every condition again.
pub type Recheck<'a> = dyn Fn() -> Result<(), Trouble> + 'a;

/// What a transaction is carried out with.
pub struct Transaction<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// References.
    pub refs: &'a dyn Refs,
    /// The project's folder in the state directory, locked by the caller.
    pub home: &'a D::Dir,
    /// Its absolute path.
    pub home_path: &'a Path,
    /// Where slots lie for each base of the draft; `None` for the transaction's own folder.
    pub slots: &'a SlotChoice<'a, D>,
    /// The user's id.
    pub me: u32,
    /// Git directories that are known: none may be changed as part of a work tree.
    pub git_dirs: &'a [Identity],
    /// Looks at every condition again, once everything is staged and before anything is exchanged.
    pub recheck: &'a Recheck<'a>,
    /// Hears how far it is.
    pub progress: &'a dyn Fn(StageProgress),
    /// Stops it, until its journal is about to be written. From then on it is finished.
    pub cancel: &'a Cancel,
}

impl<D: Disk> Transaction<'_, D> {
    /// Carries a draft out under this id. `record` is kept for the history.
    pub fn run(
        &self,
        id: &str,
        fingerprint: &str,
        record: &[u8],
        draft: &Draft,
    ) -> Result<Journal, Trouble> {
        self.go_on()?;
        let held = locks::planned(id, &draft.lock);
        let begun = serde_json::to_vec(&held).map_err(io::Error::other);
        let begun = begun.and_then(|noted| Folder::begin(self.disk, self.home, id, record, &noted));
        let folder = begun.map_err(|error| {
            self.unbegun(id, &error);
            let home = self.home_path.to_string_lossy();
            Trouble::refused(format!(
                "Nothing was changed: {home} cannot be written: {}.",
                because(&error)
            ))
        })?;
        let prepared = self.prepare(&folder, fingerprint, draft, &held);
        let journal = match prepared {
            Ok(journal) => journal,
            Err(trouble) => return Err(self.abandon(&folder, trouble)),
        };
        match self.exchange(&folder, &journal) {
            Ok(()) => self.finish(&folder, journal),
            Err(error) => Err(self.back(&folder, &journal, &error)),
        }
    }

    fn say(&self, stage: Stage, done: u64, total: u64) {
        (self.progress)(StageProgress { stage, done, total });
    }

    /// Whether nobody has asked to stop.
    fn go_on(&self) -> Result<(), Trouble> {
        if self.cancel.is_cancelled() {
            return Err(Trouble::cancelled());
        }
        Ok(())
    }

    /// A folder that could not be begun goes, as far as the disk lets it: left there, it would look like a
    /// recovery that was cut short. One that was there before is another's.
    fn unbegun(&self, id: &str, error: &io::Error) {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return;
        }
        if let Ok(folder) = Folder::open(self.disk, self.home, id) {
            let _ignored = settle::discard(self.disk, self.home, &folder);
        }
    }

    /// Everything up to the journal.
    fn prepare(
        &self,
        folder: &Folder<D>,
        fingerprint: &str,
        draft: &Draft,
        held: &[super::journal::HeldLock],
    ) -> Result<Journal, Trouble> {
        self.go_on()?;
        locks::take(self.disk, held)?;
        self.say(Stage::Lock, 1, 1);
        let slots = self.slot_folders(folder, draft)?;
        let staged = stage(self.disk, draft, &slots, &|done, total| {
            self.say(Stage::Stage, done, total);
            self.go_on()
        })?;
        let mut journal = Journal::new(folder.name.clone(), fingerprint.to_owned());
        let opened = Opened::open(self.disk, &staged.bases).map_err(|e| refused(&e))?;
        for append in &draft.appends {
            let planned = appends::plan(self.disk, &opened, append);
            journal.appends.push(planned.map_err(|e| refused(&e))?);
        }
        journal.bases = staged.bases;
        journal.tokens = staged.tokens;
        journal.refs.clone_from(&draft.refs);
        journal.locks = held.to_vec();
        self.say(Stage::Check, 0, 1);
        self.ready(folder, &journal)?;
        self.go_on()?;
        (self.recheck)()?;
        self.go_on()?;
        self.flush(&journal).map_err(|e| refused(&e))?;
        // The journal is what the next process would go by, so it is the last thing that a person can prevent.
        if !self.cancel.commit() {
            return Err(Trouble::cancelled());
        }
        folder
            .write_journal(self.disk, &journal)
            .map_err(|e| refused(&e))?;
        self.say(Stage::Check, 1, 1);
        Ok(journal)
    }

    /// What was staged can be exchanged: there is room, everything may be written, and lies on one mount.
    fn ready(&self, folder: &Folder<D>, journal: &Journal) -> Result<(), Trouble> {
        let preflight = Preflight {
            disk: self.disk,
            tx: &folder.name,
            tx_dir: &folder.dir,
            me: self.me,
            git_dirs: self.git_dirs,
        };
        let mut failed = preflight
            .staged(&journal.bases, &journal.tokens)
            .into_iter();
        match failed.next() {
            None => Ok(()),
            Some(first) => Err(failed.fold(Trouble::refused(first), Trouble::hint)),
        }
    }

    /// One folder of slots for each base of the draft.
    fn slot_folders(
        &self,
        folder: &Folder<D>,
        draft: &Draft,
    ) -> Result<Vec<SlotFolder<D::Dir>>, Trouble> {
        let own = folder.slots(self.disk).map_err(|e| refused(&e))?;
        let own = SlotFolder {
            path: self.home_path.join(&folder.name).join(SLOTS),
            dir: own,
        };
        (0..draft.bases.len())
            .map(|base| Ok((self.slots)(base, folder)?.unwrap_or_else(|| own.clone())))
            .collect()
    }

    /// What was staged, and the old content that is about to be kept, survive a power cut from here on. A few
    /// files are flushed one by one: a whole file system may have much of other programs' to write.
    fn flush(&self, journal: &Journal) -> io::Result<()> {
        let opened = Opened::open(self.disk, &journal.bases)?;
        if journal.tokens.len() <= FEW {
            return self.harden(&opened, journal);
        }
        let mut seen = Vec::new();
        for at in 0..journal.bases.len() {
            let dir = opened.base(at)?;
            let device = self.disk.node(dir)?.id.dev;
            if !seen.contains(&device) {
                seen.push(device);
                self.disk.flush(dir)?;
            }
        }
        Ok(())
    }

    fn harden(&self, opened: &Opened<'_, D>, journal: &Journal) -> io::Result<()> {
        let mut dirs = Vec::new();
        for token in &journal.tokens {
            let sides = [
                (&token.here, &token.here_had),
                (&token.there, &token.there_had),
            ];
            for (spot, had) in sides {
                if let Some(known) = had {
                    let dir = opened.parent(spot)?;
                    if known.node.kind == Kind::File {
                        self.disk.harden(&dir, spot.name.name())?;
                    }
                    dirs.push(dir);
                } else {
                    // A folder that is still to come has nothing to lose.
                    dirs.extend(opened.folder(spot.base, &spot.parent.path())?);
                }
            }
        }
        self.disk.barrier(&dirs)
    }

    /// Exchanges, verifies, and sets the mark.
    fn exchange(&self, folder: &Folder<D>, journal: &Journal) -> io::Result<()> {
        let opened = Opened::open(self.disk, &journal.bases)?;
        let total = journal.tokens.len() as u64;
        let mut done = 0;
        for wave in journal.waves() {
            done += turn_wave(self.disk, &opened, &wave, &|moved| {
                self.say(Stage::Exchange, done + moved, total);
            })?;
        }
        for moved in &journal.refs {
            settle::move_ref(self.refs, moved, false)?;
        }
        for (at, token) in journal.tokens.iter().enumerate() {
            self.say(Stage::Verify, at as u64, total);
            opened.verify(token)?;
        }
        for append in &journal.appends {
            appends::check(self.disk, &opened, append)?;
        }
        self.say(Stage::Verify, total, total);
        folder.set(self.disk, Mark::Committed)
    }

    /// What comes after the commit; it is only ever finished.
    fn finish(&self, folder: &Folder<D>, journal: Journal) -> Result<Journal, Trouble> {
        let total = journal.appends.len() as u64;
        self.say(Stage::Append, 0, total);
        match settle::finish(self.disk, self.refs, folder, &journal) {
            Ok(()) => {
                self.say(Stage::Append, total, total);
                Ok(journal)
            }
            Err(trouble) => {
                let text = format!(
                    "The files are as planned, but what comes after them could not be done: {}",
                    trouble.text().lossy()
                );
                let id = &folder.name;
                let mut hints =
                    vec![format!("relight recover {id} --finish does the rest.").into()];
                if let Trouble::Unclear { hints: more, .. } = trouble {
                    hints.extend(more);
                }
                let text = text.into();
                Err(Trouble::Unclear { text, hints })
            }
        }
    }

    /// Something failed after the journal was complete: the same settling as after a crash.
    fn back(&self, folder: &Folder<D>, journal: &Journal, error: &io::Error) -> Trouble {
        folder.drop_ballast(self.disk);
        match settle::settle(self.disk, self.refs, folder) {
            Ok(Ended::RolledBack) => {
                let left = settle::left(self.disk, folder);
                let text = if left.is_empty() {
                    format!("It failed, and everything is as it was before: {error}.")
                } else {
                    let left = left.iter().map(|one| one.text.lossy());
                    let left = left.collect::<Vec<_>>().join(" ");
                    format!("It failed and was rolled back: {error}. {left}")
                };
                Trouble::RolledBack { text: text.into() }
            }
            Ok(Ended::Finished) => Trouble::Unclear {
                text: format!("The files are as planned, but the disk reported: {error}.").into(),
                hints: vec![format!("relight history says how {} stands.", journal.id).into()],
            },
            Ok(Ended::Untouched) => Trouble::refused(format!("Nothing was changed: {error}.")),
            Err(Trouble::Unclear { text, hints }) => Trouble::Unclear {
                text: format!(
                    "It failed ({error}), and putting it back stopped: {}",
                    text.lossy()
                )
                .into(),
                hints,
            },
            Err(trouble) => trouble,
        }
    }

    /// Nothing of the person's was touched: the locks go, and the folder with what was staged in it.
    fn abandon(&self, folder: &Folder<D>, trouble: Trouble) -> Trouble {
        match settle::settle(self.disk, self.refs, folder) {
            Ok(Ended::RolledBack | Ended::Untouched) => {
                // What cannot be removed is found again as a folder that never began.
                let _ignored = settle::discard(self.disk, self.home, folder);
                trouble
            }
            Ok(Ended::Finished) => trouble,
            Err(other) => other,
        }
    }
}

/// Moves the tokens of a wave, and makes that durable. Gives how many there were.
fn turn_wave<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    wave: &[&Token],
    moved: &dyn Fn(u64),
) -> io::Result<u64> {
    let mut touched = Vec::new();
    let mut last = None;
    for (at, token) in wave.iter().enumerate() {
        let dirs = opened.turn(token)?;
        let key = (
            token.here.base,
            &token.here.parent,
            token.there.base,
            &token.there.parent,
        );
        if last != Some(key) {
            touched.extend(dirs);
            last = Some(key);
        }
        moved(at as u64 + 1);
    }
    disk.barrier(&touched)?;
    Ok(wave.len() as u64)
}

fn refused(error: &io::Error) -> Trouble {
    Trouble::refused(format!("Nothing was changed: {}.", because(error)))
}
