//! Applies a draft: stage, prepare, exchange in batches, verify, commit, append. See [recovery](crate::docs::recovery).
//!
//! Until the journal is complete, none of the person's files has changed and the person may cancel. From then on every
//! failure is recovered by [`super::crash`], here or by the next process.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::appends;
use super::crash::{self, Ended};
use super::disk::{Disk, FileKind, Identity};
use super::draft::Draft;
use super::each::each;
use super::error::{ApplyError, unclear};
use super::exchange::{Exchange, Opened};
use super::folder::{Folder, Mark, SLOTS};
use super::journal::Journal;
use super::locks;
use super::preflight::{Preflight, because};
use super::refs::Refs;
use super::stage::{SlotFolder, stage};
use crate::model::{Cancel, ErrorKind, Stage, StageProgress};
use crate::text::Shown as _;

/// Up to this many files are flushed one by one.
const FEW: usize = 64;

/// Chooses where the slots for a base of the draft are.
pub type SlotChoice<'a, D> =
    dyn Fn(usize, &Folder<D>) -> Result<Option<SlotFolder<<D as Disk>::Dir>>, ApplyError> + 'a;

/// Checks every condition again.
pub type Recheck<'a> = dyn Fn() -> Result<(), ApplyError> + 'a;

/// What a transaction works with.
pub struct Transaction<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// References.
    pub refs: &'a dyn Refs,
    /// The project's folder in the state directory, locked by the caller.
    pub home: &'a D::Dir,
    /// Its absolute path.
    pub home_path: &'a Path,
    /// Where the slots for each base of the draft are; `None` for the transaction's own folder.
    pub slots: &'a SlotChoice<'a, D>,
    /// The user's id.
    pub me: u32,
    /// Git directories that are known: none may be changed as if it were part of a work tree.
    pub git_dirs: &'a [Identity],
    /// Checks every condition again, after staging and before the first exchange.
    pub recheck: &'a Recheck<'a>,
    /// Is told about progress.
    pub progress: &'a (dyn Fn(StageProgress) + Sync),
    /// Stops the transaction, until its journal is about to be written. From then on it is finished.
    pub cancel: &'a Cancel,
}

