//! Repositories that stay open between two questions.
//!
//! To judge and open a repository takes a hundred system calls, a question itself often three. A list asks the same few
//! repositories thousands of times, so the last ones are kept. One that was touched since is judged and opened anew.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::world::git::GitError;

use super::open::{self, Opened};

/// How many are kept: those that a few threads ask by turns. Each may hold some files open.
const KEPT: usize = 64;

/// The last ones that were asked, the newest at the end. One that is being asked is not here: none serves two threads
/// at once.
static IDLE: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Asks the repository that a directory lies in, or the git directory that it is.
pub(super) fn ask<T>(
    dir: &Path,
    question: impl FnOnce(&Opened) -> Result<T, GitError>,
) -> Result<T, GitError> {
    let lead = open::find(dir)?;
    let opened = match take(lead.at()) {
        Some(kept) if kept.touched == Touched::of(&kept.at, &kept.git_dir, &kept.common_dir) => {
            kept
        }
        _ => lead.open()?,
    };
    // One that has no answer is kept like any other: half of the questions are whether something is there.
    let answer = question(&opened);
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

/// When what a repository was judged by was last touched: `.git`, its directories and its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Touched([Option<Node>; 4]);

type Node = (u64, u64, u64, (i64, i64));

impl Touched {
    /// Looks now. To be called before anything is read of them.
    pub(super) fn of(at: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        let config = common_dir.join("config");
        Self([&at.join(".git"), git_dir, common_dir, &config].map(node))
    }
}

fn node(path: &Path) -> Option<Node> {
    let meta = path.symlink_metadata().ok()?;
    let changed = (meta.ctime(), meta.ctime_nsec());
    Some((meta.dev(), meta.ino(), meta.size(), changed))
}
