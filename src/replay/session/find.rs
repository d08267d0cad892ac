//! Existing sessions: those with folders, and those that only the original manifest records. Reads only, except that
//! creating the next session removes what a crash left incomplete.

use std::io;
use std::path::{Path, PathBuf};

use chrono::DateTime;

use super::continuation::{Continuation, Seen};
use super::ended::Ended;
use super::folder::{self, Folder, LOCK, RECORD};
use super::own_paths::OwnPaths;
use super::record::Record;
use super::run_log::SET_UP;
use super::steps::Steps;
use super::{Ground, experiment, jobs, measured, summary, unreadable};
use crate::model::{
    DispatchCounts, Experiment, PipelineId, ReplayPlan, ReplaySession, SessionId, SessionState,
    Stamp,
};
use crate::text::distinct;
use crate::text::format::{capital, count};
use crate::world::World;

/// The sessions of a pipeline that have folders, oldest first. Reads only. An unreadable one is included and does not
/// hide the others.
pub fn all(
    world: &dyn World,
    state: &Path,
    pipeline: &PipelineId,
) -> io::Result<Vec<ReplaySession>> {
    let ids = folder::ids(state, pipeline)?;
    let found = ids.iter().filter_map(|id| look(world, state, pipeline, id));
    let mut all: Vec<ReplaySession> = found.collect();
    measured::note_unnumbered(&mut all);
    for id in experiment::recorded_ids(state, pipeline) {
        if let Some(why) = experiment::trouble(state, pipeline, &id.0) {
            let text = format!(
                "{}: it has no verdict and cannot be continued.",
                capital(&why)
            );
            let of_it = all.iter_mut().filter(|one| one.group == id);
            of_it.for_each(|one| one.trouble.push(text.as_str().into()));
        }
    }
    Ok(all)
}

/// One session; `None` where it was never made whole. One that cannot be read says so.
pub fn look(
    world: &dyn World,
    state: &Path,
    pipeline: &PipelineId,
    id: &SessionId,
) -> Option<ReplaySession> {
    let broken = |why: &str| {
        let path = folder::home_of(state, pipeline).join(&id.0);
        Some(broken(pipeline, id, &path, why))
    };
    let folder = match Folder::open(state, pipeline, id) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return broken(&format!("{error}.")),
    };
    match folder.has(RECORD) {
        Ok(false) => None,
        Ok(true) => one(world, &folder).map_or_else(|why| broken(&why), Some),
        Err(error) => broken(&format!("{error}.")),
    }
}

/// Where the pipelines lay of which there are sessions. Reads only; what cannot be read says nothing.
pub fn origins(state: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for pipeline in folder::pipelines(state) {
        // Sessions of one pipeline were all made from the same place, but it may have been moved since.
        for id in folder::ids(state, &pipeline).unwrap_or_default() {
            let folder = Folder::open(state, &pipeline, &id).ok();
            let record = folder.and_then(|folder| record(&folder).ok());
            found.extend(record.iter().flat_map(Record::origins));
        }
    }
    found
}

/// The record of a session. The error is a sentence.
pub(super) fn record(folder: &Folder) -> Result<Record, String> {
    let bytes = folder.read(RECORD);
    Record::parse(&bytes.map_err(|error| format!("{RECORD} cannot be read: {error}."))?)
}

