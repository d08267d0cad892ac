//! Runs as jobs of a cluster: submitted in the order in which they should start, watched through their folders and the
//! queue, stopped when they are no longer needed, and found again after this process was killed.
//!
//! The folder of a run shows its outcome, as for a run on this machine. The queue only says which runs can still
//! change.

mod check;
mod submitted;
mod watched;

use std::thread;
use std::time::{Duration, Instant};

use super::blocks::{Todo, Work};
use super::tally::{Tally, Wanted};
use crate::engine::{EngineError, Result};
use crate::model::{Cancel, PipelineId, ReplayPlan, RunsOn, SessionId};
use crate::replay::session::JobFolder;
use crate::replay::slurm::{NoJob, Slurm};
use submitted::Submitted;
use watched::{Ended, Watched};

/// How often the folders of runs are looked at.
const TICK: Duration = Duration::from_millis(200);

/// How often the queue is asked: at first, and at most while nothing changes. Every question is work for the one
/// controller of the cluster.
const ASK: [Duration; 2] = [Duration::from_millis(400), Duration::from_secs(15)];

/// How long runs that were told to stop may take before their jobs are killed.
const STOPPING: Duration = Duration::from_secs(30);

/// The runs of one experiment, or a lone run, on a cluster.
pub(super) struct Cluster<'a> {
    pub(super) work: Work<'a>,
    /// The id that the runs share.
    pub(super) group: &'a SessionId,
    /// The most tasks that run side by side.
    pub(super) parallel: usize,
    /// True where a run is complete only once its metrics are measured.
    pub(super) is_measured: bool,
}

impl Cluster<'_> {
    /// Runs what is to be run, in this order, and counts what comes out. Runs whose jobs are there already are watched
    /// and not submitted again.
    pub(super) fn run(&self, runs: Vec<Todo>, tally: &Tally<'_>) -> Result<()> {
        let options = &self.work.engine.settings.slurm;
        let slurm = Slurm::find(options).map_err(|why| refused(&format!("{why}.")))?;
        let ground = self.work.engine.session_ground(self.work.state);
        let folder = JobFolder::make(&ground, self.pipeline(), self.group);
        let folder = folder.map_err(|error| refused(&format!("The jobs' directory: {error}.")))?;
        let mut submitted = Submitted::read(&slurm, &folder)?;
        let (mut watched, fresh) = submitted.attach(&slurm, runs)?;
        if !fresh.is_empty() {
            if !self.check(&slurm, &folder)? {
                return Ok(());
            }
            let (again, new): (Vec<Todo>, _) = fresh.into_iter().partition(|one| one.again);
            // What was cut short comes first: until it has ended its block says nothing.
            watched.extend(self.submit(&slurm, &folder, &mut submitted, again)?);
            watched.extend(self.submit(&slurm, &folder, &mut submitted, new)?);
        }
        let never_begun = self.watch(&slurm, &folder, &submitted, watched, tally);
        // All that waited was canceled when the verdict fell, also the other runs of blocks that had begun.
        let halves = never_begun.into_iter().filter(|one| {
            !self.work.cancel.is_cancelled()
                && tally.ended_early()
                && tally.wants(one.run.place.block, false)
        });
        let halves = halves.map(|one| Todo { again: true, ..one }).collect();
        let watched = self.submit(&slurm, &folder, &mut submitted, halves)?;
        self.watch(&slurm, &folder, &submitted, watched, tally);
        Ok(())
    }

    /// Submits runs. Where they are not, nothing stays: what was submitted before must not run on while nobody watches
    /// it. Where Slurm may have taken them, everything stays, and is watched again by a `--continue`.
    fn submit(
        &self,
        slurm: &Slurm,
        folder: &JobFolder,
        submitted: &mut Submitted<'_>,
        runs: Vec<Todo>,
    ) -> Result<Vec<Watched>> {
        let error = match submitted.submit(slurm, runs, self.parallel) {
            Ok(Ok(watched)) => return Ok(watched),
            Ok(Err(NoJob::Unknown(why))) => return Err(self.unanswered(&why)),
            Ok(Err(NoJob::Rejected(why))) => rejected(folder, &why),
            Err(error) => error,
        };
        let _ignored = slurm.kill(&submitted.jobs());
        Err(error)
    }

    /// Slurm may have taken a job, and does not say so.
    fn unanswered(&self, why: &str) -> EngineError {
        let (pipeline, group) = (self.pipeline(), self.group);
        let again = format!("relight replay {pipeline} --continue {group}");
        EngineError::refused(format!("Whether Slurm took the job is unknown: {why}.")).hint(
            format!("What it took keeps running. When Slurm answers: {again}"),
        )
    }

    fn pipeline(&self) -> &PipelineId {
        &self.work.plan.pipeline
    }

    /// Watches runs until each has ended or will not begin. Gives those that did not.
    fn watch(
        &self,
        slurm: &Slurm,
        folder: &JobFolder,
        submitted: &Submitted<'_>,
        mut watched: Vec<Watched>,
        tally: &Tally<'_>,
    ) -> Vec<Todo> {
        let mut never_begun = Vec::new();
        let jobs = submitted.jobs();
        let mut asking = Asking::new();
        let mut stopping = Stopping::default();
        let mut before = Wanted::All;
        while !watched.is_empty() {
            let wanted = if self.work.cancel.is_cancelled() {
                Wanted::Nothing
            } else {
                tally.wanted()
            };
            stopping.press(slurm, submitted, &mut watched, wanted, self.work.cancel);
            if wanted != before {
                before = wanted;
                asking.soon();
            }
            if asking.is_due() {
                match slurm.tasks(&jobs) {
                    Ok(tasks) => {
                        let changed = watched.iter_mut().filter_map(|one| one.heard(&tasks, self));
                        asking.asked(changed.count() > 0);
                    }
                    Err(why) => {
                        asking.asked(false);
                        for one in &watched {
                            let text = format!("Slurm does not answer: {why}");
                            self.work.telling.waiting(one.todo.at(), Some(text.into()));
                        }
                    }
                }
            }
            watched.retain_mut(|one| {
                let ended = match super::continues(one.look(self, slurm, folder, wanted)) {
                    Ok(None) => return true,
                    Ok(Some(ended)) => ended,
                    Err(error) => Ended::Failed(error),
                };
                asking.soon();
                self.work.telling.waiting(one.todo.at(), None);
                match ended {
                    Ended::Session(about) => {
                        self.work.telling.ended(one.todo.at(), about.state);
                        tally.put(Ok(*about));
                    }
                    Ended::Failed(error) => tally.put(Err(error)),
                    Ended::NeverBegun => never_begun.push(one.todo.clone()),
                }
                false
            });
            if watched.iter().any(Watched::is_ending) {
                asking.by(ASK[0]);
            }
            if !watched.is_empty() {
                thread::sleep(TICK);
            }
        }
        never_begun
    }
}

