//! One run with a job: its state according to its folder and the queue together.

use std::io;
use std::time::{Duration, Instant};

use super::super::blocks::Todo;
use super::super::tally::Wanted;
use super::Cluster;
use crate::engine::{EngineError, ErrorKind};
use crate::model::{ReplaySession, SessionState, StepState};
use crate::replay::session::{self, JobFolder, Pulse};
use crate::replay::slurm::{JobState, Slurm, Task, TaskId};
use crate::text::Shown as _;
use crate::text::format::duration;

/// How long the folder of a run whose job is over may take to say how it ended.
const ARRIVES: Duration = Duration::from_secs(3);

/// The same where the job says that it did what it was to do.
const COMPLETED_ARRIVES: Duration = Duration::from_secs(30);

/// A run and its job.
pub(super) struct Watched {
    pub(super) todo: Todo,
    task: TaskId,
    state: JobState,
    /// True for a run that began before this process watched it: what has ended is no news.
    before: bool,
    pulse: Option<Pulse>,
    /// Whether it was told to stop.
    told: bool,
    /// Since when its job is over.
    over: Option<Instant>,
}

/// What became of a run.
pub(super) enum Ended {
    /// It ended, or was canceled, or the cluster cut it short.
    Session(Box<ReplaySession>),
    /// Its job failed, as the next one would.
    Failed(EngineError),
    /// Its job was canceled before it began.
    NeverBegun,
}

impl Watched {
    /// A run whose job was there already.
    pub(super) fn attached(todo: Todo, task: TaskId) -> Self {
        Self {
            before: true,
            ..Self::submitted(todo, task)
        }
    }

    /// A run whose job was just submitted.
    pub(super) fn submitted(todo: Todo, task: TaskId) -> Self {
        Self {
            before: todo.again,
            todo,
            task,
            state: JobState::Waiting,
            pulse: None,
            told: false,
            over: None,
        }
    }

    /// Its task, where it runs and was not told to stop before.
    pub(super) fn stop(&mut self) -> Option<String> {
        // Its folder may show that it runs before the queue is asked again.
        let runs = self.state == JobState::Running || self.pulse.is_some();
        let tells = runs && self.state != JobState::Ended && !self.told;
        self.told |= tells;
        tells.then(|| self.task.to_string())
    }

    /// Whether its folder says that it ended and the queue does not yet.
    pub(super) fn is_ending(&self) -> bool {
        let ended = |pulse: Pulse| pulse.ended && !pulse.held;
        self.state != JobState::Ended && self.pulse.is_some_and(ended)
    }

    /// What the queue says of it. `Some` where that is news.
    pub(super) fn heard(&mut self, tasks: &[Task], cluster: &Cluster<'_>) -> Option<()> {
        let task = tasks.iter().find(|task| task.id == self.task);
        let state = task.map_or(JobState::Ended, |task| task.state);
        let waiting = task.and_then(|task| {
            let text = task.waiting()?;
            let text = match task.waited_s(cluster.work.engine.now()) {
                Some(waited) => format!("{text} for {}", duration(waited)),
                None => text,
            };
            Some(text.into())
        });
        cluster.work.telling.waiting(self.todo.at(), waiting);
        if state != JobState::Ended {
            self.over = None;
        }
        let changed = state != self.state;
        self.state = state;
        changed.then_some(())
    }

