//! What an undo leaves as it is: lines of logs, and files that were written after the recovery.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::Opened;
use crate::apply::appends::shown;
use crate::apply::disk::RealDisk;
use crate::apply::history;
use crate::apply::journal::Append;
use crate::foreign;
use crate::model::{Action, Foreign, Loss, Place};
use crate::recover::undo_plan;
use crate::text::format::{count, plural};
use crate::world::World;
use crate::world::files::Entry;

/// How many files are named.
const NAMED: usize = 8;

/// Uncommitted files in the work trees of an undo, and records of its pipeline, that were written after the recovery and
/// are not in one of the places that it changes, such as those of the agent that resumed: the undo leaves them.
pub(super) fn written_since(
    world: &dyn World,
    actions: &[Action],
    facts: &undo_plan::Facts,
    ended: Option<DateTime<Utc>>,
    opened: Option<&Opened>,
) -> Option<Loss> {
    let ended = ended?;
    let moves = |path: &Path| path.ancestors().any(|above| facts.changes(above));
    let stays = |place: &Place| {
        let at = world.files().modified(place);
        // A directory in the place of a file is no file: what is in it is listed.
        let is_file = !world.files().is_dir(place);
        is_file && at.is_some_and(|at| at > ended) && !moves(&place.path())
    };
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    let mut written: Vec<Foreign> = Vec::new();
    for tree in work_trees(actions) {
        let changes = world.git().status(tree).into_iter().flatten();
        for change in changes {
            let place = Place::foreign(&[tree], change.path.as_bytes()).ok();
            if let Some(place) = place.filter(&stays)
                && paths.insert(place.path())
            {
                written.push(change.path);
            }
        }
    }
    let records = opened.map(|opened| records(world, opened));
    for place in records.into_iter().flatten().filter(stays) {
        if paths.insert(place.path()) {
            written.push(Foreign::from(place.path().as_path()));
        }
    }
    let (files, were) = (
        count(written.len(), "file"),
        plural(written.len(), "was", "were"),
    );
    let stay = plural(written.len(), "stays as it is", "stay as they are");
    (!written.is_empty()).then(|| {
        Loss::not_restored(foreign!(
            "{} {} written after the recovery and {}: {}.",
            files,
            were,
            stay,
            Foreign::list_first(written, NAMED)
        ))
    })
}

/// The files that the system of a pipeline writes.
fn records(world: &dyn World, opened: &Opened) -> Vec<Place> {
    let named = opened.case.reading().state_files.iter();
    let named = named.filter_map(|path| Place::of(path));
    let mut all: Vec<Place> = named.collect();
    for own in opened.case.own_files() {
        let dir = Place::root(&own.dir);
        let entries = world.files().list(&dir).unwrap_or_default();
        let is_own = |entry: &&Entry| !entry.is_dir && (own.names)(Path::new(&entry.name));
        let entries = entries.iter().filter(is_own);
        all.extend(entries.filter_map(|entry| dir.join(&entry.name).ok()));
    }
    all
}

/// The work trees that actions change, each once: files and a branch are two actions of one tree.
pub(super) fn work_trees(actions: &[Action]) -> Vec<&Path> {
    let mut trees: Vec<&Path> = Vec::new();
    for action in actions.iter().filter(|action| action.kind.touches_tree()) {
        if !trees.contains(&action.target.as_path()) {
            trees.push(&action.target);
        }
    }
    trees
}

/// What a recovery appended to logs.
pub(super) fn appended(entry: &history::Entry<RealDisk>) -> Vec<undo_plan::Appended> {
    let Some(journal) = entry.good_journal() else {
        return Vec::new();
    };
    let one = |append: &Append| {
        let base = journal.bases.get(append.base).map(|base| base.path.path());
        let block = Foreign::from(append.block.0.as_slice());
        undo_plan::Appended {
            log: base.unwrap_or_default().join(shown(append)),
            lines: block.lines().filter(|line| !line.is_empty()).collect(),
        }
    };
    journal.appends.iter().map(one).collect()
}
