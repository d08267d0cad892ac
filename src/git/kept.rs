//! Repositories that stay open between two questions.
//!
//! To judge and open a repository takes a hundred system calls, a question itself often three. A list asks the same few
//! repositories thousands of times, so the last ones are kept. One that was touched since is judged and opened anew.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Stat, lstat};

use crate::world::git::GitError;

use super::open::{self, Opened};

/// How many are kept: those that a few threads ask by turns. Each may hold some files open.
const KEPT: usize = 16;

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
    let answer = question(&opened)?;
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() >= KEPT {
        idle.remove(0);
    }
    idle.push(opened);
    Ok(answer)
}

fn take(at: &Path) -> Option<Opened> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = idle.iter().rposition(|kept| kept.at == at)?;
    Some(idle.remove(found))
}

/// When what a repository was judged by was last touched: `.git`, its directories and its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Touched([Option<Node>; 4]);

type Node = (u64, u64, i64, u64, i64);

impl Touched {
    /// Looks now. To be called before anything is read of them.
    pub(super) fn of(at: &Path, git_dir: &Path, common_dir: &Path) -> Self {
        let config = common_dir.join("config");
        Self(
            [&at.join(".git"), git_dir, common_dir, &config].map(|path| lstat(path).ok().map(node)),
        )
    }
}

#[allow(
    clippy::unnecessary_cast,
    reason = "the types of these fields differ from platform to platform"
)]
fn node(stat: Stat) -> Node {
    (
        stat.st_dev as u64,
        stat.st_ino as u64,
        stat.st_ctime as i64,
        stat.st_ctime_nsec as u64,
        stat.st_size as i64,
    )
}
