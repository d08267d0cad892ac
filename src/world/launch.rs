//! Runs a program in the foreground of the terminal: it gets standard input, output and error, and relight waits.
//! Argument vectors only, never a shell.
//!
//! While the program runs, signals that the terminal sends to both (interrupt, quit) are for the program alone. A
//! program that stops itself also stops relight, so that the person gets the shell back.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpgrp, kill_process, waitpid};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGSTOP};

use super::command;
use crate::model::LaunchEnd;

/// True while no launched program has the terminal; only then do SIGINT and SIGQUIT have their usual effect.
static AT_REST: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// How many launched programs have the terminal: at most one, except in tests.
static RUNNING: Mutex<usize> = Mutex::new(0);

/// How long after a program's end an interrupt still counts as sent to the program.
const GRACE: Duration = Duration::from_millis(300);

/// The path of a program: an absolute path, or a bare name that is looked up on `$PATH`.
pub fn program(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    let given = Path::new(name);
    if given.is_absolute() {
        return command::is_program(given).then(|| given.to_owned());
    }
    command::find(name.to_str()?, path)
}

/// True while a program has the terminal, and for a moment after. An interrupt or a stop at that time was meant for the
/// program, and signal handlers should ignore it.
pub fn under_way() -> bool {
    AT_REST
        .get()
        .is_some_and(|rest| !rest.load(Ordering::SeqCst))
}

/// Runs a program in the terminal, in `dir` or relight's own directory, and waits for its end.
pub fn run(program: &Path, args: &[&OsStr], dir: Option<&Path>) -> io::Result<LaunchEnd> {
    let _quiet = Quiet::begin()?;
    let _modes = Modes::of_the_terminal();
    let mut command = command::scrubbed(program, args);
    if let Some(dir) = dir {
        command.current_dir(dir);
    }
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    loop {
        match waitpid(Some(pid), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) => {
                if let Some(end) = ended(status) {
                    return Ok(end);
                }
                stop_too(pid)?;
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The end that a status describes; `None` for a program that only stopped.
fn ended(status: WaitStatus) -> Option<LaunchEnd> {
    status
        .exit_status()
        .map(LaunchEnd::Exited)
        .or_else(|| status.terminating_signal().map(LaunchEnd::Signalled))
}

/// Stops relight until the shell continues it, then continues the program. Otherwise the person would have no prompt
/// while the program is stopped.
fn stop_too(pid: Pid) -> io::Result<()> {
    signal_hook::low_level::raise(SIGSTOP)?;
    kill_process(pid, Signal::CONT)?;
    Ok(())
}

/// While this lives, an interrupt or a quit of the terminal does not end relight. It installs a handler instead of
/// ignoring the signal, because the program would inherit an ignored signal.
struct Quiet;

impl Quiet {
    fn begin() -> io::Result<Self> {
        // Under the lock, so that two first launches do not create two switches.
        let mut running = running();
        let rest = at_rest()?;
        *running += 1;
        rest.store(false, Ordering::SeqCst);
        Ok(Self)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        *running() -= 1;
        // The signal that ended the program was sent to both, and may reach this process a moment later.
        thread::spawn(|| {
            thread::sleep(GRACE);
            let running = running();
            if let Some(rest) = AT_REST.get().filter(|_| *running == 0) {
                rest.store(true, Ordering::SeqCst);
            }
        });
    }
}

/// How many programs have the terminal.
fn running() -> MutexGuard<'static, usize> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The terminal modes before a program got the terminal. A program that dies may leave it raw, and neither a console
/// nor a shell would repair that after relight exits normally.
struct Modes(Option<Termios>);

impl Modes {
    fn of_the_terminal() -> Self {
        Self(tcgetattr(io::stdin()).ok())
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        // A process in the background would be stopped for setting them.
        let ours = tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp());
        if let Some(modes) = self.0.as_ref().filter(|_| ours) {
            // If the terminal is gone by now, there is nothing to restore.
            let _ignored = tcsetattr(io::stdin(), OptionalActions::Drain, modes);
        }
    }
}

/// The switch, with its handlers installed. A signal that already has a handler is left alone.
fn at_rest() -> io::Result<&'static AtomicBool> {
    if let Some(rest) = AT_REST.get() {
        return Ok(rest);
    }
    let (status, rest) = (status(), Arc::new(AtomicBool::new(true)));
    for signal in [SIGINT, SIGQUIT] {
        if !is_in(&status, "SigCgt:", signal) {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&rest))?;
        }
    }
    Ok(AT_REST.get_or_init(|| rest))
}

/// Whether whoever started relight had it ignore hang-ups, as `nohup` does. Only before they are handled.
pub fn ignores_hang_ups() -> bool {
    is_in(&status(), "SigIgn:", SIGHUP)
}

fn status() -> String {
    std::fs::read_to_string("/proc/self/status").unwrap_or_default()
}

/// Whether a process's status has a signal in a set.
fn is_in(status: &str, set: &str, signal: i32) -> bool {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix(set))
        .and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or_default();
    u32::try_from(signal - 1)
        .ok()
        .and_then(|bit| mask.checked_shr(bit))
        .is_some_and(|rest| rest & 1 == 1)
}

#[cfg(test)]
mod tests;