    /// Looks at its folder. `Some` once nothing more can come.
    pub(super) fn look(
        &mut self,
        cluster: &Cluster<'_>,
        slurm: &Slurm,
        folder: &JobFolder,
        wanted: Wanted,
    ) -> io::Result<Option<Ended>> {
        let pulse = session::pulse(cluster.work.state, cluster.pipeline(), &self.todo.run.id)?;
        if pulse != self.pulse && pulse.is_some() {
            self.tell(cluster)?;
        }
        self.pulse = pulse;
        let live = self.state != JobState::Ended;
        let ended = match pulse {
            Some(pulse) if pulse.held => return Ok(None),
            Some(pulse) if pulse.ended => self.session(cluster),
            Some(_) | None => None,
        };
        if let Some(about) = ended {
            let is_whole = !cluster.is_measured || !about.measured.is_empty();
            match about.state {
                SessionState::Done | SessionState::HandedOver if is_whole || !live => {
                    return Ok(Some(Ended::Session(Box::new(about))));
                }
                // A job that the cluster starts again continues the run.
                _ if live => return Ok(None),
                SessionState::Cancelled if !cluster.work.cancel.is_cancelled() => {
                    let why = slurm.end_of(&self.task).told_to_stop(&self.task);
                    return self.cut_short(cluster, &why).map(Some);
                }
                SessionState::Running
                | SessionState::Done
                | SessionState::Interrupted
                | SessionState::Cancelled
                | SessionState::HandedOver
                | SessionState::Unreadable => return Ok(Some(Ended::Session(Box::new(about)))),
            }
        }
        if live {
            return Ok(None);
        }
        self.without_an_end(cluster, slurm, folder, wanted)
    }

    /// Its job is over, and its folder does not say how it ended.
    fn without_an_end(
        &mut self,
        cluster: &Cluster<'_>,
        slurm: &Slurm,
        folder: &JobFolder,
        wanted: Wanted,
    ) -> io::Result<Option<Ended>> {
        let over = *self.over.get_or_insert_with(Instant::now);
        if self.pulse.is_none() && wanted != Wanted::All && !self.todo.again {
            return Ok(Some(Ended::NeverBegun));
        }
        let late = !folder.is_local();
        if late && over.elapsed() < ARRIVES {
            return Ok(None);
        }
        let end = slurm.end_of(&self.task);
        if late && end.word == "COMPLETED" && over.elapsed() < COMPLETED_ARRIVES {
            return Ok(None);
        }
        let why = end.sentence(&self.task);
        if end.is_own() {
            return Ok(Some(Ended::Failed(self.failed(folder, &why))));
        }
        match self.pulse {
            Some(_) => self.cut_short(cluster, &why).map(Some),
            None => Ok(Some(Ended::NeverBegun)),
        }
    }

    /// Tells how far it is. The steps of a run that began here are told as waiting first, so that what ended before it
    /// was looked at is news.
    fn tell(&self, cluster: &Cluster<'_>) -> io::Result<()> {
        let mut steps =
            session::progress(cluster.work.state, cluster.pipeline(), &self.todo.run.id)?;
        if self.before {
            for step in &mut steps {
                step.attempt = 0;
            }
        }
        if self.pulse.is_none() {
            let mut first = steps.clone();
            for step in first.iter_mut().filter(|_| !self.before) {
                (step.attempt, step.state) = (0, StepState::Waiting);
            }
            cluster.work.telling.steps(self.todo.at(), first);
        }
        cluster.work.telling.waiting(self.todo.at(), None);
        cluster.work.telling.steps(self.todo.at(), steps);
        Ok(())
    }

    fn session(&self, cluster: &Cluster<'_>) -> Option<ReplaySession> {
        let world = cluster.work.engine.world.as_ref();
        session::look(
            world,
            cluster.work.state,
            cluster.pipeline(),
            &self.todo.run.id,
        )
    }

    /// Writes down why it was cut short.
    fn cut_short(&self, cluster: &Cluster<'_>, why: &str) -> io::Result<Ended> {
        let place = (cluster.work.state, cluster.pipeline(), &self.todo.run.id);
        session::cut_short(place, cluster.work.engine.now(), why)?;
        let about = self.session(cluster).ok_or(io::ErrorKind::NotFound)?;
        Ok(Ended::Session(Box::new(about)))
    }

    /// The program of its job could not run it: its last line says why.
    fn failed(&self, folder: &JobFolder, why: &str) -> EngineError {
        let name = format!("{}.txt", self.task);
        let said = folder.read(&name).ok().flatten().unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let error = EngineError::new(ErrorKind::Unclear, why);
        let error = match said.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => error.hint(format!("Its last line: {line}")),
            None => error,
        };
        error.hint(format!("Its output: {}", folder.path().join(name).shown()))
    }
}
