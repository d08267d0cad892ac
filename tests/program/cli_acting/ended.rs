//! A command that is told to end takes what it started with it.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use super::sandbox::Sandbox;

/// Waits until there is something.
fn soon<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_rehearsal_that_is_ended_ends_its_check_and_leaves_no_copy() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let file = sandbox.root().join("check.pid");
    let script = format!(
        "sleep 600 & echo $! > {0}.new; mv {0}.new {0}; wait",
        file.display()
    );
    let args = [
        "rehearse", &crucible, "--check", "--json", "--", "/bin/sh", "-c", &script,
    ];
    let before = sandbox.all();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut command = sandbox.command(&sandbox.root(), &args);
        let run = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let check = soon("the check never began", || fs::read_to_string(&file).ok());
        fs::remove_file(&file).unwrap();
        kill_process(Pid::from_child(&run), signal).unwrap();
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal:?}: {output:?}");
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["error"]["kind"], "cancelled", "{value}");
        let check = Pid::from_raw(check.trim().parse().unwrap()).unwrap();
        soon("the check goes on", || {
            test_kill_process(check).is_err().then_some(())
        });
        let left = super::differences(&before, &sandbox.all());
        let copies = left
            .iter()
            .filter(|path| path.to_string_lossy().contains("rehearsals/"));
        assert_eq!(copies.count(), 0, "{signal:?}: {left:?}");
    }
}
