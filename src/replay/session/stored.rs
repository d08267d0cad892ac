//! The folders of all sessions, and deleting them, which only a person can ask for.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::ended::Ended;
use super::experiment;
use super::folder::{self, Folder, RECORD};
use crate::apply::disk::{RealDisk, RealLock};
use crate::model::{PipelineId, SessionId, SessionState};
use crate::world::file_facts::disk_usage;

/// The folder of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReplay {
    /// The pipeline that it replays.
    pub pipeline: PipelineId,
    /// Its id.
    pub id: SessionId,
    /// Its folder.
    pub path: PathBuf,
}

impl StoredReplay {
    /// The bytes that its folder takes on the disk.
    pub fn bytes(&self) -> u64 {
        disk_usage(&self.path)
    }
}

/// The folders of all sessions, by pipeline and age. Where they cannot be listed there are none.
pub fn stored(state: &Path) -> Vec<StoredReplay> {
    let mut found = Vec::new();
    for pipeline in folder::pipelines(state) {
        let home = folder::home_of(state, &pipeline);
        let ids = folder::ids(state, &pipeline).unwrap_or_default();
        // An experiment that was killed before its first run has its record alone.
        let is_begun = |id: &SessionId| ids.iter().any(|run| run.group() == *id);
        let mut killed = experiment::recorded_ids(state, &pipeline);
        killed.retain(|id| !is_begun(id));
        let killed = killed.into_iter();
        let killed = killed.map(|id| (experiment::record_path(state, &pipeline, &id), id));
        let begun = ids.iter().map(|id| (home.join(&id.0), id.clone()));
        found.extend(killed.chain(begun).map(|(path, id)| StoredReplay {
            pipeline: pipeline.clone(),
            id,
            path,
        }));
    }
    found
}

/// The locks of sessions and of their experiments: as long as this lives, no process runs any of them.
#[derive(Debug)]
pub struct Held {
    /// The sessions.
    pub sessions: Vec<StoredReplay>,
    _locks: Vec<RealLock>,
}

/// Takes every lock of these sessions and their experiments, or none. The error says which session it is about, and is
/// `ResourceBusy` where a process runs it or its experiment.
pub fn hold(state: &Path, sessions: Vec<StoredReplay>) -> Result<Held, (StoredReplay, io::Error)> {
    RealDisk::allow_many_files();
    let (mut groups, mut locks) = (BTreeSet::new(), Vec::new());
    for one in &sessions {
        let group = one.id.group();
        let is_new = groups.insert((one.pipeline.0.clone(), group.0.clone()));
        let mut take = || -> io::Result<()> {
            if is_new {
                locks.extend(experiment::hold(state, &one.pipeline, &group)?);
            }
            if !is_record(state, one) {
                let folder = Folder::open(state, &one.pipeline, &one.id)?;
                locks.push(folder.lock()?.ok_or(io::ErrorKind::ResourceBusy)?);
            }
            Ok(())
        };
        take().map_err(|error| (one.clone(), error))?;
    }
    Ok(Held {
        sessions,
        _locks: locks,
    })
}

/// Whether it is an experiment that was killed before its first run, of which only the record is there.
fn is_record(state: &Path, one: &StoredReplay) -> bool {
    one.path == experiment::record_path(state, &one.pipeline, &one.id.group())
}

/// Deletes the folder of a session that is held, and with the last one of an experiment its record; of an experiment
/// that was killed before its first run only the record. One that was cut short is no session any more, and the rest
/// of it goes with the next session that is made.
pub fn remove(state: &Path, stored: &StoredReplay) -> io::Result<()> {
    let (pipeline, group) = (&stored.pipeline, stored.id.group());
    if !is_record(state, stored) {
        let folder = Folder::open(state, pipeline, &stored.id)?;
        let ended = Ended::read(&folder).ok().flatten();
        if ended.is_some_and(|ended| ended.state == SessionState::Done) {
            experiment::note_purged(state, pipeline, &stored.id)?;
        }
        folder.drop_file(RECORD)?;
        folder.discard()?;
    }
    let left = folder::ids(state, pipeline)?;
    if left.iter().any(|id| id.group() == group) {
        return Ok(());
    }
    experiment::remove(state, pipeline, &group)
}
