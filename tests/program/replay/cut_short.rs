//! Replays that are cancelled or killed in the middle, and continued.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

use super::kit::{Labels, counts, text};
use super::sandbox::differences;
use super::tty::Tty;
use crate::cli_acting::ended::soon;

/// A runner whose third dispatch says that it runs and waits until it may go on, the first time.
fn waits(labels: &Labels) -> (String, PathBuf, PathBuf) {
    let (running, go) = (labels.pipe("running"), labels.pipe("go"));
    let begun = labels.scratch().join("begun");
    let script = format!(
        "echo x >> '{0}'\nif test $(wc -l < '{0}') -eq 3; then echo $$ > '{1}'; read word < '{2}'; fi\necho PASS",
        begun.display(),
        running.display(),
        go.display()
    );
    (labels.script("waits.sh", &script), running, go)
}

/// Waits until the runner runs; its process id.
fn running(pipe: &Path) -> Pid {
    let mut said = String::new();
    fs::File::open(pipe)
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    Pid::from_raw(said.trim().parse().unwrap()).unwrap()
}

/// Goes on with what was cut short, and finds it done to the end, nothing run twice but what was running.
fn goes_on(labels: &Labels, total: u64) {
    let (code, all) = labels.json(&["--list"], &[]);
    let session = &all["sessions"][0];
    let [done, 0, 0, left] = counts(session) else {
        panic!("{all}");
    };
    assert_eq!((code, done, done + left), (0, 2, total), "{all}");
    let id = session["id"].as_str().unwrap();
    let (code, after) = labels.json(&["--continue", id], &[]);
    assert_eq!(code, 0, "{after}");
    let again = &after["sessions"][0];
    assert_eq!(counts(again), [total, 0, 0, 0], "{after}");
    assert_eq!(again["state"], "done");
    let lines = Labels::lines(again);
    let ended = lines.iter().filter(|line| line["replay_session"] == *id);
    let ended = ended.filter(|line| line["status"] == "completed");
    assert_eq!(ended.count() as u64, total);
    let begun = fs::read_to_string(labels.scratch().join("begun")).unwrap();
    assert_eq!(
        begun.lines().count() as u64,
        total + 1,
        "one was begun twice"
    );
}

/// Whether a process has ended, also where nobody has collected it yet.
fn is_gone(pid: Pid) -> bool {
    let status = format!("/proc/{}/status", pid.as_raw_nonzero());
    std::fs::read_to_string(status).map_or(true, |status| status.contains("State:\tZ"))
}

#[test]
fn an_interrupt_keeps_what_was_run_and_says_how_to_go_on() {
    for signal in [Signal::INT, Signal::TERM] {
        let labels = Labels::new();
        let before = labels.sandbox.persons();
        let (script, pipe, _go) = waits(&labels);
        let swap = labels.swap();
        let child = labels.begin(&["--mutate", &swap], &[&script]);
        let runner = running(&pipe);
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let (page, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{page}{said}");
        assert!(page.contains(" --continue "), "{page}");
        assert!(page.contains("2 done, 9 left"), "{page}");
        let kept = "Canceled; what was run is kept: 2 of 11 dispatches.";
        assert!(page.contains(kept), "{page}");
        assert!(said.contains("Stopping"), "{said}");
        assert!(is_gone(runner), "the runner is gone");
        goes_on(&labels, 11);
        assert_eq!(
            differences(&before, &labels.sandbox.persons()),
            Vec::<PathBuf>::new()
        );
    }
}

#[test]
fn a_replay_whose_relight_was_killed_is_found_and_goes_on() {
    let labels = Labels::new();
    let before = labels.sandbox.persons();
    let (script, pipe, _go) = waits(&labels);
    let swap = labels.swap();
    let mut child = labels.begin(&["--mutate", &swap, "--diff"], &[&script]);
    let runner = running(&pipe);
    let (_, held) = labels.json(&["--list"], &[]);
    assert_eq!(held["sessions"][0]["state"], "running", "{held}");
    let (code, refused) = labels.json(&["--continue"], &[]);
    assert_eq!(code, 1, "{refused}");
    child.kill().unwrap();
    child.wait().unwrap();
    soon("the runner goes on", || is_gone(runner).then_some(()));
    let (_, list) = labels.json(&["--list"], &[]);
    assert_eq!(list["sessions"][0]["state"], "interrupted", "{list}");
    goes_on(&labels, 11);
    assert_eq!(
        differences(&before, &labels.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn cancelling_under_json_prints_sessions_and_the_error_beside_them() {
    let labels = Labels::new();
    let (script, pipe, _go) = waits(&labels);
    let swap = labels.swap();
    let options = ["--json", "--mutate", &swap, "--repeat", "3"];
    let child = labels.begin(&options, &[&script]);
    running(&pipe);
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{value}");
    assert_eq!(value["error"]["kind"], "cancelled");
    assert_eq!(value["sessions"][0]["state"], "cancelled");
    assert!(
        value["error"]["hints"][0]
            .as_str()
            .unwrap()
            .contains("--continue")
    );
}

#[test]
fn a_terminal_shows_what_runs_in_place_and_takes_ctrl_c() {
    let labels = Labels::new();
    let (go, swap) = (labels.pipe("go"), labels.late());
    let script = labels.script("hangs.sh", &format!("read word < '{}'", go.display()));
    let words = labels.words(&["--mutate", &swap, "--from-phase", "4"], &[&script]);
    let program = assert_cmd::cargo::cargo_bin!("relight");
    let home = labels.sandbox.root();
    let mut tty = Tty::start(program.to_str().unwrap(), &words, &home, 100, 40);
    tty.wait("what runs", |screen| {
        screen.contents().contains("  running  12 reviewer; ")
    });
    tty.keys("\u{3}");
    tty.wait("how to go on", |screen| {
        screen.contents().contains(" --continue ")
    });
    tty.screen(|screen| {
        let text = screen.contents();
        assert!(text.contains("Canceled; what was run is kept"), "{text}");
        assert!(!text.contains("  running  "), "it is written over: {text}");
    });
    assert_eq!(tty.ended(), Some(130));
}
