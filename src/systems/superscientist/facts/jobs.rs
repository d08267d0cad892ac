//! The process table: the state of an active stage's job. The table itself is pure; gathering queries tmux and reads
//! the marker files.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Map;

use crate::formats::stamp;
use crate::model::{Foreign, Irreversible, JobMarker, Origin, Timeline, Zone};
use crate::systems::irreversible::{in_timeline, stated};
use crate::systems::superscientist::facts::{Facts, Tmux, paths};
use crate::systems::superscientist::shape::{JobRecord, Log, Stage, StageStatus, State};
use crate::world::World;
use crate::world::files::ReadError;

/// The tmux session of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Session {
    /// It exists and works below the workflow directory.
    Alive,
    /// It does not exist.
    Gone,
    /// A session of that name works elsewhere: another workflow's.
    Elsewhere(PathBuf),
    /// tmux gave no answer, which differs from a missing session.
    Unknown(Foreign),
}

/// The done marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Marker {
    /// It does not exist.
    None,
    /// It exists, and is not older than the launch.
    Fresh,
    /// It belongs to an earlier attempt; the evidence.
    Stale(String),
    /// It exists, but the time of the launch is unknown.
    Undated,
    /// Its path was refused, so it was not read.
    Refused(String),
    /// Whether it exists, or since when, cannot be found out.
    Unread(String),
}

/// The exit code next to a marker, or why there is none.
pub(crate) type Exit = Result<i64, String>;

/// A row of the table, or one of its gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Row {
    /// Row 1: the job is running; keep it.
    Keep,
    /// Row 2: it ended with 0; collect and verify.
    Ended,
    /// Row 3: it ended with another code.
    Broke(i64),
    /// Row 4: its session is missing; launch its wrapper once more.
    Relaunch,
    /// Row 5: its session was missing twice.
    DiedTwice,
    /// Row 6: recorded as running, without process data.
    NoData,
    /// Row 7: being prepared, without process data, and no process is working on it.
    PreparerDied,
    /// Row 7 as long as that is not known.
    Preparing,
    /// Gap: it died while its results were being verified.
    Verify,
    /// Gap: the marker cannot be trusted; a person must look.
    AskMarker,
    /// Gap: it ended with an unknown result.
    AskExit,
    /// Gap: no marker, and tmux gives no answer.
    AskSession,
}

impl Row {
    /// True if the stage has failed, whatever the state file says.
    pub(crate) fn is_failure(self) -> bool {
        use Row::{AskExit, Broke, DiedTwice, NoData, PreparerDied, Preparing};
        matches!(
            self,
            Broke(_) | DiedTwice | NoData | PreparerDied | Preparing | AskExit
        )
    }

    /// True if a monitor must be started or attached.
    pub(crate) fn is_monitor(self) -> bool {
        use Row::{AskMarker, AskSession, Keep, Relaunch};
        matches!(self, Keep | Relaunch | AskMarker | AskSession)
    }

    /// True if the monitor launches the job again.
    pub(crate) fn is_relaunch(self) -> bool {
        self.is_monitor() && self != Self::Keep
    }
}

/// The state of one stage's job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) row: Row,
    pub(crate) session: Session,
    pub(crate) marker: Marker,
    pub(crate) exit: Exit,
    /// It runs on another machine, where the scheduler may still be working.
    pub(crate) remote: bool,
}

impl Job {
    /// Whether a done marker exists.
    pub(crate) fn has_marker(&self) -> bool {
        !matches!(
            self.marker,
            Marker::None | Marker::Refused(_) | Marker::Unread(_)
        )
    }

    /// True if it is unknown from here whether the remote job is still running.
    pub(crate) fn is_remote_unknown(&self) -> bool {
        self.remote && matches!(self.row, Row::Relaunch | Row::DiedTwice | Row::AskSession)
    }
}

/// The table.
pub(crate) fn row(
    status: StageStatus,
    record: Option<&JobRecord>,
    session: &Session,
    marker: &Marker,
    exit: &Exit,
) -> Row {
    if status == StageStatus::PostProcessing {
        return Row::Verify;
    }
    let Some(record) = record else {
        return if status == StageStatus::Running {
            Row::NoData
        } else {
            Row::Preparing
        };
    };
    match (session, marker, exit) {
        (Session::Alive, ..) => Row::Keep,
        (_, Marker::Fresh, Ok(0)) => Row::Ended,
        (_, Marker::Fresh, Ok(code)) => Row::Broke(*code),
        (_, Marker::Fresh, Err(_)) => Row::AskExit,
        (_, Marker::Stale(_) | Marker::Undated | Marker::Refused(_) | Marker::Unread(_), _) => {
            Row::AskMarker
        }
        (Session::Unknown(_), Marker::None, _) => Row::AskSession,
        (_, Marker::None, _) if record.recovery_attempted => Row::DiedTwice,
        (_, Marker::None, _) => Row::Relaunch,
    }
}

