//! Resume, undo, redo: each on what the one before left, compared byte for byte.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::sandbox::{Entry, Sandbox, Tree, differences};

/// The logs that a plan appends to: no undo takes a line back.
fn logs(plan: &Value) -> BTreeSet<PathBuf> {
    let actions = plan["plan"]["actions"].as_array().unwrap().iter();
    actions
        .filter(|action| action["kind"] == "append_lines")
        .map(|action| PathBuf::from(action["target"].as_str().unwrap()))
        .collect()
}

/// Asserts that two trees are the same but for these logs, which only grew, and the folders of those that
/// there were none of before.
fn same_but_for(before: &Tree, after: &Tree, logs: &BTreeSet<PathBuf>, case: &str) {
    for path in differences(before, after) {
        let grown = logs.contains(&path);
        let folder = logs.iter().any(|log| log.starts_with(&path));
        assert!(grown || folder, "{case}: {} differs", path.display());
        let bytes = |tree: &Tree| match tree.get(&path) {
            Some(Entry::File(_, bytes)) => bytes.clone(),
            Some(Entry::Dir(_) | Entry::Link(_)) | None => Vec::new(),
        };
        let only_grew = bytes(after).starts_with(&bytes(before));
        assert!(
            only_grew && after.contains_key(&path),
            "{case}: {}",
            path.display()
        );
    }
}

