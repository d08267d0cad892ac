//! Runs a project's own check in a scratch folder: without input, keeping its output and its result.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{find, is_program};
use super::runner::{self, End, GRACE, Job};

/// How many bytes at the end of the output are kept.
const KEPT: usize = 64 << 10;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// True if it exited with status 0.
    pub passed: bool,
    /// `exit 1`, `stopped by signal 9`, `not started: …`.
    pub how: String,
    /// The end of its output, both streams in order.
    pub output: Vec<u8>,
}

/// Runs a check to its end. A program with a slash is looked up in the folder, any other on the path. `None` if `stop`
/// returned true, which stops the check and all that it started.
pub fn run(argv: &[OsString], folder: &Path, stop: &dyn Fn() -> bool) -> Option<Ended> {
    let job = match job(argv, folder) {
        Ok(job) => job,
        Err(why) => return Some(not_started(&why)),
    };
    let mut tail = Tail::default();
    let outcome = runner::run(&job, &mut tail, stop);
    let how = match outcome.end {
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(signal) => format!("stopped by signal {signal}"),
        End::Cancelled => return None,
        End::TimedOut => "stopped".to_owned(),
        End::Missing(why) | End::NotStarted(why) => return Some(not_started(&why)),
    };
    Some(Ended {
        passed: outcome.end == End::Exited(0),
        how,
        output: tail.0.into(),
    })
}

fn not_started(why: &str) -> Ended {
    Ended {
        passed: false,
        how: format!("not started: {why}"),
        output: Vec::new(),
    }
}

fn job(words: &[OsString], folder: &Path) -> Result<Job, String> {
    let (name, args) = words.split_first().ok_or("no command was given")?;
    let program = program(name, folder)?.into_os_string();
    Ok(Job {
        argv: std::iter::once(program)
            .chain(args.iter().cloned())
            .collect(),
        dir: folder.to_owned(),
        wrapper: Vec::new(),
        vars: Vec::new(),
        mark: vec![("RELIGHT_TREE".into(), folder.into())],
        timeout: Duration::MAX,
        grace: GRACE,
        keep: u64::MAX,
    })
}

/// The end of what is written to it.
#[derive(Default)]
struct Tail(VecDeque<u8>);

impl io::Write for Tail {
    fn write(&mut self, new: &[u8]) -> io::Result<usize> {
        self.0.extend(new);
        let over = self.0.len().saturating_sub(KEPT);
        self.0.drain(..over);
        Ok(new.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn program(name: &OsStr, folder: &Path) -> Result<PathBuf, String> {
    let text = name.to_string_lossy();
    if text.contains('/') {
        let path = folder.join(name);
        let found = Some(path).filter(|path| is_program(path));
        return found.ok_or_else(|| format!("{text} is not a program"));
    }
    let path = std::env::var_os("PATH");
    find(&text, path.as_deref()).ok_or_else(|| format!("{text} was not found in PATH"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Ended {
        let argv = ["/bin/sh", "-c", script].map(OsString::from);
        // Of its own: a check ends what was started in its folder.
        let folder = tempfile::tempdir().unwrap();
        run(&argv, folder.path(), &|| false).unwrap()
    }

    #[test]
    fn both_streams_are_kept_in_order_with_the_way_it_ended() {
        let ended = sh("echo one; echo two >&2; echo three; exit 3");
        assert_eq!(ended.output, b"one\ntwo\nthree\n");
        assert_eq!((ended.passed, ended.how.as_str()), (false, "exit 3"));
        assert!(sh("exit 0").passed);
        assert_eq!(sh("kill -9 $$").how, "stopped by signal 9");
    }

    #[test]
    fn only_the_end_of_a_flood_is_kept() {
        let ended = sh("i=0; while [ $i -lt 30000 ]; do echo line-$i; i=$((i+1)); done; echo last");
        assert!(ended.output.len() <= KEPT);
        assert!(ended.output.ends_with(b"line-29999\nlast\n"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let go_on = || false;
        let none = run(&["./none".into()], Path::new("/"), &go_on).unwrap();
        assert_eq!(none.how, "not started: ./none is not a program");
        assert!(!none.passed);
        let nothing = run(&[], Path::new("/"), &go_on).unwrap();
        assert!(nothing.how.starts_with("not started"));
    }
}
