//! Starts programs; the only place that does. Argument vectors only, never a shell. git's variables are removed from
//! the environment, so that an inherited `GIT_DIR` has no effect.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How many bytes of a program's output are kept.
const OUTPUT_CAP: u64 = 4 << 20;

/// How often a program that closed its output is polled for its end.
const POLL: Duration = Duration::from_millis(2);

/// The answer of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether it exited with status 0.
    pub ok: bool,
    /// Its standard output, at most 4 MiB.
    pub stdout: Vec<u8>,
    /// Its standard error, at most 4 MiB.
    pub stderr: Vec<u8>,
}

/// Why a program gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// It was not found in PATH.
    #[error("{0} is not installed")]
    NotInstalled(String),
    /// It could not be started or waited for.
    #[error("{0}")]
    Failed(String),
    /// It took too long and was stopped.
    #[error("no answer within {0} ms")]
    TooSlow(u128),
}

/// The path of a program on `$PATH`. Only absolute directories count: with a relative one, the current directory of
/// relight could choose the program.
pub fn find(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.is_empty() || program.contains('/') {
        return None;
    }
    std::env::split_paths(path?)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(program))
        .find(|file| is_program(file))
}

/// Whether a file is executable.
pub fn is_program(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// A command with its arguments and without git's variables.
pub fn scrubbed(program: &Path, args: &[&OsStr]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    for name in git_variables(std::env::vars_os().map(|(name, _)| name)) {
        command.env_remove(name);
    }
    command
}

/// The variables of this process that name the author and committer. They redirect git nowhere, so programs that commit
/// for the person keep them.
pub(super) fn git_identity() -> impl Iterator<Item = (&'static str, OsString)> {
    const IDENTITY: [&str; 4] = [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ];
    IDENTITY
        .into_iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)))
}

fn git_variables(names: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    names.filter(|name| name.as_encoded_bytes().starts_with(b"GIT_"))
}

/// Runs a program that only answers a question, without input, in `/`, for at most `limit`.
pub fn ask(program: &Path, args: &[&OsStr], limit: Duration) -> Result<Answer, NoAnswer> {
    let deadline = Instant::now() + limit;
    let mut child = scrubbed(program, args)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| NoAnswer::Failed(why.to_string()))?;
    let said = (drain(child.stdout.take()), drain(child.stderr.take()));
    let left = || deadline.saturating_duration_since(Instant::now());
    let stdout = said.0.recv_timeout(left());
    let stderr = said.1.recv_timeout(left());
    let ended = ended_by(&mut child, deadline);
    match (stdout, stderr, ended) {
        (Ok(stdout), Ok(stderr), Ok(Some(status))) => Ok(Answer {
            ok: status.success(),
            stdout,
            stderr,
        }),
        (_, _, Err(why)) => Err(NoAnswer::Failed(why.to_string())),
        _ => Err(NoAnswer::TooSlow(limit.as_millis())),
    }
}

/// Reads a pipe to its end on its own thread. Otherwise a program that fills one pipe while the other is read would
/// block forever.
fn drain(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is still an answer; the exit status shows the failure.
            let _ignored = pipe.take(OUTPUT_CAP).read_to_end(&mut bytes);
        }
        // The receiver is gone once the limit has passed.
        let _ignored = sender.send(bytes);
    });
    receiver
}

/// Waits until `limit`, then kills the program.
pub(super) fn ended_by(
    child: &mut Child,
    deadline: Instant,
) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration) -> Result<Answer, NoAnswer> {
        let args = [OsStr::new("-c"), OsStr::new(script)];
        ask(Path::new("/bin/sh"), &args, limit)
    }

    #[test]
    fn both_pipes_and_the_status_are_read() {
        let long = Duration::from_secs(20);
        let answer = sh("echo out; echo err >&2; exit 3", long).unwrap();
        assert!(!answer.ok);
        assert_eq!(answer.stdout, b"out\n");
        assert_eq!(answer.stderr, b"err\n");
        assert!(sh("pwd; test \"$(pwd)\" = /", long).unwrap().ok);
    }

    #[test]
    fn a_program_that_does_not_answer_is_stopped() {
        let begun = Instant::now();
        let answer = sh("exec /bin/sleep 30", Duration::from_millis(50));
        assert_eq!(answer, Err(NoAnswer::TooSlow(50)));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn only_absolute_folders_of_the_path_are_searched() {
        let dir = crate::world::temporary::directory();
        let file = dir.path().join("tool");
        std::fs::write(&file, "").unwrap();
        let path = std::env::join_paths([Path::new("."), dir.path()]).unwrap();
        assert_eq!(find("tool", Some(&path)), None, "not executable");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("tool", Some(&path)), Some(file));
        assert_eq!(find("../tool", Some(&path)), None);
        assert_eq!(find("", Some(&path)), None);
        assert_eq!(find("Cargo.toml", Some(OsStr::new("."))), None);
        assert_eq!(find("tool", None), None);
    }

    #[test]
    fn git_variables_are_left_out() {
        let names = ["GIT_DIR", "HOME", "GIT_WORK_TREE", "TMUX", "git_dir"].map(OsString::from);
        let found: Vec<OsString> = git_variables(names.into_iter()).collect();
        assert_eq!(found, ["GIT_DIR", "GIT_WORK_TREE"]);
    }
}
