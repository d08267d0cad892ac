//! A lock that two processes, two threads, or one process twice, never hold at once.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use rustix::fs::{OFlags, openat};
use rustix::io::retry_on_intr;

use super::super::Kind;
use super::{RealDir, stat};

/// Tries after which a file that is replaced again and again is given up.
const TRIES: usize = 100;

/// A lock on a file. It ends when it is dropped or the process ends, and no program that relight starts
/// inherits it.
#[derive(Debug)]
pub struct RealLock {
    file: File,
}

/// A longer text was not written here.
const LONGEST: usize = 256;

impl RealLock {
    /// Writes who holds it. A reader may see half of it: nothing depends on it.
    pub(super) fn sign(&self, text: &[u8]) -> io::Result<()> {
        // Blanks over the rest of an earlier text: emptying the file first would make ext4 write it out when it is
        // closed, and the next flush of a record wait for that.
        let old = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
        if old > LONGEST {
            self.file.set_len(0)?;
        }
        let mut padded = text.to_vec();
        padded.resize(text.len().max(old.min(LONGEST)), b' ');
        self.file.write_all_at(&padded, 0)
    }
}

impl Drop for RealLock {
    /// Gives it up at once. Closing alone would leave it with a program that another thread is just starting,
    /// until that has closed its copy.
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}

/// Whether a file is what stands under a name. Who locked one that was removed or replaced meanwhile holds a
/// lock that nobody else will meet.
pub(super) fn is_there(at: &RealDir, name: &OsStr, file: &File) -> io::Result<bool> {
    let id = stat::of(file)?.id;
    let there = stat::named(at, name)?.is_some_and(|there| there.id == id);
    Ok(there && file.metadata()?.nlink() > 0)
}

/// Takes the lock; `None` where another holds it.
pub(super) fn take(at: &RealDir, name: &OsStr) -> io::Result<Option<RealLock>> {
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    for _ in 0..TRIES {
        let file = File::from(retry_on_intr(|| {
            openat(at, name, flags, stat::mode(0o600))
        })?);
        let node = stat::of(&file)?;
        if node.kind != Kind::File {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the lock is not a regular file",
            ));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(why)) => return Err(why),
        }
        if is_there(at, name, &file)? {
            return Ok(Some(RealLock { file }));
        }
    }
    Err(io::Error::new(
        io::ErrorKind::ResourceBusy,
        "the lock file was replaced repeatedly",
    ))
}
