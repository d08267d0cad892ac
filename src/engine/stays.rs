//! What an undo leaves as it is: lines of logs, and files that were written after the recovery.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::apply::appends::shown;
use crate::apply::disk::RealDisk;
use crate::apply::history::Entry;
use crate::apply::journal::Append;
use crate::foreign;
use crate::model::{Action, Foreign, Loss, Place};
use crate::recover::undo_plan;
use crate::text::format::{count, plural};
use crate::world::World;

/// How many files are named.
const NAMED: usize = 8;

/// Uncommitted files in the work trees of an undo that were written after the recovery and are none of its own, such
/// as those of the agent that resumed: the undo leaves them.
pub(super) fn written_since(
    world: &dyn World,
    actions: &[Action],
    ended: Option<DateTime<Utc>>,
) -> Option<Loss> {
    let ended = ended?;
    let trees = actions.iter().filter(|action| action.kind.touches_tree());
    let mut written: Vec<Foreign> = Vec::new();
    for tree in trees {
        let own: HashSet<&Foreign> = tree.paths.iter().map(|path| &path.path).collect();
        let changes = world.git().status(&tree.target).into_iter().flatten();
        for change in changes.filter(|change| !own.contains(&change.path)) {
            let place = Place::foreign(&[tree.target.as_path()], change.path.as_bytes()).ok();
            let at = place.and_then(|place| world.files().modified(&place));
            if at.is_some_and(|at| at > ended) {
                written.push(change.path);
            }
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

/// What a recovery appended to logs.
pub(super) fn appended(entry: &Entry<RealDisk>) -> Vec<undo_plan::Appended> {
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
