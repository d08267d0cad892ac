//! The record of an experiment, `<id>.experiment.json` beside the folders of its sessions: what was fixed before the
//! first run, with the whole plan, so that runs that had not begun can be run after a crash.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::folder::{self, Folder};
use super::record::Record;
use super::{Ground, find, jobs};
use crate::apply::disk::{Disk as _, RealLock};
use crate::model::text::hex;
use crate::model::{ExperimentRun, PipelineId, ReplayExperiment, ReplayPlan, RunsOn, SessionId};

const SCHEMA: u32 = 1;

/// The ending of a record's name.
const NAME: &str = ".experiment.json";

/// The ending of the name of the lock that is held by the process that runs an experiment: between two runs, and of
/// those that have ended, no run's own lock is held.
const LOCK: &str = ".experiment.lock";

/// What is recorded of an experiment: what was fixed before its first run, and the plan of a run.
#[derive(Serialize, Deserialize)]
struct ExperimentRecord {
    schema: u32,
    #[serde(flatten)]
    experiment: ReplayExperiment,
    plan: Record,
}

/// Writes the record of an experiment that is about to begin. Gives its lock; `AlreadyExists` where
/// another process has taken its id.
pub fn begin(
    ground: &Ground<'_>,
    plan: &ReplayPlan,
    experiment: &ReplayExperiment,
) -> io::Result<RealLock> {
    find::tidy(ground, &plan.pipeline, None)?;
    let invalid = || io::Error::other("the plan has an open conflict, or begins nowhere");
    let id = (&experiment.id, (1, experiment.runs().len()));
    let record = ExperimentRecord {
        schema: SCHEMA,
        experiment: experiment.clone(),
        plan: Record::of(plan, id, ground.now).ok_or_else(invalid)?,
    };
    let home = Folder::make_home(ground, &plan.pipeline)?;
    let lock = lock(&home, &experiment.id)?.ok_or(io::ErrorKind::AlreadyExists)?;
    write(&home, &record)?;
    Ok(lock)
}

