//! A pool of open repositories.
//!
//! Judging and opening a repository takes a hundred system calls, a query often only three. A list queries the same few
//! repositories thousands of times, so the last ones stay open. One that was modified since is judged and opened again,
//! in one look only once.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use crate::model::lock;
use crate::world::git::GitError;

use super::RealGit;
use super::config::OwnConfig;
use super::open::{self, Lead, Opened};

/// The size of the pool: enough for the repositories that a few threads query in turn. Each may hold some files open.
const KEPT: usize = 128;

/// The pool, the most recently used at the end. A repository in use is not in it, so no repository serves two threads
/// at once.
static IDLE: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Who queries repositories.
pub(super) trait Asking: Send + Sync {
    /// Queries the repository that contains a directory, or the git directory itself.
    fn ask<T>(
        &self,
        dir: &Path,
        question: impl FnOnce(&Opened) -> Result<T, GitError>,
    ) -> Result<T, GitError>;
}

impl Asking for RealGit {
    fn ask<T>(
        &self,
        dir: &Path,
        question: impl FnOnce(&Opened) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        let opened = unchanged(&open::find(dir)?)?;
        // A repository is kept even after an error: half of the queries ask whether something exists.
        let answer = question(&opened);
        give_back(opened);
        answer
    }
}

/// Repositories for one look: what was found and judged in it counts until it is dropped. It must not live longer than
/// one command or one answer.
#[derive(Default)]
pub(super) struct Look {
    /// The repositories of the directories that were asked for.
    found: Mutex<HashMap<PathBuf, Result<Lead, GitError>>>,
    /// Its own part of the pool.
    idle: Mutex<Vec<Opened>>,
    /// The person's configuration.
    own: Arc<OnceLock<OwnConfig>>,
}

impl Asking for Look {
    fn ask<T>(
        &self,
        dir: &Path,
        question: impl FnOnce(&Opened) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        let lead = self.find(dir)?;
        let own = take(&self.idle, &lead.at);
        let mut opened = own.map_or_else(|| unchanged(&lead), Ok)?;
        opened.own = Arc::clone(&self.own);
        let answer = question(&opened);
        put(&self.idle, opened);
        answer
    }
}

impl Look {
    fn find(&self, dir: &Path) -> Result<Lead, GitError> {
        if let Some(known) = lock(&self.found).get(dir) {
            return known.clone();
        }
        let lead = open::find(dir);
        lock(&self.found).insert(dir.to_owned(), lead.clone());
        lead
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        for opened in lock(&self.idle).drain(..) {
            give_back(opened);
        }
    }
}

/// The repository out of the pool if nothing that it was judged by has changed, else opened now.
fn unchanged(lead: &Lead) -> Result<Opened, GitError> {
    match take(&IDLE, &lead.at) {
        Some(kept) if kept.touched == Touched::of(&kept.at, &kept.git_dir, &kept.common_dir) => {
            Ok(kept)
        }
        _ => lead.open(),
    }
}

fn give_back(mut opened: Opened) {
    opened.repo.check_anew();
    opened.own = Arc::default();
    put(&IDLE, opened);
}

fn put(idle: &Mutex<Vec<Opened>>, opened: Opened) {
    let mut idle = lock(idle);
    if idle.len() >= KEPT {
        idle.remove(0);
    }
    idle.push(opened);
}

fn take(idle: &Mutex<Vec<Opened>>, at: &Path) -> Option<Opened> {
    let mut idle = lock(idle);
    let found = idle.iter().rposition(|kept| kept.at == at)?;
    Some(idle.remove(found))
}

/// The identity, size and time of everything that a repository was judged by: `.git`, its directories, `HEAD` and its
/// configuration. `HEAD` is asked itself because the time of its directory does not tell two changes of one moment apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Touched([Option<Node>; 5]);

type Node = (u64, u64, u64, (i64, i64));

impl Touched {
    /// Reads the times now; call it before reading anything else of them.
    pub(super) fn of(at: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        let dot_git = &at.join(".git");
        let top = node(dot_git);
        // Of most repositories these three are one directory.
        let own = if git_dir == dot_git {
            top
        } else {
            node(git_dir)
        };
        let common = if common_dir == git_dir {
            own
        } else {
            node(common_dir)
        };
        let (head, config) = (git_dir.join("HEAD"), common_dir.join("config"));
        Self([top, own, common, node(&head), node(&config)])
    }
}

fn node(path: &Path) -> Option<Node> {
    let meta = path.symlink_metadata().ok()?;
    let changed = (meta.ctime(), meta.ctime_nsec());
    Some((meta.dev(), meta.ino(), meta.size(), changed))
}
