//! Reads files below opened roots, without ever following a link.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use crate::model::{FileForm, Foreign, Place};

/// How many bytes of a document are read if it is only shown. State files and logs are read up to [`Files::largest`].
pub const SMALL_CAP: u64 = 16 << 20;
/// How many bytes of a log are read as a stream.
pub const LOG_CAP: u64 = 4 << 30;

/// The kind of an entry. Never that of the target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, never followed.
    Link,
    /// A pipe, socket or device, never opened; it may be moved.
    Other,
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Dir,
            FileType::Symlink => Self::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Self::Other,
        }
    }
}

impl FileKind {
    /// The kind in the mode of a `stat`.
    pub fn of_mode(mode: rustix::fs::RawMode) -> Self {
        FileType::from_raw_mode(mode).into()
    }

    /// The form of something of this kind with these permission bits: as git does, by the owner's bit.
    pub fn form(self, mode: u32) -> FileForm {
        match self {
            Self::File if mode & 0o100 != 0 => FileForm::Executable,
            Self::File => FileForm::File,
            Self::Link => FileForm::Link,
            Self::Dir => FileForm::Directory,
            Self::Other => FileForm::Special,
        }
    }
}

/// Facts about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
    /// Last modification of its content.
    pub modified: DateTime<Utc>,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Device and inode, for identity.
    pub identity: (u64, u64),
    /// How many names it has.
    pub links: u64,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name.
    pub name: std::ffi::OsString,
    /// True for a directory, but not for a link to one.
    pub is_dir: bool,
    /// True for a symbolic link.
    pub is_link: bool,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It does not exist (any more).
    #[error("not found")]
    NotFound,
    /// A component is a link, which is never followed.
    #[error("the path contains a symbolic link, and links are not followed")]
    Link,
    /// It is not a regular file (or not a directory, if one was expected).
    #[error("not a regular file")]
    NotRegular,
    /// It is larger than the cap.
    #[error("{size} bytes, more than the {cap} that are read")]
    TooLarge {
        /// Its size.
        size: u64,
        /// The cap.
        cap: u64,
    },
    /// The system said no.
    #[error("permission denied")]
    Denied,
    /// Any other error, as the system describes it.
    #[error("{0}")]
    Other(String),
}

impl ReadError {
    /// True where something is there and what it holds is unknown. Nothing there, a link or another kind of file is an
    /// answer.
    pub fn leaves_unknown(&self) -> bool {
        matches!(self, Self::Denied | Self::Other(_))
    }
}

/// Reading, under opened roots.
pub trait Files: Send + Sync {
    /// The content of a regular file of at most `cap` bytes.
    fn read(&self, place: &Place, cap: u64) -> Result<Vec<u8>, ReadError>;

    /// The largest state file or log that is read whole. A file that has grown must not be treated as missing, so only
    /// the memory of the machine limits it.
    fn largest(&self) -> u64 {
        LOG_CAP
    }

    /// The content of a state file or a log of any size.
    fn whole(&self, place: &Place) -> Result<Vec<u8>, ReadError> {
        // The limit is computed only if needed: that costs more than reading a small file.
        match self.read(place, SMALL_CAP) {
            Err(ReadError::TooLarge { .. }) => self.read(place, self.largest()),
            read => read,
        }
    }

    /// Part of a regular file: at most `len` bytes from `offset`, fewer at its end.
    fn read_range(&self, place: &Place, offset: u64, len: usize) -> Result<Vec<u8>, ReadError>;

    /// Facts about an entry, without following a link.
    fn stat(&self, place: &Place) -> Result<Stat, ReadError>;

    /// The entries of a directory, sorted by name.
    fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError>;

    /// The target of a link, as written.
    fn link_target(&self, place: &Place) -> Result<Foreign, ReadError>;

    /// The real path of an existing directory, with every link resolved: for identity, never for reading.
    fn canonical(&self, path: &Path) -> Option<PathBuf>;

    /// Why entries of a directory cannot be changed, and the directory that refuses it: itself, or one above it where
    /// it is still to be made.
    fn unwritable(&self, _dir: &Path) -> Option<(PathBuf, io::Error)> {
        None
    }

    /// True for an existing regular file or directory.
    fn exists(&self, place: &Place) -> bool {
        self.stat(place)
            .is_ok_and(|s| matches!(s.kind, FileKind::File | FileKind::Dir))
    }

    /// True for a directory.
    fn is_dir(&self, place: &Place) -> bool {
        self.stat(place).is_ok_and(|s| s.kind == FileKind::Dir)
    }

    /// The time of the last write, if the file exists.
    fn modified(&self, place: &Place) -> Option<DateTime<Utc>> {
        self.stat(place).ok().map(|s| s.modified)
    }

    /// True for a regular file with at least one byte.
    fn has_content(&self, place: &Place) -> bool {
        self.stat(place)
            .is_ok_and(|s| s.kind == FileKind::File && s.size > 0)
    }
}

/// The names of the files in a listing, without links and without names that are not UTF-8.
pub fn file_names(listing: Vec<Entry>) -> impl Iterator<Item = String> {
    let files = listing.into_iter();
    let files = files.filter(|entry| !entry.is_dir && !entry.is_link);
    files.filter_map(|entry| entry.name.into_string().ok())
}

/// The same for a root and a path below it, for optional files: errors count as missing.
impl dyn Files + '_ {
    /// The content of a state file or a log.
    pub fn content(&self, root: &Path, rel: impl AsRef<Path>) -> Option<Vec<u8>> {
        self.whole(&Place::known(root, rel).ok()?).ok()
    }

    /// The entries of a directory, sorted by name.
    pub fn entries(&self, root: &Path, rel: impl AsRef<Path>) -> Vec<Entry> {
        let place = Place::known(root, rel).ok();
        let listed = place.and_then(|place| self.list(&place).ok());
        listed.unwrap_or_default()
    }

    /// Whether an entry exists, even if it is a link.
    pub fn is_there(&self, root: &Path, rel: impl AsRef<Path>) -> bool {
        Place::known(root, rel).is_ok_and(|place| self.stat(&place).is_ok())
    }

    /// Whether a regular file or a directory exists.
    pub fn has(&self, root: &Path, rel: impl AsRef<Path>) -> bool {
        Place::known(root, rel).is_ok_and(|place| self.exists(&place))
    }

    /// Whether a directory exists.
    pub fn has_dir(&self, root: &Path, rel: impl AsRef<Path>) -> bool {
        Place::known(root, rel).is_ok_and(|place| self.is_dir(&place))
    }

    /// The real path of an existing directory, else the path as given.
    pub fn resolved(&self, path: &Path) -> PathBuf {
        self.canonical(path).unwrap_or_else(|| path.to_owned())
    }
}
