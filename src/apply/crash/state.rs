//! How far a transaction came.

use std::io;

use crate::apply::disk::Disk;
use crate::apply::folder::{Folder, Mark};

/// How far a transaction came, according to the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It never began: nothing was exchanged.
    Untouched,
    /// It was prepared and not committed: it will be rolled back.
    Prepared,
    /// It was prepared, or may have been, but its journal is gone, or its marks are: nothing says how far it came.
    Lost,
    /// It was committed, and some work remains.
    Committed,
    /// It is done.
    Done,
    /// It was rolled back.
    RolledBack,
    /// A person ended it although it could not be rolled back.
    HalfApplied,
}

impl State {
    /// Whether nothing remains to be done for it.
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Done | Self::RolledBack | Self::HalfApplied => true,
            Self::Untouched | Self::Prepared | Self::Lost | Self::Committed => false,
        }
    }
}

/// How far a transaction came. Reads only.
pub fn state<D: Disk>(disk: &D, folder: &Folder<D>) -> io::Result<State> {
    // The latest mark first: earlier marks are never removed.
    Ok(if folder.has(disk, Mark::Done)? {
        State::Done
    } else if folder.has(disk, Mark::RolledBack)? {
        State::RolledBack
    } else if folder.has(disk, Mark::HalfApplied)? {
        State::HalfApplied
    } else if folder.has(disk, Mark::Committed)? {
        State::Committed
    } else if folder.journal(disk).is_some() {
        if folder.lost_marks(disk)? {
            State::Lost
        } else {
            State::Prepared
        }
    } else if folder.lost_journal(disk)? {
        State::Lost
    } else {
        State::Untouched
    })
}
