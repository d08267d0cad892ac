//! A lock that excludes other processes, other threads, and a second lock by the same process.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use rustix::fs::{OFlags, openat};
use rustix::io::retry_on_intr;

use super::super::FileKind;
use super::{CAREFUL, RealDir, stat};

/// The number of tries on a lock file that is replaced repeatedly.
const TRIES: usize = 100;

/// A lock on a file. It ends when it is dropped or the process ends, and no program that relight starts
/// inherits it.
#[derive(Debug)]
pub struct RealLock {
    file: File,
}

/// The longest text that is padded with blanks. relight never writes a longer one.
const LONGEST: usize = 256;

impl RealLock {
    /// Writes the holder. A reader may see half of the text; nothing depends on it.
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
    /// Releases it at once. Closing alone is not enough: a program that another thread is just starting would hold it
    /// until it has closed its copy of the descriptor.
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}

/// Whether a name still leads to this file. A lock on a file that was removed or replaced excludes nobody.
pub(super) fn is_there(at: &RealDir, name: &OsStr, file: &File) -> io::Result<bool> {
    let id = stat::of(file)?.id;
    let there = stat::named(at, name)?.is_some_and(|there| there.id == id);
    Ok(there && file.metadata()?.nlink() > 0)
}

/// Whether a process holds the lock, by the kernel's own table. Trying to take it instead would make a relight that
/// starts in that moment give up.
pub(super) fn is_held(at: &RealDir, name: &OsStr) -> bool {
    let Ok(Some(node)) = stat::named(at, name) else {
        return false;
    };
    let (major, minor) = (
        rustix::fs::major(node.id.dev),
        rustix::fs::minor(node.id.dev),
    );
    let file = format!("{major:02x}:{minor:02x}:{}", node.id.ino);
    let table = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    // A process that waits for a lock is listed too, after an arrow.
    let mut held = table.lines().filter(|line| !line.contains("->"));
    held.any(|line| line.split_whitespace().any(|word| word == file))
}

/// Takes the lock; `None` if another process holds it.
pub(super) fn take(at: &RealDir, name: &OsStr) -> io::Result<Option<RealLock>> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK | CAREFUL;
    for _ in 0..TRIES {
        let file = File::from(retry_on_intr(|| {
            openat(at, name, flags, stat::mode(0o600))
        })?);
        let node = stat::of(&file)?;
        if node.kind != FileKind::File {
            let text = "the lock is not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
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
    let text = "the lock file was replaced repeatedly";
    Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
}
