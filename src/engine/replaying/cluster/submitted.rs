//! The submitted jobs of an experiment: recorded before and after submission, and found again by job id.

use super::super::blocks::Todo;
use super::super::tally::Wanted;
use super::refused;
use super::watched::Watched;
use crate::engine::{EngineError, Result};
use crate::model::text::hex;
use crate::replay::session::{JobFolder, Submission};
use crate::replay::slurm::{JobState, NoJob, Request, Slurm, TaskId, script};
use sha2::{Digest as _, Sha256};

/// The submissions of an experiment.
pub(super) struct Submitted<'a> {
    folder: &'a JobFolder,
    all: Vec<Submission>,
}

impl<'a> Submitted<'a> {
    /// Reads what was submitted before. A job whose id was never written down, because this process was killed in
    /// between, is found by its name.
    pub(super) fn read(slurm: &Slurm, folder: &'a JobFolder) -> Result<Self> {
        let mut all = folder.submissions().map_err(|error| {
            let text = format!("The record of the jobs cannot be read: {error}.");
            EngineError::unreadable(text)
        })?;
        let unknown = all.iter_mut().filter(|one| one.job.is_none());
        for one in unknown {
            one.job = slurm.named(&one.name).map_err(|why| no_answer(&why))?;
        }
        Ok(Self { folder, all })
    }

    /// The ids of all jobs.
    pub(super) fn jobs(&self) -> Vec<String> {
        self.all.iter().filter_map(|one| one.job.clone()).collect()
    }

    /// The jobs whose tasks are not to begin.
    pub(super) fn unwanted(&self, wanted: Wanted) -> Vec<String> {
        let unwanted = |one: &&Submission| match wanted {
            Wanted::All => false,
            Wanted::Begun => !one.again,
            Wanted::Nothing => true,
        };
        let all = self.all.iter().filter(unwanted);
        all.filter_map(|one| one.job.clone()).collect()
    }

    /// The runs that have a job which waits or runs, and those that have none.
    pub(super) fn attach(
        &self,
        slurm: &Slurm,
        runs: Vec<Todo>,
    ) -> Result<(Vec<Watched>, Vec<Todo>)> {
        let tasks = slurm.tasks(&self.jobs()).map_err(|why| no_answer(&why))?;
        let live = |id: &TaskId| {
            let mut tasks = tasks.iter().filter(|task| task.state != JobState::Ended);
            tasks.any(|task| task.id == *id)
        };
        let (mut watched, mut fresh) = (Vec::new(), Vec::new());
        for todo in runs {
            // Of several submissions of a run the last one counts.
            let task = self.tasks_of(&todo).rev().find(live);
            match task {
                Some(id) => watched.push(Watched::attached(todo, id)),
                None => fresh.push(todo),
            }
        }
        Ok((watched, fresh))
    }

    fn tasks_of(&self, todo: &Todo) -> impl DoubleEndedIterator<Item = TaskId> {
        self.all.iter().filter_map(|one| {
            Some(TaskId {
                job: one.job.clone()?,
                task: Some(one.runs.iter().position(|id| *id == todo.run.id.0)?),
            })
        })
    }

    /// Submits runs as the tasks of one array, which begins when everything submitted before has ended.
    pub(super) fn submit(
        &mut self,
        slurm: &Slurm,
        runs: Vec<Todo>,
        parallel: usize,
    ) -> Result<std::result::Result<Vec<Watched>, NoJob>> {
        if runs.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let path = self.folder.path();
        let home = path.parent().unwrap_or(path);
        let number = self.all.len() + 1;
        let folder = hex(&Sha256::digest(path.as_os_str().as_encoded_bytes()));
        let group = path.file_stem().unwrap_or_default().to_string_lossy();
        let submission = Submission {
            name: format!("relight-{group}-{folder:.8}-{number}"),
            job: None,
            again: runs.iter().all(|one| one.again),
            runs: runs.iter().map(|one| one.run.id.0.clone()).collect(),
        };
        let after = self.jobs();
        let program = std::env::current_exe()
            .map_err(|error| refused(&format!("The path of relight is unknown: {error}.")))?;
        let text = script::runs(&program, home, &submission.runs)
            .map_err(|why| refused(&format!("{why}.")))?;
        let script = format!("runs-{number}.sh");
        let name = submission.name.clone();
        self.all.push(submission);
        let kept = self.folder.put(&script, text.as_bytes());
        let kept = kept.and_then(|()| self.keep());
        kept.map_err(|error| refused(&format!("The job's script was not written: {error}.")))?;
        let request = Request {
            name: &name,
            folder: path,
            script: &script,
            tasks: Some((runs.len(), parallel.max(1))),
            after: &after,
        };
        let job = match slurm.submit(&request) {
            Ok(job) => job,
            Err(why) => {
                if let NoJob::Rejected(_) = why {
                    self.all.pop();
                    // Without this the name is looked for the next time, and not found.
                    let _ignored = self.keep();
                }
                return Ok(Err(why));
            }
        };
        if let Some(last) = self.all.last_mut() {
            last.job = Some(job.clone());
        }
        // Where this fails the job is found by its name.
        let _ignored = self.keep();
        let _ignored = self.folder.drop_rejected();
        let task = |(at, todo)| {
            let id = TaskId {
                job: job.clone(),
                task: Some(at),
            };
            Watched::submitted(todo, id)
        };
        Ok(Ok(runs.into_iter().enumerate().map(task).collect()))
    }

    fn keep(&self) -> std::io::Result<()> {
        self.folder.keep(&self.all)
    }
}

fn no_answer(why: &str) -> EngineError {
    EngineError::refused(format!("Slurm does not answer: {why}."))
        .hint("Submitted jobs keep running. Run the same command again when Slurm answers.")
}
