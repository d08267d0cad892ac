//! The folder of one transaction: its record, its journal, its slots, and the marks that show how far it came.
//!
//! The files of the marks are created in advance and each is set by one rename, so that committing and rolling back
//! work on a full disk.

use std::ffi::OsStr;
use std::io;

use super::disk::Disk;
use super::exchange::{if_there, present};
use super::journal::{CAP, Damage, Journal};

/// The slots: before its exchange a slot holds the new content, afterwards the old content.
pub const SLOTS: &str = "slots";
/// The record: what was planned, for people and for the history.
pub(super) const RECORD: &str = "record.json";
/// The journal, and the name it has until it is complete.
pub(super) const JOURNAL: &str = "journal";
const JOURNAL_BEGUN: &str = "journal.tmp";
/// The lock files that will be created, so that they can be found if the journal is never written.
const LOCKS: &str = "locks.json";
/// Paths that a rollback skipped.
pub(super) const LEFT: &str = "left.json";
/// Places that were emptied and whose backup is missing.
pub(super) const GONE: &str = "gone.json";
/// Space that is reserved for rolling back on a full disk.
const BALLAST: &str = "ballast";
const BALLAST_BYTES: usize = 1 << 20;

/// How far a transaction came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The journal is complete: from here on anything may have been exchanged.
    Prepared,
    /// Everything is exchanged and was verified: from here it is only finished, never rolled back.
    Committed,
    /// It is being rolled back.
    RollingBack,
    /// Everything was rolled back.
    RolledBack,
    /// A person ended it although it could not be rolled back.
    HalfApplied,
    /// The lines were appended, too: nothing is left to do.
    Done,
    /// Its backups were deleted.
    Purged,
}

impl Mark {
    const ALL: [Self; 7] = [
        Self::Prepared,
        Self::Committed,
        Self::RollingBack,
        Self::RolledBack,
        Self::HalfApplied,
        Self::Done,
        Self::Purged,
    ];

    /// The names of its file: while it is set, and before.
    const fn names(self) -> [&'static str; 2] {
        match self {
            Self::Prepared => ["PREPARED", "prepared.slot"],
            Self::Committed => ["COMMITTED", "committed.slot"],
            Self::RollingBack => ["ROLLING_BACK", "rolling.slot"],
            Self::RolledBack => ["ROLLED_BACK", "rolled.slot"],
            Self::HalfApplied => ["HALF_APPLIED", "half.slot"],
            Self::Done => ["DONE", "done.slot"],
            Self::Purged => ["PURGED", "purged.slot"],
        }
    }

    fn name(self) -> &'static OsStr {
        OsStr::new(self.names()[0])
    }

    fn unset(self) -> &'static OsStr {
        OsStr::new(self.names()[1])
    }
}

/// The folder of one transaction.
#[derive(Debug)]
pub struct Folder<D: Disk> {
    /// The folder itself.
    pub dir: D::Dir,
    /// Its name, which is the recovery's id.
    pub name: String,
}

impl<D: Disk> Folder<D> {
    /// Creates the folder of a new transaction in the project's home. `record` says what was planned, `locks` lists the
    /// lock files that will be created.
    pub fn begin(
        disk: &D,
        home: &D::Dir,
        name: &str,
        record: &[u8],
        locks: &[u8],
    ) -> io::Result<Self> {
        disk.mkdir(home, OsStr::new(name), 0o700)?;
        let folder = Self::open(disk, home, name)?;
        disk.mkdir(&folder.dir, OsStr::new(SLOTS), 0o700)?;
        for mark in Mark::ALL {
            // Empty files need no flush of their own: the barrier below covers their names.
            disk.create(&folder.dir, mark.unset(), 0o600)?;
        }
        folder.write(disk, BALLAST, &vec![0; BALLAST_BYTES])?;
        folder.write(disk, RECORD, record)?;
        folder.write(disk, LOCKS, locks)?;
        disk.barrier(&[folder.dir.clone(), home.clone()])?;
        Ok(folder)
    }

    /// Opens the folder of an existing transaction.
    pub fn open(disk: &D, home: &D::Dir, name: &str) -> io::Result<Self> {
        let dir = disk.dir(home, name.as_ref())?;
        Ok(Self {
            dir,
            name: name.to_owned(),
        })
    }

    fn write(&self, disk: &D, name: &str, bytes: &[u8]) -> io::Result<()> {
        disk.put(&self.dir, OsStr::new(name), 0o600, bytes)
    }

    /// The folder of its slots, if it is in this folder.
    pub fn slots(&self, disk: &D) -> io::Result<D::Dir> {
        disk.dir(&self.dir, SLOTS.as_ref())
    }

