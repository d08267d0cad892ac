//! Writes records: the same locks, staging and exchange as a recovery, without consent, history or undo.
//!
//! A record is made as a whole or not at all, with its line in the ledger. Its journal holds what an agent has just
//! done, so the next record or recovery finishes it before anything else, or undoes it where another program has
//! changed one of its files meanwhile; such a file stays as it is. The rename or append of a single file happens or does
//! not: its journal only corrects the ledger, and is not flushed.

mod cut;
mod ledger;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(super) use cut::finish;
pub use cut::is_cut;
pub use ledger::{Interrupted, from_the_end, interrupted, ledgers};

use chrono::{DateTime, FixedOffset};

use super::appends;
use super::bytes::Bytes;
use super::compile::Compiler;
use super::crash::{self, remove_all};
use super::disk::{Disk, Identity};
use super::draft::Draft;
use super::error::{ApplyError, is_full, unclear};
use super::exchange::{Exchange, Opened};
use super::folder::Folder;
use super::home::{Home, Seat};
use super::journal::{Append, CAP, Journal};
use super::preflight::because;
use super::session::{Context, Session};
use super::stage::{SlotFolder, stage};
use super::transaction::check_cancel;
use crate::model::{Action, ErrorKind};
use crate::world::git::Git;

/// Only one record at a time proceeds to the project's lock, so a lock that is then held is a recovery's.
const QUEUE: &str = "queue";
/// One line for each record.
const LEDGER: &str = "records.jsonl";
/// The journal of a record, and its name until it is complete.
const JOURNAL: &str = "journal";
const JOURNAL_BEGUN: &str = "journal.tmp";
/// How much of the ledger is read to find the last record.
const TAIL: u64 = 64 << 10;
/// How long a waiting record pauses before it tries again.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// A project whose locks are held for a record.
pub struct Recording<'a, D: Disk> {
    context: &'a Context<'a, D>,
    session: Session<'a, D>,
    dir: D::Dir,
    _queue: D::Lock,
}

impl<'a, D: Disk> Recording<'a, D> {
    /// Takes the locks: waits for other records, never for a recovery. Refused while a crashed recovery is pending,
    /// because completing it could roll files back while an agent is working. Once this has the locks, a cancellation
    /// is too late.
    pub fn begin(context: &'a Context<'a, D>, patience: Duration) -> Result<Self, ApplyError> {
        let disk = context.disk;
        let failed = |error: &io::Error| unwritten(context.state, error);
        let root = disk
            .root(context.root)
            .and_then(|dir| Ok(disk.node(&dir)?.id));
        let root: Identity = root.map_err(|e| unwritten(context.root, &e))?;
        let home = Home::make(disk, context.state, (root, context.root), context.me);
        let home = home.map_err(|e| failed(&e))?;
        let dir = home.records(disk, context.me).map_err(|e| failed(&e))?;
        let end = Instant::now() + patience;
        let queue = loop {
            check_cancel(context.cancel)?;
            match disk.lock(&dir, OsStr::new(QUEUE)).map_err(|e| failed(&e))? {
                Some(lock) => break lock,
                None if Instant::now() < end => std::thread::sleep(RETRY_PAUSE),
                None => {
                    let text = "Other records of this project are still being written.";
                    return Err(ApplyError::refused(text).hint("Try again."));
                }
            }
        };
        if !context.cancel.commit() {
            return Err(ApplyError::cancelled());
        }
        let session = Session::lock_home(context, home)?;
        let recording = Self {
            context,
            session,
            dir,
            _queue: queue,
        };
        match recording.pending().map_err(|e| failed(&e))? {
            None => Ok(recording),
            Some(id) => {
                let text = format!("The recovery {id} was interrupted, so nothing is recorded.");
                Err(ApplyError::refused(text).hint(format!("relight recover {id}")))
            }
        }
    }

    /// Whether an earlier record was finished or undone first, which may have changed what the caller read before.
    pub fn has_finished_another(&self) -> bool {
        self.session.finished_record.is_some()
    }

    /// The line in the ledger of that record; `None` if it was undone instead.
    pub fn finished(&self) -> Option<&[u8]> {
        let line = self.session.finished_record.as_deref();
        line.filter(|line| !line.is_empty())
    }

    /// Lets go of the project and does this again. If it is cancelled, it says what became of the earlier record.
    pub fn after_another<T>(
        self,
        again: impl FnOnce() -> Result<T, ApplyError>,
    ) -> Result<T, ApplyError> {
        let note = self.session.record_note();
        drop(self);
        again().map_err(|error| error.after(note.as_slice()))
    }

