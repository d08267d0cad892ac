//! The intent of a point: the work kept and run again, the restore, the losses. None of crucible's own files is ever
//! written.

use rayon::iter::{Either, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

use super::{Redo, Stop, begun_since, redo_of};
use crate::model::{
    Boundary, CheckpointNeed, Foreign, Guard, Intent, Loss, PlanOptions, PointId, RestoreMode,
    Step, TreeNeed, WorkItem,
};
use crate::systems::crucible::facts::work::is_failure;
use crate::systems::crucible::facts::{Run, Saved, Store, Unit, UnitState, reading};
use crate::systems::crucible::shape::{Entry, Manifest, Reread};
use crate::text::Shown as _;
use crate::text::format::{count, plural};
use crate::world::World;

/// What answers an unknown project.
const NAME_IT: &str = "Name it with --work-tree PATH.";
/// So many lines are read again by one thread.
pub(super) const PART: usize = 4096;

/// The intent of a point; `None` where this run has no such point.
pub(crate) fn intent(
    run: &Run,
    point: &PointId,
    options: &PlanOptions,
    world: &dyn World,
) -> Option<Intent> {
    let (redo, stop) = redo_of(run, point, world)?;
    let saved = stop.as_ref().and_then(|stop| stop.saved.as_ref());
    let (kept, redone) = work(run, &redo, world);
    let restore = saved
        .zip(run.work_tree())
        .map(|(saved, tree)| Step::RestoreTree {
            store: saved.store.clone(),
            commit: saved.commit.clone(),
            work_tree: tree.to_owned(),
        });
    Some(Intent {
        steps: restore.into_iter().collect(),
        guards: hand_off_guards(run, saved, point),
        // Also where nothing is restored: an unknown branch is asked about before any hand-off.
        tree: run.work_tree().map(|work_tree| TreeNeed {
            work_tree: work_tree.to_owned(),
            branch: run.branch().map(Foreign::from),
            baseline: run.marker().and_then(|m| m.baseline_sha.clone()),
        }),
        losses: losses(run, stop.as_ref(), saved, options),
        kept,
        redone,
    })
}

/// The tables of kept work and work that runs again, by seq.
fn work(run: &Run, redo: &Redo, world: &dyn World) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let Some(manifest) = run.manifest.as_deref() else {
        return (Vec::new(), Vec::new());
    };
    let all: Vec<_> = run.counted().collect();
    let parts = all.par_chunks(PART).flat_map_iter(|part| {
        let mut lines = manifest.reread(world.files());
        part.iter().map(move |(unit, entry)| {
            let item = item(run, manifest, (*unit, entry), &mut lines);
            if redo.takes(run, *unit, entry) {
                Either::Right(item)
            } else {
                Either::Left(item)
            }
        })
    });
    parts.partition_map(|item| item)
}

fn item(
    run: &Run,
    manifest: &Manifest,
    (unit, entry): (Unit, &Entry),
    lines: &mut Reread<'_>,
) -> WorkItem {
    let line = lines.members(entry).unwrap_or_default();
    let phase = run.work.phase_of(unit);
    let phase = phase.map_or("-", |facts| facts.name.base.as_str());
    let status = if run.work.is_cut_off(entry.seq) {
        Some("outcome missing from the manifest".into())
    } else {
        line.shown("status")
    };
    let status = status.unwrap_or_else(|| entry.status.word().into());
    let label = format!("phase {phase} · {}", reading::named(manifest, entry));
    let mut detail = line.shown("summary").unwrap_or(status);
    if unit.state == UnitState::Done && is_failure(entry) {
        detail = format!("failed: {detail}; a later dispatch did the work").into();
    }
    WorkItem {
        duration_s: entry.duration_s(),
        ..WorkItem::new(entry.seq.to_string(), label, detail)
    }
}

