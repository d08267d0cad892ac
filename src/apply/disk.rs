//! The disk as the recovery transaction uses it: directories that were opened without following links, and single calls
//! on them. There is a real backend and a simulated one.
//!
//! A person's files are changed in one way only: by [`Disk::swap`] and [`Disk::shift`], renames between opened
//! directories. Logs are appended to, and [`Disk::cut`] removes what an append that failed has left. All other writing calls are for relight's own folders; the caller must ensure that. Renames keep the
//! old inode, and with it bytes, mode, owner, extended attributes and hard links.

use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::FileForm;

mod real;
#[cfg(test)]
pub mod sim;

pub use crate::world::files::FileKind;
pub use real::{RealDir, RealDisk, RealFile, RealLock};
pub(super) use real::{entries, find};

/// Device and inode: they identify an object even after a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identity {
    /// The device.
    pub dev: u64,
    /// The inode.
    pub ino: u64,
}

/// Facts about one entry; links are not followed. A rename changes none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Node {
    /// What it is.
    pub kind: FileKind,
    /// Its identity.
    pub id: Identity,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Size in bytes; 0 for a directory, whose size changes with its entries.
    pub size: u64,
    /// Modification time in nanoseconds since the epoch; 0 for a directory.
    pub mtime_ns: i64,
}

impl Node {
    /// Its type, and for a file whether it may be executed.
    pub fn form(&self) -> FileForm {
        self.kind.form(self.mode)
    }
}

/// What may still be written to the file system of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that this user may still write.
    pub bytes: u64,
    /// Files that may still be created; `u64::MAX` if the file system does not limit them.
    pub inodes: u64,
    /// Whether nothing may be written, because it is mounted so.
    pub read_only: bool,
}

/// Why an entry cannot be renamed, or would not keep its identity, whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frozen {
    /// It has the immutable flag.
    Immutable,
    /// It has the append-only flag.
    AppendOnly,
    /// It has several names (hard links) on an overlay file system: the first rename would copy it to a new inode.
    Layered,
}

/// The error for appending to a file that has another name.
pub(super) fn linked() -> io::Error {
    io::Error::new(
        io::ErrorKind::TooManyLinks,
        "it has another name (a hard link), which would be written to as well",
    )
}

/// The error for cutting a file that another program has written to meanwhile.
pub(super) fn overtaken() -> io::Error {
    io::Error::other("another program has written to it meanwhile")
}

/// SHA-256 of a file's content or of a link's target.
pub type Digest = [u8; 32];

/// The calls of the transaction. Each mutating call is one system call, so that a test can inject a fault before it.
///
/// A name is a single component. `Dir` is an open directory: it stays the same directory when its path is renamed or
/// replaced by a link.
pub trait Disk: Send + Sync {
    /// An open directory.
    type Dir: Clone + Debug + Send + Sync;
    /// An open file of relight's own, being written.
    type File: Debug;
    /// A lock that ends when it is dropped, or with the process.
    type Lock: Debug + Send;

    // Reading.