/// Takes the lock of an experiment that was begun. `None` for a run of none; `ResourceBusy` where a process has it.
pub fn hold(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<Option<RealLock>> {
    let home = Folder::home(state, pipeline)?;
    if !home.has(&name(id))? {
        return Ok(None);
    }
    let lock = lock(&home, id)?.ok_or(io::ErrorKind::ResourceBusy)?;
    Ok(Some(lock))
}

fn lock(home: &Folder, id: &SessionId) -> io::Result<Option<RealLock>> {
    home.disk.lock(&home.dir, format!("{id}{LOCK}").as_ref())
}

/// Deletes what there is of an experiment beside its runs, the lock last.
pub(super) fn remove(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<()> {
    let home = Folder::home(state, pipeline)?;
    home.drop_file(&name(id))?;
    home.remove(&jobs::name(id))?;
    home.drop_file(&format!("{id}{LOCK}"))
}

/// Writes down that a run which had counted is deleted. Where there is no record that can be read, no verdict counts it.
pub(super) fn note_purged(state: &Path, pipeline: &PipelineId, run: &SessionId) -> io::Result<()> {
    let home = Folder::home(state, pipeline)?;
    let Ok(mut record) = read(&home, &run.group()) else {
        return Ok(());
    };
    record.experiment.purged.push(run.clone());
    write(&home, &record)
}

/// Writes down how far an experiment is, or that it has more blocks.
pub fn update(
    ground: &Ground<'_>,
    pipeline: &PipelineId,
    experiment: &ReplayExperiment,
) -> io::Result<()> {
    let home = Folder::make_home(ground, pipeline)?;
    let record = ExperimentRecord {
        experiment: experiment.clone(),
        ..read(&home, &experiment.id)?
    };
    write(&home, &record)
}

/// The plan of an experiment, as it was recorded.
pub fn plan_of(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<ReplayPlan> {
    Ok(read(&Folder::home(state, pipeline)?, id)?.plan.plan())
}

/// Why the record of an experiment cannot be read; `None` where it can, and where there is none.
pub fn trouble(state: &Path, pipeline: &PipelineId, id: &str) -> Option<String> {
    let home = Folder::home(state, pipeline).ok()?;
    let id = folder::is_id(id).then(|| SessionId(id.to_owned()))?;
    let why = read(&home, &id).err()?;
    (why.kind() != io::ErrorKind::NotFound).then(|| why.to_string())
}

/// The experiments of a pipeline, oldest first. One whose record cannot be read is left out: its sessions are there, and
/// say so.
pub fn experiments(state: &Path, pipeline: &PipelineId) -> Vec<ReplayExperiment> {
    let Ok(home) = Folder::home(state, pipeline) else {
        return Vec::new();
    };
    let ids = recorded_ids(state, pipeline);
    let records = ids.iter().filter_map(|id| read(&home, id).ok());
    let mut found: Vec<_> = records.map(|record| record.experiment).collect();
    for one in found.iter_mut().filter(|one| one.on == RunsOn::Slurm) {
        one.rejected = jobs::rejected(&home.path, &one.id);
    }
    found.sort_by_key(|one| folder::age(&one.id.0));
    found
}

/// The ids of the experiments of a pipeline that have a record, readable or not.
pub(super) fn recorded_ids(state: &Path, pipeline: &PipelineId) -> Vec<SessionId> {
    let home = Folder::home(state, pipeline);
    let names = home.and_then(|home| home.names()).unwrap_or_default();
    let ids = names.iter().filter_map(|name| name.strip_suffix(NAME));
    let ids = ids.filter(|id| folder::is_id(id));
    ids.map(|id| SessionId(id.to_owned())).collect()
}

/// The name of the record of an experiment.
fn name(id: &SessionId) -> String {
    format!("{id}{NAME}")
}

/// Where the record of an experiment is.
pub(super) fn record_path(state: &Path, pipeline: &PipelineId, id: &SessionId) -> PathBuf {
    folder::home_of(state, pipeline).join(name(id))
}

fn read(home: &Folder, id: &SessionId) -> io::Result<ExperimentRecord> {
    let unreadable = |why: io::Error| {
        let text = format!("the record of experiment {id} cannot be read: {why}");
        io::Error::new(why.kind(), text)
    };
    let bytes = home.read(&name(id)).map_err(unreadable)?;
    let record = serde_json::from_slice(&bytes).map_err(io::Error::from);
    let mut record: ExperimentRecord = record.map_err(unreadable)?;
    if record.schema != SCHEMA {
        let text = format!(
            "another version of relight wrote it (schema {})",
            record.schema
        );
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidData, text)));
    }
    let experiment = &mut record.experiment;
    experiment.parallel = experiment.parallel.max(1);
    experiment.started_at = Some(record.plan.begun_at);
    Ok(record)
}

fn write(home: &Folder, record: &ExperimentRecord) -> io::Result<()> {
    home.put(&name(&record.experiment.id), &folder::pretty(record)?)
}

/// A seed that nobody chose: from the plan and the moment.
pub fn seed(plan: &ReplayPlan, id: &SessionId, now: i64) -> String {
    let mut hash = Sha256::new();
    hash.update(plan.fingerprint.0.as_bytes());
    hash.update(id.0.as_bytes());
    hash.update(now.to_le_bytes());
    hash.update(std::process::id().to_le_bytes());
    hex(&hash.finalize()).chars().take(16).collect()
}

/// The runs in the order in which they start: block after block, the order within each drawn by its seed. A fixed
/// order would count whatever helps the second run (a warm cache, a quieter hour) as a difference of the arms.
pub fn in_drawn_order(experiment: &ReplayExperiment) -> Vec<ExperimentRun> {
    let mut runs = experiment.runs();
    for block in runs.chunks_mut(experiment.arms.len().max(1)) {
        let number = block.first().map_or(0, |run| run.place.block);
        let drawn = Sha256::digest(format!("{} {number}", experiment.seed));
        if drawn.first().is_some_and(|byte| byte & 1 == 1) {
            block.reverse();
        }
    }
    runs
}