impl<D: Disk> Transaction<'_, D> {
    /// Applies a draft under this id. `record` is kept for the history.
    pub fn run(
        &self,
        id: &str,
        fingerprint: &str,
        record: &[u8],
        draft: &Draft,
    ) -> Result<Journal, ApplyError> {
        check_cancel(self.cancel)?;
        let held = locks::planned(id, &draft.lock);
        let begun = serde_json::to_vec(&held).map_err(io::Error::other);
        let begun = begun.and_then(|noted| Folder::begin(self.disk, self.home, id, record, &noted));
        let folder = begun.map_err(|error| {
            self.remove_incomplete(id, &error);
            let home = self.home_path.to_string_lossy();
            let why = because(&error);
            let text = format!("Nothing was changed: {home} cannot be written: {why}.");
            ApplyError::failed(text, &error)
        })?;
        let prepared = self.prepare(&folder, fingerprint, draft, &held);
        // A failure in here changed none of the person's files. The disk still decides, because the journal may have
        // become durable although writing it reported an error.
        let journal = match prepared {
            Ok(journal) => journal,
            Err(trouble) => return Err(self.abandon(&folder, trouble)),
        };
        // From here on the journal says what belongs where, so the same code handles a failure and a crash.
        match self.exchange(&folder, &journal) {
            Ok(()) => self.finish(&folder, journal),
            Err(error) => Err(self.roll_back(&folder, &journal, &error)),
        }
    }

    fn say(&self, stage: Stage, done: u64, total: u64) {
        (self.progress)(StageProgress { stage, done, total });
    }

    /// Removes a folder that could not be created completely, as far as the disk allows: it would look like an
    /// interrupted recovery. A folder that existed before belongs to another transaction.
    fn remove_incomplete(&self, id: &str, error: &io::Error) {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return;
        }
        if let Ok(folder) = Folder::open(self.disk, self.home, id) {
            let _ignored = crash::discard(self.disk, self.home, &folder);
        }
    }

    /// Everything up to the journal.
    fn prepare(
        &self,
        folder: &Folder<D>,
        fingerprint: &str,
        draft: &Draft,
        held: &[super::journal::HeldLock],
    ) -> Result<Journal, ApplyError> {
        check_cancel(self.cancel)?;
        // Git is locked before anything is read: otherwise git could write the index after it was read, and the
        // exchange would replace it with one made from the older state.
        locks::take(self.disk, held)?;
        self.say(Stage::Lock, 1, 1);
        let slots = self.slot_folders(folder, draft)?;
        let (tell, cancel) = (self.progress, self.cancel);
        let (bases, exchanges) = stage(self.disk, draft, &slots, &|done, total| {
            let stage = Stage::Stage;
            tell(StageProgress { stage, done, total });
            check_cancel(cancel)
        })?;
        // After a crash, the length of each log at this moment tells whether its lines were appended already.
        let mut journal = Journal::new(folder.name.clone(), fingerprint.to_owned());
        let opened = Opened::open(self.disk, &bases).map_err(|e| refused(&e))?;
        for append in &draft.appends {
            let planned = appends::plan(&opened, append);
            journal.appends.push(planned.map_err(|e| refused(&e))?);
        }
        (journal.bases, journal.exchanges) = (bases, exchanges);
        journal.refs.clone_from(&draft.refs);
        journal.locks = held.to_vec();
        self.say(Stage::Check, 0, 1);
        // A few files are flushed one by one: flushing the whole file system also waits for the data of other programs.
        if journal.exchanges.len() <= FEW {
            self.ready(folder, &journal)?;
            self.check_again()?;
            self.harden(&opened, &journal).map_err(|e| refused(&e))?;
        } else {
            let disk = self.disk;
            // The flush waits for the disk and the check for the processor and git, so they run at the same time. The
            // probes of `ready` write files, so they come after both.
            let flushed = std::thread::scope(|scope| {
                let flush = scope.spawn(|| flush(disk, &opened, &journal));
                self.check_again()?;
                let stopped = || Err(io::Error::other("the thread that flushes has stopped"));
                let flushed = flush.join().unwrap_or_else(|_panic| stopped());
                flushed.map_err(|e| refused(&e))
            });
            flushed?;
            self.ready(folder, &journal)?;
            check_cancel(self.cancel)?;
        }
        // The next process acts on the journal, so this is the last moment at which a person can cancel.
        if !self.cancel.commit() {
            return Err(ApplyError::cancelled());
        }
        folder
            .write_journal(self.disk, &journal)
            .map_err(|e| refused(&e))?;
        self.say(Stage::Check, 1, 1);
        Ok(journal)
    }

    /// Computes the plan again. Staging can take minutes, so this runs as late as possible: only the exchange itself
    /// remains as a window for unnoticed writes, and `verify` and the rollback cover that.
    fn check_again(&self) -> Result<(), ApplyError> {
        check_cancel(self.cancel)?;
        (self.recheck)()?;
        check_cancel(self.cancel)
    }

    /// Checks that everything staged can be exchanged: space, permissions, one mount.
    fn ready(&self, folder: &Folder<D>, journal: &Journal) -> Result<(), ApplyError> {
        let preflight = Preflight {
            disk: self.disk,
            tx: &folder.name,
            tx_dir: &folder.dir,
            me: self.me,
            git_dirs: self.git_dirs,
        };
        let mut failed = preflight
            .staged(&journal.bases, &journal.exchanges)
            .into_iter();
        match failed.next() {
            None => Ok(()),
            Some(first) => Err(failed.fold(ApplyError::refused(first), ApplyError::hint)),
        }
    }

    /// One folder of slots for each base of the draft.
    fn slot_folders(
        &self,
        folder: &Folder<D>,
        draft: &Draft,
    ) -> Result<Vec<SlotFolder<D::Dir>>, ApplyError> {
        let own = folder.slots(self.disk).map_err(|e| refused(&e))?;
        let own = SlotFolder {
            path: self.home_path.join(&folder.name).join(SLOTS),
            dir: own,
        };
        (0..draft.bases.len())
            .map(|base| Ok((self.slots)(base, folder)?.unwrap_or_else(|| own.clone())))
            .collect()
    }

    /// Makes the staged content and the content that becomes the backup survive a power cut.
    fn harden(&self, opened: &Opened<'_, D>, journal: &Journal) -> io::Result<()> {
        let mut dirs = Vec::new();
        for exchange in &journal.exchanges {
            let sides = [
                (&exchange.here, &exchange.here_had),
                (&exchange.there, &exchange.there_had),
            ];
            for (spot, had) in sides {
                if let Some(known) = had {
                    let dir = opened.parent(spot)?;
                    // Only files hold content of their own. The entries of links and folders are covered by the barrier
                    // below.
                    if known.node.kind == FileKind::File {
                        self.disk.harden(&dir, spot.name.name())?;
                    }
                    dirs.push(dir);
                } else {
                    // A folder that does not exist yet has no entries to make durable.
                    dirs.extend(opened.folder(spot.base, &spot.parent.path())?);
                }
            }
        }
        self.disk.barrier(&dirs)
    }

    /// Applies the exchanges, verifies them, and sets the mark.
    fn exchange(&self, folder: &Folder<D>, journal: &Journal) -> io::Result<()> {
        // Bases are opened again and compared by identity: one that was replaced since staging fails here, before any
        // rename.
        let opened = Opened::open(self.disk, &journal.bases)?;
        let total = journal.exchanges.len() as u64;
        let mut done = 0;
        for batch in journal.batches() {
            done += exchange_batch(self.disk, &opened, &batch, &|moved| {
                self.say(Stage::Exchange, done + moved, total);
            })?;
        }
        // After the files: if the branch pointed at the checkpoint first and the process died, git would show every
        // file as modified.
        for moved in &journal.refs {
            crash::move_ref(self.refs, moved, false)?;
        }
        // A rename can succeed and still have moved a file that another program saved an instant before.
        let (tell, verified) = (self.progress, Mutex::new(0));
        each(&journal.exchanges, |exchange| {
            opened.verify(exchange)?;
            let mut done = verified.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            let (stage, done) = (Stage::Verify, *done);
            tell(StageProgress { stage, done, total });
            io::Result::Ok(())
        })?;
        // The last moment at which a log that cannot be appended to can still roll everything back.
        appends::check_all(self.disk, &opened, &journal.appends)?;
        self.say(Stage::Verify, total, total);
        folder.set(self.disk, Mark::Committed)
    }

    /// What comes after the commit; it is only ever finished.
    fn finish(&self, folder: &Folder<D>, journal: Journal) -> Result<Journal, ApplyError> {
        let total = journal.appends.len() as u64;
        self.say(Stage::Append, 0, total);
        match crash::finish(self.disk, self.refs, folder, &journal) {
            Ok(()) => {
                self.say(Stage::Append, total, total);
                Ok(journal)
            }
            Err(trouble) => {
                let what = trouble.text.shown();
                let text = format!("The files are as planned, but the last step failed: {what}");
                let id = &folder.name;
                let mut hints =
                    vec![format!("To complete it: relight recover {id} --finish").into()];
                hints.extend(trouble.hints);
                Err(unclear(text, hints))
            }
        }
    }

    /// Something failed after the journal was complete: recovers exactly as after a crash.
    fn roll_back(&self, folder: &Folder<D>, journal: &Journal, error: &io::Error) -> ApplyError {
        // The disk may be full, and a rollback must write marks: the ballast is space reserved for that.
        folder.drop_ballast(self.disk);
        match crash::recover(self.disk, self.refs, folder) {
            Ok(Ended::RolledBack) => {
                let left = crash::skipped_paths(self.disk, folder);
                let left: Vec<_> = left.iter().map(|one| one.text.lossy()).collect();
                let failed = "The recovery failed and was rolled back";
                let text = match left.join(" ").as_str() {
                    "" => format!("{failed}; all files are as before: {error}."),
                    left => format!("{failed}: {error}. {left}"),
                };
                ApplyError {
                    kind: ErrorKind::RolledBack,
                    ..ApplyError::failed(text, error)
                }
            }
            Ok(Ended::Finished) => {
                let text = format!("The files are as planned, but the disk reported: {error}.");
                let hint = format!("relight history shows the state of {}.", journal.id);
                unclear(text, vec![hint.into()])
            }
            Ok(Ended::Untouched) => refused(error),
            // Only `recover --keep` ends one half-applied.
            Ok(Ended::HalfApplied) => ApplyError::refused(error.to_string()),
            Err(trouble) => {
                let what = trouble.text.shown();
                let text =
                    format!("The recovery failed ({error}), and the rollback stopped: {what}");
                unclear(text, trouble.hints)
            }
        }
    }

    /// None of the person's files was changed: removes the locks and the folder with the staged content.
    fn abandon(&self, folder: &Folder<D>, trouble: ApplyError) -> ApplyError {
        match crash::recover(self.disk, self.refs, folder) {
            Ok(Ended::RolledBack | Ended::Untouched) => {
                // A folder that cannot be removed is found later as one of a transaction that never began.
                let _ignored = crash::discard(self.disk, self.home, folder);
                trouble
            }
            Ok(Ended::Finished | Ended::HalfApplied) => trouble,
            Err(other) => other,
        }
    }
}

