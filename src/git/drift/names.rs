//! git's view of an entry: the kind that it would record, reserved names, nested repositories.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Stat, statat};
use rustix::io::Errno;

use crate::git::trees::Kind;
use crate::world::git::GitError;

use super::disk::{self, FileKind, Listing};

/// The tree entry kind that git would record.
pub(super) fn kind_of(stat: &Stat) -> Option<Kind> {
    match FileKind::of_mode(stat.st_mode) {
        FileKind::File if stat.st_mode & 0o100 != 0 => Some(Kind::Executable),
        FileKind::File => Some(Kind::File),
        FileKind::Link => Some(Kind::Link),
        FileKind::Dir | FileKind::Other => None,
    }
}

/// Whether a directory is the top of a nested repository. An empty file named `.git` does not count, because it would
/// hide the folder.
pub(super) fn is_repository(dir: &OwnedFd, listing: &Listing) -> bool {
    match listing.find(b".git") {
        Some(FileKind::Dir) => statat(dir, c".git/HEAD", AtFlags::SYMLINK_NOFOLLOW).is_ok(),
        Some(FileKind::File) => {
            disk::small(dir, c".git", 4096).is_some_and(|bytes| bytes.starts_with(b"gitdir:"))
        }
        Some(FileKind::Link) => true,
        Some(FileKind::Other) | None => false,
    }
}

/// A missing tree is damage of the store, not an error of the caller.
pub(super) fn never_missing(error: GitError) -> GitError {
    if let GitError::Missing(what) = error {
        GitError::Hostile(format!("the {what} is missing"))
    } else {
        error
    }
}

pub(super) fn unreadable(path: &[u8], error: Errno) -> GitError {
    let path = String::from_utf8_lossy(path);
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => {
            GitError::Other(format!("the work tree changed while it was read: {path}"))
        }
        _ => GitError::Other(format!("{path}: {error}")),
    }
}
