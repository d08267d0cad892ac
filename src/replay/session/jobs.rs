//! The jobs of an experiment on a cluster: a folder `<id>.slurm/` with what was submitted, the scripts, and what the
//! jobs print. `jobs.json` is written before and after each submission, so that jobs are found again after a crash.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Ground;
use super::folder::Folder;
use crate::apply::disk::{Disk as _, RealDisk};
use crate::model::{Foreign, PipelineId, SessionId};

const SCHEMA: u32 = 1;

/// What was submitted.
const JOBS: &str = "jobs.json";

/// Why Slurm rejected the last submission; not there where it accepted it.
const REJECTED: &str = "rejected.txt";

/// The most that is read of a reason.
const CAP: u64 = 16 << 20;

/// The folder's name.
pub(super) fn name(id: &SessionId) -> String {
    format!("{id}.slurm")
}

/// One job, or one array of jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The name of the job, which no other has.
    pub name: String,
    /// Its id; `None` until it is known that it was submitted.
    pub job: Option<String>,
    /// True where its runs are wanted whatever the verdict: they, or the other runs of their blocks, were begun before.
    pub again: bool,
    /// The sessions of its runs, in the order of its tasks.
    pub runs: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct JobsRecord {
    schema: u32,
    jobs: Vec<Submission>,
}

/// The folder.
#[derive(Debug)]
pub struct JobFolder(Folder);

impl JobFolder {
    /// Makes the folder, or opens it where it is there.
    pub fn make(ground: &Ground<'_>, pipeline: &PipelineId, id: &SessionId) -> io::Result<Self> {
        let home = Folder::make_home(ground, pipeline)?;
        home.sub_or_mkdir(&name(id))?;
        home.within(&name(id)).map(Self)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Whether what another process wrote into it is seen at once: it is on a file system of this machine. That
    /// of a network may show it seconds later.
    pub fn is_local(&self) -> bool {
        self.0.disk.is_local(&self.0.dir)
    }

    /// Everything that was submitted.
    pub fn submissions(&self) -> io::Result<Vec<Submission>> {
        let Some(bytes) = self.read(JOBS)? else {
            return Ok(Vec::new());
        };
        let record: JobsRecord = serde_json::from_slice(&bytes)?;
        if record.schema != SCHEMA {
            let text = format!("{JOBS} was written by another version of relight");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(record.jobs)
    }

    /// Writes down what was submitted.
    pub fn keep(&self, jobs: &[Submission]) -> io::Result<()> {
        let record = JobsRecord {
            schema: SCHEMA,
            jobs: jobs.to_vec(),
        };
        self.put(JOBS, &serde_json::to_vec_pretty(&record)?)
    }

    /// Writes down that Slurm rejected what was submitted, and why.
    pub fn keep_rejected(&self, why: &str) -> io::Result<()> {
        self.put(REJECTED, why.as_bytes())
    }

    /// Writes down that Slurm accepted what was submitted.
    pub fn drop_rejected(&self) -> io::Result<()> {
        self.0.drop_file(REJECTED)
    }

    /// Writes a file in it.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.put(name, bytes)
    }

    /// The content of a file in it, if it is there.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.0.find(name)
    }
}

/// Why Slurm rejected the jobs of an experiment, or of a run by itself, where it did at the last try. `home` is the
/// folder of the pipeline's replays.
pub(super) fn rejected(home: &Path, id: &SessionId) -> Option<Foreign> {
    let disk = RealDisk::new();
    let dir = disk.root(&home.join(name(id))).ok()?;
    let bytes = disk.read(&dir, REJECTED.as_ref(), CAP).ok()?;
    Some(bytes.into())
}