/// Walks there, back, and there again at one point.
fn walk(beginning: &str, point: &str, more: &[&str]) {
    let sandbox = Sandbox::new();
    let named = match beginning {
        "crucible" => sandbox.crucible(),
        word => word.to_owned(),
    };
    let id = named.as_str();
    let case = format!("{beginning} {point} {more:?}");
    let with = |command: &str, last: &[&str]| -> (i32, Value) {
        let args: Vec<&str> = [command, id, point]
            .iter()
            .chain(more)
            .chain(last)
            .copied()
            .collect();
        sandbox.json(&args)
    };
    let (code, plan) = with("plan", &[]);
    assert_eq!(code, 0, "{case}: {plan}");
    let logs = logs(&plan);
    let continued = || sandbox.json(&["plan", id]).1["continue"].clone();
    let at_first = continued();
    let before = sandbox.persons();
    let guards = plan["plan"]["guards"].as_array().unwrap().iter();
    let asks: Vec<&str> = guards
        .filter(|guard| guard["kind"] == "ask")
        .map(|guard| guard["id"].as_str().unwrap())
        .collect();
    if !asks.is_empty() {
        // `--yes` alone answers no question.
        let (code, refused) = with("resume", &["--yes"]);
        assert_eq!(
            (code, &refused["error"]["kind"]),
            (4, &Value::from("consent")),
            "{case}"
        );
        assert!(
            differences(&before, &sandbox.persons()).is_empty(),
            "{case}"
        );
    }
    let accepted: Vec<&str> = asks.iter().flat_map(|id| ["--accept", id]).collect();
    let (code, done) = with("resume", &[&["--yes"], &accepted[..]].concat());
    assert_eq!(
        (code, &done["recovery"]["state"]),
        (0, &Value::from("committed")),
        "{case}: {done}"
    );
    let resumed = sandbox.persons();
    let changed = differences(&before, &resumed);
    assert!(!changed.is_empty(), "{case} changed nothing");
    sandbox.grow_old();
    // The conversation from before the resume knows nothing of it.
    let now = continued();
    if !now.is_null() {
        let told = now["prompt"].as_str().unwrap_or_default();
        assert!(told.contains("changed files"), "{case}: {now}");
        assert_eq!(now["recommended"], false, "{case}: {now}");
    }
    // What to do now is the same wherever it is asked.
    let (_, why) = sandbox.json(&["why", id]);
    let (_, shown) = sandbox.json(&["show", id]);
    let (_, list) = sandbox.json(&["list", "--all"]);
    let mut all = list["pipelines"].as_array().unwrap().iter();
    let listed = all
        .find(|one| one["id"] == shown["pipeline"]["id"])
        .unwrap();
    for other in [&shown["pipeline"], listed] {
        assert_eq!(other["cause"]["next"], why["cause"]["next"], "{case}");
    }
    let (code, undone) = sandbox.json(&["undo", "--yes"]);
    if code == 1 && changed.iter().all(|path| logs.contains(path)) {
        // Appended lines are all that it did, and those stay.
        return;
    }
    assert_eq!(code, 0, "{case}: {undone}");
    assert_eq!(
        undone["recovery"]["undoes"], done["recovery"]["id"],
        "{case}"
    );
    same_but_for(&before, &sandbox.persons(), &logs, &case);
    if !at_first.is_null() {
        assert_eq!(continued(), at_first, "{case}");
    }
    sandbox.grow_old();
    let (code, redone) = sandbox.json(&["redo", "--yes"]);
    assert_eq!(code, 0, "{case}: {redone}");
    assert_eq!(
        redone["recovery"]["undoes"], undone["recovery"]["id"],
        "{case}"
    );
    same_but_for(&resumed, &sandbox.persons(), &logs, &case);
    let (_, history) = sandbox.json(&["history"]);
    names(&sandbox, &done, &undone, &redone);
    let states: Vec<&str> = history["recoveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["committed"; 3], "{case}");
}

/// What `undo` and `redo` mean by the id of a recovery, of its undo and of its redo.
fn names(sandbox: &Sandbox, done: &Value, undone: &Value, redone: &Value) {
    let id = |of: &Value| of["recovery"]["id"].as_str().unwrap().to_owned();
    let (done, undone, redone) = (id(done), id(undone), id(redone));
    let nothing = |command: &str, of: &str, says: &str| {
        let (code, answer) = sandbox.json(&[command, of, "--dry-run"]);
        assert_eq!(code, 1, "{command} {of}: {answer}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains(says), "{reason}");
    };
    for of in [&done, &undone, &redone] {
        nothing("redo", of, "is not undone, so there is nothing to redo");
        // The id alone names it, and each place that it changed.
        let (code, past) = sandbox.json(&["history", of]);
        let all = past["recoveries"].as_array().unwrap();
        assert_eq!((code, all.len()), (0, 1), "{past}");
        assert_eq!(all[0]["id"], *of);
        let page = String::from_utf8(sandbox.run(&["history", of]).stdout).unwrap();
        for action in all[0]["actions"].as_array().unwrap() {
            let target = action["target"].as_str().unwrap();
            let paths = action["paths"].as_array().unwrap().iter();
            for place in paths
                .map(|path| path["path"].as_str().unwrap())
                .chain([target])
            {
                assert!(page.contains(place), "{place}: {page}");
            }
        }
    }
    let (code, none) = sandbox.json(&["history", "20200101T000000000-0000"]);
    assert_eq!(code, 2, "{none}");
    nothing("undo", &undone, &format!("was already redone by {redone}"));
    let (code, plan) = sandbox.json(&["undo", &redone, "--dry-run"]);
    assert_eq!(code, 0, "{plan}");
    let title = plan["plan"]["point"]["label"].as_str().unwrap();
    assert!(title.starts_with("Undo of "), "{title}");
}

#[test]
fn crucible() {
    walk("crucible", "wave-2", &[]);
    walk("crucible", "wave-2", &["--exact"]);
    walk(
        "crucible",
        "phase-2",
        &["--exact", "--path", "src/price.rs"],
    );
}

#[test]
fn autoconference() {
    walk("tokenizer-speed", "round-2-mid", &[]);
    walk("tokenizer-speed", "synthesis", &[]);
}

#[test]
fn mgw() {
    walk("mgw-57", "step-plan", &[]);
    walk("mgw-58", "fresh", &[]);
    walk("mgw-61", "override", &[]);
}

#[test]
fn superscientist() {
    walk("superscientist-polymer", "stage-1:rerun", &[]);
    walk("superscientist-polymer", "stage-2:skip", &[]);
    walk("superscientist-catalyst", "stage-2:skip", &[]);
}

#[test]
fn nine_step() {
    walk("price-alerts", "from-backup", &[]);
    walk("two-factor", "phase-1-step-1", &[]);
}

#[test]
fn nine_step_rolled_back_to_a_commit() {
    walk("price-alerts", "phase-0-commit", &[]);
    walk("csv-export", "phase-0-commit", &[]);
}
