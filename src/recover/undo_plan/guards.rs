//! The conditions of an undo that its plan knows by itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::foreign;
use crate::model::{Action, Foreign, Guard, Recovery, Reversal, TreeFacts};
use crate::recover::guards::DETACHED;
use crate::text::format;

/// How many files a condition names.
const NAMED: usize = 8;

/// Whether the recovery's branch is checked out where its files would be restored.
pub fn branch_guard(tree: &Path, expected: &Foreign, facts: &TreeFacts) -> Guard {
    let actual = facts.branch.as_ref();
    let on = actual.cloned().unwrap_or_else(|| DETACHED.into());
    if actual == Some(expected) {
        let text = foreign!("{} is on {}, as when the recovery was made.", tree, on);
        return Guard::holds("branch", text);
    }
    let cure = Guard::switch(tree, Some(expected), facts);
    let text = foreign!(
        "{} is on {}; the recovery was made on {}.",
        tree,
        on,
        expected
    );
    Guard::fails("branch", text, cure)
}

/// Whether one of the `later` recoveries, newest first, changed the same files and stands. It does not count where what
/// it undid is later as well: the two together changed nothing.
pub fn order_guard(recovery: &Recovery, keep: &[PathBuf], later: &[&Recovery]) -> Option<Guard> {
    let kept = |path: &Path| keep.iter().any(|kept| path.starts_with(kept));
    let own: BTreeSet<&Path> = places(recovery).filter(|path| !kept(path)).collect();
    let cancels = |one: &Recovery| {
        let undone = one.undoes.as_ref();
        undone.is_some_and(|undone| later.iter().any(|other| other.id == *undone))
    };
    // A directory was moved with all that is in it. The paths in one directly follow it in the set.
    let meets = |path: &Path| {
        let within = own.range(path..).next();
        within.is_some_and(|own| own.starts_with(path))
            || path.ancestors().any(|above| own.contains(above))
    };
    let shared = |one: &Recovery| -> Vec<Foreign> {
        let both = places(one).filter(|path| !kept(path) && meets(path));
        both.map(Foreign::from).collect()
    };
    let stands = later.iter().filter(|one| one.stands() && !one.purged);
    let mut meeting = stands
        .filter(|one| !cancels(one))
        .map(|one| (one, shared(one)));
    let (first, paths) = meeting.find(|(_, paths)| !paths.is_empty())?;
    let (reversal, id) = first.way_back();
    let verb = match reversal {
        Reversal::Undo => "undo",
        Reversal::Redo => "redo",
    };
    let text = foreign!(
        "{} is later and changed {} of these too: {}.",
        first.id.0.as_str(),
        format::count(paths.len(), "file"),
        Foreign::list_first(paths, NAMED)
    );
    let cure = format!("First: relight {verb} {id}. Or leave those files unchanged with --keep.");
    Some(Guard::fails("order", text, cure))
}

/// The places that a recovery wrote to, logs among them: a line that says that it was undone is about the last one.
fn places(recovery: &Recovery) -> impl Iterator<Item = &Path> {
    let pairs = recovery.actions.iter().flat_map(Action::written);
    pairs.map(|pair| pair.here.as_path())
}
