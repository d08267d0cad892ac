//! An undo after an agent went on: the work in between is in the records, and no longer in the files.

use std::fs;
use std::path::PathBuf;

use super::sandbox::Sandbox;
use serde_json::{Value, json};

/// The recommended point with its numbers, and how many dispatches each point keeps.
fn look(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    let (code, answer) = sandbox.json(&["points", id]);
    assert_eq!(code, 0, "{answer}");
    let points = answer["points"].as_array().unwrap().iter();
    points
        .map(|one| json!([one["id"], one["recommended"], one["kept"], one["redone"]]))
        .collect()
}

/// The manifest of a run, with the dispatches from this one on once more, as an agent that resumes writes them.
fn repeats(sandbox: &Sandbox, id: &str, from: u64) -> PathBuf {
    let (_, shown) = sandbox.json(&["show", id]);
    let files = shown["pipeline"]["state_files"].as_array().unwrap().iter();
    let mut files = files.map(|path| PathBuf::from(path.as_str().unwrap()));
    let manifest = files.find(|path| path.ends_with("manifest.jsonl")).unwrap();
    let text = fs::read_to_string(&manifest).unwrap();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let lines: Vec<Value> = lines.collect();
    let more = lines
        .iter()
        .filter(|line| line["seq"].as_u64() >= Some(from));
    let more = more.flat_map(|line| {
        let mut line = line.clone();
        line["replay_of"] = line["seq"].clone();
        line["seq"] = json!(line["seq"].as_u64().unwrap() + 10);
        let dispatched = line.to_string();
        line["status"] = json!("completed");
        [dispatched, line.to_string()]
    });
    let more: Vec<String> = more.collect();
    fs::write(
        &manifest,
        format!("{}\n{}\n", text.trim_end(), more.join("\n")),
    )
    .unwrap();
    manifest
}

#[test]
fn work_between_a_resume_and_its_undo_is_not_counted_until_it_is_redone() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let before = look(&sandbox, &id);
    let (code, done) = sandbox.json(&["resume", &id, "wave-1", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let manifest = repeats(&sandbox, &id, 5);
    let after = look(&sandbox, &id);
    assert_ne!(after, before);
    let undo = ["undo", "--yes", "--assume-stopped"];
    let (_, plan) = sandbox.json(&["undo", "--dry-run", "--assume-stopped"]);
    let losses = plan["plan"]["losses"].to_string();
    assert!(losses.contains(manifest.to_str().unwrap()), "{losses}");
    let (code, undone) = sandbox.json(&undo);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(look(&sandbox, &id), before);
    let (code, redone) = sandbox.json(&["redo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{redone}");
    assert_eq!(look(&sandbox, &id), after);
    let (code, undone) = sandbox.json(&undo);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(look(&sandbox, &id), before);
}
