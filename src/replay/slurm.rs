//! Runs as jobs of Slurm: submitting them, asking about them, stopping them. Nothing is scheduled here.
//!
//! All information comes from Slurm's own programs. The command line names the output format, so that a person's
//! settings cannot change it.

pub mod script;
mod state;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::text::is_digits;
use crate::world::command::{self, NoAnswer};
pub use state::{JobEnd, JobState, Task, TaskId};

/// How long one of its programs may take. A controller that is down is given up after its own time.
const LIMIT: Duration = Duration::from_secs(60);

/// How long before its time limit a job is told to stop, so that its run is kept as canceled.
const NOTICE_S: u32 = 30;

/// What squeue prints of a task: id, state, reason, time of submission, node.
const FORMAT: &str = "--format=%i|%T|%r|%V|%N";

/// Slurm's programs, and what the configuration adds to a submission.
#[derive(Debug, Clone)]
pub struct Slurm {
    sbatch: PathBuf,
    squeue: PathBuf,
    scancel: PathBuf,
    scontrol: PathBuf,
    /// Of little use on a cluster without accounting.
    sacct: Option<PathBuf>,
    options: Vec<String>,
}

/// A job that is to be submitted.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// A name that no other job has.
    pub name: &'a str,
    /// Where it begins and leaves what it prints.
    pub folder: &'a Path,
    /// Its script, in that folder.
    pub script: &'a str,
    /// How many tasks it has and how many of them run side by side; `None` for a job without tasks.
    pub tasks: Option<(usize, usize)>,
    /// Jobs that must have ended before it begins.
    pub after: &'a [String],
}

/// Why a submission gave no id. Each has Slurm's own message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoJob {
    /// No job of that name is known to it.
    Rejected(String),
    /// It may have taken the job and does not answer.
    Unknown(String),
}

impl Slurm {
    /// Finds the programs. The error is a sentence's beginning: `sbatch is not installed`.
    pub fn find(options: &[String]) -> Result<Self, String> {
        let path = std::env::var_os("PATH");
        let find = |name: &str| {
            command::find(name, path.as_deref()).ok_or_else(|| format!("{name} is not installed"))
        };
        Ok(Self {
            sbatch: find("sbatch")?,
            squeue: find("squeue")?,
            scancel: find("scancel")?,
            scontrol: find("scontrol")?,
            sacct: find("sacct").ok(),
            options: options.to_vec(),
        })
    }

    /// Submits a job and gives its id. `sbatch` can fail after the controller has taken the job, so a failure counts
    /// only if no job has its name.
    pub fn submit(&self, request: &Request<'_>) -> Result<String, NoJob> {
        self.sbatch(request)
            .or_else(|why| match self.named(request.name) {
                Ok(Some(job)) => Ok(job),
                Ok(None) => Err(NoJob::Rejected(why)),
                Err(_) => Err(NoJob::Unknown(why)),
            })
    }

    fn sbatch(&self, request: &Request<'_>) -> Result<String, String> {
        let output = match request.tasks {
            Some(_) => "--output=%A_%a.txt",
            None => "--output=%j.txt",
        };
        let mut words = vec![
            "--parsable".to_owned(),
            format!("--job-name={}", request.name),
            output.to_owned(),
            // A job that is requeued keeps what it printed before.
            "--open-mode=append".to_owned(),
            format!("--signal=B:TERM@{NOTICE_S}"),
        ];
        if let Some((tasks, limit)) = request.tasks {
            words.push(format!("--array=0-{}%{limit}", tasks.saturating_sub(1)));
        }
        if !request.after.is_empty() {
            words.push(format!("--dependency=afterany:{}", request.after.join(":")));
        }
        words.extend(self.options.iter().cloned());
        let script = request.folder.join(request.script);
        let mut args: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        args.extend([
            "--chdir".as_ref(),
            request.folder.as_os_str(),
            script.as_os_str(),
        ]);
        let said = ask(&self.sbatch, &args)?;
        // With several clusters, the name of one follows the id.
        let id = said.trim().split(';').next().unwrap_or_default();
        if is_digits(id) {
            return Ok(id.to_owned());
        }
        Err(format!("sbatch answered `{}`", said.trim()))
    }

