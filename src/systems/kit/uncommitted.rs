//! What a reset does to uncommitted changes, by their kind.

use crate::model::Loss;
use crate::text::format::{count, count_of, plural};
use crate::world::git::{StatusKind, StatusPath};

/// The losses of a reset, a sentence for each kind; `place` says where, if it is not clear.
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
        let (files, stay) = (count(new, "staged new file"), plural(new, "stays", "stay"));
        let (are, them) = (plural(new, "is", "are"), plural(new, "it", "them"));
        all.push(Loss::not_restored(format!(
            "{files} {stay} unchanged{place} and {are} no longer staged; undo stages {them} again."
        )));
    }
    let untracked = number(StatusKind::Untracked);
    if untracked > 0 {
        let paths = count(untracked, "untracked path");
        let stay = plural(untracked, "stays", "stay");
        all.push(Loss::not_restored(format!(
            "{paths} {stay} unchanged{place}."
        )));
    }
    all
}
