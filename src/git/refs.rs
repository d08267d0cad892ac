//! Moves references by compare-and-swap: the one change in a git directory that a rename cannot undo.
//!
//! It must never follow a link out of the git directory, run a hook, use the person's name, or change any reference but
//! branches and relight's own.

mod reach;

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use git2::{Config, ConfigLevel, ErrorCode, Oid, Reference, ReferenceType, Repository};
use rustix::fs::{
    CWD, FileType, MemfdFlags, Mode, OFlags, fsync, lstat, memfd_create, openat, unlink,
};
use rustix::io::{Errno, retry_on_intr};

use crate::world::git::GitError;

use super::history;
use super::history::full_id;
use super::open::{self, Opened};
use crate::text::Shown as _;

pub use reach::reached_only_by;

/// The namespace that keeps old tips reachable. Only references in it may be removed.
pub const UNDO: &str = "refs/relight/undo/";
const BRANCHES: &str = "refs/heads/";

/// The name in the reflog; and files of the git directory are flushed before they are renamed.
const SETTINGS: &[u8] =
    b"[user]\n\tname = relight\n\temail = relight@localhost\n[core]\n\tfsyncObjectFiles = true\n";

/// The reference that keeps a commit reachable while a recovery can be undone.
pub fn undo_name(recovery: &str) -> String {
    format!("{UNDO}{recovery}/head")
}

/// The reference that keeps staged content reachable for the same time.
pub fn staged_name(recovery: &str) -> String {
    format!("{UNDO}{recovery}/index")
}

/// The full name of a branch.
pub fn branch_name(branch: &str) -> String {
    format!("{BRANCHES}{branch}")
}

/// The commit of a reference (40 hex); `None` if it does not exist. `dir` is a work tree or a git directory. A symbolic
/// reference is an error, because nothing here may move it.
pub fn read(dir: &Path, name: &str) -> Result<Option<String>, GitError> {
    let opened = open::open(dir)?;
    permitted(name)?;
    plain(&opened.common_dir, name)?;
    current(&opened.repo, name).map(|found| found.map(|id| id.to_string()))
}

/// Moves a reference from one commit to another if it is at the expected one: `expect` is `None` if it must not exist,
/// `new` is `None` to remove it, which is allowed only below [`UNDO`]. False if it is elsewhere; then nothing was
/// changed. Branches get a reflog entry if the repository keeps reflogs.
///
/// Errors: a name that is not permitted, an object that is missing or damaged, a lock that another git command holds,
/// anything but plain files on the way.
pub fn swap(
    dir: &Path,
    name: &str,
    expect: Option<&str>,
    new: Option<&str>,
    message: &str,
) -> Result<bool, GitError> {
    let opened = open::open(dir)?;
    permitted(name)?;
    plain(&opened.common_dir, name)?;
    let ours = Settings::apply(&opened)?;
    let expect = expect.map(full_id).transpose()?;
    let Some(new) = new else {
        return remove(&opened, name, expect);
    };
    logs_are_plain(&opened, name)?;
    let new = full_id(new)?;
    history::find(&opened.repo, &new.to_string())?;
    let message = message.replace(['\n', '\r', '\0'], " ");
    // A zero id tells libgit2 that the reference must not exist; it checks that under its lock.
    let expect = expect.unwrap_or(Oid::ZERO_SHA1);
    drop_linked_lock(&opened.common_dir, name)?;
    let moved = opened
        .repo
        .reference_matching(name, new, true, expect, &message);
    drop(ours);
    drop_linked_lock(&opened.common_dir, name)?;
    let moved = outcome(name, moved.map(drop))?;
    if moved {
        flush(&opened.common_dir, name)?;
    }
    Ok(moved)
}

/// Removes the stale lock of a moved reference. libgit2 moves it in two calls, link and unlink, and ignores a failure
/// of the second: then the lock stays as a second name of the reference, and git would wait for it forever. A lock that
/// somebody holds is never the same file as the reference.
fn drop_linked_lock(git_dir: &Path, name: &str) -> Result<(), GitError> {
    let reference = git_dir.join(name);
    let lock = git_dir.join(format!("{name}.lock"));
    let file = |path: &Path| lstat(path).map(|stat| (stat.st_dev, stat.st_ino));
    match (file(&reference), file(&lock)) {
        (Ok(reference), Ok(lock)) if reference == lock => {}
        _ => return Ok(()),
    }
    match unlink(&lock) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(GitError::Other(format!(
            "the lock {name}.lock cannot be removed: {e}"
        ))),
    }
}