/// The state of an active stage's job.
pub(crate) fn gather(
    wf: &Path,
    file: &State,
    stage: &Stage,
    log: &Log,
    tmux: &Tmux,
    world: &dyn World,
) -> Job {
    let session = stage.job.as_ref().map_or(Session::Gone, |job| {
        session(wf, &job.session_name(), tmux, world)
    });
    // A wait for the next attempt looks for the usual file, whether or not this attempt was recorded.
    let marker = |job| marker(wf, stage, &job, log, world);
    let marker = stage.usual_job().map_or(Marker::None, marker);
    let exit = match (&stage.job, &marker) {
        (Some(job), Marker::Fresh) => exit_code(wf, job, world),
        _ => Err("there is no trustworthy marker".to_owned()),
    };
    Job {
        row: row(stage.status, stage.job.as_ref(), &session, &marker, &exit),
        session,
        marker,
        exit,
        remote: file.is_remote(stage),
    }
}

/// The marker files of a stage. A marker of unknown age counts as the end, as it does for the protocol's own wait; one
/// of an earlier attempt does not.
pub(crate) fn marker_files(facts: &Facts, id: &str) -> Option<JobMarker> {
    let flow = facts.flow.as_ref().ok()?;
    let stage = flow.state.stage(id)?;
    let named = stage.job.clone();
    let job = named.unwrap_or_else(|| JobRecord::read(&Map::new(), id));
    let paths = [&job.done_marker, &job.exit_code_file].into_iter();
    let files = paths.filter_map(|path| Some(paths::beneath(&facts.wf, path).ok()?.path()));
    let found = flow.jobs.get(&stage.index);
    Some(JobMarker {
        files: files.collect(),
        ended: found.is_some_and(|job| matches!(job.marker, Marker::Fresh | Marker::Undated)),
        exit_code: found.and_then(|job| job.exit.clone().ok()),
    })
}

/// The actions that no recovery can undo: those that the log reports, then the jobs submitted to another machine.
pub(crate) fn irreversible(facts: &Facts, timeline: &Timeline) -> Vec<Irreversible> {
    let mut found = in_timeline(timeline.as_ref());
    let Ok(flow) = &facts.flow else {
        return found;
    };
    for stage in &flow.state.stages {
        let launched = stage.job.as_ref().and_then(|job| job.launched_at.as_ref());
        if launched.is_some() && flow.state.is_remote(stage) {
            let machine = flow.state.profile_name(stage).unwrap_or_default();
            let text = format!("A job of {} was submitted to {machine}.", stage.label());
            found.push(stated("job", text, Origin::file(facts.state_path())));
        }
    }
    found
}

/// A session by its exact name; it is ours if one of its panes works below the workflow directory.
pub(crate) fn session(wf: &Path, name: &str, tmux: &Tmux, world: &dyn World) -> Session {
    let sessions = match tmux {
        Ok(sessions) => sessions,
        Err(why) => return Session::Unknown(why.clone()),
    };
    let mut elsewhere = None;
    for session in sessions.iter().filter(|s| s.name == *name) {
        for pane in &session.panes {
            let cwd = world.files().resolved(&pane.cwd);
            if cwd.starts_with(wf) {
                return Session::Alive;
            }
            elsewhere = Some(cwd);
        }
    }
    elsewhere.map_or(Session::Gone, Session::Elsewhere)
}

/// Compares the done marker with the launch. It must not be older than the wrapper script and the attempt in the log, or,
/// if neither is known or the log has only the failure of an earlier attempt, than `launched_at`, which a model wrote.
fn marker(wf: &Path, stage: &Stage, job: &JobRecord, log: &Log, world: &dyn World) -> Marker {
    let place = match paths::beneath(wf, &job.done_marker) {
        Ok(place) => place,
        Err(why) => return Marker::Refused(why.to_string()),
    };
    let made = match world.files().stat(&place) {
        Ok(stat) => stat.modified,
        Err(ReadError::NotFound) => return Marker::None,
        Err(why) if why.leaves_unknown() => return Marker::Unread(why.to_string()),
        Err(why) => return Marker::Refused(why.to_string()),
    };
    let wrapper = paths::beneath(wf, &job.wrapper_script).ok();
    let wrapper = wrapper.and_then(|place| world.files().stat(&place).ok());
    let wrapper = wrapper.map(|stat| (stat.modified, "its wrapper script"));
    let logged = stage.number().and_then(|number| log.launched.get(&number));
    let logged = logged.map(|at| (at.at.to_utc(), "the log's last line about its start"));
    let mut launches: Vec<(DateTime<Utc>, &str)> = wrapper.into_iter().chain(logged).collect();
    let failed = stage.number().and_then(|number| log.failed(number));
    let written = launched_at(job, world).filter(|at| {
        let is_unlogged = failed.is_some_and(|failed| failed.at.to_utc() < *at);
        launches.is_empty() || is_unlogged
    });
    launches.extend(written.map(|at| (at, "`launched_at`")));
    // The stamps of the log have whole seconds only.
    let older = |at: &DateTime<Utc>| made + TimeDelta::seconds(1) <= *at;
    match launches.iter().find(|(at, _)| older(at)) {
        Some((_, what)) => Marker::Stale(format!("it is older than {what}")),
        None if launches.is_empty() => Marker::Undated,
        None => Marker::Fresh,
    }
}

