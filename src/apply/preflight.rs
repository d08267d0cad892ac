//! The checks on opened directories right before anything is written.
//!
//! A failed check is a sentence that names the path and what to do. The checks write only a probe: an empty file in
//! each directory that changes, removed at once. Its name follows from the transaction, so that a probe that a crash
//! left can be found.

mod probe;
mod staged;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::io::Errno;

use super::disk::{Disk, Frozen, Identity};
use crate::model::Foreign;
use crate::model::path::is_git_dir;
use crate::text::format::count;

pub use probe::{Parent, probe_name, sweep};

/// Bytes that must stay free beyond what staging needs.
pub const SPARE_BYTES: u64 = 64 * 1024 * 1024;

/// Files that must stay free beyond what staging needs: for the journal, the marks and folders.
pub const SPARE_FILES: u64 = 64;

/// What staging needs on one file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Need {
    /// Bytes of new content.
    pub bytes: u64,
    /// New files, links and directories.
    pub files: u64,
}

/// The checks of one transaction.
#[derive(Debug)]
pub struct Preflight<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// The id of the transaction.
    pub tx: &'a str,
    /// Its folder.
    pub tx_dir: &'a D::Dir,
    /// The user's id; 0 is root.
    pub me: u32,
    /// The identities of the known git directories: none may be changed as part of a work tree.
    pub git_dirs: &'a [Identity],
}

