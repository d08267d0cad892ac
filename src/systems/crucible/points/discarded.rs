//! The work that relight discarded, by its history: a resume at an earlier boundary, or a restore of a checkpoint's
//! files; and the work that a boundary would discard.

use std::collections::BTreeSet;

use super::{Redo, Stop, stops};
use crate::foreign;
use crate::model::{Drift, DriftPath, Foreign, OwnResume, PathState, Place, Stamp};
use crate::systems::Candidate;
use crate::systems::crucible::facts::marks::{self, Marks, Order};
use crate::systems::crucible::facts::own_resume::{
    Newer, Resumed, is_after, is_newer, manifest_grew,
};
use crate::systems::crucible::facts::stores::Saved;
use crate::systems::crucible::facts::work::UnitState;
use crate::systems::crucible::facts::{Run, Unit, phase_order};
use crate::systems::crucible::shape::Entry;
use crate::text::format::{count_of, short_id};
use crate::world::World;

/// How many paths a sentence names.
const NAMED: usize = 10;

/// The latest of a run that discarded work; `None` without one.
pub(crate) fn resumed(run: &Run, candidate: &Candidate, world: &dyn World) -> Option<Resumed> {
    if candidate.resumes.is_empty() {
        return None;
    }
    let tree = world.files().canonical(run.work_tree()?)?;
    let stops = stops(run, world);
    // Restoring some files discards no work that can be told.
    let whole = |own: &&OwnResume| own.files_of.as_ref().is_none_or(|files| files.whole);
    let own = candidate.resumes.iter().filter(|own| own.root == tree);
    own.filter(whole)
        .find_map(|own| discarded_by(run, own, &stops, world))
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
    let earlier = run.starts().filter(|(_, began)| !is_after(*began, at));
    let newest = earlier.map(|(seq, _)| seq).max();
    let is_older = |entry: &Entry| match run.start_of(entry) {
        Some(began) => !is_after(began, at),
        // Without a time, its number decides; nothing in a manifest that was not written since is newer.
        None => !grew || newest.is_some_and(|newest| entry.seq <= newest),
    };
    let order = |stop: &Stop| stop.reasons.first().and_then(|reason| marks::order(reason));
    let of = |stop: &Stop, id: &str, is_lost: &dyn Fn(Unit, &Entry) -> bool| -> Option<Resumed> {
        let lost = run.counted();
        let lost = lost.filter(|(unit, entry)| is_older(entry) && is_lost(*unit, entry));
        let mut newer = Newer::than(at, grew, run, world);
        if !newer.any && newer.commits == 0 {
            newer.edited = edited(run, own, stops, world);
        }
        Some(Resumed {
            phase: phase_order::understand(&run.skill, stop.phase)?,
            order: order(stop),
            discarded: lost.map(|(_, entry)| entry.seq).collect::<BTreeSet<u64>>(),
            id: id.to_owned(),
            restored: own.files_of.clone(),
            at,
            newer,
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
        None => run.rank_of(unit) > Some(stop.rank),
    })
}

/// What relight's latest resumes and restores of files did not restore, in a sentence, as long as nothing was recorded
/// since: then nobody asks for it.
pub(crate) fn not_restored(run: &Run, candidate: &Candidate, world: &dyn World) -> Option<Foreign> {
    let tree = world.files().canonical(run.work_tree()?)?;
    let mut own = candidate.resumes.iter().filter(|own| own.root == tree);
    // What was left out before all files were restored was restored by that.
    let mut restored_all = false;
    let mut own = own.by_ref().take_while(|own| {
        let before = restored_all;
        restored_all = own.left_out.is_empty();
        !before
    });
    own.find_map(|own| left_out(run, own, world))
}

fn left_out(run: &Run, own: &OwnResume, world: &dyn World) -> Option<Foreign> {
    let at = Stamp::stated(own.at);
    if own.left_out.is_empty() || Newer::than(at, manifest_grew(at, run, world), run, world).any {
        return None;
    }
    let what = match &own.files_of {
        None => foreign!("resumed at {}", own.point.as_str()),
        Some(files) => {
            let id = short_id(&files.checkpoint);
            foreign!("restored files of checkpoint {}", id)
        }
    };
    // A person may have restored some of them since.
    let drift = drift_since(run, own, &stops(run, world), world);
    let differs = |path: &&Foreign| {
        let is_it = |at: &DriftPath| at.path == **path && at.state != PathState::Created;
        drift
            .as_ref()
            .is_none_or(|drift| drift.paths.iter().any(is_it))
    };
    let paths: Vec<Foreign> = own.left_out.iter().filter(differs).cloned().collect();
    let files = count_of(paths.len(), "file was", "files were");
    let names = Foreign::list_first(paths.iter().cloned(), NAMED);
    let text = "left out and not restored";
    (!paths.is_empty()).then(|| foreign!("When relight {}, {} {}: {}.", what, files, text, names))
}

/// How far the files have moved from the checkpoint that was restored; `None` where none was, or it cannot be compared.
fn drift_since(run: &Run, own: &OwnResume, stops: &[Stop], world: &dyn World) -> Option<Drift> {
    let saved: Option<&Saved> = match &own.files_of {
        None => {
            let stop = stops.iter().find(|stop| stop.id == own.point);
            stop.and_then(|stop| stop.saved.as_ref())
        }
        Some(files) => {
            let mut all = run.saved.iter();
            all.find(|saved| saved.commit == files.checkpoint)
        }
    };
    let saved = saved?;
    let git = world.git();
    git.drift(&saved.store, &saved.commit, &own.root).ok()
}

/// The files that somebody changed after relight restored a checkpoint: git has them nowhere, and a restore would
/// overwrite them.
fn edited(run: &Run, own: &OwnResume, stops: &[Stop], world: &dyn World) -> Vec<Foreign> {
    let at = Stamp::stated(own.at);
    let is_edited = |path: &DriftPath| match path.state {
        // relight left it, or it could not restore it, as it was: only its time tells.
        PathState::Modified | PathState::Created => {
            let place = Place::known(&own.root, path.path.as_path());
            place.is_ok_and(|place| is_newer(&place, at, world))
        }
        PathState::Missing => !own.left_out.contains(&path.path),
        PathState::NotCovered | PathState::Hidden | PathState::InTheWay | PathState::Ignored => {
            false
        }
    };
    let drift = drift_since(run, own, stops, world).unwrap_or_default();
    let paths = drift.paths.into_iter().filter(is_edited);
    paths.map(|path| path.path).collect()
}

/// True where a boundary has only a commit of the project, and completed work came after it.
pub(super) fn discards_work(run: &Run, stop: &Stop) -> bool {
    let of_project = |saved: &Saved| saved.of_project;
    stop.saved.as_ref().is_some_and(of_project) && takes_back(run, stop, |_| true)
}

/// Whether completed work of a kind came after a boundary.
pub(super) fn takes_back(run: &Run, stop: &Stop, kind: impl Fn(&Entry) -> bool) -> bool {
    let redo = Redo::after(run, stop);
    let done = |unit: Unit| unit.state == UnitState::Done;
    let mut counted = run.counted();
    counted.any(|(unit, entry)| done(unit) && kind(entry) && redo.is_after(run, unit, entry))
}
