//! `index.lock` in each git directory that takes part: while it exists, git refuses to change index and work tree. Its
//! text names the recovery that holds it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::bytes::Bytes;
use super::disk::Disk;
use super::error::ApplyError;
use super::exchange::if_there;
use super::journal::HeldLock;
use super::preflight::because;
use crate::model::index_lock::{lock_holder, lock_text};
use crate::model::text::hex;

const LOCK: &str = "index.lock";

/// The most that is read of a lock file, to see whether it is ours.
const CAP: u64 = 4096;

/// The locks of these git directories, sorted, each known by the text that will be in it.
pub fn planned(id: &str, git_dirs: &[std::path::PathBuf]) -> Vec<HeldLock> {
    // In one order for all: two recoveries that share git directories would otherwise each hold what the other waits
    // for.
    let mut dirs: Vec<&Path> = git_dirs.iter().map(AsRef::as_ref).collect();
    dirs.sort_unstable();
    dirs.dedup();
    let lock = |dir: &Path| HeldLock {
        git_dir: Bytes::from(dir),
        text: lock_text(id),
    };
    dirs.into_iter().map(lock).collect()
}

/// Creates the locks. If one exists already, those that were created are removed again.
pub fn take<D: Disk>(disk: &D, locks: &[HeldLock]) -> Result<(), ApplyError> {
    for (at, lock) in locks.iter().enumerate() {
        if let Err(error) = take_one(disk, lock) {
            let made = locks.get(..at).unwrap_or_default();
            // Only our own locks are removed. If that fails, `recover` finds the remaining lock by its text.
            let _ignored = release(disk, made);
            let dir = lock.git_dir.path();
            let held = error.kind() == io::ErrorKind::AlreadyExists;
            let own = disk
                .root(&dir)
                .and_then(|dir| disk.read(&dir, OsStr::new(LOCK), CAP));
            if let Some(id) = own.ok().as_deref().and_then(lock_holder).filter(|_| held) {
                let text = format!(
                    "relight's own recovery {id} holds index.lock: it was interrupted or is running now."
                );
                let hint = format!("Complete it and unlock git: relight recover {id}");
                let elsewhere = "If there is no such recovery, another state directory (XDG_STATE_HOME) has it.";
                return Err(ApplyError::refused(text).hint(hint).hint(elsewhere));
            }
            let lock = format!("{}/{LOCK}", dir.to_string_lossy());
            if !held {
                let why = because(&error);
                return Err(ApplyError::refused(format!(
                    "{lock} cannot be created: {why}."
                )));
            }
            let text = format!("{lock} exists: another git command holds the index.");
            return Err(ApplyError::refused(text).hint(
                "Wait for that program to end. If none is running, delete the file and try again.",
            ));
        }
    }
    Ok(())
}

fn take_one<D: Disk>(disk: &D, lock: &HeldLock) -> io::Result<()> {
    let dir = disk.root(&lock.git_dir.path())?;
    // Written and flushed under another name first: a lock that is visible before its text is complete and durable
    // could not be recognized after a crash.
    let begun = begun(lock);
    disk.put(&dir, &begun, 0o644, lock.text.as_bytes())?;
    let taken = disk.shift((&dir, &begun), (&dir, OsStr::new(LOCK)));
    if taken.is_err() {
        disk.remove(&dir, &begun)?;
    }
    taken
}

/// The name that a lock has until it is complete.
fn begun(lock: &HeldLock) -> OsString {
    let sum = hex(&Sha256::digest(lock.text.as_bytes()));
    let short: String = sum.chars().take(16).collect();
    format!("{LOCK}.relight-{short}").into()
}

/// Whether one of our own locks exists, complete or incomplete. Reads only.
pub fn any_left<D: Disk>(disk: &D, locks: &[HeldLock]) -> io::Result<bool> {
    for lock in locks {
        let Some(dir) = if_there(disk.root(&lock.git_dir.path()))? else {
            continue;
        };
        if disk.look(&dir, &begun(lock))?.is_some() {
            return Ok(true);
        }
        if is_ours(disk, &dir, lock)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_ours<D: Disk>(disk: &D, dir: &D::Dir, lock: &HeldLock) -> io::Result<bool> {
    let text = if_there(disk.read(dir, OsStr::new(LOCK), CAP))?;
    Ok(text.is_some_and(|text| text == lock.text.as_bytes()))
}

/// Removes our own locks durably: after a transaction is marked as ended, nothing looks for them again. A lock with
/// another text stays.
pub fn release<D: Disk>(disk: &D, locks: &[HeldLock]) -> io::Result<()> {
    for lock in locks {
        let Some(dir) = if_there(disk.root(&lock.git_dir.path()))? else {
            continue;
        };
        disk.remove_if_any(&dir, &begun(lock))?;
        if is_ours(disk, &dir, lock)? {
            disk.remove(&dir, OsStr::new(LOCK))?;
        }
        // Even if no lock was found: the process that removed it may have died before the removal was durable.
        disk.barrier(&[dir])?;
    }
    Ok(())
}
