//! Comparisons without a mutation: two replays, rounds, versions of a stage, before and after a recovery.

use std::path::PathBuf;

use super::kit::{Labels, kind, text};
use super::sandbox::{Sandbox, differences};

#[test]
fn before_and_after_a_recovery_on_all_five_systems() {
    let sandbox = Sandbox::new();
    let table = [
        ("make-the-price", None),
        ("tokenizer-speed", Some("round-2-mid")),
        ("mgw-57", Some("step-plan")),
        ("polymer-ring", Some("stage-1:rerun")),
        ("price-alerts", Some("phase-1-commit")),
    ];
    for (pipeline, point) in table {
        let id = if pipeline == "make-the-price" {
            sandbox.crucible()
        } else {
            pipeline.to_owned()
        };
        let args: Vec<&str> = [Some("resume"), Some(id.as_str()), point, Some("--yes")]
            .into_iter()
            .flatten()
            .collect();
        let (code, done) = sandbox.json(&args);
        assert_eq!(code, 0, "{pipeline}: {done}");
        let recovery = done["recovery"]["id"].as_str().unwrap();
        let before = sandbox.all();
        let (code, compared) = sandbox.json(&["compare", &id, recovery]);
        assert_eq!(code, 0, "{pipeline}: {compared}");
        assert_eq!(compared["verdict"], "not_judged", "{pipeline}: {compared}");
        let changed = compared["artifacts"]["files_changed"].as_u64().unwrap();
        assert!(changed >= 1, "{pipeline}: {compared}");
        let output = sandbox.run(&["compare", &id, recovery]);
        let page = text(&output.stdout);
        assert!(page.contains("Files: "), "{page}");
        for line in page.lines() {
            let cells = unicode_width::UnicodeWidthStr::width(line);
            let copied = line.contains("relight ") || line.contains('/');
            assert!(cells <= 80 || copied, "{cells}: {line}");
        }
        assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
    }
}

#[test]
fn two_replays_and_their_forms() {
    let labels = Labels::new();
    let swap = labels.late();
    let mut sessions = Vec::new();
    for script in ["echo PASS", "echo FAIL"] {
        let options = ["--mutate", &swap, "--from-phase", "4"];
        let (code, done) = labels.json(&options, &["/bin/sh", "-c", script]);
        assert_eq!(code, 0, "{done}");
        let id = done["sessions"][0]["id"].as_str().unwrap();
        sessions.push(id.to_owned());
    }
    let before = labels.sandbox.all();
    let id = labels.id.as_str();
    let (a, b) = (sessions[0].as_str(), sessions[1].as_str());
    let (code, compared) = labels.sandbox.json(&["compare", id, a, b]);
    assert_eq!(
        (code, &compared["a"], &compared["b"]),
        (0, &a.into(), &b.into())
    );
    let pairs = || compared["dispatches"].as_array().unwrap().iter();
    let changed = pairs().filter(|pair| pair["verdict_changed"] == true);
    assert!(changed.count() >= 3, "{compared}");
    // What a review finds is neither regressed nor fixed.
    let regressed = |pair: &&serde_json::Value| pair["bucket"] == "regressed";
    assert!(
        pairs()
            .filter(regressed)
            .all(|pair| pair["review"] == false)
    );
    assert!(pairs().any(|pair| pair["review"] == true && pair["bucket"].is_null()));
    // Without a word, the newest replay against the original.
    let (_, newest) = labels.sandbox.json(&["compare", id]);
    assert_eq!(
        (&newest["a"], &newest["b"]),
        (&"original".into(), &b.into())
    );
    let output = labels
        .sandbox
        .run(&["compare", id, a, b, "--format", "markdown"]);
    assert!(text(&output.stdout).starts_with("# Replay Diff: "));
    let output = labels.sandbox.run(&["compare", id, "--format", "jsonl"]);
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&line["type"], &line["replay_session"]),
        (&"replay-diff".into(), &b.into())
    );
    let (code, list) = labels.sandbox.json(&["compare", id, "--list"]);
    let names: Vec<&str> = list["operands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!((code, names), (0, vec!["original", a, b]));
    for (words, expected) in [(&["no-such"][..], 2), (&["1"], 2), (&["original", "x"], 2)] {
        let (code, error) = labels.sandbox.json(&[&["compare", id], words].concat());
        assert_eq!(code, expected, "{words:?}: {error}");
        assert!(
            ["not_found", "ambiguous", "usage"].contains(&kind(&error)),
            "{error}"
        );
        assert!(
            error["error"]["hints"].to_string().contains("--list"),
            "{error}"
        );
    }
    assert_eq!(
        differences(&before, &labels.sandbox.all()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn nothing_to_compare_is_no_error_and_keeps_the_shape() {
    let sandbox = Sandbox::new();
    let (code, value) = sandbox.json(&["compare", "mgw-57"]);
    assert_eq!((code, kind(&value)), (1, ""), "{value}");
    assert!(value["verdict"].is_null() && value["a"].is_null() && value["reason"].is_string());
}

#[test]
fn rounds_and_versions_of_a_stage_are_different_and_never_better() {
    let sandbox = Sandbox::new();
    let table = [
        ("tokenizer-speed", &["round-1", "round-2"][..], "round-1"),
        ("tokenizer-speed", &[], "round-1"),
        ("polymer-ring", &["stage-2.v1", "stage-2"], "stage-2.v1"),
        ("polymer-ring", &["stage-2"], "stage-2.v1"),
    ];
    for (pipeline, words, a) in table {
        let (code, compared) = sandbox.json(&[&["compare", pipeline], words].concat());
        assert_eq!((code, &compared["a"]), (0, &a.into()), "{compared}");
        let verdict = compared["verdict"].as_str().unwrap();
        assert!(!["better", "worse"].contains(&verdict), "{compared}");
        assert!(!compared["metrics"].as_array().unwrap().is_empty());
    }
}

#[test]
fn what_has_nothing_in_common_is_said_to_have_nothing_in_common() {
    let sandbox = Sandbox::new();
    let (_, stages) = sandbox.json(&["compare", "polymer-ring", "stage-1", "stage-2"]);
    let said = stages["verdict_text"].as_str().unwrap();
    assert!(said.starts_with("These are two different stages"), "{said}");
    let rows = stages["dispatches"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let bucket = row["bucket"].as_str().unwrap();
        assert!(["not replayed", "new"].contains(&bucket), "{row}");
    }
    let (_, stage) = sandbox.json(&["compare", "polymer-ring", "stage-2", "stage-2"]);
    let said = stage["verdict_text"].as_str().unwrap();
    assert!(said.starts_with("Both sides are the same."), "{said}");
    let labels = Labels::new();
    let words = ["compare", &labels.id, "original", "original"];
    let (_, same) = labels.sandbox.json(&words);
    let said = same["verdict_text"].as_str().unwrap();
    assert!(said.starts_with("Both sides are the same."), "{said}");
}
