//! The disk as the recovery transaction sees it: directories that were opened without following links, and
//! one call on one of them at a time. There is a real backend and a simulated one.
//!
//! There is one way to change anything in a person's files: [`Disk::swap`] and [`Disk::shift`], renames between
//! opened directories. Everything else that writes is for relight's own folders, and the caller sees to that.
//! The old inode always survives, so bytes, mode, owner, extended attributes and links survive with it.

use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

mod real;
#[cfg(test)]
pub mod sim;

pub use real::{RealDir, RealDisk, RealFile, RealLock};

/// What a directory entry is. Never the target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device: it may be moved, never opened.
    Other,
}

/// Device and inode: the same thing, wherever it was renamed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identity {
    /// The device.
    pub dev: u64,
    /// The inode.
    pub ino: u64,
}

/// Facts about one entry, a link being itself. A rename changes none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Which it is.
    pub id: Identity,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Bytes; 0 for a directory, whose own size says nothing.
    pub size: u64,
    /// Last change of its content, in nanoseconds since the epoch; 0 for a directory.
    pub mtime_ns: i64,
}

/// What is left on the file system that holds a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that this user may still write.
    pub bytes: u64,
    /// Files that may still be made; `u64::MAX` where the file system does not count them.
    pub inodes: u64,
}

/// What keeps an entry from being renamed and staying itself, whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frozen {
    /// Nothing about it may change.
    Immutable,
    /// It may only grow.
    AppendOnly,
    /// It has several names in a file system laid over others: the first rename makes another inode of it.
    Layered,
}

/// Why nothing is appended to a file that has another name.
fn linked() -> io::Error {
    io::Error::new(
        io::ErrorKind::TooManyLinks,
        "it has another name (a hard link), which would be written to as well",
    )
}

/// SHA-256 of a file's content or of a link's target.
pub type Digest = [u8; 32];

/// The calls of the transaction. Each mutating call is one system call, so that a fault may be put before it.
///
/// A name is a single component. `Dir` is an open directory: it stays what it is when its path is renamed or
/// replaced by a link.
pub trait Disk: Send + Sync {
    /// An open directory.
    type Dir: Clone + Debug + Send + Sync;
    /// An open file of relight's own, being written.
    type File: Debug;
    /// A lock that ends when it is dropped, or with the process.
    type Lock: Debug + Send;

    // Looking.

