//! Runs a program in the background of relight: an argument vector without a shell, in its own process group, without
//! input and with one pipe for all its output.
//!
//! A program must not exceed its time, fill the disk, leave processes running, or outlive relight. Those of its group
//! are killed with it, and those that left the group are found by [`Job::mark`].

mod descendants;
mod group;
mod lifeline;
mod output;
mod witness;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{command, launch};
use crate::model::Foreign;
use crate::text::Shown as _;
pub use descendants::{Descendant, Mark, marked};
use group::Group;
use lifeline::Lifeline;
pub use lifeline::{
    LIFELINE, end_programs_with_relight, stop_waiting_for_the_end, wait_for_the_end,
};
use output::Output;
pub use witness::Witness;

/// How many bytes of a program's output are kept: the beginning and the end. What is between them is only counted.
pub const KEPT: u64 = 16 << 20;

/// How many of them the line takes that says how much is missing.
const CUT: u64 = 64;

/// The time between a request to terminate and a kill.
pub const GRACE: Duration = Duration::from_secs(5);

/// How much later than its programs relight may receive the signal that stops them all.
const MOMENT: Duration = Duration::from_millis(100);

/// How long output is awaited before the stop switch and the time are checked.
const POLL: Duration = Duration::from_millis(20);

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Program and arguments. A program is a bare name, found on the path, or an absolute path.
    pub argv: Vec<OsString>,
    /// Its working directory.
    pub dir: PathBuf,
    /// A program and its arguments that start the program (a sandbox); empty for none.
    pub wrapper: Vec<OsString>,
    /// Variables in addition to relight's environment, from which git's are removed except the identity.
    pub vars: Vec<(OsString, OsString)>,
    /// Variables that identify its descendants, which inherit them; empty for none.
    pub mark: Vec<(OsString, OsString)>,
    /// The time limit.
    pub timeout: Duration,
    /// The time between a request to terminate and a kill; [`GRACE`] except in tests.
    pub grace: Duration,
    /// How many bytes of output are kept; [`KEPT`] except in tests.
    pub keep: u64,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It exited with this status.
    Exited(i32),
    /// This signal ended it, and relight did not send it.
    Signalled(i32),
    /// It exceeded its time limit and was stopped.
    TimedOut,
    /// It was stopped because the stop switch was set.
    Cancelled,
    /// The program does not exist.
    Missing(String),
    /// It could not be started or waited for.
    NotStarted(String),
}

impl End {
    /// Whether the machine or a person ended it, which says nothing about what it was doing: the signals of a hang-up,
    /// an interrupt, a kill and a termination. A program that crashes gets others.
    pub fn is_from_outside(&self) -> bool {
        use rustix::process::Signal;
        let signals = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM];
        matches!(self, Self::Signalled(number) if signals.iter().any(|one| one.as_raw() == *number))
    }
}

/// The result of a program that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub took: Duration,
    /// Bytes of output.
    pub bytes: u64,
    /// How many of them were kept: all, or the first and the last ones, in [`Job::keep`] with the line between them.
    pub kept: u64,
    /// Characters of output, as far as it is UTF-8.
    pub chars: u64,
    /// The last line that is not blank, cut to a few thousand bytes; empty if there is none.
    pub last_line: Vec<u8>,
    /// The names of the processes that it left running when it exited; they were killed.
    pub left_behind: Vec<Foreign>,
    /// Why its output could not be kept, if so.
    pub unkept: Option<String>,
}

impl Outcome {
    fn never(end: End) -> Self {
        Self {
            end,
            took: Duration::ZERO,
            bytes: 0,
            kept: 0,
            chars: 0,
            last_line: Vec::new(),
            left_behind: Vec::new(),
            unkept: None,
        }
    }
}

/// Whether an output that was kept is without its middle.
pub fn is_cut(output: &[u8]) -> bool {
    output.len() as u64 > KEPT - CUT
}

