//! The boundaries at which a replay can start, each with the dispatches that run again and the saved files that it
//! starts with. An unusable one is listed with the reason.

use crate::model::{Checkpoint, Dispatch, Foreign, PointId, ReplayStart};
use crate::systems::crucible::facts::marks::Position;
use crate::systems::crucible::facts::{Run, RunKind, Saved};
use crate::systems::crucible::points::{self, Redo, Stop};
use crate::world::World;

/// All of them, in order, the start of the run first.
pub(crate) fn all(
    run: &Run,
    dispatches: &[Dispatch],
    checkpoints: &[Checkpoint],
    world: &dyn World,
) -> Vec<ReplayStart> {
    let mut all = vec![beginning(run, dispatches, world)];
    if deferred(run).is_none() {
        let stops = points::stops(run, world);
        let own = |stop: &Stop, one: &ReplayStart| {
            let mut of_phase = dispatches.iter().filter(|d| d.phase == stop.phase);
            of_phase.any(|d| one.redo.binary_search(&d.seq).is_ok())
        };
        all.extend(stops.iter().filter_map(|stop| {
            let one = at(run, stop, dispatches, checkpoints);
            // A boundary without a checkpoint and without work of its own was never reached.
            (stop.saved.is_some() || own(stop, &one)).then_some(one)
        }));
    }
    all
}

/// Why nothing of this run can be replayed.
fn deferred(run: &Run) -> Option<Foreign> {
    if run.kind == RunKind::Eval {
        Some("A run of the evaluation harness is not replayed.".into())
    } else if run.is_build() {
        None
    } else {
        let text = format!("Replay of {} runs is not supported.", run.skill);
        Some(text.into())
    }
}

/// Before the first dispatch: the start commit of the run.
fn beginning(run: &Run, dispatches: &[Dispatch], world: &dyn World) -> ReplayStart {
    let baseline = run.record().and_then(|m| m.baseline_sha.as_deref());
    let found = match (baseline, run.work_tree()) {
        (None, _) => Err("The run's start commit is not recorded.".to_owned()),
        (_, None) => Err("The project of this run is unknown.".to_owned()),
        (Some(id), Some(path)) => world
            .git()
            .find_commit(path, id)
            .map(|commit| (path, commit))
            .map_err(|why| format!("The run's start commit cannot be used: {why}.")),
    };
    let unusable = found.as_ref().err().map(|why| why.as_str().into());
    let checkpoint = found.ok().map(|(path, commit)| Checkpoint {
        reason: "start-of-run".into(),
        source: "marker".into(),
        cannot: vec![
            "Changes that were uncommitted at the start of the run are not in the checkpoint."
                .into(),
        ],
        ..Saved::of_project(path, &commit).checkpoint()
    });
    let redo: Vec<u64> = originals(dispatches).map(|one| one.seq).collect();
    ReplayStart {
        point: PointId("start".to_owned()),
        label: "The start of the run".into(),
        phase: dispatches
            .first()
            .map_or_else(|| "1".into(), |one| one.phase.clone()),
        unusable: deferred(run).or_else(|| nothing(&redo)).or(unusable),
        redo,
        checkpoint,
    }
}

/// The dispatches of the run itself. An entry that runs another one again belongs to a replay, even if its line has no
/// session.
fn originals(dispatches: &[Dispatch]) -> impl Iterator<Item = &Dispatch> {
    let own = |one: &&Dispatch| one.session.is_none() && one.replay_of.is_none();
    dispatches.iter().filter(own)
}

fn nothing(redo: &[u64]) -> Option<Foreign> {
    redo.is_empty()
        .then(|| "Nothing was dispatched after it.".into())
}

fn at(run: &Run, stop: &Stop, dispatches: &[Dispatch], checkpoints: &[Checkpoint]) -> ReplayStart {
    let after = Redo::after(run, stop);
    let later = originals(dispatches).filter(|one| is_after(run, stop, &after, one));
    let redo: Vec<u64> = later.map(|one| one.seq).collect();
    let saved = stop.saved.as_ref();
    let checkpoint = saved.and_then(|saved| {
        let shown = checkpoints.iter().find(|one| one.id == saved.commit)?;
        Some(shown.clone())
    });
    let unusable = match (saved, &checkpoint) {
        (None, _) => Some(missing(run, stop)),
        (Some(_), None) => Some("Its checkpoint no longer exists.".into()),
        (Some(saved), Some(_)) => points::guards(run, saved)
            .into_iter()
            .find(|guard| !guard.holds && run.project.is_some())
            .map(|guard| guard.text)
            .or_else(|| unknown_order(run, stop, dispatches))
            .or_else(|| nothing(&redo)),
    };
    ReplayStart {
        point: PointId(stop.id.clone()),
        label: stop.label.as_str().into(),
        phase: stop.phase.into(),
        redo,
        checkpoint,
        unusable,
    }
}

fn is_after(run: &Run, stop: &Stop, redo: &Redo, one: &Dispatch) -> bool {
    let Some((unit, entry)) = run.unit(one.seq) else {
        return false;
    };
    // Without a time, the wave in the decisions log decides.
    match (stop.wave(), one.wave) {
        (Some(wave), Some(own)) if one.begun_at.is_none() || stop.saved.is_none() => own >= wave,
        _ => redo.is_after(run, unit, entry),
    }
}

fn missing(run: &Run, stop: &Stop) -> Foreign {
    let wanted = stop.reasons.join(" or ");
    let broken = run.stores.iter().find_map(|store| {
        let why = store.facts.as_ref().err()?;
        Some(format!("its store cannot be read: {why}"))
    });
    let why = broken.or_else(|| {
        let none = run.stores.is_empty();
        none.then(|| "there is no checkpoint store for this project".to_owned())
    });
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    format!("The checkpoint {wanted} was not found{why}.").into()
}

/// A boundary in the middle of a phase is unusable if neither times nor waves show which dispatches were after it.
fn unknown_order(run: &Run, stop: &Stop, dispatches: &[Dispatch]) -> Option<Foreign> {
    let within = matches!(stop.position, Position::Within(_));
    let decided = || {
        let mut of_phase = originals(dispatches).filter(|one| one.phase == stop.phase);
        of_phase.all(|one| one.begun_at.is_some() || one.wave.is_some())
    };
    (within && run.files.clock.is_empty() && !decided()).then(|| {
        "No dispatch file can be read, so which dispatches came after it is unknown.".into()
    })
}