    /// Opens a directory by its canonical absolute path; refuses if a component has become a link.
    fn root(&self, path: &Path) -> io::Result<Self::Dir>;
    /// Opens a directory under another: plain components only, no link followed, no mount crossed. An empty
    /// path is the directory itself.
    fn dir(&self, at: &Self::Dir, rel: &Path) -> io::Result<Self::Dir>;
    /// Facts about an open directory.
    fn node(&self, dir: &Self::Dir) -> io::Result<Node>;
    /// Facts about the entry with this name; `None` if there is none.
    fn look(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Option<Node>>;
    /// The names in a directory, sorted, without `.` and `..`.
    fn list(&self, at: &Self::Dir) -> io::Result<Vec<OsString>>;
    /// Whether nothing is in a directory.
    fn is_empty(&self, at: &Self::Dir) -> io::Result<bool> {
        self.list(at).map(|names| names.is_empty())
    }
    /// The content of a regular file of at most `cap` bytes; an error for a larger one.
    fn read(&self, at: &Self::Dir, name: &OsStr, cap: u64) -> io::Result<Vec<u8>>;
    /// At most `cap` bytes of a regular file from an offset; empty beyond its end.
    fn read_from(&self, at: &Self::Dir, name: &OsStr, offset: u64, cap: u64)
    -> io::Result<Vec<u8>>;
    /// The target of a link, as written.
    fn target(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Vec<u8>>;
    /// SHA-256 of a regular file's content, read in pieces, or of a link's target.
    fn digest(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Digest>;
    /// The id of the mount that a directory is on.
    fn mount(&self, dir: &Self::Dir) -> io::Result<u64>;
    /// The free space on the file system of a directory.
    fn room(&self, dir: &Self::Dir) -> io::Result<Room>;

    /// Why an entry, or without a name the directory itself, cannot be renamed or would not keep its identity; `None`
    /// if it can.
    fn frozen(&self, at: &Self::Dir, name: Option<&OsStr>) -> io::Result<Option<Frozen>>;

    /// The latest time at which an entry can have got its name, in nanoseconds since the epoch; `None` if there is no
    /// entry.
    fn named_ns(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Option<i64>>;

    /// Whether a regular file has no other name (hard link). It asks the opened file, because the name could lead to
    /// another file between a look and the opening. True if there is no entry.
    fn has_one_name(&self, at: &Self::Dir, name: &OsStr) -> io::Result<bool>;

    /// The umask of this process.
    fn umask(&self) -> u32;

    // Writing in relight's own folders.

    /// Creates a directory.
    fn mkdir(&self, at: &Self::Dir, name: &OsStr, mode: u32) -> io::Result<()>;
    /// Creates a file that must not exist yet (`O_EXCL | O_NOFOLLOW`).
    fn create(&self, at: &Self::Dir, name: &OsStr, mode: u32) -> io::Result<Self::File>;
    /// Writes all bytes at the end of the file.
    fn write(&self, file: &mut Self::File, bytes: &[u8]) -> io::Result<()>;
    /// Makes the content of a file durable. Must not be repeated after an error: the second call could report success
    /// although data was lost.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Creates a symbolic link.
    fn symlink(&self, at: &Self::Dir, name: &OsStr, target: &[u8]) -> io::Result<()>;
    /// Sets the mode of a staged entry and, with `like`, copies the owner and the extended attributes of the entry that
    /// it will replace. An owner or attribute that cannot be set is skipped; a mode that cannot be set is an error.
    fn copy_metadata(
        &self,
        staged: (&Self::Dir, &OsStr),
        mode: u32,
        like: Option<(&Self::Dir, &OsStr)>,
    ) -> io::Result<()>;
    /// Removes a file, link or empty directory of relight's own, or a log that it has just made.
    fn remove(&self, at: &Self::Dir, name: &OsStr) -> io::Result<()>;
    /// Removes such an entry if it exists.
    fn remove_if_any(&self, at: &Self::Dir, name: &OsStr) -> io::Result<()> {
        match self.look(at, name)? {
            Some(_) => self.remove(at, name),
            None => Ok(()),
        }
    }
    /// Creates a file with this content, and makes the content durable.
    fn put(&self, at: &Self::Dir, name: &OsStr, mode: u32, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.create(at, name, mode)?;
        self.write(&mut file, bytes)?;
        self.sync(&file)
    }
    /// Takes a lock on a file, which is created if it does not exist and never removed; `None` if another process holds
    /// it.
    fn lock(&self, at: &Self::Dir, name: &OsStr) -> io::Result<Option<Self::Lock>>;
    /// Whether a process holds the lock of a file. It takes no lock, not even for a moment; false where the system does
    /// not say.
    fn is_locked(&self, at: &Self::Dir, name: &OsStr) -> bool;
    /// Writes the holder of a lock into it, for people to read; blanks may follow. Nothing depends on the text.
    fn sign(&self, lock: &Self::Lock, text: &[u8]) -> io::Result<()>;

    // Renaming: the only calls that change a person's files.

    /// Exchanges two existing entries of one mount (`RENAME_EXCHANGE`).
    fn swap(&self, a: (&Self::Dir, &OsStr), b: (&Self::Dir, &OsStr)) -> io::Result<()>;
    /// Moves an entry to a free name on the same mount (`RENAME_NOREPLACE`).
    fn shift(&self, from: (&Self::Dir, &OsStr), to: (&Self::Dir, &OsStr)) -> io::Result<()>;

    // Barriers and logs.

    /// Makes all changes of these directories' entries durable, and the content of the files in them that relight
    /// wrote. For many directories it uses one call for their file system.
    fn barrier(&self, dirs: &[Self::Dir]) -> io::Result<()>;
    /// Makes the content of one regular file durable, whoever wrote it. Its entry needs a barrier.
    fn harden(&self, at: &Self::Dir, name: &OsStr) -> io::Result<()>;
    /// Makes everything durable that any program has written to the file system of a directory (`syncfs`). Called once
    /// before the journal, so that a power cut loses neither staged content nor backups.
    fn flush(&self, dir: &Self::Dir) -> io::Result<()>;
    /// Appends to a log with one write and makes it durable; creates the log (mode 0644) if it does not exist. A log
    /// with another name (hard link) is refused with [`TooManyLinks`](io::ErrorKind::TooManyLinks), before anything is
    /// written.
    fn append(&self, at: &Self::Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()>;

    /// Removes the last bytes of a log, if they are still all that follows its first `keep` bytes, and makes that
    /// durable. For what relight appended a moment ago: unlike everything else it needs no space. A log with another
    /// name is refused as it is by [`append`](Self::append).
    fn cut(&self, at: &Self::Dir, name: &OsStr, keep: u64, last: &[u8]) -> io::Result<()>;

    /// Appends in the same way, but a power cut may lose the text: for lines that nothing depends on.
    fn note(&self, at: &Self::Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()>;
}
