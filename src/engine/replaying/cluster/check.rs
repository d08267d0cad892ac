//! The check before the first runs: can a node of the cluster see what they need?

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Asking, Cluster, TICK, refused, rejected};
use crate::engine::{EngineError, Result};
use crate::replay::session::JobFolder;
use crate::replay::slurm::{JobState, NoJob, Request, Slurm, Task, script};

/// What the job is told to copy, and its copy.
const ASKED: &str = "check";
const SEEN: &str = "check.seen";

/// How long what a node wrote may take to arrive here.
const ARRIVES: Duration = Duration::from_secs(5);

impl Cluster<'_> {
    /// Lets a node look for everything that runs need, and write a file that must arrive here. False where the person
    /// canceled meanwhile. Once it has arrived it is not asked again.
    pub(super) fn check(&self, slurm: &Slurm, folder: &JobFolder) -> Result<bool> {
        let wrote = |error| refused(&format!("The jobs' directory cannot be written: {error}."));
        let path = folder.path().as_os_str().as_bytes();
        let token = [format!("{} ", self.group).as_bytes(), path, b"\n"].concat();
        let seen = || folder.read(SEEN).ok().flatten();
        if seen().as_ref() == Some(&token) {
            return Ok(true);
        }
        let needs = self.needs();
        let paths: Vec<&Path> = needs.iter().map(PathBuf::as_path).collect();
        let text = script::check(&paths, folder.path());
        let text = text.map_err(|why| refused(&format!("{why}.")))?;
        folder.put(ASKED, &token).map_err(wrote)?;
        folder.put("check.sh", text.as_bytes()).map_err(wrote)?;
        // An ended check is still known to Slurm for some minutes, so each has a name of its own.
        let now = self.work.engine.now();
        let request = Request {
            name: &format!("relight-check-{}-{}", self.group, now.timestamp_micros()),
            folder: folder.path(),
            script: "check.sh",
            tasks: None,
            after: &[],
        };
        let job = slurm.submit(&request);
        let job = job.map_err(|why| match why {
            NoJob::Rejected(why) => rejected(folder, &why),
            NoJob::Unknown(why) => self.unanswered(&why),
        })?;
        let Some(node) = self.checked(slurm, &job)? else {
            return Ok(false);
        };
        let since = Instant::now();
        loop {
            // A file system over a network looks again at a folder that is written to.
            folder.put(ASKED, &token).map_err(wrote)?;
            if seen().as_ref() == Some(&token) {
                return Ok(true);
            }
            let said = folder.read(&format!("{job}.txt")).ok().flatten();
            let said = said.unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            if let Some(path) = said.lines().find_map(|line| line.strip_prefix("missing: ")) {
                return Err(unshared(path, &node));
            }
            if folder.is_local() || since.elapsed() > ARRIVES {
                return Err(unshared(&folder.path().to_string_lossy(), &node));
            }
            thread::sleep(TICK);
        }
    }

    /// Waits for the end of the check. Gives its node; `None` where the person canceled.
    fn checked(&self, slurm: &Slurm, job: &str) -> Result<Option<String>> {
        let mut asking = Asking::new();
        let mut node = String::new();
        loop {
            if self.work.cancel.is_cancelled() {
                // It ends by itself soon, also where it cannot be killed.
                let _ignored = slurm.kill(&[job.to_owned()]);
                return Ok(None);
            }
            if asking.is_due() {
                let no_answer = |why| refused(&format!("Slurm does not answer: {why}."));
                let tasks = slurm.tasks(&[job.to_owned()]).map_err(no_answer)?;
                let task = tasks.first();
                let pending = task.and_then(Task::waiting);
                let text = pending.unwrap_or_else(|| format!("job {job}"));
                let text = format!("checking the directories: {text}");
                self.work.telling.waiting(0, Some(text.into()));
                asking.asked(false);
                match task {
                    Some(task) if task.state != JobState::Ended => node.clone_from(&task.node),
                    Some(task) => return Ok(Some(task.node.clone())),
                    None => return Ok(Some(node)),
                }
            }
            thread::sleep(TICK);
        }
    }

    /// What every run reads: relight itself, the project, its manifest, its checkpoints.
    fn needs(&self) -> Vec<PathBuf> {
        let original = &self.work.plan.experiment;
        let mut needs: Vec<PathBuf> = std::env::current_exe().ok().into_iter().collect();
        needs.push(original.manifest.clone());
        needs.extend(original.work_tree.clone());
        let start = self.work.plan.begin();
        let checkpoint = start.and_then(|start| start.checkpoint.as_ref());
        needs.extend(checkpoint.and_then(|one| one.kind.repository().cloned()));
        needs
    }
}

fn unshared(path: &str, node: &str) -> EngineError {
    let node = match node {
        "" => "the nodes of the cluster".to_owned(),
        node => format!("node {node} of the cluster"),
    };
    let text = format!("{path} is not shared with {node}, so no run was submitted.");
    refused(&text).hint("Set XDG_STATE_HOME to a directory that every node sees.")
}