/// The same where it must be readable: `InvalidData` where it is not.
pub(super) fn readable(folder: &Folder) -> io::Result<Record> {
    record(folder).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

/// The plan that a session recorded, as far as it is kept. `InvalidData` where its record cannot be read.
pub fn planned(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<ReplayPlan> {
    Ok(readable(&Folder::open(state, pipeline, id)?)?.plan())
}

/// Whether the setup command of a session was run, which is done once.
pub fn is_set_up(state: &Path, pipeline: &PipelineId, id: &SessionId) -> bool {
    let folder = Folder::open(state, pipeline, id);
    folder
        .and_then(|folder| folder.has(SET_UP))
        .unwrap_or(false)
}

/// One session as its folder has it. The error is a sentence.
fn one(world: &dyn World, folder: &Folder) -> Result<ReplaySession, String> {
    let record = record(folder)?;
    let held = folder.is_held();
    let held = held.map_err(|error| format!("Its lock cannot be asked: {error}."))?;
    let ended = if held { None } else { Ended::read(folder)? };
    let state = match (held, &ended) {
        (true, _) => SessionState::Running,
        (false, Some(ended)) => ended.state,
        (false, None) => SessionState::Interrupted,
    };
    let mut about = summary::of(&folder.path, &record, state);
    if let Some(ended) = ended {
        let at = DateTime::parse_from_rfc3339(&ended.at).ok();
        about.ended_at = at.map(Stamp::stated);
        about.trouble.extend(ended.trouble);
        about.outside = ended.outside;
        about.cut_short = ended.cut_short;
    } else if about.place.is_none() && state == SessionState::Interrupted {
        let home = folder.path.parent();
        about.rejected = home.and_then(|home| jobs::rejected(home, &about.id));
    }
    let plan = record.plan();
    let seen = Continuation::open(&folder.disk, &about.manifest)
        .and_then(|manifest| manifest.seen(&about.id));
    let is_read = seen.is_ok();
    let seen = seen.unwrap_or_else(|error| {
        let path = about.manifest.to_string_lossy();
        let cure = if state == SessionState::HandedOver {
            " Repair it before you run a dispatch."
        } else {
            ""
        };
        about.trouble.push(
            format!(
                "Its manifest {path} cannot be read: {error}. What was run is not known.{cure}"
            )
            .into(),
        );
        Seen::default()
    });
    let steps = Steps::of(&plan, &seen);
    about.dispatches = steps.counts();
    if !is_read {
        about.dispatches = DispatchCounts {
            unknown: about.dispatches.all(),
            ..DispatchCounts::default()
        };
        // Nothing is judged of it, and no hand-off tells to run what may have been run.
        if about.state != SessionState::Running {
            about.state = SessionState::Unreadable;
        }
    }
    let left = about.dispatches.open();
    if about.state == SessionState::Done && left > 0 {
        about.state = SessionState::Interrupted;
        let lacks = format!(
            "It ended, but its manifest lacks the end of {}: the file was changed or damaged since.",
            count(left, "dispatch")
        );
        about.trouble.push(lacks.into());
    }
    // A run that waits to be run by hand has no value, and none is missing.
    measured::take(&mut about, measured::of(folder), &plan.ask.metrics);
    if about.state == SessionState::HandedOver {
        if left == 0 {
            about.state = SessionState::Done;
        } else {
            let own_paths = OwnPaths::of(&plan, &folder.path, world);
            about.handoff = Some(summary::handoff(&about, &plan, &steps, &own_paths));
        }
    }
    Ok(about)
}

/// A session of which only the id is known.
fn broken(pipeline: &PipelineId, id: &SessionId, path: &Path, why: &str) -> ReplaySession {
    ReplaySession {
        group: id.group(),
        folder: Some(path.to_owned()),
        trouble: vec![unreadable(path, why)],
        ..unknown(pipeline, id, path.join(folder::MANIFEST))
    }
}

/// A session of which the id and the manifest's place are known; its id says when it was created.
fn unknown(pipeline: &PipelineId, id: &SessionId, manifest: PathBuf) -> ReplaySession {
    let seconds = i64::try_from(folder::age(&id.0).0).ok();
    ReplaySession {
        id: id.clone(),
        pipeline: pipeline.clone(),
        repeat: (1, 1),
        group: id.clone(),
        manifest,
        started_at: seconds.and_then(Stamp::from_unix),
        ..ReplaySession::default()
    }
}

/// The sessions that a manifest records itself, in the order of their first dispatch: run in place by whoever, as
/// crucible has it. relight has no folder for them and cannot continue them.
pub fn recorded(pipeline: &PipelineId, experiment: &Experiment) -> Vec<ReplaySession> {
    let all = || experiment.dispatches.iter();
    let session = |id: &SessionId| {
        let own = || all().filter(|one| one.session.as_ref() == Some(id));
        let begun = own().filter_map(|one| one.begun_at);
        let begun = begun.min_by_key(|stamp| stamp.at);
        let unknown = unknown(pipeline, id, experiment.manifest.clone());
        let mut session = ReplaySession {
            state: SessionState::Done,
            tree: experiment.work_tree.clone(),
            in_place: true,
            started_at: begun.or_else(|| unknown.started_at.filter(|_| folder::is_id(&id.0))),
            mutations: distinct(own().filter_map(|one| one.mutation.clone())),
            ..unknown
        };
        own().for_each(|one| session.dispatches.add(one.status));
        if session.dispatches.left > 0 {
            session.state = SessionState::HandedOver;
            let text = "Its orchestrator did not finish it; relight has no record of it and cannot continue it.";
            session.trouble.push(text.into());
        }
        session
    };
    let ids = distinct(all().filter_map(|one| one.session.as_ref()));
    ids.into_iter().map(session).collect()
}

/// Removes what a crash left of incomplete sessions: of one, or of all. A session that is being created is locked. What
/// cannot be removed stays; it is no session and is never shown.
///
/// A crash may come before the lock is there. Of all sessions, one without a lock may just be begun by another process,
/// so it stays; the one that is asked for by its id could never be begun again then.
pub(super) fn tidy(
    ground: &Ground<'_>,
    pipeline: &PipelineId,
    only: Option<&SessionId>,
) -> io::Result<()> {
    let mut ids = folder::ids(ground.state, pipeline)?;
    ids.retain(|id| only.is_none_or(|only| only == id));
    for id in ids {
        let Ok(folder) = Folder::open(ground.state, pipeline, &id) else {
            continue;
        };
        let begun = only.is_some() || matches!(folder.has(LOCK), Ok(true));
        let half = begun && matches!(folder.has(RECORD), Ok(false));
        if half && let Ok(Some(_lock)) = folder.lock() {
            let _ignored = folder.discard();
        }
    }
    Ok(())
}
