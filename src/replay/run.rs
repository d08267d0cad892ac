//! Runs the steps of a session: waves in order, several steps at once within a wave, each by a runner in its own
//! process group. It does not know the folders: a [`Book`] records what happens.
//!
//! A failed step does not end the run. Whether the original would have continued was a decision of its orchestrator; a
//! comparison needs the result of every dispatch, and counts the failed one as failed.

mod agent_report;
mod dispatch_log;
mod verdict;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::runner;
use crate::model::{
    Cancel, DispatchStatus, Foreign, Runner, SessionId, SessionState, StepProgress,
};
use crate::world::Clock;
use crate::world::runner::{self as process, Job, Outcome};
pub use agent_report::AgentReport;
use dispatch_log::Desk;

/// The maximum number of steps at the same time, whatever the person asked for.
const JOBS: usize = 64;

/// One step that is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep {
    /// Its wave; steps of a smaller one have ended before it begins.
    pub wave: usize,
    /// How far it is: waiting, or ended in an earlier part of the session.
    pub progress: StepProgress,
}

/// A step that was begun.
pub struct Begun {
    /// Its number in the manifest.
    pub seq: u64,
    /// Its dispatch file.
    pub dispatch: PathBuf,
    /// The pointer prompt.
    pub prompt: String,
    /// The folder that the runner is in.
    pub tree: PathBuf,
    /// Where its output goes; the book caps nothing, the runner does.
    pub output: Box<dyn io::Write + Send>,
    /// Where that is.
    pub output_path: PathBuf,
    /// What else its runner is started with.
    pub launch: Launch,
}

/// What the runner of a step is started with beside its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The words of the sandbox that starts it; empty for none.
    pub wrapper: Vec<OsString>,
    /// Variables that tell it about its dispatch.
    pub vars: Vec<(OsString, OsString)>,
    /// The model tier of its dispatch; empty where none is known.
    pub tier: String,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// `Completed`, `Failed` or `Error`.
    pub status: DispatchStatus,
    /// Wall time, seconds.
    pub duration_s: u64,
    /// One line: the last that it printed, or why it has no answer.
    pub summary: Foreign,
    /// Characters that it printed.
    pub output_chars: u64,
}

/// Records what a run does: a session, or a fake in tests. Called by one thread only.
pub trait Book {
    /// The session, as runners are told of it in `RELIGHT_SESSION`.
    fn session(&self) -> Option<SessionId> {
        None
    }
    /// What is run before the first step: program and arguments beside the rest of a step's; `None` where there is
    /// nothing to run, or it was run already.
    fn setup(&mut self) -> io::Result<Option<(Vec<OsString>, Begun)>> {
        Ok(None)
    }
    /// Writes down how that ended. True where the steps may begin.
    fn set_up(&mut self, _outcome: &Outcome) -> io::Result<bool> {
        Ok(true)
    }
    /// The steps, in order.
    fn steps(&self) -> Vec<RunStep>;
    /// Gives a step its number, writes its dispatch file and the line that says it was dispatched. Called again,
    /// with the next attempt, for one that ended in `error` and is tried anew.
    fn begin(&mut self, step: usize, attempt: u32) -> io::Result<Begun>;
    /// What the agent reported of itself in the output of a step, which from then on holds only its answer.
    fn report(&mut self, _step: usize) -> io::Result<Option<AgentReport>> {
        Ok(None)
    }
    /// Writes the line that says how it ended.
    fn end(&mut self, step: usize, ended: &Ended) -> io::Result<()>;
    /// Remembers why a step has no end: the machine or a person ended it.
    fn cut_short(&mut self, _step: usize, _why: &str) {}
}

