//! Tree steps as actions: the counts, the sentence and the paths.

use std::path::Path;

use super::losses::Losses;
use super::{Decided, Measured, paths};
use crate::model::{
    Action, ActionKind, ChangeCounts, Foreign, PlanOptions, Preview, RestoreMode, short_id,
};
use crate::text::format::{count, count_of};

/// A tree step as an action, with its losses added, or `None` where nothing would change; in both cases also the files
/// created after the checkpoint that are kept, where no other action changes them.
pub(super) fn action(
    (kind, target, store, commit): (ActionKind, &Path, &Path, &str),
    (decided, is_kept): (Decided, &dyn Fn(&Foreign) -> bool),
    options: &PlanOptions,
    losses: &mut Losses,
) -> (Option<Action>, Vec<Foreign>) {
    let Decided {
        measured,
        mut paths,
    } = decided;
    paths.newer.retain(is_kept);
    let resets = kind == ActionKind::ResetWorktree;
    let moves_branch = resets && measured.head.as_deref().is_some_and(|head| head != commit);
    let moves_index = resets && (moves_branch || measured.dirty);
    if paths.counts == ChangeCounts::default() && !moves_index {
        losses.not_covered((kind, target), &paths);
        return (None, paths.newer);
    }
    losses.add((kind, target), &paths, &measured, options);
    let newer = std::mem::take(&mut paths.newer);
    let action = Action {
        kind,
        target: target.to_owned(),
        summary: summary(kind, commit, paths.counts, moves_branch, options).into(),
        changes: Some(ChangeCounts {
            branch: moves_branch.then_some(measured.branch),
            ..paths.counts
        }),
        paths: paths.listed,
        preview: Preview::Tree {
            store: store.to_owned(),
            commit: commit.to_owned(),
        },
    };
    (Some(action), newer)
}

fn summary(
    kind: ActionKind,
    commit: &str,
    counts: ChangeCounts,
    moves_branch: bool,
    options: &PlanOptions,
) -> String {
    let resets = kind == ActionKind::ResetWorktree;
    let what = if resets {
        "untracked files"
    } else {
        "files created after the checkpoint"
    };
    let how = match options.mode {
        RestoreMode::Overlay => "are kept",
        RestoreMode::Exact => "are moved aside",
    };
    let put = counts.modified + counts.added;
    let short = short_id(commit);
    if put == 0 && !resets {
        let files = count_of(counts.removed, "file that was", "files that were");
        return format!("Moves aside {files} created after the checkpoint {short}.");
    }
    let what_goes = match (put, resets, moves_branch) {
        (0, true, true) => "the index and the branch".to_owned(),
        (0, true, false) => "the index".to_owned(),
        (_, true, true) => format!("{}, the index and the branch", count(put, "file")),
        (_, true, false) => format!("{} and the index", count(put, "file")),
        (_, false, _) => count(put, "file"),
    };
    format!("Restores {what_goes} to {short}; {what} {how}.")
}

/// True where a chosen path names nothing at all: neither a change nor any path of the checkpoint.
pub fn names_nothing(chosen: &Path, measured: &Measured, checkpoint: &[Foreign]) -> bool {
    let mut drifted = measured.drift.paths.iter().map(|p| &p.path);
    let covers = |path: &Foreign| paths::covers(chosen, path);
    !drifted.any(covers) && !checkpoint.iter().any(covers)
}