    /// The tasks of jobs, as far as the controller knows them. It forgets a job some minutes after its end.
    pub fn tasks(&self, jobs: &[String]) -> Result<Vec<Task>, String> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        self.queue(&format!("--jobs={}", jobs.join(",")))
    }

    /// The id of the job of a name, if the controller knows one.
    pub fn named(&self, name: &str) -> Result<Option<String>, String> {
        let tasks = self.queue(&format!("--name={name}"))?;
        Ok(tasks.into_iter().next().map(|task| task.id.job))
    }

    fn queue(&self, which: &str) -> Result<Vec<Task>, String> {
        let words = ["--noheader", "--array", "--states=all", FORMAT, which];
        match ask(&self.squeue, &words.map(OsStr::new)) {
            Ok(said) => Ok(said.lines().filter_map(Task::parse).collect()),
            Err(why) if why.contains("Invalid job id") => Ok(Vec::new()),
            Err(why) => Err(why),
        }
    }

    /// How a task ended: by the controller, else by the accounting, as far as either knows.
    pub fn end_of(&self, task: &TaskId) -> JobEnd {
        let task = task.to_string();
        let words = ["--oneliner", "show", "job", &task];
        let known = ask(&self.scontrol, &words.map(OsStr::new));
        let known = known.ok().and_then(|said| JobEnd::of_scontrol(&said));
        let by_accounting = || {
            let format = "--format=State,ExitCode,NodeList,Timelimit";
            let which = format!("--jobs={task}");
            let words = ["--noheader", "--parsable2", "--allocations", format, &which];
            let said = ask(self.sacct.as_ref()?, &words.map(OsStr::new)).ok()?;
            JobEnd::of_sacct(&said)
        };
        known.or_else(by_accounting).unwrap_or_default()
    }

    /// Cancels the tasks that have not begun.
    pub fn cancel_pending(&self, jobs: &[String]) -> Result<(), String> {
        // The filter is for whole jobs only: beside the number of a task, Slurm 22 cancels every task.
        self.cancel(&["--state=PENDING"], jobs)
    }

    /// Tells the runs of jobs to stop. They end by themselves, and keep what they did.
    pub fn stop(&self, jobs: &[String]) -> Result<(), String> {
        // Only the script's own process, which is relight: it ends its runners itself, and knows why they ended.
        self.cancel(&["--batch", "--signal=TERM"], jobs)
    }

    /// Ends jobs whatever they do.
    pub fn kill(&self, jobs: &[String]) -> Result<(), String> {
        self.cancel(&[], jobs)
    }

    fn cancel(&self, how: &[&str], jobs: &[String]) -> Result<(), String> {
        if jobs.is_empty() {
            return Ok(());
        }
        let jobs = jobs.iter().map(OsStr::new);
        let words: Vec<&OsStr> = how.iter().map(OsStr::new).chain(jobs).collect();
        match ask(&self.scancel, &words) {
            Err(why) if !why.contains("Invalid job id") => Err(why),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// What a program prints; its last complaint where it fails.
fn ask(program: &Path, args: &[&OsStr]) -> Result<String, String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let answer = command::ask(program, args, LIMIT).map_err(|why| match why {
        NoAnswer::NotInstalled(_) | NoAnswer::Failed(_) => format!("{name}: {why}"),
        NoAnswer::TooSlow(_) => format!("{name} did not answer within {} s", LIMIT.as_secs()),
    })?;
    if answer.ok {
        return Ok(String::from_utf8_lossy(&answer.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.unwrap_or("it failed without a message").trim();
    let prefix = format!("{name}: error: ");
    Err(last.strip_prefix(&prefix).unwrap_or(last).to_owned())
}
