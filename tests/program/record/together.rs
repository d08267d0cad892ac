//! Records among each other: many at once, the same one again, what is left of one that was cut short.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::autoconference::iteration;
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
    sandbox.a_second_later();
    let second = sandbox.recorded(&args);
    assert_eq!(second["recorded"]["repeated"], true);
    assert_eq!(first["recorded"]["files"], second["recorded"]["files"]);
    // Whoever repeats it goes on from there.
    let args = [STATE, "--step", "execute", "--once", "execute-1"];
    let (first, second) = (sandbox.recorded(&args), sandbox.recorded(&args));
    assert_eq!(second["recorded"]["repeated"], true);
    assert!(first["next"].is_object(), "{first}");
    assert_eq!(first["next"], second["next"]);
    assert_eq!(
        before,
        sandbox.text(&format!("{DIR}/conference_events.jsonl"))
    );
}

#[test]
fn a_key_is_not_empty_and_names_one_record() {
    let sandbox = Sandbox::new();
    let record = |level: &str, key: &str| {
        let level = format!("stuck_level={level}");
        sandbox.json(&[
            "record",
            DIR,
            "researcher.stuck",
            "researcher=B",
            &level,
            "--once",
            key,
        ])
    };
    let before = sandbox.persons();
    let (code, answer) = record("2", "");
    assert_eq!((code, &answer["error"]["kind"]), (2, &"usage".into()));
    assert!(before == sandbox.persons());
    let (_, first) = record("2", "k");
    let (_, same) = record("2", "k");
    let (code, other) = record("3", "k");
    assert_eq!((code, &other["recorded"]["repeated"]), (0, &true.into()));
    assert_eq!(
        (&first["notes"], &same["notes"]),
        (&Value::Null, &Value::Null)
    );
    let note = other["notes"][0].as_str().unwrap();
    assert!(note.contains("has other values"), "{note}");
}

/// The work of an undone record runs again, and its record with it.
#[test]
fn a_key_does_not_count_while_its_record_is_undone() {
    let sandbox = Sandbox::new();
    let acts = |args: &[&str]| {
        let (code, answer) = sandbox.json(&[args, &["--yes", "--assume-stopped"]].concat());
        assert_eq!(code, 0, "{answer}");
    };
    let repeated = |args: &[&str]| sandbox.recorded(args)["recorded"]["repeated"] == true;
    let wf = "projects/science/polymer-ring";
    let (again, begins) = (
        ["resume", wf, "stage-1:rerun"],
        [wf, "1", "ready", "--once", "k"],
    );
    acts(&again);
    assert!(!repeated(&begins) && repeated(&begins));
    acts(&["undo"]);
    acts(&["redo"]);
    assert!(repeated(&begins));
    acts(&["undo"]);
    acts(&again);
    assert!(!repeated(&begins) && repeated(&begins));
}

/// Only the rows that the recovery removed are recorded again.
#[test]
fn a_key_counts_for_a_row_that_a_recovery_kept() {
    let sandbox = Sandbox::new();
    let resume = |point: &str| {
        let args = ["resume", DIR, point, "--yes", "--assume-stopped"];
        let (code, answer) = sandbox.json(&args);
        assert_eq!(code, 0, "{answer}");
    };
    let once = |number: &str, status: &str| {
        let row = iteration("A", number, "42.9", status);
        let answer = sandbox.recorded(&[&row[..], &["--once", number]].concat());
        answer["recorded"]["repeated"] == true
    };
    resume("round-2-phase-1");
    sandbox.recorded(&[DIR, "round.started"]);
    assert!(!once("0", "baseline") && !once("1", "kept") && !once("2", "reverted"));
    resume("round-2-mid");
    assert!(once("0", "baseline") && once("1", "kept") && !once("2", "reverted"));
    assert!(once("2", "reverted"));
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
    // The latest is the first one, wherever the clocks of the others are.
    let words = ["record", STATE, "--step", "execute"];
    let output = sandbox.run_with(&[("TZ", "Asia/Tokyo")], &words);
    assert!(output.status.success(), "{output:?}");
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

/// Each log as a writer that was killed leaves it: the torn line stays as it is, and the record begins a new one.
#[test]
fn a_torn_tail_of_every_log_is_closed() {
    let sandbox = Sandbox::new();
    let (session, folder) = super::crucible::run(&sandbox);
    let manifest = format!("{folder}/manifest.jsonl");
    let log = "projects/science/polymer-ring/progress.log";
    let events = format!("{DIR}/conference_events.jsonl");
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let dispatch = [
        &session,
        "dispatch",
        "r",
        "--phase",
        "3",
        "--template",
        "t",
        "--body",
        "body.md",
    ];
    let logs: [(&str, &str, &[&str]); 3] = [
        (&manifest, "{\"seq\":", &dispatch),
        (
            &events,
            "{\"event\": \"researcher.it",
            &[DIR, "researcher.stuck", "researcher=B", "stuck_level=2"],
        ),
        (
            log,
            "[2026-01-01T00:00",
            &["projects/science/polymer-ring", "log", "next"],
        ),
    ];
    for (name, torn, args) in logs {
        let whole = sandbox.text(name);
        fs::write(sandbox.path(name), whole.clone() + torn).unwrap();
        sandbox.recorded(args);
        let now = sandbox.text(name);
        let added = now.strip_prefix(&(whole + torn)).unwrap();
        assert!(
            added.starts_with('\n') && added.ends_with('\n'),
            "{name}: {added}"
        );
        assert_eq!(added.lines().count(), 2, "{name}: {added}");
    }
    // The ledger of relight itself.
    let ledgers = sandbox.ledgers();
    for path in &ledgers {
        let whole = fs::read_to_string(path).unwrap();
        fs::write(path, whole + "{\"form\":").unwrap();
    }
    let args = [
        DIR,
        "researcher.stuck",
        "researcher=B",
        "stuck_level=3",
        "--once",
        "after",
    ];
    sandbox.recorded(&args);
    assert_eq!(sandbox.recorded(&args)["recorded"]["repeated"], true);
}