    /// Opens a directory by its canonical absolute path; refuses if a component is a link by now.
    fn root(&self, path: &Path) -> io::Result<Self::Dir>;
    /// Opens a directory beneath another: plain components only, no link followed, no mount crossed. An empty
    /// path is the directory itself.
    fn dir(&self, at: &Self::Dir, rel: &Path) -> io::Result<Self::Dir>;
    /// What an open directory is.
    fn node(&self, dir: &Self::Dir) -> io::Result<Node>;
    /// What a name is; `None` where there is nothing.
    fn look(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Option<Node>>;
    /// The names in a directory, sorted, without `.` and `..`.
    fn list(&self, at: &Self::Dir) -> io::Result<Vec<OsString>>;
    /// The content of a regular file of at most `cap` bytes; an error for a larger one.
    fn read(&self, at: &Self::Dir, name: &OsStr, cap: u64) -> io::Result<Vec<u8>>;
    /// The content of a regular file from an offset on, at most `cap` bytes of it; empty beyond its end.
    fn read_from(
        &self,
        at: &Self::Dir,
        name: &OsStr,
        offset: u64,
        cap: u64,
    ) -> io::Result<Vec<u8>> {
        let whole = self.read(at, name, cap.saturating_add(offset))?;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(whole.get(offset..).unwrap_or_default().to_vec())
    }
    /// Where a link points, as written.
    fn target(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Vec<u8>>;
    /// SHA-256 of a regular file's content, read in pieces, or of a link's target.
    fn digest(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Digest>;
    /// The id of the mount a directory lies on.
    fn mount(&self, dir: &Self::Dir) -> io::Result<u64>;
    /// What is left on its file system.
    fn room(&self, dir: &Self::Dir) -> io::Result<Room>;

    /// What keeps an entry, or without a name the directory itself, from being renamed and staying itself. A
    /// disk that knows of nothing such has nothing.
    fn frozen(&self, _at: &Self::Dir, _name: Option<&OsStr>) -> io::Result<Option<Frozen>> {
        Ok(None)
    }

    /// When an entry got its name, in nanoseconds since the epoch, at the latest; `None` where there is nothing.
    fn named_ns(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Option<i64>> {
        Ok(self.look(at, name)?.map(|node| node.mtime_ns))
    }

    /// Whether a regular file has no other name (a hard link), as the opened file says: a name that is looked at
    /// may be another file by the time it is opened. True where there is nothing.
    fn has_one_name(&self, at: &Self::Dir, name: &OsStr) -> io::Result<bool>;

    /// The permissions that are taken off new files and folders, as for every program.
    fn umask(&self) -> u32 {
        0o022
    }

    // Writing in relight's own folders.

    /// Makes a directory.
    fn mkdir(&self, at: &Self::Dir, name: &OsStr, mode: u32) -> io::Result<()>;
    /// Makes a file that is not there yet (`O_EXCL | O_NOFOLLOW`).
    fn create(&self, at: &Self::Dir, name: &OsStr, mode: u32) -> io::Result<Self::File>;
    /// Writes all of the bytes at the file's end.
    fn write(&self, file: &mut Self::File, bytes: &[u8]) -> io::Result<()>;
    /// Makes the content of a file durable. Never called again after it failed.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Makes a symbolic link.
    fn symlink(&self, at: &Self::Dir, name: &OsStr, target: &[u8]) -> io::Result<()>;
    /// Gives something staged the mode and, where `like` is there, the owner and extended attributes of what it
    /// is to replace. Owner and attributes that may not be set are left; the mode must be set.
    fn copy_metadata(
        &self,
        staged: (&Self::Dir, &OsStr),
        mode: u32,
        like: Option<(&Self::Dir, &OsStr)>,
    ) -> io::Result<()>;
    /// Removes a file, link or empty directory of relight's own.
    fn remove(&self, at: &Self::Dir, name: &OsStr) -> io::Result<()>;
    /// Takes a lock on a file that is made if need be and never removed; `None` where another holds it.
    fn lock(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Option<Self::Lock>>;
    /// Writes who holds a lock into it, for people to read; blanks may follow. Nothing depends on it.
    fn sign(&self, lock: &Self::Lock, text: &[u8]) -> io::Result<()>;

    // The primitive.

    /// Two entries change places (`RENAME_EXCHANGE`). Both are there, on one mount.
    fn swap(&self, a: (&Self::Dir, &OsStr), b: (&Self::Dir, &OsStr)) -> io::Result<()>;
    /// An entry moves to where nothing is (`RENAME_NOREPLACE`), on one mount.
    fn shift(&self, from: (&Self::Dir, &OsStr), to: (&Self::Dir, &OsStr)) -> io::Result<()>;

    // Barriers and logs.

    /// Afterwards every change so far of these directories' entries, and of the content of the files in them
    /// that relight made, survives a power cut. With many directories one call for their file system is used.
    fn barrier(&self, dirs: &[Self::Dir]) -> io::Result<()>;
    /// Afterwards the content of one regular file survives a power cut, whoever wrote it. The entry itself needs a
    /// barrier.
    fn harden(&self, at: &Self::Dir, name: &OsStr) -> io::Result<()>;
    /// Afterwards everything written so far on the file system that holds a directory survives a power cut,
    /// whoever wrote it (`syncfs`). Called once before the journal, so that neither what was staged nor the old
    /// content that is kept can be lost.
    fn flush(&self, dir: &Self::Dir) -> io::Result<()>;
    /// Appends to a log with one write and makes it durable; makes the log if it is not there (mode 0644). Refuses
    /// one that has another name with [`TooManyLinks`](io::ErrorKind::TooManyLinks), having written nothing.
    fn append(&self, at: &Self::Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()>;

    /// Appends in the same way, and may lose it in a power cut: for what nothing depends on.
    fn note(&self, at: &Self::Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        self.append(at, name, bytes)
    }
}
