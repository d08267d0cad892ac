//! The record of an experiment, `<id>.experiment.json` beside the folders of its sessions: what was fixed before the
//! first run, with the whole plan, so that runs that had not begun can be run after a crash.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::folder::{self, Folder, component};
use super::record::Record;
use super::{Ground, Member, find, jobs};
use crate::apply::disk::{Disk as _, RealDir, RealDisk, RealLock};
use crate::apply::home::Home;
use crate::model::text::hex;
use crate::model::{
    ExperimentRun, PipelineId, ReplayExperiment, ReplayPlan, RunsOn, SessionId, Stamp,
};

const SCHEMA: u32 = 1;

/// The ending of a record's name.
pub(super) const NAME: &str = ".experiment.json";

/// The ending of the name of the lock that is held by the process that runs an experiment: between two runs, and of
/// those that have ended, no run's own lock is held.
const LOCK: &str = ".experiment.lock";

/// The most that is read of a record.
const CAP: u64 = 256 << 20;

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
    let member = Member {
        id: experiment.id.clone(),
        group: experiment.id.clone(),
        repeat: (1, experiment.runs().len()),
        place: None,
    };
    find::tidy(ground, &plan.pipeline, None)?;
    let invalid = || io::Error::other("the plan has an open conflict, or begins nowhere");
    let record = Record::of(plan, &member, Stamp::stated(ground.now), &[]).ok_or_else(invalid)?;
    let dir = home(ground, &plan.pipeline)?;
    let lock = lock(ground.disk, &dir, &experiment.id)?.ok_or(io::ErrorKind::AlreadyExists)?;
    let record = ExperimentRecord {
        schema: SCHEMA,
        experiment: experiment.clone(),
        plan: record,
    };
    write(ground, &plan.pipeline, &record)?;
    Ok(lock)
}

/// Takes the lock of an experiment that was begun. `None` for a run of none; `ResourceBusy` where a process has it.
pub fn hold(
    disk: &RealDisk,
    state: &Path,
    pipeline: &PipelineId,
    id: &SessionId,
) -> io::Result<Option<RealLock>> {
    let dir = disk.root(&folder::home_of(state, pipeline))?;
    if disk
        .look(&dir, OsStr::new(&format!("{id}{NAME}")))?
        .is_none()
    {
        return Ok(None);
    }
    let lock = lock(disk, &dir, id)?.ok_or(io::ErrorKind::ResourceBusy)?;
    Ok(Some(lock))
}

fn lock(disk: &RealDisk, dir: &RealDir, id: &SessionId) -> io::Result<Option<RealLock>> {
    disk.lock(dir, OsStr::new(&format!("{id}{LOCK}")))
}

/// Deletes what there is of an experiment beside its runs, the lock last.
pub(super) fn remove(
    disk: &RealDisk,
    state: &Path,
    pipeline: &PipelineId,
    id: &SessionId,
) -> io::Result<()> {
    let path = folder::home_of(state, pipeline);
    let home = Folder {
        dir: disk.root(&path)?,
        disk: disk.clone(),
        path,
    };
    home.drop_file(&format!("{id}{NAME}"))?;
    home.remove(&format!("{id}{}", jobs::NAME))?;
    home.drop_file(&format!("{id}{LOCK}"))
}

/// Writes down how far an experiment is, or that it has more blocks.
pub fn update(
    ground: &Ground<'_>,
    pipeline: &PipelineId,
    experiment: &ReplayExperiment,
) -> io::Result<()> {
    let record = read(ground.disk, ground.state, pipeline, &experiment.id)?;
    let experiment = experiment.clone();
    let record = ExperimentRecord {
        experiment,
        ..record
    };
    write(ground, pipeline, &record)
}

/// The plan of an experiment, as it was recorded.
pub fn plan_of(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<ReplayPlan> {
    Ok(read(&RealDisk::new(), state, pipeline, id)?.plan.plan())
}

/// The experiments of a pipeline, oldest first. One whose record cannot be read is left out: its sessions are there.
pub fn experiments(state: &Path, pipeline: &PipelineId) -> Vec<ReplayExperiment> {
    let disk = RealDisk::new();
    let mut found: Vec<ReplayExperiment> = recorded_ids(&disk, state, pipeline)
        .iter()
        .filter_map(|id| read(&disk, state, pipeline, id).ok())
        .map(|record| record.experiment)
        .collect();
    let home = folder::home_of(state, pipeline);
    for one in found.iter_mut().filter(|one| one.on == RunsOn::Slurm) {
        one.rejected = jobs::rejected(&disk, &home, &one.id);
    }
    found.sort_by_key(|one| folder::age(&one.id.0));
    found
}

/// The ids of the experiments of a pipeline that have a record, readable or not.
pub(super) fn recorded_ids(disk: &RealDisk, state: &Path, pipeline: &PipelineId) -> Vec<SessionId> {
    let names = disk
        .root(&folder::home_of(state, pipeline))
        .and_then(|dir| disk.list(&dir))
        .unwrap_or_default();
    let ids = names
        .iter()
        .filter_map(|name| name.to_str()?.strip_suffix(NAME));
    let ids = ids.filter(|id| folder::is_id(id));
    ids.map(|id| SessionId(id.to_owned())).collect()
}

/// Where the record of an experiment is.
pub(super) fn record_path(state: &Path, pipeline: &PipelineId, id: &SessionId) -> PathBuf {
    folder::home_of(state, pipeline).join(format!("{id}{NAME}"))
}

fn read(
    disk: &RealDisk,
    state: &Path,
    pipeline: &PipelineId,
    id: &SessionId,
) -> io::Result<ExperimentRecord> {
    let dir = disk.root(&folder::home_of(state, pipeline))?;
    let bytes = disk.read(&dir, OsStr::new(&format!("{id}{NAME}")), CAP)?;
    let mut record: ExperimentRecord = serde_json::from_slice(&bytes).map_err(|error| {
        let text = format!("the record of experiment {id} cannot be read: {error}");
        io::Error::new(io::ErrorKind::InvalidData, text)
    })?;
    let experiment = &mut record.experiment;
    experiment.parallel = experiment.parallel.max(1);
    experiment.started_at = Some(record.plan.begun_at);
    Ok(record)
}

/// The folder of a pipeline's replays, made where it is not there.
fn home(ground: &Ground<'_>, pipeline: &PipelineId) -> io::Result<RealDir> {
    let me = ground.world.places().uid;
    let name = component(pipeline.0.as_bytes());
    Ok(Home::replays(ground.disk, ground.state, &name, me)?.0)
}

fn write(ground: &Ground<'_>, pipeline: &PipelineId, record: &ExperimentRecord) -> io::Result<()> {
    let dir = home(ground, pipeline)?;
    let mut bytes = serde_json::to_vec_pretty(record).map_err(io::Error::other)?;
    bytes.push(b'\n');
    folder::put(
        ground.disk,
        &dir,
        OsStr::new(&format!("{}{NAME}", record.experiment.id)),
        &bytes,
    )
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