/// The path of a program; `path` is the value of `$PATH`. The error starts a sentence: `x is not installed`.
pub fn find(program: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, String> {
    launch::program(program, path).ok_or_else(|| {
        let name = program.to_string_lossy();
        if Path::new(program).is_absolute() {
            format!("{name} is not an executable program")
        } else if name.contains('/') || name.is_empty() {
            format!("`{name}` is not a program: give a bare name or an absolute path")
        } else {
            format!("{name} is not installed")
        }
    })
}

/// Runs a program to its end, writes its output to `sink`, and stops it as soon as `stop` returns true.
pub fn run(job: &Job, sink: &mut dyn io::Write, stop: &dyn Fn() -> bool) -> Outcome {
    let program = job.argv.first().map(OsString::as_os_str);
    let path = std::env::var_os("PATH");
    let program = match find(program.unwrap_or_default(), path.as_deref()) {
        Ok(program) => program,
        Err(why) => return Outcome::never(End::Missing(why)),
    };
    let mut lifeline = Lifeline::begin();
    match start(job, &program) {
        Ok((child, pipe)) => {
            lifeline.tell(Group::of(&child), &job.mark);
            watch(job, child, Output::new(pipe, sink, job.keep), stop)
        }
        Err(why) => {
            let why = format!("{} cannot be started: {why}", program.shown());
            Outcome::never(End::NotStarted(why))
        }
    }
}

/// Starts a program that sleeps for ten minutes, in the group of the caller, and does not wait for it.
pub fn leave_running() -> io::Result<()> {
    let path = std::env::var_os("PATH");
    let sleep = command::find("sleep", path.as_deref()).ok_or(io::ErrorKind::NotFound)?;
    let _child = command::scrubbed(&sleep, &[OsStr::new("600")])
        .stdin(Stdio::null())
        .spawn()?;
    Ok(())
}

/// Starts it and returns the read end of the pipe. No other copy of the write end stays open here.
fn start(job: &Job, program: &Path) -> io::Result<(Child, io::PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let args = job.argv.iter().skip(1).map(OsString::as_os_str);
    let mut words: Vec<&OsStr> = job.wrapper.iter().map(OsString::as_os_str).collect();
    words.push(program.as_os_str());
    words.extend(args);
    let (first, rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let child = command::scrubbed(Path::new(first), rest)
        .envs(command::git_identity())
        .current_dir(&job.dir)
        .env("PWD", &job.dir)
        .envs(job.mark.iter().chain(&job.vars).cloned())
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    Ok((child, reader))
}

/// Reads until the program has ended or was stopped.
fn watch(job: &Job, mut child: Child, mut output: Output<'_>, stop: &dyn Fn() -> bool) -> Outcome {
    let begun = Instant::now();
    let group = Group::of(&child);
    let mut stopping: Option<Stopping> = None;
    let status = loop {
        output.wait(POLL);
        match child.try_wait() {
            Ok(None) => {}
            ended => break ended,
        }
        if let Some(stopping) = &mut stopping {
            // A process that survives even a kill is left to the system.
            if stopping.press(job.grace, group) {
                break Ok(None);
            }
        } else if stop() {
            stopping = Some(Stopping::begin(End::Cancelled, group));
        } else if begun.elapsed() >= job.timeout {
            stopping = Some(Stopping::begin(End::TimedOut, group));
        }
    };
    let took = begun.elapsed();
    let mut left = group.members();
    if !left.is_empty() {
        group.clear(job.grace);
    }
    left.extend(descendants::end(&job.mark, job.grace));
    output.drain();
    let end = match stopping {
        Some(stopping) => {
            left.clear();
            stopping.why
        }
        None => match end_of(status, !job.wrapper.is_empty()) {
            end if by_signal(&end) && is_set_soon(stop) => End::Cancelled,
            end => end,
        },
    };
    output.outcome(end, took, left)
}

/// A sandbox reports a program that a signal ended as a shell does: by an exit status above 128.
fn end_of(status: io::Result<Option<ExitStatus>>, wrapped: bool) -> End {
    match status {
        Ok(Some(status)) => match (status.code(), status.signal()) {
            (Some(code @ 129..=159), _) if wrapped => End::Signalled(code - 128),
            (Some(code), _) => End::Exited(code),
            (None, signal) => End::Signalled(signal.unwrap_or_default()),
        },
        Ok(None) => End::NotStarted("its end was never seen".to_owned()),
        Err(why) => End::NotStarted(format!("its end cannot be waited for: {why}")),
    }
}

/// Whether a signal seems to have ended a program. A program that handles a signal reports it as a shell does.
fn by_signal(end: &End) -> bool {
    matches!(end, End::Signalled(_) | End::Exited(129..=159))
}

/// Whether the switch is set within a moment. When relight and its programs are stopped at once, as on a cluster, the
/// programs notice first: they were canceled and did not fail.
fn is_set_soon(stop: &dyn Fn() -> bool) -> bool {
    let since = Instant::now();
    while !stop() {
        if since.elapsed() > MOMENT {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// A program that is being stopped.
struct Stopping {
    why: End,
    since: Instant,
    killed: bool,
}

impl Stopping {
    fn begin(why: End, group: Group) -> Self {
        group.ask_to_end();
        Self {
            why,
            since: Instant::now(),
            killed: false,
        }
    }

    /// Kills once the grace time has passed. True if even the kill has had its time.
    fn press(&mut self, grace: Duration, group: Group) -> bool {
        if self.killed {
            return self.since.elapsed() >= GRACE;
        }
        if self.since.elapsed() >= grace {
            group.kill();
            self.killed = true;
            self.since = Instant::now();
        }
        false
    }
}

#[cfg(test)]
mod tests;