/// Runs the remaining steps, and returns the state of the session: done; cancelled, so that the running steps must be
/// run again; or interrupted, because the setup failed, the runner's program does not exist, which no later step
/// would find either, or a runner was ended from outside. A runner has `grace` between being asked to end and being
/// killed. The error is one of the book; the running steps were then stopped.
pub fn run(
    book: &mut dyn Book,
    runner: &Runner,
    jobs: usize,
    clock: &dyn Clock,
    cancel: &Cancel,
    tell: &(dyn Fn(Vec<StepProgress>) + Sync),
    grace: Duration,
) -> io::Result<SessionState> {
    let halt = AtomicBool::new(false);
    let stop = || cancel.is_cancelled() || halt.load(Ordering::SeqCst);
    let session = book.session();
    let job = |begun: &Begun| job_of(begun, runner, session.as_ref(), grace);
    if let Some((words, mut begun)) = book.setup()? {
        let job = Job {
            argv: words,
            ..job(&begun)
        };
        let outcome = process::run(&job, begun.output.as_mut(), &stop);
        drop(begun);
        if outcome.end == process::End::Cancelled {
            return Ok(SessionState::Cancelled);
        }
        if !book.set_up(&outcome)? {
            return Ok(SessionState::Interrupted);
        }
    }
    let mut desk = Desk::new(book, runner.retries, clock, tell);
    thread::scope(|scope| {
        let (sender, ended) = mpsc::channel();
        let floor = Floor {
            jobs: if runner::program(runner).is_ok() {
                jobs.clamp(1, JOBS)
            } else {
                // One step is enough to know that the program does not exist.
                1
            },
            cancel,
            start: &|step, mut begun: Begun| {
                let (job, sender) = (job(&begun), sender.clone());
                let stop = &stop;
                scope.spawn(move || {
                    let outcome = process::run(&job, begun.output.as_mut(), stop);
                    drop(begun);
                    // After an error of the book, nothing receives the results any more.
                    let _ignored = sender.send((step, outcome));
                });
            },
            ended: &ended,
        };
        let state = floor.run(&mut desk);
        // The scope waits for what still runs; it is not to wait for the runners' own time.
        halt.store(true, Ordering::SeqCst);
        state
    })
}

/// What a runner is started with. The variables are for runners of a person's own; the tree and the number together
/// tell the processes of this dispatch from all others.
fn job_of(begun: &Begun, runner: &Runner, session: Option<&SessionId>, grace: Duration) -> Job {
    let mark: Vec<(OsString, OsString)> = vec![
        ("RELIGHT_TREE".into(), begun.tree.clone().into()),
        ("RELIGHT_SEQ".into(), begun.seq.to_string().into()),
    ];
    let mut vars = vec![("RELIGHT_DISPATCH".into(), begun.dispatch.clone().into())];
    vars.extend(begun.launch.vars.iter().cloned());
    vars.extend(session.map(|id| ("RELIGHT_SESSION".into(), id.0.clone().into())));
    Job {
        argv: super::runner::argv(runner, &begun.prompt, &begun.dispatch, &begun.launch.tier),
        dir: begun.tree.clone(),
        wrapper: begun.launch.wrapper.clone(),
        vars,
        mark,
        timeout: Duration::from_secs(runner.timeout_s),
        grace,
        keep: process::KEPT,
    }
}

/// Where the steps of a wave are run.
struct Floor<'a> {
    jobs: usize,
    cancel: &'a Cancel,
    start: &'a dyn Fn(usize, Begun),
    ended: &'a mpsc::Receiver<(usize, Outcome)>,
}

impl Floor<'_> {
    /// Runs wave after wave.
    fn run(&self, desk: &mut Desk<'_>) -> io::Result<SessionState> {
        for wave in desk.waves() {
            if let Some(early) = self.wave(desk, wave)? {
                return Ok(early);
            }
        }
        Ok(SessionState::Done)
    }

    /// Runs what is left of one wave. A state where nothing more is to be begun.
    fn wave(&self, desk: &mut Desk<'_>, wave: usize) -> io::Result<Option<SessionState>> {
        let mut left = desk.left(wave).into_iter().peekable();
        let mut running = 0;
        let mut missing = false;
        loop {
            while running < self.jobs && !missing && !self.cancel.is_cancelled() {
                let Some(step) = left.next() else { break };
                (self.start)(step, desk.begin(step)?);
                running += 1;
            }
            if running == 0 {
                break;
            }
            let (step, outcome) = self.ended.recv().map_err(io::Error::other)?;
            running -= 1;
            missing |= matches!(outcome.end, process::End::Missing(_));
            let again = desk.end(step, &outcome)? && !self.cancel.is_cancelled();
            if again {
                (self.start)(step, desk.begin(step)?);
                running += 1;
            }
        }
        let (cut, cancelled) = (desk.any_cancelled(), self.cancel.is_cancelled());
        Ok(if missing || (cut && !cancelled) {
            Some(SessionState::Interrupted)
        } else if cancelled && (cut || left.peek().is_some()) {
            Some(SessionState::Cancelled)
        } else {
            None
        })
    }
}

#[cfg(test)]
mod tests;