/// Flushes the folders on the way to a reference: libgit2 flushes only the last one.
fn flush(git_dir: &Path, name: &str) -> Result<(), GitError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folders = Path::new(name).ancestors().skip(1);
    folders
        .try_for_each(|folder| {
            let folder = openat(CWD, git_dir.join(folder), flags, Mode::empty())?;
            retry_on_intr(|| fsync(&folder))
        })
        .map_err(|e| GitError::Other(format!("{name} could not be made durable: {e}")))
}

/// Removes one of relight's own references.
fn remove(opened: &Opened, name: &str, expect: Option<Oid>) -> Result<bool, GitError> {
    if !name.starts_with(UNDO) {
        return Err(GitError::Other(format!(
            "the reference {name} is not relight's own, so it is never removed"
        )));
    }
    let mut found = match opened.repo.find_reference(name) {
        Ok(found) => found,
        Err(e) if e.code() == ErrorCode::NotFound => return Ok(expect.is_none()),
        Err(e) => return Err(e.into()),
    };
    if found.target() != expect || expect.is_none() {
        return Ok(false);
    }
    // libgit2 compares again, under the lock, with the value found here.
    outcome(name, found.delete())
}

/// Interprets the result of an attempt to move a reference.
fn outcome(name: &str, tried: Result<(), git2::Error>) -> Result<bool, GitError> {
    let Err(error) = tried else {
        return Ok(true);
    };
    let code = error.code();
    if matches!(code, ErrorCode::Modified | ErrorCode::NotFound) {
        Ok(false)
    } else if code == ErrorCode::Locked {
        Err(GitError::Other(format!(
            "another git command holds the reference {name} ({name}.lock)"
        )))
    } else {
        Err(error.into())
    }
}

/// The commit of a direct reference.
fn current(repo: &Repository, name: &str) -> Result<Option<Oid>, GitError> {
    match repo.find_reference(name) {
        Ok(found) if found.kind() == Some(ReferenceType::Direct) => Ok(found.target()),
        Ok(_) => Err(GitError::Hostile(format!(
            "the reference {name} is symbolic"
        ))),
        Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Permits only branches and relight's own references.
fn permitted(name: &str) -> Result<(), GitError> {
    let known = name.starts_with(BRANCHES) || name.starts_with(UNDO);
    if known && Reference::is_valid_name(name) {
        return Ok(());
    }
    Err(GitError::Other(format!(
        "the reference {name} is neither a branch nor relight's own"
    )))
}

/// Checks the logs that moving a branch may write to.
fn logs_are_plain(opened: &Opened, name: &str) -> Result<(), GitError> {
    plain(&opened.common_dir, &format!("logs/{name}"))?;
    plain(&opened.git_dir, "logs/HEAD")
}

/// Refuses a link or a pipe in the path of a file of the git directory: libgit2 would write through the one and block
/// on the other.
fn plain(git_dir: &Path, name: &str) -> Result<(), GitError> {
    let mut path = PathBuf::new();
    for part in Path::new(name) {
        path.push(part);
        match lstat(git_dir.join(&path)) {
            Ok(stat) => {
                let kind = FileType::from_raw_mode(stat.st_mode);
                if !matches!(kind, FileType::Directory | FileType::RegularFile) {
                    return Err(GitError::Hostile(format!(
                        "`{}` in the git directory is not a regular file or directory",
                        path.shown()
                    )));
                }
            }
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
            Err(e) => {
                return Err(GitError::Other(format!(
                    "`{}` in the git directory: {e}",
                    path.shown()
                )));
            }
        }
    }
    Ok(())
}

/// The repository's own configuration overridden by ours, in effect until this is dropped.
pub(super) struct Settings {
    _file: OwnedFd,
}

impl Settings {
    /// Leaves the person's configuration out. Ours is in an unnamed file, because libgit2 reads configuration only from
    /// files.
    pub(super) fn apply(opened: &Opened) -> Result<Self, GitError> {
        let written = || -> std::io::Result<OwnedFd> {
            let fd = memfd_create("relight", MemfdFlags::CLOEXEC)?;
            File::from(fd.try_clone()?).write_all(SETTINGS)?;
            Ok(fd)
        };
        let fd =
            written().map_err(|why| GitError::Other(format!("no memory for settings: {why}")))?;
        let ours = format!("/proc/self/fd/{}", fd.as_raw_fd());
        let local = opened.common_dir.join("config");
        let mut config = Config::new()?;
        config
            .add_file(&local, ConfigLevel::Local, false)
            .and_then(|()| config.add_file(Path::new(&ours), ConfigLevel::App, false))
            .and_then(|()| opened.repo.set_config(&config))?;
        Ok(Self { _file: fd })
    }
}

#[cfg(test)]
mod tests;
