//! A world that notes which files are there and could not be read, and which directories could not be looked into, so
//! that no reader of a system can pass over one as if it were missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::agents::Agents;
use super::files::{Entry, Files, ReadError, Stat};
use super::git::Git;
use super::process::Processes;
use super::{Clock, Places, World};
use crate::model::{Foreign, Place, lock};

/// The world with notes.
pub struct NotingWorld<'a> {
    world: &'a dyn World,
    files: NotingFiles<'a>,
}

impl<'a> NotingWorld<'a> {
    /// Without a note.
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            files: NotingFiles {
                files: world.files(),
                unread: Mutex::default(),
            },
        }
    }

    /// What was asked for, is there and could not be read, and why: files, and directories that may not be searched or
    /// listed. A file of its own size is no problem of the file.
    pub fn unread(self) -> BTreeMap<PathBuf, ReadError> {
        std::mem::take(&mut *lock(&self.files.unread))
    }
}

impl World for NotingWorld<'_> {
    fn clock(&self) -> &dyn Clock {
        self.world.clock()
    }

    fn files(&self) -> &dyn Files {
        &self.files
    }

    fn git(&self) -> &dyn Git {
        self.world.git()
    }

    fn processes(&self) -> &dyn Processes {
        self.world.processes()
    }

    fn places(&self) -> &Places {
        self.world.places()
    }

    fn know_agents(&mut self, _: Agents) {
        // The wrapped world already has them.
    }
}

struct NotingFiles<'a> {
    files: &'a dyn Files,
    unread: Mutex<BTreeMap<PathBuf, ReadError>>,
}

impl NotingFiles<'_> {
    fn note<T>(&self, place: &Place, read: Result<T, ReadError>) -> Result<T, ReadError> {
        let Err(why) = &read else { return read };
        let path = || place.path();
        let is_noted = match why {
            ReadError::NotFound | ReadError::TooLarge { .. } => false,
            // A reader asks so whether a directory is a work tree of its own.
            ReadError::NotRegular => path().file_name().is_some_and(|name| name != ".git"),
            ReadError::Link | ReadError::Denied | ReadError::Other(_) => true,
        };
        if is_noted {
            self.note_place(place, why);
        }
        read
    }

    /// Notes a place, or the directory above it that keeps it unknown whether anything is there.
    fn note_place(&self, place: &Place, why: &ReadError) {
        let path = place.path();
        let closed = |dir: &&Path| {
            let seen = Place::of(dir).map(|place| self.files.stat(&place));
            seen.is_some_and(|seen| seen.is_err_and(|why| why.leaves_unknown()))
        };
        let seen = path.ancestors().find(|dir| !closed(dir));
        lock(&self.unread).insert(seen.unwrap_or(&path).to_owned(), why.clone());
    }
}

impl Files for NotingFiles<'_> {
    fn read(&self, place: &Place, cap: u64) -> Result<Vec<u8>, ReadError> {
        self.note(place, self.files.read(place, cap))
    }

    fn largest(&self) -> u64 {
        self.files.largest()
    }

    fn read_range(&self, place: &Place, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        self.note(place, self.files.read_range(place, offset, len))
    }

    fn stat(&self, place: &Place) -> Result<Stat, ReadError> {
        let seen = self.files.stat(place);
        if let Err(why) = &seen
            && why.leaves_unknown()
        {
            self.note_place(place, why);
        }
        seen
    }

    fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError> {
        let listed = self.files.list(place);
        if let Err(why) = &listed
            && why.leaves_unknown()
        {
            self.note_place(place, why);
        }
        listed
    }

    fn link_target(&self, place: &Place) -> Result<Foreign, ReadError> {
        self.files.link_target(place)
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        self.files.canonical(path)
    }

    fn unwritable(&self, dir: &Path) -> Option<(PathBuf, std::io::Error)> {
        self.files.unwritable(dir)
    }
}
