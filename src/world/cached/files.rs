//! Files, each read once. Only small ones are cached: a log grows with the run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Answers;
use crate::model::{Foreign, Place};
use crate::world::files::{Entry, Files, ReadError, Stat};

/// Files up to this size are cached.
const SMALL: u64 = 64 << 10;
/// How many bytes of contents are cached in total.
const ROOM: usize = 64 << 20;

/// The cached content of a file.
type Content = Option<Result<Arc<[u8]>, ReadError>>;

pub(super) struct CachedFiles<'a> {
    files: &'a dyn Files,
    contents: Answers<Place, Content>,
    stats: Answers<Place, Result<Stat, ReadError>>,
    lists: Answers<Place, Result<Vec<Entry>, ReadError>>,
    canonical: Answers<PathBuf, Option<PathBuf>>,
    kept: AtomicUsize,
}

impl<'a> CachedFiles<'a> {
    pub(super) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            contents: Answers::new(),
            stats: Answers::new(),
            lists: Answers::new(),
            canonical: Answers::new(),
            kept: AtomicUsize::new(0),
        }
    }

    /// The content of a small file, read now if it is not cached; `None` for a larger one.
    fn small(&self, place: &Place) -> Content {
        self.contents
            .get(place, || match self.files.read(place, SMALL) {
                Err(ReadError::TooLarge { .. }) => None,
                Ok(bytes) => {
                    let before = self.kept.fetch_add(bytes.len(), Ordering::Relaxed);
                    (before < ROOM).then(|| Ok(bytes.into()))
                }
                Err(why) => Some(Err(why)),
            })
    }
}

impl Files for CachedFiles<'_> {
    fn read(&self, place: &Place, cap: u64) -> Result<Vec<u8>, ReadError> {
        match self.small(place) {
            Some(Ok(bytes)) if bytes.len() as u64 <= cap => Ok(bytes.to_vec()),
            Some(Err(why)) => Err(why),
            Some(Ok(_)) | None => self.files.read(place, cap),
        }
    }

    fn largest(&self) -> u64 {
        self.files.largest()
    }

    fn read_range(&self, place: &Place, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        match self.small(place) {
            Some(Ok(bytes)) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes.get(from..).unwrap_or_default();
                Ok(rest.iter().take(len).copied().collect())
            }
            Some(Err(why)) => Err(why),
            None => self.files.read_range(place, offset, len),
        }
    }

    fn stat(&self, place: &Place) -> Result<Stat, ReadError> {
        self.stats.get(place, || self.files.stat(place))
    }

    fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError> {
        self.lists.get(place, || self.files.list(place))
    }

    fn link_target(&self, place: &Place) -> Result<Foreign, ReadError> {
        self.files.link_target(place)
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        self.canonical.get(path, || self.files.canonical(path))
    }
}