/// When the queue is asked again.
struct Asking {
    due: Instant,
    pause: Duration,
}

impl Asking {
    fn new() -> Self {
        Self {
            due: Instant::now(),
            pause: ASK[0],
        }
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.due
    }

    fn asked(&mut self, changed: bool) {
        self.pause = if changed {
            ASK[0]
        } else {
            (self.pause * 3 / 2).min(ASK[1])
        };
        self.due = Instant::now() + self.pause;
    }

    /// The queue is asked after this time at the latest.
    fn by(&mut self, pause: Duration) {
        self.due = self.due.min(Instant::now() + pause);
    }

    /// Something has changed, so the queue has too.
    fn soon(&mut self) {
        self.asked(true);
    }
}

/// What was done to end jobs before their time.
#[derive(Default)]
struct Stopping {
    /// Since when runs were told to stop.
    since: Option<Instant>,
    /// When pending tasks were canceled last: one that was about to begin may have escaped.
    pending: Option<Instant>,
}

impl Stopping {
    /// Ends what is no longer wanted: what has not begun is never begun. What runs is told to stop where the person
    /// cancels, else it is finished and counted. A controller that does not answer is asked again later.
    fn press(
        &mut self,
        slurm: &Slurm,
        submitted: &Submitted<'_>,
        watched: &mut [Watched],
        wanted: Wanted,
        cancel: &Cancel,
    ) {
        if wanted == Wanted::All {
            return;
        }
        if self.pending.is_none_or(|last| last.elapsed() > ASK[1]) {
            self.pending = Some(Instant::now());
            let _ignored = slurm.cancel_pending(&submitted.unwanted(wanted));
        }
        if !cancel.is_cancelled() {
            return;
        }
        let running: Vec<String> = watched.iter_mut().filter_map(Watched::stop).collect();
        let _ignored = slurm.stop(&running);
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() > STOPPING {
            let _ignored = slurm.kill(&submitted.jobs());
            self.since = Some(Instant::now());
        }
    }
}

/// Refuses a plan whose runs cannot be submitted, as far as that is known without a job.
pub(super) fn answers(plan: &ReplayPlan) -> Result<()> {
    if plan.ask.on != RunsOn::Slurm {
        return Ok(());
    }
    let asked = || {
        let slurm = Slurm::find(&[])?;
        let known = slurm.named("relight");
        known.map_err(|why| format!("Slurm does not answer: {why}"))
    };
    asked().map_err(|why| refused(&format!("{why}.")))?;
    Ok(())
}

fn refused(text: &str) -> EngineError {
    EngineError::refused(text)
        .hint("Nothing was submitted. To run on this machine, omit --on slurm.")
}

/// Slurm did not take a job. That is kept, so that the replay is not continued as if it had been interrupted.
fn rejected(folder: &JobFolder, why: &str) -> EngineError {
    let _ignored = folder.keep_rejected(why);
    EngineError::refused(format!("Slurm rejected the job: {why}.")).hint(
        "Options of sbatch are set in the configuration: [slurm] options = [\"--partition=NAME\"].",
    )
}
