//! Runs the steps of a session: waves in order, several at once within a wave, each by a runner of its own
//! process group. Knows nothing of folders: what happens is told to a [`Book`].

use std::io;
use std::path::PathBuf;

use crate::model::{
    Cancel, DispatchStatus, Foreign, Runner, SessionState, StepProgress, StepState,
};
use crate::world::Clock;

/// One step that is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep {
    /// How it stands: waiting, or ended in an earlier part of the session.
    pub state: StepState,
    /// Its wave; steps of a smaller one have ended before it begins.
    pub wave: usize,
    /// The same for a face.
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
    /// The folder that the runner stands in.
    pub tree: PathBuf,
    /// Where its output goes; the book caps nothing, the runner does.
    pub output: Box<dyn io::Write + Send>,
    /// Where that lies.
    pub output_path: PathBuf,
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

/// Where a run writes down what it does: a session, or a made-up one in tests. Called by one thread only.
pub trait Book {
    /// The steps, in order.
    fn steps(&self) -> Vec<RunStep>;
    /// Gives a step its number, writes its dispatch file and the line that says it was dispatched.
    fn begin(&mut self, step: usize, attempt: u32) -> io::Result<Begun>;
    /// Writes the line that says how it ended.
    fn end(&mut self, step: usize, ended: &Ended) -> io::Result<()>;
}

/// Runs what is left, and says how the session stands then: done, or cancelled.
pub fn run(
    book: &mut dyn Book,
    runner: &Runner,
    jobs: usize,
    clock: &dyn Clock,
    cancel: &Cancel,
    tell: &(dyn Fn(Vec<StepProgress>) + Sync),
) -> io::Result<SessionState> {
    let _ = (book, runner, jobs, clock, cancel, tell);
    Err(io::Error::other("running is not built yet"))
}
