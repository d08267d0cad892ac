//! Uncommitted changes: the work that they show, and what a reset does to them and to commits.

use std::path::Path;

use crate::model::{Foreign, Loss, Place};
use crate::text::format::{count, count_of, plural};
use crate::world::git::{StatusKind, StatusPath};

/// How many uncommitted files are checked for their time.
const MOST_WRITES: usize = 200;

/// The uncommitted files of a worktree, whose times are those of the work in it.
pub(crate) fn written_places<'a>(
    changes: impl IntoIterator<Item = &'a StatusPath>,
    tree: &Path,
) -> impl Iterator<Item = Place> {
    let changes = changes.into_iter().take(MOST_WRITES);
    changes.filter_map(move |change| Place::foreign(&[tree], change.path.as_bytes()).ok())
}

/// What is said of a reset that removes commits which the upstream has.
pub(crate) const PUSHED: &str =
    "Commits that were pushed are removed: pushing again rewrites published history.";

/// The loss of commits by a reset.
pub(crate) fn removed_commits(removed: usize, branch: &str, newest: &Foreign) -> Loss {
    let (commits, are) = (count(removed, "commit"), plural(removed, "is", "are"));
    let (newest, them) = (newest.lossy(), plural(removed, "it", "them"));
    Loss::overwritten(format!(
        "{commits} {are} removed from {branch}, the newest `{newest}`; undo restores {them}."
    ))
}

/// The losses of a reset, a sentence for each kind; `place` says where, if it is not clear. The files that stay are
/// counted where the work tree is measured: the index does not know which of its files are still there.
pub(crate) fn losses(open: &[StatusPath], place: &str) -> Vec<Loss> {
    let number = |kind| open.iter().filter(|path| path.kind == kind).count();
    let mut all = Vec::new();
    let changed = number(StatusKind::Changed);
    if changed > 0 {
        let files = count_of(changed, "tracked file has", "tracked files have");
        all.push(Loss::overwritten(format!(
            "{files} uncommitted changes{place}: those that Changes lists are reset; undo restores them."
        )));
    }
    let new = number(StatusKind::New);
    if new > 0 {
        let (files, are) = (count(new, "staged new file"), plural(new, "is", "are"));
        let them = plural(new, "it", "them");
        all.push(Loss::not_restored(format!(
            "{files}{place} {are} no longer staged; undo stages {them} again."
        )));
    }
    all
}
