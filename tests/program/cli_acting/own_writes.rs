//! What relight itself wrote is no sign of an agent: right after a recovery the next one, its undo and its redo are
//! not refused as if somebody had just written. What another program wrote since stays a sign.

use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::crashed::cut_short;
use super::kind;
use super::sandbox::Sandbox;

/// Applies a command with consent; returns the exit code and the answer.
fn act(sandbox: &Sandbox, args: &[&str]) -> (i32, Value) {
    sandbox.json(&[args, &["--yes"]].concat())
}

/// The verdict about its life and the evidence for it.
fn life(sandbox: &Sandbox, id: &str) -> (String, String) {
    let (_, shown) = sandbox.json(&["show", id]);
    let life = &shown["pipeline"]["liveness"];
    let verdict = life["verdict"].as_str().unwrap();
    (verdict.to_owned(), life["evidence"].to_string())
}

#[test]
fn a_second_recovery_and_its_undo_and_redo_are_not_refused_for_the_first_ones_writes() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let pipelines = [
        ("superscientist-polymer", "stage-3:skip", "stage-2:skip"),
        ("tokenizer-speed", "round-2-mid", "round-2-phase-1"),
        ("mgw-57", "step-plan", "step-triage"),
        ("price-alerts", "phase-2-step-4", "phase-1-step-3"),
        (crucible.as_str(), "wave-2", "wave-1"),
    ];
    let there_and_back = |(id, first, second): (&str, &str, &str)| {
        let done = |args: &[&str]| {
            let (code, done) = act(&sandbox, args);
            assert_eq!(code, 0, "{id} {args:?}: {done}");
            let (verdict, said) = life(&sandbox, id);
            assert_eq!(verdict, "dead", "{id} {args:?}: {said}");
            done["recovery"]["id"].as_str().unwrap().to_owned()
        };
        let first = done(&["resume", id, first]);
        let second = done(&["resume", id, second]);
        done(&["undo", &second]);
        let undo = done(&["undo", &first]);
        done(&["redo", &undo]);
    };
    // Each waits until its files are quiet, so they wait together.
    std::thread::scope(|scope| {
        for one in pipelines {
            let go = &there_and_back;
            scope.spawn(move || go(one));
        }
    });
}

#[test]
fn what_another_program_wrote_since_stays_a_sign_of_life() {
    let sandbox = Sandbox::new();
    let id = "tokenizer-speed";
    let dir = sandbox.root().join("projects/lab/tokenizer-speed");
    let poster = dir.join("poster_session_round_1.md");
    let refused = |case: &str| {
        for args in [&["resume", id, "round-2-phase-1"][..], &["undo"]] {
            let (code, answer) = act(&sandbox, args);
            assert_eq!((code, kind(&answer)), (3, "refused"), "{case}: {answer}");
        }
    };
    let (code, done) = act(&sandbox, &["resume", id, "round-2-mid"]);
    assert_eq!(code, 0, "{done}");
    let resumed = life(&sandbox, id);
    assert!(resumed.1.contains("The last write is relight's own ("));

    // A file that relight never wrote.
    let text = fs::read(&poster).unwrap();
    let before = File::open(&poster).unwrap().metadata().unwrap();
    fs::write(&poster, &text).unwrap();
    refused("a poster");
    let times = FileTimes::new().set_modified(before.modified().unwrap());
    let set = |path: &std::path::Path, times: FileTimes| {
        File::open(path).unwrap().set_times(times).unwrap();
    };
    set(&poster, times);
    assert_eq!(life(&sandbox, id), resumed);

    // A file that relight wrote, replaced by an older one: its time is no younger than relight's own writes.
    let id = "superscientist-polymer";
    let (code, done) = act(&sandbox, &["resume", id, "stage-2:skip"]);
    assert_eq!((code, life(&sandbox, id).0.as_str()), (0, "dead"), "{done}");
    let dir = sandbox.root().join("projects/science/polymer-ring");
    let (state, other) = (dir.join("workflow-state.json"), dir.join("other"));
    fs::copy(&state, &other).unwrap();
    let old = SystemTime::now() - Duration::from_secs(90_000);
    set(&other, FileTimes::new().set_modified(old));
    fs::rename(&other, &state).unwrap();
    let (code, answer) = act(&sandbox, &["resume", id, "stage-1:rerun"]);
    assert_eq!((code, kind(&answer)), (3, "refused"), "{answer}");
    assert_eq!(life(&sandbox, id).0, "unknown");
}

/// The line that relight appended last is younger than its folder. It is no line that is missing, and no sign of an agent.
#[test]
fn a_line_that_relight_appended_before_a_crash_is_its_own() {
    let sandbox = Sandbox::new();
    let id = "tokenizer-speed";
    let (code, done) = act(&sandbox, &["resume", id, "round-2-mid"]);
    assert_eq!(code, 0, "{done}");
    let recovery = done["recovery"]["id"].as_str().unwrap();
    cut_short(&sandbox, recovery, &[("DONE", "done.slot")]);
    let log = sandbox
        .root()
        .join("projects/lab/tokenizer-speed/conference_events.jsonl");
    let appended = fs::metadata(&log).unwrap().modified().unwrap();
    let earlier = FileTimes::new().set_modified(appended - Duration::from_secs(1));
    let own = sandbox.root().join("home/.local/state/relight");
    let homes = fs::read_dir(own).unwrap();
    let mut homes = homes.map(|home| home.unwrap().path().join(recovery));
    let folder = homes.find(|folder| folder.exists()).unwrap();
    File::open(&folder).unwrap().set_times(earlier).unwrap();
    let (_, history) = sandbox.json(&["history"]);
    let said = history["recoveries"][0]["trouble"].to_string();
    assert!(said.contains("only its record is not completed"), "{said}");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, format!("{text}{}\n", text.lines().last().unwrap())).unwrap();
    let (code, refused) = act(&sandbox, &["recover", recovery]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    fs::write(&log, &text).unwrap();
    let (code, recovered) = act(&sandbox, &["recover", recovery]);
    assert_eq!(code, 0, "{recovered}");
    assert_eq!(fs::read_to_string(&log).unwrap(), text);
}

#[test]
fn what_an_orchestrator_records_shows_that_it_was_running() {
    let sandbox = Sandbox::new();
    let id = "superscientist-polymer";
    let (code, done) = act(&sandbox, &["resume", id, "stage-3:skip"]);
    assert_eq!((code, life(&sandbox, id).0.as_str()), (0, "dead"), "{done}");
    let (code, said) = sandbox.json(&["record", id, "log", "still here"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(life(&sandbox, id).0, "unknown");
}
