//! A world that caches every answer for one run of a command. A run sees one state of the disk, and many pipelines in
//! one repository cost one look at it.
//!
//! It must not live longer than one command or one answer, a plan for example, and nothing that writes reads through it:
//! under its locks the transaction has the plan computed again, from the disk as it is then.

mod files;
mod git;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::agents::Agents;
use super::files::{Files, ReadError};
use super::git::Git;
use super::process::Processes;
use super::{Clock, Places, World};
use files::CachedFiles;
use git::CachedGit;

/// The world with a cache.
pub struct CachedWorld<'a> {
    world: &'a dyn World,
    files: CachedFiles<'a>,
    git: CachedGit<'a>,
}

impl<'a> CachedWorld<'a> {
    /// An empty cache.
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            files: CachedFiles::new(world.files()),
            git: CachedGit::new(world.git()),
        }
    }

    /// Directories that were asked for and could not be read, and why.
    pub fn unread(&self) -> Vec<(PathBuf, ReadError)> {
        self.files.unread()
    }
}

impl World for CachedWorld<'_> {
    fn clock(&self) -> &dyn Clock {
        self.world.clock()
    }

    fn files(&self) -> &dyn Files {
        &self.files
    }

    fn git(&self) -> &dyn Git {
        &self.git
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

/// Answers by question. A thread that asks what another one is already asking waits for that answer.
struct Answers<Q, A>(Mutex<HashMap<Q, Arc<OnceLock<A>>>>);

impl<Q, A> Default for Answers<Q, A> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Q: Eq + Hash, A: Clone> Answers<Q, A> {
    /// The cached answer, else the result of `ask`.
    fn get<B>(&self, question: &B, ask: impl FnOnce() -> A) -> A
    where
        Q: Borrow<B>,
        B: Eq + Hash + ToOwned<Owned = Q> + ?Sized,
    {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = match all.get(question) {
            Some(known) => Arc::clone(known),
            None => Arc::clone(all.entry(question.to_owned()).or_default()),
        };
        drop(all);
        answer.get_or_init(ask).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;
    use crate::world::fake::FakeWorld;

    #[test]
    fn small_files_are_cached_and_large_ones_are_not() {
        let dir = crate::world::temporary::directory();
        let small = Place::known(dir.path(), "small").unwrap();
        let large = Place::known(dir.path(), "large").unwrap();
        let late = Place::known(dir.path(), "late").unwrap();
        let write = |place: &Place, bytes: &[u8]| std::fs::write(place.path(), bytes).unwrap();
        write(&small, b"before");
        write(&large, &vec![b'a'; 100_000]);
        let world = FakeWorld::from("2026-04-08T10:00:00Z");

        let first = CachedWorld::new(&world);
        let files = first.files();
        assert_eq!(files.read(&small, 100).unwrap(), b"before");
        assert_eq!(files.read(&large, 200_000).unwrap().len(), 100_000);
        assert!(!files.exists(&late) && files.whole(&late).is_err());
        let listed = files.entries(dir.path(), "").len();
        write(&small, b"after it");
        write(&large, b"b");
        write(&late, b"new");

        assert_eq!(files.read(&small, 100).unwrap(), b"before");
        assert_eq!(files.read_range(&small, 3, 2).unwrap(), b"or");
        assert_eq!(files.read_range(&small, 9, 2).unwrap(), b"");
        assert!(files.read(&small, 3).is_err(), "more than the cap");
        assert_eq!(files.read(&large, 200_000).unwrap(), b"b");
        assert!(!files.exists(&late) && files.whole(&late).is_err());
        assert_eq!(files.entries(dir.path(), "").len(), listed);

        let next = CachedWorld::new(&world);
        assert_eq!(next.files().read(&small, 100).unwrap(), b"after it");
        assert_eq!(next.files().whole(&late).unwrap(), b"new");
    }
}