/// Flushes by file system, which also waits for what other programs have written there.
fn flush<D: Disk>(disk: &D, opened: &Opened<'_, D>, journal: &Journal) -> io::Result<()> {
    let mut seen = Vec::new();
    for at in 0..journal.bases.len() {
        let dir = opened.base(at)?;
        let device = disk.node(dir)?.id.dev;
        if !seen.contains(&device) {
            seen.push(device);
            disk.flush(dir)?;
        }
    }
    Ok(())
}

pub(super) fn check_cancel(cancel: &Cancel) -> Result<(), ApplyError> {
    if cancel.is_cancelled() {
        return Err(ApplyError::cancelled());
    }
    Ok(())
}

/// Applies the exchanges of a batch and makes them durable. Returns how many there were.
fn exchange_batch<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    batch: &[&Exchange],
    moved: &dyn Fn(u64),
) -> io::Result<u64> {
    let mut touched = Vec::new();
    let mut done = 0;
    // Opening a folder costs several system calls, so neighbors that use the same two folders share them.
    for group in batch.chunk_by(|a, b| a.folders() == b.folders()) {
        let Some(first) = group.first() else { continue };
        let dirs = opened.parents(first)?;
        for exchange in group {
            opened.exchange_in(&dirs, exchange, exchange.had())?;
            done += 1;
            moved(done);
        }
        touched.extend(dirs);
    }
    disk.barrier(&touched)?;
    Ok(batch.len() as u64)
}

fn refused(error: &io::Error) -> ApplyError {
    ApplyError::failed(format!("Nothing was changed: {}.", because(error)), error)
}
