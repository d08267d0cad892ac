//! `relight wait`: the end of a stage by its marker or its status, any new record, and the end of the time.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

const WF: &str = "projects/science/polymer-ring";
const CONFERENCE: &str = "projects/lab/tokenizer-speed";

/// A wait that has begun, and has not ended after a moment.
fn begun(sandbox: &Sandbox, args: &[&str]) -> Child {
    let args = [&["wait"], args, &["--timeout", "30", "--json"]].concat();
    let mut command = sandbox.command(&sandbox.root(), &args);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(
        child.try_wait().unwrap().is_none(),
        "{args:?} ended at once"
    );
    child
}

/// Its exit code and what it says.
fn ended(child: Child) -> (i32, Value) {
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), answer["waited"].clone())
}

fn record(sandbox: &Sandbox, args: &[&str]) {
    let output = sandbox.run(&[&["record", WF], args].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// The second stage runs, and the marker of its last attempt is still there.
fn running() -> Sandbox {
    let sandbox = Sandbox::new();
    record(&sandbox, &["stage-2", "ready"]);
    record(&sandbox, &["stage-2", "preparing"]);
    record(&sandbox, &["stage-2", "running"]);
    sandbox
}

fn file(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.root().join(WF).join(name)
}

#[test]
fn a_stage_ends_with_its_own_marker_and_the_code_beside_it() {
    for (code, exit, outcome) in [("0\n", 0, "ended"), ("137\n", 1, "failed")] {
        let sandbox = running();
        // The marker of the failed attempt is older than the launch, and ends nothing.
        let child = begun(&sandbox, &[WF, "stage-2"]);
        fs::write(file(&sandbox, "stage-2/DPDISP_EXIT_CODE"), code).unwrap();
        let since = Instant::now();
        fs::write(file(&sandbox, "stage-2/DPDISP_DONE"), "").unwrap();
        let (found, waited) = ended(child);
        assert!(since.elapsed() < Duration::from_secs(5));
        assert_eq!(found, exit, "{waited}");
        assert_eq!(waited["outcome"], outcome);
        assert_eq!(waited["stage"], "stage-2");
        assert_eq!(waited["exit_code"].to_string(), code.trim());
        // It is still there for whoever asks later.
        let (again, _) = sandbox.json(&["wait", WF, "stage-2"]);
        assert_eq!(again, exit);
    }
}

#[test]
fn a_stage_ends_with_its_status() {
    let sandbox = running();
    let child = begun(&sandbox, &[WF, "stage-2"]);
    record(&sandbox, &["stage-2", "failed", "--error", "killed"]);
    let (code, waited) = ended(child);
    assert_eq!((code, &waited["outcome"]), (1, &"failed".into()));
    let (code, answer) = sandbox.json(&["wait", WF, "stage-1"]);
    assert_eq!((code, &answer["waited"]["outcome"]), (0, &"ended".into()));
}

#[test]
fn anything_new_ends_a_wait_without_a_stage() {
    let sandbox = Sandbox::new();
    let child = begun(&sandbox, &[WF]);
    record(&sandbox, &["log", "Mesh 60 fits."]);
    let (code, waited) = ended(child);
    assert_eq!((code, &waited["outcome"]), (0, &"changed".into()));
    assert!(waited["text"].as_str().unwrap().contains("Mesh 60 fits."));
    assert_eq!(waited["stage"], Value::Null);
}

#[test]
fn every_system_is_waited_for() {
    let sandbox = Sandbox::new();
    for id in sandbox.ids() {
        let (code, answer) = sandbox.json(&["wait", &id, "--timeout", "0"]);
        assert_eq!(code, 6, "{id}: {answer}");
        assert_eq!(answer["waited"]["outcome"], "timeout", "{id}");
        let error = &answer["error"];
        assert_eq!(
            (&error["kind"], &error["text"]),
            (&"timeout".into(), &answer["waited"]["text"])
        );
    }
    let (code, answer) = sandbox.json(&["wait", CONFERENCE, "1"]);
    assert_eq!((code, &answer["waited"]["outcome"]), (0, &"ended".into()));
    let text = answer["waited"]["text"].as_str().unwrap();
    assert_eq!(text, "Round 1 has ended (round.completed).");
    let (code, answer) = sandbox.json(&["wait", WF, "stage-20"]);
    assert_eq!(code, 2);
    let hint = answer["error"]["hints"][0].as_str().unwrap();
    assert!(hint.starts_with("Did you mean stage-2"), "{hint}");
}

/// A stage is named as for a record, and a phase without a title has a name in the sentence.
#[test]
fn a_stage_is_waited_for_by_its_number_and_a_phase_without_a_title_is_named() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    let (code, answer) = sandbox.json(&["wait", WF, "1"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["waited"]["stage"], "stage-1");
    let (code, answer) = sandbox.json(&["wait", WF, "20"]);
    assert_eq!(code, 2, "{answer}");
    let top = sandbox.root().join("plain");
    fs::create_dir_all(top.join(".plan")).unwrap();
    fs::write(top.join(".plan/a_plan.md"), "# A\n\n## Phase 1\n\nDo it.\n").unwrap();
    let script = "git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b commit -qm a && \
                  git worktree add -q -b feature/a .worktree/a";
    let mut shell = std::process::Command::new("sh");
    let done = shell
        .args(["-ec", script])
        .current_dir(&top)
        .status()
        .unwrap();
    assert!(done.success());
    let run = |args: &[&str]| {
        let output = sandbox.run_in(&top.join(".worktree/a"), args);
        (
            output.status.code().unwrap(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let init = [
        "record",
        ".",
        "init",
        "--system",
        "nine-step",
        "--feature",
        "a",
    ];
    let init = [&init[..], &["--plan", ".plan/a_plan.md", "--phases", "1"]].concat();
    let (code, said) = run(&init);
    assert_eq!(code, 0, "{said}");
    let status = [
        "record",
        ".",
        "--phase",
        "1",
        "--step",
        "1",
        "--status",
        "waiting_approval",
    ];
    assert_eq!(run(&status).0, 0);
    let (_, said) = run(&["wait", ".", "1"]);
    assert!(said.starts_with("Phase 1 is waiting for you"), "{said}");
}
