//! Records among each other: many at once, the same one again, a recovery that is pending, a process that is killed.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

const DIR: &str = "projects/lab/tokenizer-speed";
const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";

#[test]
fn twelve_at_once_all_land() {
    let sandbox = Sandbox::new();
    std::thread::scope(|scope| {
        for number in 0..12 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let level = format!("note={number}");
                sandbox.recorded(&[
                    DIR,
                    "researcher.stuck",
                    "researcher=B",
                    "stuck_level=2",
                    &level,
                ]);
                let progress = format!("k{number}={number}");
                sandbox.recorded(&[STATE, "--step", "execute", "--progress", &progress]);
            });
        }
    });
    let log = sandbox.text(&format!("{DIR}/conference_events.jsonl"));
    let notes: BTreeSet<u64> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|event| event["payload"]["note"].as_u64())
        .collect();
    assert_eq!(notes.len(), 12);
    let progress = &sandbox.value(STATE)["checkpoint"]["step_progress"];
    for number in 0..12 {
        assert_eq!(progress[format!("k{number}")], number);
    }
}

#[test]
fn once_is_once() {
    let sandbox = Sandbox::new();
    let args = [
        DIR,
        "researcher.stuck",
        "researcher=B",
        "stuck_level=2",
        "--once",
        "stuck-1",
    ];
    let first = sandbox.recorded(&args);
    let before = sandbox.text(&format!("{DIR}/conference_events.jsonl"));
    std::thread::sleep(Duration::from_millis(1_100));
    let second = sandbox.recorded(&args);
    assert_eq!(second["recorded"]["repeated"], true);
    assert_eq!(first["recorded"]["files"], second["recorded"]["files"]);
    assert_eq!(
        before,
        sandbox.text(&format!("{DIR}/conference_events.jsonl"))
    );
    // Without a key it is refused at once, and recorded again later.
    let plain = &args[..4];
    sandbox.recorded(plain);
    let text = sandbox.refused(3, plain);
    assert!(text.contains("less than a second"), "{text}");
    std::thread::sleep(Duration::from_millis(1_100));
    sandbox.recorded(plain);
}

#[test]
fn a_line_of_the_ledger_alone_is_no_record() {
    let sandbox = Sandbox::new();
    let path = sandbox.path(&format!("{DIR}/conference_events.jsonl"));
    let before = fs::read(&path).unwrap();
    let args = [
        DIR,
        "researcher.stuck",
        "researcher=B",
        "stuck_level=2",
        "--once",
        "k",
    ];
    sandbox.recorded(&args);
    // As if it had been killed between the ledger and the log.
    fs::write(&path, before).unwrap();
    let again = sandbox.recorded(&args);
    assert_eq!(again["recorded"]["repeated"], Value::Null);
}

#[test]
fn the_history_lists_the_records() {
    let sandbox = Sandbox::new();
    let (_, none) = sandbox.json(&["history", "--records"]);
    assert_eq!(none["records"].as_array().unwrap().len(), 0);
    sandbox.recorded(&[STATE, "--step", "execute"]);
    sandbox.recorded(&[DIR, "researcher.stuck", "researcher=B", "stuck_level=2"]);
    let (_, all) = sandbox.json(&["history", "--records"]);
    let forms: Vec<&str> = all["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["form"].as_str().unwrap())
        .collect();
    assert_eq!(forms, ["autoconference event", "mgw step"]);
    assert!(
        all["records"][0]["caller"]["pid"].is_u64()
            && all["records"][0]["files"][0]["before"].is_string()
    );
    let (_, some) = sandbox.json(&["history", "--records", "projects/notes"]);
    assert_eq!(some["records"].as_array().unwrap().len(), 1);
    let text = String::from_utf8(sandbox.run(&["history", "--records"]).stdout).unwrap();
    assert!(
        text.contains("mgw step") && text.contains("57-cache-lookups.json"),
        "{text}"
    );
    let (_, history) = sandbox.json(&["history"]);
    assert_eq!(history["recoveries"].as_array().unwrap().len(), 0);
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.all();
    let args = [
        "record",
        DIR,
        "researcher.stuck",
        "researcher=B",
        "stuck_level=2",
        "--dry-run",
    ];
    let output = sandbox.run(&args);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("+ {\"event\": \"researcher.stuck\""),
        "{text}"
    );
    assert!(before == sandbox.all());
}

/// Kills the program at its every call of a kind that changes something, by a tracer where there is one.
#[test]
fn a_killed_record_happened_or_did_not() {
    let sandbox = Sandbox::new();
    let program = assert_cmd::cargo::cargo_bin!("relight");
    for number in 0..40_u64 {
        let before = sandbox.value(STATE);
        let mut child = Command::new(program)
            .args([
                "record",
                STATE,
                "--step",
                "execute",
                "--progress",
                &format!("k={number}"),
            ])
            .current_dir(sandbox.root())
            .env_clear()
            .env("HOME", sandbox.root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(700 * number));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = sandbox.value(STATE);
        let done = after["checkpoint"]["step_progress"]["k"] == number;
        assert!(done || before == after, "{number}: {after}");
    }
    sandbox.recorded(&[STATE, "--step", "execute", "--progress", "k=last"]);
    let mgw = sandbox.path("projects/notes/.mgw/active");
    let names: Vec<_> = fs::read_dir(mgw)
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().contains("tmp")),
        "{names:?}"
    );
}
