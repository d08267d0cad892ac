//! Runs a test again in a separate process: as another user, with private mounts, or holding a lock. If this machine
//! does not allow that, the test is skipped with a message.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Set in the process that runs a test again.
const INNER: &str = "RELIGHT_TEST_AGAIN";

/// Whether this is the second process of a test.
pub(crate) fn inner() -> bool {
    std::env::var_os(INNER).is_some()
}

/// The command that runs one test of this binary again, wrapped in another program with its arguments.
pub(crate) fn command(test: &str, behind: &[&str], argument: &OsStr) -> Command {
    let (_, name) = test.split_once("::").unwrap();
    let exe = std::env::current_exe().unwrap();
    let mut command = match behind.split_first() {
        None => Command::new(exe),
        Some((program, rest)) => {
            let mut command = Command::new(program);
            command.args(rest).arg(exe);
            command
        }
    };
    command
        .args(["--exact", name, "--nocapture", "--include-ignored"])
        .env(INNER, argument)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What the first process gave the second.
pub(crate) fn argument() -> std::path::PathBuf {
    std::env::var_os(INNER).unwrap().into()
}

/// Runs a test again and fails if it fails. If the wrapping program cannot start it, the test is skipped with a
/// message.
fn run(test: &str, behind: &[&str], env: Option<(&str, &OsStr)>) {
    let output = command(test, behind, OsStr::new("1")).envs(env).output();
    let (ran, passed, said) = match &output {
        Err(why) => (false, false, why.to_string()),
        Ok(output) => {
            let out = String::from_utf8_lossy(&output.stdout);
            let err = String::from_utf8_lossy(&output.stderr);
            let ran = out.contains("running 1 test");
            (ran, output.status.success(), format!("{out}{err}"))
        }
    };
    if ran {
        assert!(passed, "{behind:?} {test}:\n{said}");
        for line in said.lines().filter(|line| line.contains("SKIPPED")) {
            println!("{line}");
        }
    } else {
        println!("SKIPPED {test}: {behind:?} is not possible here: {said}");
    }
}

/// Runs the rest of a test with private mounts. True in the process that has them.
pub(crate) fn with_own_mounts(test: &str) -> bool {
    if inner() {
        return true;
    }
    let mut behind = vec!["unshare", "--mount"];
    if !rustix::process::geteuid().is_root() {
        behind.push("--map-root-user");
    }
    // The process cannot remove what it has mounted something in; its mounts end with it.
    let own = crate::world::temporary::directory();
    run(test, &behind, Some(("TMPDIR", own.path().as_os_str())));
    false
}

/// Runs the rest of a test as an unprivileged user. True in that process.
pub(crate) fn as_nobody(test: &str) -> bool {
    if inner() || !rustix::process::geteuid().is_root() {
        return true;
    }
    let behind = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
    ];
    run(test, &behind, None);
    false
}

/// Mounts something in a process with private mounts; false, with a message, if that is not possible.
pub(crate) fn mount(words: &[&OsStr]) -> bool {
    let output = Command::new("mount").args(words).output();
    let why = match output {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(why) => why.to_string(),
    };
    println!("SKIPPED: mount {words:?} is not possible here: {why}");
    false
}
