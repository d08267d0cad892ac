//! Sessions that another process runs, perhaps on another machine: their progress, and the record that is written if
//! that machine is gone.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};
use serde_json::{Value, json};

use super::continuation::Continuation;
use super::find;
use super::folder::{ENDED, Folder, MANIFEST, RECORD};
use super::steps::Steps;
use crate::apply::disk::{Disk as _, RealDisk};
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
    let folder = match Folder::open(&RealDisk::new(), state, pipeline, id) {
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
    let folder = Folder::open(&RealDisk::new(), state, pipeline, id)?;
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidData, why);
    let plan = find::record(&folder).map_err(invalid)?.plan();
    let manifest = Continuation::open(&folder.disk, &folder.path.join(MANIFEST))?;
    let steps = Steps::of(&plan, &manifest.seen(id)?);
    let step = |step: &super::steps::Step| {
        let mut progress = step.run_step().progress;
        let status = step.last.as_ref().map(|last| last.status);
        if status == Some(DispatchStatus::Dispatched) {
            progress.state = StepState::Running;
        }
        progress.attempt = u32::from(status.is_some());
        progress
    };
    Ok(steps.iter().map(step).collect())
}

/// Writes down why a session was cut short that no process runs any more. Nothing where one does.
pub fn cut_short(
    (state, pipeline, id): (&Path, &PipelineId, &SessionId),
    now: DateTime<FixedOffset>,
    why: &str,
) -> io::Result<()> {
    let folder = Folder::open(&RealDisk::new(), state, pipeline, id)?;
    let Some(_lock) = folder.lock()? else {
        return Ok(());
    };
    let mut mark = if folder.has(ENDED)? {
        serde_json::from_slice(&folder.read(ENDED)?).unwrap_or_default()
    } else {
        Value::Null
    };
    if !mark.is_object() {
        mark = json!({ "schema": 1, "outside": [] });
    }
    if let Some(fields) = mark.as_object_mut() {
        fields.insert("state".to_owned(), json!(SessionState::Interrupted.word()));
        fields.insert("at".to_owned(), json!(now.to_rfc3339()));
        fields.insert("trouble".to_owned(), json!([why]));
    }
    folder.put(ENDED, format!("{mark}\n").as_bytes())
}

/// What the folder of a run says by its path: the state folder, the pipeline, and the session. `None` where it is
/// none.
pub fn place_of(folder: &Path) -> Option<(PathBuf, PipelineId, SessionId)> {
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let home = folder.parent()?;
    // replays/ and relight/ are between.
    let state = home.parent()?.parent()?.parent()?;
    let found = (
        state.to_owned(),
        PipelineId(name(home)?),
        SessionId(name(folder)?),
    );
    (super::folder::home_of(&found.0, &found.1) == home && super::folder::is_id(&found.2.0))
        .then_some(found)
}