    /// The list of lock files; empty if there is none.
    pub fn noted_locks(&self, disk: &D) -> io::Result<Vec<u8>> {
        self.read(disk, LOCKS).map(Option::unwrap_or_default)
    }

    /// Writes the journal. When this returns, the transaction is prepared.
    pub fn write_journal(&self, disk: &D, journal: &Journal) -> io::Result<()> {
        let bytes = journal.encode().map_err(io::Error::other)?;
        self.write(disk, JOURNAL_BEGUN, &bytes)?;
        let at = |name| (&self.dir, OsStr::new(name));
        disk.shift(at(JOURNAL_BEGUN), at(JOURNAL))?;
        // If the journal is lost later, this mark shows that there was one.
        self.rename(disk, Mark::Prepared)?;
        disk.barrier(std::slice::from_ref(&self.dir))
    }

    /// Reads the journal; `None` if there is none.
    pub fn journal(&self, disk: &D) -> Option<Result<Journal, Damage>> {
        match self.read(disk, JOURNAL) {
            Ok(bytes) => bytes.map(|bytes| Journal::decode(&bytes)),
            Err(error) => Some(Err(Damage::Unreadable(error.to_string()))),
        }
    }

    /// Whether the journal of a folder without one was lost: it is marked as complete, or it may have been and there is
    /// something in the slots.
    pub fn lost_journal(&self, disk: &D) -> io::Result<bool> {
        if self.has(disk, Mark::Prepared)? {
            return Ok(true);
        }
        let unset = Mark::Prepared.unset();
        if disk.look(&self.dir, unset)?.is_some() {
            return Ok(false);
        }
        // An older version, which did not have this mark, created the folder.
        match if_there(self.slots(disk))? {
            Some(slots) => Ok(!disk.list(&slots)?.is_empty()),
            None => Ok(false),
        }
    }

    /// Whether the files of its marks were removed: the one that a commit sets is there from the beginning, set or not.
    pub fn lost_marks(&self, disk: &D) -> io::Result<bool> {
        let unset = disk.look(&self.dir, Mark::Committed.unset())?;
        Ok(unset.is_none() && !self.has(disk, Mark::Committed)?)
    }

    /// Removes the journal: the folder then belongs to a transaction that never began.
    pub fn drop_journal(&self, disk: &D) -> io::Result<()> {
        disk.remove_if_any(&self.dir, OsStr::new(JOURNAL))
    }

    /// The record; empty if there is none.
    pub fn record(&self, disk: &D) -> io::Result<Vec<u8>> {
        self.read(disk, RECORD).map(Option::unwrap_or_default)
    }

    fn read(&self, disk: &D, name: &str) -> io::Result<Option<Vec<u8>>> {
        present(disk.read(&self.dir, OsStr::new(name), CAP))
    }

    /// Whether a mark is set.
    pub fn has(&self, disk: &D, mark: Mark) -> io::Result<bool> {
        Ok(disk.look(&self.dir, mark.name())?.is_some())
    }

    /// Whether the folder was created completely, so that it may contain something. The last unset mark tells: it is
    /// created before everything else.
    pub fn is_begun(&self, disk: &D) -> io::Result<bool> {
        Ok(disk.look(&self.dir, Mark::Purged.unset())?.is_some())
    }

    /// Sets a mark and makes it durable. Its file is created if a crash prevented that.
    pub fn set(&self, disk: &D, mark: Mark) -> io::Result<()> {
        if !self.has(disk, mark)? {
            if disk.look(&self.dir, mark.unset())?.is_some() {
                self.rename(disk, mark)?;
            } else {
                disk.create(&self.dir, mark.name(), 0o600)?;
            }
        }
        disk.barrier(std::slice::from_ref(&self.dir))
    }

    fn rename(&self, disk: &D, mark: Mark) -> io::Result<()> {
        disk.shift((&self.dir, mark.unset()), (&self.dir, mark.name()))
    }

    /// Frees the ballast, so that a full disk has space for rolling back.
    pub fn drop_ballast(&self, disk: &D) {
        // If it cannot be removed, rolling back is tried without the space.
        let _ignored = disk.remove(&self.dir, OsStr::new(BALLAST));
    }

    /// When it ended, in nanoseconds since the epoch, by the clock of the disk.
    pub fn ended_ns(&self, disk: &D) -> io::Result<Option<i64>> {
        for mark in [Mark::Done, Mark::RolledBack, Mark::HalfApplied] {
            // The file is as old as the folder, so only the time of its rename tells when the mark was set.
            let named = disk.named_ns(&self.dir, mark.name())?;
            if named.is_some() {
                return Ok(named);
            }
        }
        Ok(None)
    }
}
