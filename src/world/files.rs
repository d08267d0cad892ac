//! Reading files beneath opened roots, without ever following a link.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::{Foreign, Place};

/// The most that is read of a document that is only shown, in bytes. State files and logs are read up to
/// [`Files::largest`].
pub const SMALL_CAP: u64 = 16 << 20;
/// The most that is read of a log by streaming, in bytes.
pub const LOG_CAP: u64 = 4 << 30;

/// What kind of thing lies at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, never followed.
    Link,
    /// A pipe, socket or device, never opened.
    Other,
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
    /// True for a directory that is not a link.
    pub is_dir: bool,
    /// True for a symbolic link.
    pub is_link: bool,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not there (any more).
    #[error("not found")]
    NotFound,
    /// A component is a link, which is never followed.
    #[error("the path contains a symbolic link, and links are not followed")]
    Link,
    /// It is not a regular file (or not a directory, where one is wanted).
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
    /// Anything else, in the system's words.
    #[error("{0}")]
    Other(String),
}

/// Reading, beneath opened roots.
pub trait Files: Send + Sync {
    /// The content of a regular file of at most `cap` bytes.
    fn read(&self, place: &Place, cap: u64) -> Result<Vec<u8>, ReadError>;

    /// The largest state file or log that may be read whole. A run that grew is no reason to read it as if it
    /// were not there, so only the memory of the machine sets this limit.
    fn largest(&self) -> u64 {
        LOG_CAP
    }

    /// The content of a state file or a log, however large it has become.
    fn whole(&self, place: &Place) -> Result<Vec<u8>, ReadError> {
        // The limit is asked for only where it matters: the answer costs more than a small file.
        match self.read(place, SMALL_CAP) {
            Err(ReadError::TooLarge { .. }) => self.read(place, self.largest()),
            read => read,
        }
    }

    /// Part of a regular file: at most `len` bytes from `offset`; fewer at its end.
    fn read_range(&self, place: &Place, offset: u64, len: usize) -> Result<Vec<u8>, ReadError>;

    /// Facts about what lies there, a link being itself.
    fn stat(&self, place: &Place) -> Result<Stat, ReadError>;

    /// The entries of a directory, sorted by name.
    fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError>;

    /// Where a link points, as written.
    fn link_target(&self, place: &Place) -> Result<Foreign, ReadError>;

    /// The true absolute path of an existing directory, every link resolved: for identity, never for reading.
    fn canonical(&self, path: &Path) -> Option<PathBuf>;

    /// True for a regular file or directory that is there.
    fn exists(&self, place: &Place) -> bool {
        self.stat(place)
            .is_ok_and(|s| matches!(s.kind, FileKind::File | FileKind::Dir))
    }

    /// True for a directory.
    fn is_dir(&self, place: &Place) -> bool {
        self.stat(place).is_ok_and(|s| s.kind == FileKind::Dir)
    }

    /// When something was last written, if it is there.
    fn modified(&self, place: &Place) -> Option<DateTime<Utc>> {
        self.stat(place).ok().map(|s| s.modified)
    }

    /// True for a regular file with at least one byte.
    fn has_content(&self, place: &Place) -> bool {
        self.stat(place)
            .is_ok_and(|s| s.kind == FileKind::File && s.size > 0)
    }
}

/// The same by a root and a path beneath it, for what is only looked at where it can be.
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

    /// Whether anything is there, be it a link.
    pub fn is_there(&self, root: &Path, rel: impl AsRef<Path>) -> bool {
        Place::known(root, rel).is_ok_and(|place| self.stat(&place).is_ok())
    }

    /// The true path of a directory where it exists, else the path as it is given.
    pub fn resolved(&self, path: &Path) -> PathBuf {
        self.canonical(path).unwrap_or_else(|| path.to_owned())
    }
}
