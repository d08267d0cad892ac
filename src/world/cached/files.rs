//! Files, each read once. Only small ones are cached: a log grows with the run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Directories that could not be read.
    unread: Mutex<BTreeMap<PathBuf, ReadError>>,
}

impl<'a> CachedFiles<'a> {
    pub(super) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            contents: Answers::default(),
            stats: Answers::default(),
            lists: Answers::default(),
            canonical: Answers::default(),
            kept: AtomicUsize::new(0),
            unread: Mutex::default(),
        }
    }

    /// Directories that could not be read, each named by the outermost one that could not.
    pub(super) fn unread(&self) -> Vec<(PathBuf, ReadError)> {
        let unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = |dir: &Path| {
            let stat = self.files.stat(&Place::root(dir));
            stat.is_err_and(|why| why.leaves_unknown())
        };
        let outermost = unread.iter().map(|(dir, why)| {
            let known = dir.ancestors().find(|dir| !refused(dir)).unwrap_or(dir);
            (known.to_owned(), why.clone())
        });
        let each: BTreeMap<PathBuf, ReadError> = outermost.collect();
        each.into_iter().collect()
    }

    /// Takes note of a directory that could not be read: what an answer lacks must be said.
    fn note<T>(&self, dir: &Path, read: Result<T, ReadError>) -> Result<T, ReadError> {
        if let Err(why) = read.as_ref()
            && why.leaves_unknown()
        {
            let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
            unread.insert(dir.to_owned(), why.clone());
        }
        read
    }

    /// The content of a small file, read now if it is not known; `None` for a larger one.
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
        self.stats.get(place, || {
            let path = place.path();
            // It is the directory that does not let its entries be looked at.
            self.note(path.parent().unwrap_or(&path), self.files.stat(place))
        })
    }

    fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError> {
        self.lists
            .get(place, || self.note(&place.path(), self.files.list(place)))
    }

    fn link_target(&self, place: &Place) -> Result<Foreign, ReadError> {
        self.files.link_target(place)
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        self.canonical.get(path, || self.files.canonical(path))
    }

    fn unwritable(&self, dir: &Path) -> Option<(PathBuf, std::io::Error)> {
        self.files.unwritable(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::real_files::RealFiles;

    /// Real files, one directory of which may not be read by anybody.
    struct Refusing(PathBuf);

    impl Refusing {
        fn ask<T>(
            &self,
            path: &Path,
            strictly: bool,
            read: Result<T, ReadError>,
        ) -> Result<T, ReadError> {
            let refused = path.starts_with(&self.0) && !(strictly && path == self.0);
            if refused {
                Err(ReadError::Denied)
            } else {
                read
            }
        }
    }

    impl Files for Refusing {
        fn read(&self, place: &Place, cap: u64) -> Result<Vec<u8>, ReadError> {
            self.ask(&place.path(), true, RealFiles.read(place, cap))
        }

        fn read_range(&self, place: &Place, at: u64, len: usize) -> Result<Vec<u8>, ReadError> {
            self.ask(&place.path(), true, RealFiles.read_range(place, at, len))
        }

        fn stat(&self, place: &Place) -> Result<Stat, ReadError> {
            self.ask(&place.path(), true, RealFiles.stat(place))
        }

        fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError> {
            self.ask(&place.path(), false, RealFiles.list(place))
        }

        fn link_target(&self, place: &Place) -> Result<Foreign, ReadError> {
            RealFiles.link_target(place)
        }

        fn canonical(&self, path: &Path) -> Option<PathBuf> {
            RealFiles.canonical(path)
        }
    }

    #[test]
    fn a_directory_that_cannot_be_read_is_named_once_and_one_that_is_not_there_never() {
        let dir = crate::world::temporary::directory();
        let refused = dir.path().join("refused");
        std::fs::create_dir(&refused).unwrap();
        let real: &dyn Files = &Refusing(refused.clone());
        let cached = CachedFiles::new(real);
        let files: &dyn Files = &cached;
        assert_eq!(files.entries(dir.path(), "gone"), []);
        assert!(!files.is_there(dir.path(), "gone/state.json"));
        assert_eq!(cached.unread(), []);
        assert_eq!(files.entries(dir.path(), "refused"), []);
        assert!(!files.is_there(dir.path(), "refused/state.json"));
        assert_eq!(files.entries(dir.path(), "refused/a/b"), []);
        assert!(!files.is_there(dir.path(), "refused/a/b/state.json"));
        assert_eq!(cached.unread(), [(refused, ReadError::Denied)]);
    }
}