/// The guards of a plan: no run is handed over to a directory that may not be its project, and none that crucible gave
/// to a person without that person's answer.
fn hand_off_guards(run: &Run, saved: Option<&Saved>, point: &PointId) -> Vec<Guard> {
    let mut all = saved.map_or_else(Vec::new, |saved| guards(run, saved));
    if run.work_tree().is_none() && !all.iter().any(Guard::refuses) {
        all.push(no_project(run, TO_RESUME));
    }
    let escalation = reading::escalation(run).filter(|_| point.0 != "fresh");
    all.extend(escalation.map(|escalation| {
        let words = escalation.words;
        let text = format!("{words} The agent will ask how to continue. Hand it over?");
        Guard::ask(escalation.gate, text)
    }));
    all
}

/// The guard that refuses every boundary of a run without a project.
pub(crate) fn without_project(run: &Run, boundary: &Boundary) -> Option<Guard> {
    let what = match boundary.checkpoint {
        CheckpointNeed::Found(_) => TO_RESTORE,
        CheckpointNeed::None | CheckpointNeed::Missing { .. } => TO_RESUME,
    };
    let is_missing = run.work_tree().is_none();
    is_missing.then(|| no_project(run, what))
}

/// What a run without a project lacks where files are restored, and where none are.
const TO_RESTORE: &str = "work tree to restore to";
const TO_RESUME: &str = "directory to resume it in";

fn no_project(run: &Run, what: &str) -> Guard {
    let text = match run.lost_project() {
        Some(path) => format!(
            "The project of this run, {}, is missing, so there is no {what}.",
            path.shown()
        ),
        None => format!("The project of this run is unknown, so there is no {what}."),
    };
    Guard::fails("work_tree", text, NAME_IT)
}

/// The guards of this system alone: the store must belong to the project.
pub(crate) fn guards(run: &Run, saved: &Saved) -> Vec<Guard> {
    if saved.of_project {
        return Vec::new();
    }
    let store = run.stores.iter().find(|store| store.path == saved.store);
    let written = store.and_then(Store::work_tree);
    let guard = match (run.work_tree(), written) {
        (None, _) => no_project(run, TO_RESTORE),
        (Some(path), Some(written)) if written != path => Guard::fails(
            "work_tree",
            format!(
                "The checkpoint store was made for {}, not for {}.",
                written.shown(),
                path.shown()
            ),
            "Move the project back to that path, or name its path with --work-tree PATH.",
        ),
        (Some(path), Some(_)) => Guard::holds(
            "work_tree",
            format!("The checkpoint store was made for {}.", path.shown()),
        ),
        (Some(path), None) => Guard::either(
            "work_tree",
            store.is_some_and(|store| store.is_of(path)),
            "The checkpoint store does not name its work tree; its name is the hash of this one's path.",
            "Name the project's path with --work-tree PATH.",
        ),
    };
    vec![guard]
}

/// What is not restored and what is overwritten. The engine lists the commits made since.
fn losses(
    run: &Run,
    stop: Option<&Stop>,
    saved: Option<&Saved>,
    options: &PlanOptions,
) -> Vec<Loss> {
    let Some(saved) = saved.filter(|_| run.work_tree().is_some()) else {
        let text = "No checkpoint is restored, so the state of the files is not guaranteed.";
        return stop.map(|_| Loss::not_restored(text)).into_iter().collect();
    };
    let mut all = vec![Loss::not_restored(
        "Files that the project's .gitignore ignores, and nested repositories, are not restored.",
    )];
    if saved.of_project {
        all.push(Loss::not_restored(
            "Changes that were uncommitted at that time are not restored.",
        ));
    }
    let lost = stop.filter(|stop| stop.id == "phase-2");
    let lost = lost.map_or(0, |stop| begun_since(run, stop));
    if lost > 0 {
        let ran = count(lost, "dispatch");
        let those = plural(lost, "it", "they");
        let created = match options.mode {
            RestoreMode::Overlay => "stay",
            RestoreMode::Exact => "are moved aside",
        };
        let text = format!(
            "{ran} of phase 1 ran after this checkpoint: what {those} changed in the files that are restored is overwritten, files that {those} created {created}."
        );
        all.push(Loss::overwritten(text));
    }
    all
}
