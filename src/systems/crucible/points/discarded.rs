//! The work that relight's own resume at an earlier boundary discarded, by relight's history.

use super::{Redo, stops};
use crate::model::Stamp;
use crate::systems::Candidate;
use crate::systems::crucible::facts::own_resume::{Newer, Resumed, is_after, manifest_grew};
use crate::systems::crucible::facts::{Run, marks, phase_order};
use crate::systems::crucible::shape::Entry;
use crate::world::World;

/// The latest resume of a run, if it was at a boundary; `None` if there was none.
pub(crate) fn resumed(run: &Run, candidate: &Candidate, world: &dyn World) -> Option<Resumed> {
    if candidate.resumes.is_empty() {
        return None;
    }
    let tree = world.files().canonical(run.work_tree()?)?;
    let own = candidate.resumes.iter().find(|own| own.root == tree)?;
    let stop = stops(run, world)
        .into_iter()
        .find(|stop| stop.id == own.point)?;
    let at = Stamp::stated(own.at);
    let grew = manifest_grew(at, run, world);
    let newer = Newer::than(at, grew, run, world);
    let earlier = run.clock.iter().filter(|(_, began)| !is_after(**began, at));
    let newest = earlier.map(|(seq, _)| *seq).max();
    let is_older = |entry: &Entry| match run.start_of(entry) {
        Some(began) => !is_after(began, at),
        // Without a time, its number decides; nothing in a manifest that was not written since is newer.
        None => !grew || newest.is_some_and(|newest| entry.seq <= newest),
    };
    let redo = Redo::after(run, &stop);
    let after = run.counted();
    let after = after.filter(|(unit, entry)| is_older(entry) && redo.is_after(run, *unit, entry));
    Some(Resumed {
        phase: phase_order::understand(&run.skill, stop.phase)?,
        order: stop.reasons.first().and_then(|reason| marks::order(reason)),
        discarded: after.map(|(_, entry)| entry.seq).collect(),
        id: stop.id,
        at,
        newer,
    })
}