    /// A recovery that a crash left pending.
    fn pending(&self) -> io::Result<Option<String>> {
        let (disk, home) = (self.context.disk, self.session.home());
        for name in home.ids(disk)? {
            let state = crash::state(disk, &Folder::open(disk, &home.dir, &name)?)?;
            if !state.has_ended() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// The lines of the ledger: all of them, or the last ones.
    pub fn ledger(&self, all: bool) -> io::Result<Vec<u8>> {
        let disk = self.context.disk;
        let name = OsStr::new(LEDGER);
        let Some(node) = disk.look(&self.dir, name)? else {
            return Ok(Vec::new());
        };
        let from = if all {
            0
        } else {
            node.size.saturating_sub(TAIL)
        };
        disk.read_from(&self.dir, name, from, CAP)
    }

    /// Makes the changes, and adds the line to the ledger before them. The journal has both, so that a record that is
    /// interrupted is finished or undone as a whole. The changes state the time `at`, which may be past. A `lasting` line is
    /// on the disk before the first change.
    pub fn write(
        &self,
        actions: &[Action],
        git: &dyn Git,
        line: &[u8],
        (at, lasting): (DateTime<FixedOffset>, bool),
    ) -> Result<(), ApplyError> {
        let context = self.context;
        let compiler = Compiler {
            disk: context.disk,
            git,
            now: at,
            id: LEDGER,
            in_earnest: true,
        };
        let draft = compiler.compile(actions)?;
        self.session.preflight(&draft)?;
        let slots = self.slots(&draft)?;
        let staged = stage(context.disk, &draft, &slots, &|_, _| Ok(()))?;
        let mut journal = Journal::new(LEDGER.to_owned(), String::new());
        (journal.bases, journal.exchanges) = staged;
        journal.ledger = Bytes(line.to_vec());
        let failed = |error: &io::Error| unwritten(context.root, error);
        let opened = Opened::open(context.disk, &journal.bases).map_err(|e| failed(&e))?;
        for append in &draft.appends {
            let planned = appends::plan(&opened, append);
            let planned = planned.and_then(|planned| {
                appends::check(context.disk, &opened, &planned)?;
                Ok(planned)
            });
            let base = draft.bases.get(append.place.base);
            let log = base.map_or_else(PathBuf::new, |base| base.path.join(&append.place.rel));
            journal
                .appends
                .push(planned.map_err(|e| unwritten(&log, &e))?);
        }
        let done = self.change(&opened, &journal, lasting);
        // An unfinished record needs its staged files. Otherwise they are deleted; if that fails, the next record does
        // it before staging.
        if !done
            .as_ref()
            .is_err_and(|why| why.kind == ErrorKind::Unclear)
        {
            for slots in &slots {
                let _ignored = remove_all(context.disk, &slots.dir);
            }
        }
        done
    }

    /// An empty folder of slots for each base.
    fn slots(&self, draft: &Draft) -> Result<Vec<SlotFolder<D::Dir>>, ApplyError> {
        let context = self.context;
        let roots: Vec<_> = draft.bases.iter().map(|base| base.path.clone()).collect();
        let path = self.session.home().records_path();
        let seat = Seat {
            disk: context.disk,
            tx: "records",
            dir: &self.dir,
            path: &path,
            roots: &roots,
            me: context.me,
            brief: true,
        };
        let mut all = Vec::new();
        for base in &draft.bases {
            let failed = |error: &io::Error| unwritten(&base.path, error);
            let place = context.disk.root(&base.path).map_err(|e| failed(&e))?;
            let slots = seat.slots_for(&place, context.common_dir, context.root);
            let slots = slots?;
            remove_all(context.disk, &slots.dir).map_err(|e| failed(&e))?;
            all.push(slots);
        }
        Ok(all)
    }

    fn change(
        &self,
        opened: &Opened<'_, D>,
        journal: &Journal,
        lasting: bool,
    ) -> Result<(), ApplyError> {
        let disk = self.context.disk;
        let changes = journal.exchanges.len() + journal.appends.len();
        let noted = || {
            if changes > 0 {
                self.prepare(opened, journal, changes > 1)?;
            }
            ledger::note(disk, &self.dir, &journal.ledger.0, lasting)
        };
        // They may be on two file systems, of which one fails.
        let (root, own) = (self.context.root, self.session.home().records_path());
        let made = harden_all(disk, opened, journal)
            .map_err(|why| (root, why))
            .and_then(|()| noted().map_err(|why| (own.as_path(), why)))
            .and_then(|()| {
                apply_all(disk, opened, &journal.exchanges)
                    .and_then(|()| add_lines(disk, opened, journal))
                    .map_err(|why| (root, why))
            });
        let drop_journal = || disk.remove_if_any(&self.dir, OsStr::new(JOURNAL));
        match made {
            Ok(()) => {
                // A journal that cannot be removed is finished again later, which changes nothing.
                let _ignored = drop_journal();
                Ok(())
            }
            Err((at, why))
                // A full disk cannot finish it, and undoing it needs no space. After another error the disk may
                // not do what it says.
                if (untouched(opened, journal)
                    || is_full(&why) && cut::undo(disk, opened, journal).is_ok_and(|gone| gone))
                    && ledger::void(disk, &self.dir, &journal.ledger.0).is_ok()
                    && drop_journal().is_ok() =>
            {
                Err(unwritten(at, &why))
            }
            Err((at, why)) => {
                let path = at.to_string_lossy();
                let text = format!("The record may be incomplete: {path}: {}.", because(&why));
                let hint =
                    "To finish or undo it: relight recover. The next record of this project does so, too.";
                Err(unclear(text, vec![hint.into()]))
            }
        }
    }

    /// Writes the journal. From here on the next record or recovery finishes this record, or undoes it. That of a
    /// single change need not be `durable`.
    fn prepare(&self, opened: &Opened<'_, D>, journal: &Journal, durable: bool) -> io::Result<()> {
        let disk = self.context.disk;
        let begun = OsStr::new(JOURNAL_BEGUN);
        disk.remove_if_any(&self.dir, begun)?;
        if durable {
            // Durable before the journal: without its staged files the record could not be finished. This includes a
            // staged folder that something else is moved into.
            let staged = journal.exchanges.iter();
            let staged = staged.filter(|exchange| exchange.there_had.is_some());
            let dirs = staged.map(|exchange| opened.parent(&exchange.there));
            disk.barrier(&dirs.collect::<io::Result<Vec<_>>>()?)?;
        }
        let mut file = disk.create(&self.dir, begun, 0o600)?;
        let bytes = journal.encode().map_err(io::Error::other)?;
        disk.write(&mut file, &bytes)?;
        let placed = || disk.shift((&self.dir, begun), (&self.dir, OsStr::new(JOURNAL)));
        if !durable {
            return placed();
        }
        disk.sync(&file)?;
        placed()?;
        disk.barrier(std::slice::from_ref(&self.dir))
    }
}

/// Makes the new content durable before it replaces anything.
fn harden_all<D: Disk>(disk: &D, opened: &Opened<'_, D>, journal: &Journal) -> io::Result<()> {
    for exchange in &journal.exchanges {
        if exchange.there_had.is_some_and(|had| had.digest.is_some()) {
            let dir = opened.parent(&exchange.there)?;
            disk.harden(&dir, exchange.there.name.name())?;
        }
    }
    Ok(())
}

/// Whether every file is known to be as before.
fn untouched<D: Disk>(opened: &Opened<'_, D>, journal: &Journal) -> bool {
    let not_applied = |exchange: &Exchange| {
        let here = opened.see(&exchange.here).map(|seen| seen.node);
        here.is_ok_and(|node| node == exchange.had()[0])
    };
    let unchanged = |append: &Append| {
        let node = opened.look(append.base, &append.parent.path(), append.name.name());
        node.is_ok_and(|node| node.map_or(0, |node| node.size) == append.before)
    };
    journal.exchanges.iter().all(not_applied) && journal.appends.iter().all(unchanged)
}

/// Applies the exchanges durably: all of them, or none if one fails.
fn apply_all<D: Disk>(disk: &D, opened: &Opened<'_, D>, exchanges: &[Exchange]) -> io::Result<()> {
    let mut dirs = Vec::new();
    for (at, exchange) in exchanges.iter().enumerate() {
        match opened.exchange(exchange, exchange.had()) {
            Ok([here, there]) => {
                dirs.push(here);
                // A move empties the other folder, which must be durable. A slot need not be.
                if exchange.there_had.is_none() {
                    dirs.push(there);
                }
            }
            Err(error) => {
                for done in exchanges.iter().take(at).rev() {
                    let [old, new] = done.had();
                    opened.exchange(done, [new, old])?;
                }
                return Err(error);
            }
        }
    }
    disk.barrier(&dirs)
}

fn add_lines<D: Disk>(disk: &D, opened: &Opened<'_, D>, journal: &Journal) -> io::Result<()> {
    let mut lines = journal.appends.iter();
    lines.try_for_each(|append| appends::redo(disk, opened, append))
}

fn unwritten(path: &Path, error: &io::Error) -> ApplyError {
    let path = path.to_string_lossy();
    let text = format!("Nothing was recorded: {path}: {}.", because(error));
    ApplyError::failed(text, error)
}
