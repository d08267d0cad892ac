//! Running a program beside relight: an argument vector without a shell, in a process group of its own, with
//! nothing to read and one pipe for all that it prints.
//!
//! It may take as long as it is given and print what it likes; what it may not do is outlive its time, fill the
//! disk, or leave processes running: those of its group are ended with it, and those that left the group are found by
//! [`Job::mark`].

mod descendants;
mod group;
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
pub use descendants::{Descendant, Mark, marked};
use group::Group;
use output::Output;
pub use witness::Witness;

/// What is kept of what a program prints, in bytes; the rest is only counted.
pub const KEPT: u64 = 16 << 20;

/// How long a program has between being asked to end and being killed.
pub const GRACE: Duration = Duration::from_secs(5);

/// How much later than its programs relight may learn that all of them are to stop.
const MOMENT: Duration = Duration::from_millis(100);

/// The longest that output is waited for before the switch and the time are looked at.
const POLL: Duration = Duration::from_millis(20);

/// A program that is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Program and arguments. A program is a bare name, found on the path, or an absolute path.
    pub argv: Vec<OsString>,
    /// The folder it stands in.
    pub dir: PathBuf,
    /// A program and its arguments that start the program in their turn (a sandbox); empty for none.
    pub wrapper: Vec<OsString>,
    /// Variables beside the environment of relight, from which all of git's but the identity are taken out.
    pub vars: Vec<(OsString, OsString)>,
    /// Those of the variables that tell its descendants from all other processes; empty for none.
    pub mark: Vec<(OsString, OsString)>,
    /// After which it is stopped.
    pub timeout: Duration,
    /// Between being asked to end and being killed; [`GRACE`] but for tests.
    pub grace: Duration,
    /// Bytes of its output that are kept; [`KEPT`] but for tests.
    pub keep: u64,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Exited(i32),
    /// By this signal, which was not ours.
    Signalled(i32),
    /// It took too long and was stopped.
    TimedOut,
    /// It was stopped because the switch was set.
    Cancelled,
    /// There is no such program.
    Missing(String),
    /// It could not be started or waited for.
    NotStarted(String),
}

/// What is known of a program that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub took: Duration,
    /// Bytes that it printed.
    pub bytes: u64,
    /// How many of them were kept: the first, up to [`Job::keep`].
    pub kept: u64,
    /// Characters that it printed, as far as it printed UTF-8.
    pub chars: u64,
    /// The last line with anything on it, cut to some thousand bytes; empty where there is none.
    pub last_line: Vec<u8>,
    /// The names of the processes that it left running when it ended by itself; they were ended.
    pub left_behind: Vec<Foreign>,
    /// Why its output could not be kept, where it could not.
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

/// Where a program lies: `path` is the value of `$PATH`. The error is a sentence's beginning: `x is not
/// installed`.
pub fn find(program: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, String> {
    launch::program(program, path).ok_or_else(|| {
        let name = program.to_string_lossy();
        if Path::new(program).is_absolute() {
            format!("{name} is no program that can be started")
        } else if name.contains('/') || name.is_empty() {
            format!("`{name}` is no program: a bare name or an absolute path is")
        } else {
            format!("{name} is not installed")
        }
    })
}

/// Runs a program to its end, writes what it prints to `sink`, and stops it as soon as `stop` says so.
pub fn run(job: &Job, sink: &mut dyn io::Write, stop: &dyn Fn() -> bool) -> Outcome {
    let program = job.argv.first().map(OsString::as_os_str);
    let path = std::env::var_os("PATH");
    let program = match find(program.unwrap_or_default(), path.as_deref()) {
        Ok(program) => program,
        Err(why) => return Outcome::never(End::Missing(why)),
    };
    match start(job, &program) {
        Ok((child, pipe)) => watch(job, child, Output::new(pipe, sink, job.keep), stop),
        Err(why) => {
            let why = format!("{} cannot be started: {why}", program.display());
            Outcome::never(End::NotStarted(why))
        }
    }
}

/// Starts a program that sleeps for ten minutes, in the group of whoever calls, and does not wait for it.
pub fn leave_running() -> io::Result<()> {
    let path = std::env::var_os("PATH");
    let sleep = command::find("sleep", path.as_deref()).ok_or(io::ErrorKind::NotFound)?;
    let _child = command::scrubbed(&sleep, &[OsStr::new("600")])
        .stdin(Stdio::null())
        .spawn()?;
    Ok(())
}

/// Starts it, and gives the end of the pipe that is read. No other copy of the writing end stays open here.
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
        .envs(job.vars.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    Ok((child, reader))
}

/// Reads until the program has ended or was made to.
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
            // What not even a kill ends is left to the system.
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

/// Whether a signal seems to have ended a program. One that handles a signal reports it as a shell does.
fn by_signal(end: &End) -> bool {
    matches!(end, End::Signalled(_) | End::Exited(129..=159))
}

/// Whether the switch is set within a moment. Who ends relight and its programs at once, as a cluster does, is seen by
/// the programs first: they were canceled and did not fail.
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

    /// Kills once the grace has passed. True when even that has had its time.
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
