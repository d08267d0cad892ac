//! What an undo leaves as it is: lines of logs, and files that were written after the recovery.

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
        let changes = world.git().status(&tree.target);
        for change in changes.into_iter().flatten() {
            let own = tree.paths.iter().any(|path| path.path == change.path);
            let place = Place::foreign(&[tree.target.as_path()], change.path.as_bytes()).ok();
            let stat = place.and_then(|place| world.files().stat(&place).ok());
            if !own && stat.is_some_and(|stat| stat.modified.to_utc() > ended) {
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
    let Some(Ok(journal)) = &entry.journal else {
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
