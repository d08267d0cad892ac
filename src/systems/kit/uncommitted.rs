//! What a reset does to uncommitted changes, by their kind.

use crate::model::Loss;
use crate::text::format::{count, count_of, plural};
use crate::world::git::{StatusKind, StatusPath};

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
