//! References of a repository as the transaction sees them: read, and moved by compare-and-swap.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::disk::{Disk, RealDisk};
use super::exchange::if_there;
use crate::git::refs;

/// References.
pub trait Refs: Send + Sync {
    /// What a full reference name points at, 40 hex; `None` where there is none.
    fn read(&self, git_dir: &Path, name: &str) -> Result<Option<String>, String>;

    /// Moves a reference if it still points where it is said to. False where it does not. `None` stands for a
    /// reference that is not there.
    fn swap(
        &self,
        git_dir: &Path,
        name: &str,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<bool, String>;

    /// Removes the lock of a reference that a killed relight left: one that contains one of these ids, or is empty. The
    /// caller holds the `index.lock` of the branch's worktree, so no running git command is about to move the branch.
    /// Any other lock stays.
    fn unlock(&self, git_dir: &Path, name: &str, ours: &[&str]) -> Result<(), String>;
}

/// The references of this machine's repositories.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealRefs;

impl Refs for RealRefs {
    fn read(&self, git_dir: &Path, name: &str) -> Result<Option<String>, String> {
        refs::read(git_dir, name).map_err(|error| error.to_string())
    }

    fn swap(
        &self,
        git_dir: &Path,
        name: &str,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<bool, String> {
        refs::swap(git_dir, name, old, new, "relight: recovery").map_err(|error| error.to_string())
    }

    fn unlock(&self, git_dir: &Path, name: &str, ours: &[&str]) -> Result<(), String> {
        unlock(&RealDisk::new(), git_dir, name, ours).map_err(|error| error.to_string())
    }
}

/// The most that is read of a reference's lock: an id and its newline are 41 bytes.
const CAP: u64 = 128;

fn unlock<D: Disk>(disk: &D, git_dir: &Path, name: &str, ours: &[&str]) -> io::Result<()> {
    let path = Path::new(name);
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let mut lock = OsString::from(path.file_name().unwrap_or_default());
    lock.push(".lock");
    let dir = disk.root(git_dir).and_then(|dir| disk.dir(&dir, folder));
    let Some(dir) = if_there(dir)? else {
        return Ok(());
    };
    match if_there(disk.read(&dir, &lock, CAP))? {
        Some(text) if is_ours(&text, ours) => disk.remove(&dir, OsStr::new(&lock)),
        Some(_) | None => Ok(()),
    }
}

/// Whether a lock is empty, or contains an id that relight was about to write.
fn is_ours(text: &[u8], ours: &[&str]) -> bool {
    let said = text.strip_suffix(b"\n").unwrap_or(text);
    said.is_empty() || ours.iter().any(|id| id.as_bytes() == said)
}
