//! The work that relight discarded, by its history: a resume at an earlier boundary, or a restore of a checkpoint's files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::{Redo, Stop, stops};
use crate::model::{Foreign, OwnResume, Stamp};
use crate::systems::Candidate;
use crate::systems::crucible::facts::marks::{self, Marks, Order};
use crate::systems::crucible::facts::own_resume::{Newer, Resumed, is_after, manifest_grew};
use crate::systems::crucible::facts::{Run, Saved, Unit, phase_order};
use crate::systems::crucible::shape::Entry;
use crate::world::World;

/// The latest of a run that discarded work; `None` without one.
pub(crate) fn resumed(run: &Run, candidate: &Candidate, world: &dyn World) -> Option<Resumed> {
    if candidate.resumes.is_empty() {
        return None;
    }
    let tree = world.files().canonical(run.work_tree()?)?;
    let stops = stops(run, world);
    let mut own = candidate.resumes.iter().filter(|own| own.root == tree);
    own.find_map(|own| discarded_by(run, own, &stops, world))
}

fn discarded_by(run: &Run, own: &OwnResume, stops: &[Stop], world: &dyn World) -> Option<Resumed> {
    let at_point = stops.iter().find(|stop| match &own.files_of {
        None => stop.id == own.point,
        Some(files) => {
            let saved = stop.saved.as_ref();
            saved.is_some_and(|saved| saved.commit == files.checkpoint)
        }
    });
    let at = Stamp::stated(own.at);
    let grew = manifest_grew(at, run, world);
    let earlier = run.clock.iter().filter(|(_, began)| !is_after(**began, at));
    let newest = earlier.map(|(seq, _)| *seq).max();
    let is_older = |entry: &Entry| match run.start_of(entry) {
        Some(began) => !is_after(began, at),
        // Without a time, its number decides; nothing in a manifest that was not written since is newer.
        None => !grew || newest.is_some_and(|newest| entry.seq <= newest),
    };
    let order = |stop: &Stop| stop.reasons.first().and_then(|reason| marks::order(reason));
    let of = |stop: &Stop, id: &str, is_lost: &dyn Fn(Unit, &Entry) -> bool| -> Option<Resumed> {
        let lost = run.counted();
        let lost = lost.filter(|(unit, entry)| is_older(entry) && is_lost(*unit, entry));
        let newer = Newer::than(at, grew, run, world);
        // Once anything newer is recorded, nobody asks for them.
        let left_out = own.left_out.iter().filter(|_| !newer.any);
        let since = |path: &&Foreign| {
            let saved = stop.saved.as_ref();
            saved.is_some_and(|saved| is_restored(saved, &own.root, path, world))
        };
        Some(Resumed {
            phase: phase_order::understand(&run.skill, stop.phase)?,
            order: order(stop),
            discarded: lost.map(|(_, entry)| entry.seq).collect::<BTreeSet<u64>>(),
            id: id.to_owned(),
            restored: own.files_of.clone(),
            at,
            newer,
            left_out: left_out.filter(|path| !since(path)).cloned().collect(),
            stopped: None,
        })
    };
    if let Some(stop) = at_point {
        let redo = Redo::after(run, stop);
        return of(stop, &stop.id, &|unit, entry| {
            redo.is_after(run, unit, entry)
        });
    }
    // A checkpoint that was not taken at a boundary: what began later is not in it, and no boundary has its files.
    let taken = Stamp::stated(own.files_of.as_ref()?.taken_at?);
    let passed: Option<Order> = Marks::of(run).at(taken);
    let stop = stops.iter().rfind(|stop| order(stop) <= passed)?;
    of(stop, "disk", &|unit, entry| match run.start_of(entry) {
        Some(began) => is_after(began, taken),
        None => run
            .work
            .phase_of(unit)
            .is_some_and(|phase| phase.name.rank > stop.rank),
    })
}

/// Whether a person has restored a file since, by its content.
fn is_restored(saved: &Saved, tree: &Path, path: &Foreign, world: &dyn World) -> bool {
    let path = Path::new(OsStr::from_bytes(path.as_bytes()));
    let then = world.git().blob(&saved.store, &saved.commit, path);
    then.is_ok_and(|then| world.files().content(tree, path) == Some(then))
}
