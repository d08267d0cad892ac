//! A command that is told to end takes what it started with it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use super::sandbox::Sandbox;

/// Waits until there is something.
pub(crate) fn soon<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A rehearsal that a program starts, whose check runs, and the process that its check waits for, in a session of its
/// own where that can be; its id goes through a file.
fn rehearses(sandbox: &Sandbox, file: &Path, through: &str) -> (Child, Pid) {
    let script = format!(
        "$(command -v setsid) sleep 600 & echo $! > {0}.new; mv {0}.new {0}; wait",
        file.display()
    );
    let crucible = sandbox.crucible();
    let args = [
        "rehearse", &crucible, "--check", "--json", "--", "/bin/sh", "-c", &script,
    ];
    let relight = sandbox.command(&sandbox.root(), &args);
    let mut command = Command::new(through);
    command
        .arg(relight.get_program())
        .args(relight.get_args())
        .current_dir(sandbox.root())
        .env_clear()
        .envs(
            relight
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    let check = soon("the check never began", || fs::read_to_string(file).ok());
    fs::remove_file(file).unwrap();
    (run, Pid::from_raw(check.trim().parse().unwrap()).unwrap())
}

/// Waits until a process is gone.
fn ends(check: Pid) {
    soon("the check goes on", || {
        test_kill_process(check).is_err().then_some(())
    });
}

#[test]
fn a_check_ends_with_a_relight_that_is_killed_and_its_copy_is_counted() {
    let sandbox = Sandbox::new();
    let (mut run, check) = rehearses(&sandbox, &sandbox.root().join("check.pid"), "env");
    run.kill().unwrap();
    run.wait().unwrap();
    ends(check);
    let doctor = sandbox.run(&["doctor"]);
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(said.contains(" of rehearsals"), "{said}");
}

#[test]
fn a_hang_up_ends_nothing_where_it_is_ignored() {
    let sandbox = Sandbox::new();
    let (run, check) = rehearses(&sandbox, &sandbox.root().join("check.pid"), "nohup");
    kill_process(Pid::from_child(&run), Signal::HUP).unwrap();
    kill_process(check, Signal::KILL).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["rehearsal"]["check"]["passed"], true, "{value}");
}

#[test]
fn a_rehearsal_that_is_ended_ends_its_check_and_leaves_no_copy() {
    let sandbox = Sandbox::new();
    let before = sandbox.all();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (run, check) = rehearses(&sandbox, &sandbox.root().join("check.pid"), "env");
        kill_process(Pid::from_child(&run), signal).unwrap();
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal:?}: {output:?}");
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["error"]["kind"], "cancelled", "{value}");
        ends(check);
        let left = super::differences(&before, &sandbox.all());
        let copies = left
            .iter()
            .filter(|path| path.to_string_lossy().contains("rehearsals/"));
        assert_eq!(copies.count(), 0, "{signal:?}: {left:?}");
    }
}