fn launched_at(job: &JobRecord, world: &dyn World) -> Option<DateTime<Utc>> {
    let at = stamp::parse(job.launched_at.as_deref()?, world.clock())?;
    (at.zone == Zone::Stated).then(|| at.at.to_utc())
}

fn exit_code(wf: &Path, job: &JobRecord, world: &dyn World) -> Exit {
    let place = paths::beneath(wf, &job.exit_code_file).map_err(|why| why.to_string())?;
    let bytes = match world.files().read(&place, 64) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound) => return Err("there is no exit code file".to_owned()),
        Err(error) => return Err(format!("the exit code file cannot be read: {error}")),
    };
    let code = match String::from_utf8_lossy(&bytes).trim() {
        "" => Err("is empty"),
        text => text.parse().map_err(|_bad| "has no whole number"),
    };
    code.map_err(|wrong| format!("the exit code file {wrong}"))
}

/// How the job of a stage ended, by a done marker of this attempt; `None` without one.
pub(crate) fn ended(wf: &Path, stage: &Stage, log: &Log, world: &dyn World) -> Option<Exit> {
    let job = stage.usual_job()?;
    let marker = marker(wf, stage, &job, log, world);
    (marker == Marker::Fresh).then(|| exit_code(wf, &job, world))
}

/// How a job ended, as what follows its name.
pub(crate) fn how(exit: &Exit) -> String {
    match exit {
        Ok(code) => format!("ended with code {code}"),
        Err(why) => format!("ended with an unknown result: {why}"),
    }
}

/// A marker of an earlier attempt in a stage that is not active: the next wait would return at once with the old code.
/// An error if nobody may look for one.
pub(crate) fn leftover(
    wf: &Path,
    stage: &Stage,
    world: &dyn World,
) -> Result<Option<PathBuf>, ReadError> {
    use StageStatus::{Failed, Invalidated, Pending, Ready};
    let waits = matches!(stage.status, Pending | Ready | Failed | Invalidated);
    let job = waits.then(|| stage.usual_job()).flatten();
    let Some(place) = job.and_then(|job| paths::beneath(wf, &job.done_marker).ok()) else {
        return Ok(None);
    };
    match world.files().stat(&place) {
        Ok(_) => Ok(Some(place.path())),
        // A wait follows the link.
        Err(why) if why.leaves_unknown() || matches!(why, ReadError::Link) => Err(why),
        Err(_) => Ok(None),
    }
}

/// The meaning of a row, as a clause after the stage's name.
pub(crate) fn words(job: &Job) -> String {
    let base = match job.row {
        Row::Keep if job.marker == Marker::None => "its job is alive in tmux".to_owned(),
        Row::Keep => "its job is alive in tmux although a done marker exists".to_owned(),
        Row::Ended => "its job ended with code 0 and its results are not yet verified".to_owned(),
        Row::Broke(code) => format!("its job ended with code {code}"),
        Row::Relaunch => "its monitoring session is gone and left no done marker".to_owned(),
        Row::DiedTwice => "its monitoring session died twice".to_owned(),
        Row::NoData => "it is recorded as running without any process data".to_owned(),
        Row::PreparerDied => "its subagent died while preparing it".to_owned(),
        Row::Preparing => "the end of its preparation is not recorded".to_owned(),
        Row::Verify => "its results were being verified".to_owned(),
        Row::AskMarker => match &job.marker {
            Marker::Stale(why) => format!("its done marker is stale: {why}"),
            Marker::Refused(why) => format!("its done marker is not read: {why}"),
            Marker::Unread(why) => format!("its done marker cannot be read: {why}"),
            Marker::None | Marker::Fresh | Marker::Undated => {
                "the age of its done marker is unknown".to_owned()
            }
        },
        Row::AskExit => format!("its job {}", how(&job.exit)),
        Row::AskSession => "tmux cannot be queried, and there is no done marker".to_owned(),
    };
    if job.is_remote_unknown() {
        format!("{base}; its remote job may still be running")
    } else {
        base
    }
}

#[cfg(test)]
mod tests;
