//! Sessions that another process runs, perhaps on another machine: their progress, and the record that is written if
//! that machine is gone.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use super::continuation::Continuation;
use super::ended::Ended;
use super::find;
use super::folder::{self, ENDED, Folder, MANIFEST, RECORD};
use super::steps::{Step, Steps};
use crate::apply::disk::Disk as _;
use crate::model::{DispatchStatus, PipelineId, SessionId, SessionState, StepProgress, StepState};

/// What changes while a session runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pulse {
    /// Bytes of its manifest.
    manifest: u64,
    /// Whether it says how it ended.
    pub ended: bool,
    /// Whether a process holds it.
    pub held: bool,
}

/// The pulse of a session; `None` where it has not begun.
pub fn pulse(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<Option<Pulse>> {
    let folder = match Folder::open(state, pipeline, id) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !folder.has(RECORD)? {
        return Ok(None);
    }
    let manifest = folder.disk.look(&folder.dir, OsStr::new(MANIFEST))?;
    Ok(Some(Pulse {
        manifest: manifest.map_or(0, |node| node.size),
        // Who holds it may be about to write how it ended.
        held: folder.is_held()?,
        ended: folder.has(ENDED)?,
    }))
}

/// The steps of a session, by what its manifest says. A step without a line that says how it ended is running.
pub fn progress(
    state: &Path,
    pipeline: &PipelineId,
    id: &SessionId,
) -> io::Result<Vec<StepProgress>> {
    let folder = Folder::open(state, pipeline, id)?;
    let plan = find::readable(&folder)?.plan();
    let manifest = Continuation::open(&folder.disk, &folder.path.join(MANIFEST))?;
    let steps = Steps::of(&plan, &manifest.seen(id)?);
    let step = |step: &Step| {
        let mut progress = step.run_step().progress;
        let status = step.last.as_ref().map(|last| last.status);
        if status == Some(DispatchStatus::Dispatched) {
            progress.state = StepState::Running;
        }
        progress.attempt = u32::from(status.is_some());
        progress
    };
    Ok(steps.all.iter().map(step).collect())
}

/// Writes down why a session was cut short that no process runs any more. Nothing where one does.
pub fn cut_short(
    (state, pipeline, id): (&Path, &PipelineId, &SessionId),
    now: DateTime<FixedOffset>,
    why: &str,
) -> io::Result<()> {
    let folder = Folder::open(state, pipeline, id)?;
    let Some(_lock) = folder.lock()? else {
        return Ok(());
    };
    let before = Ended::read(&folder).ok().flatten();
    let ended = Ended {
        schema: 1,
        state: SessionState::Interrupted,
        at: now.to_rfc3339(),
        trouble: vec![why.into()],
        cut_short: true,
        outside: before.unwrap_or_default().outside,
    };
    ended.keep(&folder)
}

/// What the folder of a run says by its path: the state folder, the pipeline, and the session. `None` where it is
/// none.
pub fn place_of(folder: &Path) -> Option<(PathBuf, PipelineId, SessionId)> {
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let home = folder.parent()?;
    // replays/ and relight/ are between.
    let state = home.parent()?.parent()?.parent()?;
    let (pipeline, id) = (PipelineId(name(home)?), name(folder)?);
    let is_run = folder::home_of(state, &pipeline) == home && folder::is_id(&id);
    is_run.then(|| (state.to_owned(), pipeline, SessionId(id)))
}
