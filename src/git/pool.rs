//! A pool of open repositories.
//!
//! Judging and opening a repository takes a hundred system calls, a query often only three. A list queries the same few
//! repositories thousands of times, so the last ones stay open. One that was modified since is judged and opened again.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::world::git::GitError;

use super::open::{self, Opened};

/// The size of the pool: enough for the repositories that a few threads query in turn. Each may hold some files open.
const KEPT: usize = 128;

/// The pool, the most recently used at the end. A repository in use is not in it, so no repository serves two threads
/// at once.
static IDLE: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Queries the repository that contains a directory, or the git directory itself.
pub(super) fn ask<T>(
    dir: &Path,
    question: impl FnOnce(&Opened) -> Result<T, GitError>,
) -> Result<T, GitError> {
    let lead = open::find(dir)?;
    let mut opened = match take(&lead.at) {
        Some(kept) if kept.touched == Touched::of(&kept.at, &kept.git_dir, &kept.common_dir) => {
            kept
        }
        _ => lead.open()?,
    };
    // A repository is kept even after an error: half of the queries ask whether something exists.
    let answer = question(&opened);
    opened.repo.check_anew();
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() >= KEPT {
        idle.remove(0);
    }
    idle.push(opened);
    answer
}

fn take(at: &Path) -> Option<Opened> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
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