impl<D: Disk> Preflight<'_, D> {
    /// The file system of a folder of slots has space for this much, plus a reserve.
    pub(super) fn room(&self, slots: &D::Dir, shown: &Path, need: Need) -> Result<(), Foreign> {
        let room = self.disk.room(slots).map_err(|why| cannot(shown, &why))?;
        let bytes = need.bytes.saturating_add(SPARE_BYTES);
        let files = need.files.saturating_add(SPARE_FILES);
        let text = if room.bytes < bytes {
            let (free, more) = (count(room.bytes, "byte"), bytes - room.bytes);
            let more = count(more, "more byte");
            format!(" has {free} free, but {bytes} are needed: free at least {more} there.")
        } else if room.inodes < files {
            let free = count(room.inodes, "more file");
            let more = count(files - room.inodes, "file");
            format!(" can hold {free}, but {files} are needed: delete at least {more} there.")
        } else {
            return Ok(());
        };
        Err(about(shown, &text))
    }

    /// A directory and the slots of its content are on one mount and one device: only then a rename between them works.
    pub fn one_mount(&self, parent: &D::Dir, slots: &D::Dir, shown: &Path) -> Result<(), Foreign> {
        let where_is =
            |dir| -> io::Result<_> { Ok((self.disk.mount(dir)?, self.disk.node(dir)?.id.dev)) };
        let both = where_is(parent).and_then(|a| Ok((a, where_is(slots)?)));
        match both {
            Ok((a, b)) if a == b => Ok(()),
            Ok(_) => Err(about(
                shown,
                " is on another mount than the directory for its backups: unmount it, or leave out its paths.",
            )),
            Err(why) => Err(cannot(shown, &why)),
        }
    }

    /// Neither a directory nor the entry with this name, if it exists, is one that a rename would fail on or replace by
    /// a copy: immutable, append-only, or a file with several names on an overlay.
    pub fn thawed(
        &self,
        parent: &D::Dir,
        name: Option<&OsStr>,
        shown: &Path,
    ) -> Result<(), Foreign> {
        let found = match name {
            Some(name) if self.there(parent, name, shown)?.is_none() => None,
            name => self
                .disk
                .frozen(parent, name)
                .map_err(|why| cannot(shown, &why))?,
        };
        let word = match found {
            None => return Ok(()),
            Some(Frozen::Immutable) => " is immutable: remove the flag with `chattr -i`.",
            Some(Frozen::AppendOnly) => " is append-only: remove the flag with `chattr -a`.",
            Some(Frozen::Layered) => {
                " has other names (hard links) on an overlay file system, which would copy it instead of moving it: replace it by a copy first."
            }
        };
        Err(about(shown, word))
    }

    /// What will be replaced belongs to the user, or the user is root. A path that does not exist passes.
    pub fn owned(&self, parent: &D::Dir, name: &OsStr, shown: &Path) -> Result<(), Foreign> {
        match self.there(parent, name, shown)? {
            Some(node) if self.me != 0 && node.uid != self.me => Err(about(
                shown,
                &format!(
                    " belongs to user {}, but relight runs as user {}: run relight as its owner.",
                    node.uid, self.me
                ),
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// No part of a work tree's path is a git directory, by its name or by its identity. `rel` is the path under the
    /// opened root; a part that does not exist yet is judged by its name.
    pub fn outside_git(&self, root: &D::Dir, rel: &Path, shown: &Path) -> Result<(), Foreign> {
        let refused = || {
            about(
                shown,
                " leads into a git directory: a plan never changes one as part of a work tree.",
            )
        };
        let known = |id| self.git_dirs.contains(&id);
        let top = self.disk.node(root).map_err(|why| cannot(shown, &why))?;
        if known(top.id) {
            return Err(refused());
        }
        let mut at = Some(root.clone());
        for part in rel {
            if is_git_dir(part.as_bytes()) {
                return Err(refused());
            }
            let Some(dir) = at.take() else { continue };
            let Some(node) = self.there(&dir, part, shown)? else {
                continue;
            };
            if known(node.id) {
                return Err(refused());
            }
            at = self.disk.dir(&dir, Path::new(part)).ok();
        }
        Ok(())
    }

    fn there(
        &self,
        parent: &D::Dir,
        name: &OsStr,
        shown: &Path,
    ) -> Result<Option<super::disk::Node>, Foreign> {
        self.disk
            .look(parent, name)
            .map_err(|why| cannot(shown, &why))
    }
}

/// A sentence that begins with a path.
fn about(path: &Path, after: &str) -> Foreign {
    let mut text = path.as_os_str().as_bytes().to_vec();
    text.extend_from_slice(after.as_bytes());
    Foreign::from(text)
}

/// The sentence for a path that could not be examined.
fn cannot(path: &Path, why: &io::Error) -> Foreign {
    about(path, &format!(" cannot be examined: {}.", because(why)))
}

/// The meaning of a disk error, as the end of a sentence: `permission is denied`.
pub fn because(why: &io::Error) -> String {
    let Some(errno) = Errno::from_io_error(why) else {
        return plain(why);
    };
    let text = match errno {
        Errno::LOOP => "a part of it is a symbolic link",
        Errno::XDEV => "it is on another mount",
        Errno::ACCESS | Errno::PERM => "permission is denied",
        Errno::ROFS => "its file system is mounted read-only",
        Errno::NOSPC => "no space is left",
        Errno::DQUOT => "the disk quota is exceeded",
        Errno::NOENT => "it does not exist",
        Errno::NOTDIR => "a part of it is not a directory",
        Errno::ISDIR => "it is a directory",
        Errno::EXIST => "it already exists",
        Errno::NOTEMPTY => "it is not empty",
        Errno::NAMETOOLONG => "its name is too long",
        Errno::MFILE | Errno::NFILE => "too many files are open",
        Errno::FBIG => "it is larger than the limit of this process",
        Errno::BUSY => "it is in use",
        Errno::IO => "the disk reports an I/O error",
        Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => "its file system does not support that",
        other => return io::Error::from(other).to_string(),
    };
    text.to_owned()
}

/// Errors without an error number: relight's own texts, and kinds.
fn plain(why: &io::Error) -> String {
    let words = [
        (io::ErrorKind::NotFound, "it does not exist"),
        (io::ErrorKind::FileTooLarge, "it is too large"),
        (
            io::ErrorKind::Unsupported,
            "its file system does not support that",
        ),
    ];
    let known = words.iter().find(|(kind, _)| *kind == why.kind());
    known.map_or_else(|| why.to_string(), |(_, words)| (*words).to_owned())
}
