//! Parts of a restore and of an undo: one checkpoint, some paths.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::kind;
use super::sandbox::{Sandbox, differences};

#[test]
fn restore_puts_the_files_of_one_checkpoint_back_and_nothing_else() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (_, checkpoints) = sandbox.json(&["checkpoints", &id]);
    let all = checkpoints["checkpoints"].as_array().unwrap();
    let checkpoint = all.last().unwrap()["id"].as_str().unwrap();
    let before = sandbox.persons();
    let args = [
        "restore",
        &id,
        "--checkpoint",
        checkpoint.get(..10).unwrap(),
    ];
    let (code, refused) = sandbox.json(&args);
    assert_eq!((code, kind(&refused)), (4, "consent"), "{refused}");
    let (code, plan) = sandbox.json(&[&args[..], &["--dry-run"]].concat());
    assert_eq!(code, 0, "{plan}");
    let fingerprint = plan["plan"]["fingerprint"].as_str().unwrap();
    let (code, done) = sandbox.json(&[&args[..], &["--confirm", fingerprint]].concat());
    assert_eq!(code, 0, "{done}");
    let shop = sandbox.root().join("projects/shop");
    let changed = differences(&before, &sandbox.persons());
    let inside = changed
        .iter()
        .all(|path| path.starts_with(&shop) && !path.starts_with(shop.join(".git")));
    assert!(!changed.is_empty() && inside, "{changed:?}");
    let (code, _) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0);
    assert_eq!(
        differences(&before, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

/// The recommended point, and how many dispatches `disk` keeps.
fn next_look(sandbox: &Sandbox, id: &str) -> (String, u64) {
    let (code, answer) = sandbox.json(&["points", id]);
    assert_eq!(code, 0, "{answer}");
    let points = answer["points"].as_array().unwrap();
    let recommended = points.iter().find(|p| p["recommended"] == true).unwrap();
    let disk = points.iter().find(|p| p["id"] == "disk").unwrap();
    let id = recommended["id"].as_str().unwrap().to_owned();
    (id, disk["kept"].as_u64().unwrap())
}

#[test]
fn the_next_look_remembers_a_restore_until_it_is_undone() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (_, checkpoints) = sandbox.json(&["checkpoints", &id]);
    let first = &checkpoints["checkpoints"][0];
    let checkpoint = first["id"].as_str().unwrap();
    let before = next_look(&sandbox, &id);
    let args = ["restore", &id, "--checkpoint", checkpoint, "--yes"];
    // Some of the files are no reason to discard work.
    let (_, plan) = sandbox.json(&["restore", &id, "--checkpoint", checkpoint, "--dry-run"]);
    let path = plan["plan"]["actions"][0]["paths"][0]["path"]
        .as_str()
        .unwrap();
    let (code, done) = sandbox.json(&[&args[..], &["--path", path]].concat());
    assert_eq!(code, 0, "{done}");
    assert_eq!(next_look(&sandbox, &id), before);
    let (code, done) = sandbox.json(&args);
    assert_eq!(code, 0, "{done}");
    let after = next_look(&sandbox, &id);
    assert_ne!(after.0, before.0);
    assert!(after.1 < before.1, "{after:?} {before:?}");
    let (code, shown) = sandbox.json(&["plan", &id]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(
        shown["plan"]["actions"],
        Value::Array(Vec::new()),
        "{shown}"
    );
    let (code, _) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0);
    assert_eq!(next_look(&sandbox, &id), before);
}

#[test]
fn an_undo_leaves_the_paths_that_are_kept() {
    let sandbox = Sandbox::new();
    let before = sandbox.persons();
    let (code, done) =
        sandbox.json(&["resume", "superscientist-polymer", "stage-1:rerun", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let resumed = sandbox.persons();
    let actions = done["recovery"]["actions"].as_array().unwrap();
    let state = actions
        .iter()
        .find(|a| a["kind"] == "replace_file")
        .unwrap();
    let state = state["target"].as_str().unwrap();
    // A path may be said as it looks from here.
    let here = PathBuf::from(state);
    let here = here.strip_prefix(sandbox.root()).unwrap().to_str().unwrap();
    let (_, plan) = sandbox.json(&["undo", "--keep", here, "--dry-run"]);
    assert_eq!(plan["plan"]["left_out"][0], state, "{plan}");
    let (code, undone) = sandbox.json(&["undo", "--keep", here, "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let said = format!("Left as it is (--keep): {state}.");
    for (what, text) in [
        ("plan", &plan["plan"]["losses"]),
        ("result", &undone),
        (
            "history",
            &sandbox.json(&["history"]).1["recoveries"][0]["left"],
        ),
    ] {
        assert!(text.to_string().contains(&said), "{what}: {text}");
    }
    let after = sandbox.persons();
    assert_eq!(after[&PathBuf::from(state)], resumed[&PathBuf::from(state)]);
    let log = |path: &PathBuf| path.ends_with("progress.log");
    let left: Vec<PathBuf> = differences(&before, &after)
        .into_iter()
        .filter(|p| !log(p))
        .collect();
    assert_eq!(left, [PathBuf::from(state)]);
}

/// What only one of two recoveries changed is there on both sides of their comparison.
#[test]
fn a_file_that_one_recovery_did_not_touch_is_not_missing_in_a_comparison_with_another() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let shop = sandbox.root().join("projects/shop");
    let there = |path: &str| fs::read(shop.join(path)).ok();
    let mut done = Vec::new();
    for wave in ["wave-2", "wave-1"] {
        let (code, answer) = sandbox.json(&["resume", &id, wave, "--yes"]);
        assert_eq!(code, 0, "{answer}");
        let recovery = &answer["recovery"];
        let changed = recovery["actions"][0]["paths"].as_array().unwrap().iter();
        let changed = changed.filter(|path| path["change"] != "keep_newer");
        let changed = changed.map(|path| path["path"].as_str().unwrap().to_owned());
        let after: Vec<_> = changed.map(|path| (there(&path), path)).collect();
        done.push((recovery["id"].as_str().unwrap().to_owned(), after));
    }
    let (code, found) = sandbox.json(&["compare", &id, &done[0].0, &done[1].0]);
    assert_eq!(code, 0, "{found}");
    let files = found["artifacts"]["files"].as_array().unwrap();
    let differs = |path: &str| files.iter().find(|file| file["path"] == path);
    for (was, path) in &done[0].1 {
        assert_eq!(
            differs(path).is_some(),
            *was != there(path),
            "{path}: {found}"
        );
    }
    for file in files {
        let removed = file["change"] == "removed";
        assert_eq!(
            removed,
            there(file["path"].as_str().unwrap()).is_none(),
            "{found}"
        );
    }
    assert!(!done[0].1.is_empty() && !done[1].1.is_empty());
}

/// What somebody wrote after a recovery is no work of the recovery, and what it left alone is not
/// missing after it.
#[test]
fn a_file_that_was_changed_after_a_recovery_is_left_out_of_its_comparison() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &id, "wave-1", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let recovery = done["recovery"]["id"].as_str().unwrap();
    let named = |found: &Value| {
        let files = found["artifacts"]["files"].as_array().unwrap();
        let names = files.iter().map(|file| file["path"].clone());
        names.collect::<Vec<_>>()
    };
    let (_, before) = sandbox.json(&["compare", &id, recovery]);
    let path = Value::from("src/price.rs");
    assert!(named(&before).contains(&path), "{before}");
    let (_, original) = sandbox.json(&["compare", &id, "original", recovery]);
    let others = named(&original).into_iter();
    let others = others.filter(|name| !named(&before).contains(name));
    assert_eq!(others.count(), 0, "{original}");
    let file = sandbox.root().join("projects/shop/src/price.rs");
    fs::write(&file, fs::read(&file).unwrap()).unwrap();
    let (_, same) = sandbox.json(&["compare", &id, recovery]);
    assert_eq!(same["artifacts"], before["artifacts"]);
    fs::write(&file, "later").unwrap();
    let (code, after) = sandbox.json(&["compare", &id, recovery]);
    let kept = named(&before).into_iter().filter(|name| *name != path);
    assert_eq!((code, named(&after)), (0, kept.collect()), "{after}");
    let said = "1 file changed after the recovery is left out: src/price.rs.";
    assert!(after["skipped"].to_string().contains(said), "{after}");
}

/// The records of a pipeline are no work: an exact restore leaves them, and a rollback can replace them.
#[test]
fn the_records_of_a_pipeline_are_not_moved_aside() {
    let sandbox = Sandbox::new();
    let top = sandbox
        .root()
        .join("projects/trader/.worktree/price-alerts");
    let back = |args: &[&str]| {
        let exact = ["--exact", "--yes", "--assume-stopped"];
        let (code, done) = sandbox.json(&[args, &exact].concat());
        assert_eq!(code, 0, "{done}");
        for (file, stays) in [
            ("workflow-state.json", true),
            ("workflow-state.json.backup", true),
            ("app/alerts.py", false),
        ] {
            assert_eq!(top.join(file).exists(), stays, "{args:?} {file}");
        }
        let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
        assert_eq!(code, 0, "{undone}");
    };
    let before = sandbox.persons();
    back(&["resume", "price-alerts", "phase-1-commit"]);
    let (_, found) = sandbox.json(&["checkpoints", "price-alerts"]);
    let all = found["checkpoints"].as_array().unwrap().iter();
    let mut commits = all.filter(|one| one["reason"] == "commit of phase 1");
    let commit = commits.next().unwrap()["id"].as_str().unwrap();
    back(&["restore", "price-alerts", "--checkpoint", commit]);
    let left = differences(&before, &sandbox.persons());
    let log =
        |path: &PathBuf| path.to_string_lossy().contains(".backup/") || path.ends_with(".backup");
    assert!(left.iter().all(log), "{left:?}");
}

/// An absolute path inside the work tree is the same as the relative one.
#[test]
fn a_path_to_restore_may_be_absolute() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let changed = |path: &str| {
        let (code, plan) = sandbox.json(&["plan", &id, "wave-1", "--path", path]);
        (code, plan["plan"]["actions"].clone())
    };
    let absolute = sandbox.root().join("projects/shop/src/price.rs");
    let found = changed(absolute.to_str().unwrap());
    assert_eq!(found, changed("src/price.rs"));
    assert_eq!(
        (found.0, found.1.as_array().unwrap().len()),
        (0, 1),
        "{found:?}"
    );
    assert_eq!(changed("/etc").0, 3);
    assert_eq!(changed("../shop").0, 2);
}

/// A directory is no file that was written after a recovery; what is in it is.
#[test]
fn a_directory_is_not_counted_among_the_files_that_stay() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &id, "wave-1", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let file = sandbox.root().join("projects/shop/src/price.rs");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    fs::write(file.join("in"), "in").unwrap();
    let (code, plan) = sandbox.json(&["undo", "--keep", "src/price.rs", "--dry-run"]);
    assert_eq!(code, 0, "{plan}");
    let said = "1 file was written after the recovery and stays as it is: src/price.rs/in.";
    assert!(plan["plan"]["losses"].to_string().contains(said), "{plan}");
}

#[test]
fn a_path_to_keep_is_named_as_the_plan_shows_it_and_a_mistyped_one_is_refused() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &id, "wave-1", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let restored = sandbox.persons();
    let (code, refused) = sandbox.json(&["undo", "--keep", "src/prize.rs", "--yes"]);
    assert_eq!(
        (code, &refused["error"]["kind"]),
        (2, &"not_found".into()),
        "{refused}"
    );
    assert_eq!(
        differences(&restored, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    let shown = done["recovery"]["actions"][0]["paths"].as_array().unwrap();
    let changed = shown.iter().filter(|path| path["change"] != "keep_newer");
    let shown = changed.map(|path| path["path"].as_str().unwrap());
    assert!(shown.clone().count() > 1 && shown.clone().any(|path| path == "src/price.rs"));
    let (code, undone) = sandbox.json(&["undo", "--keep", "src/price.rs", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let after = sandbox.persons();
    let shop = sandbox.root().join("projects/shop");
    for path in shown {
        let path = shop.join(path);
        let stays = after.get(&path) == restored.get(&path);
        assert_eq!(stays, path.ends_with("src/price.rs"), "{}", path.display());
    }
}

#[test]
fn what_changed_since_is_kept_by_the_undo_and_comes_back_with_the_redo() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let file = sandbox.root().join("projects/shop/src/price.rs");
    let before = fs::read(&file).unwrap();
    let (code, done) = sandbox.json(&["resume", &id, "--yes"]);
    assert_eq!(code, 0, "{done}");
    fs::write(&file, "// written after the restore\n").unwrap();
    let (code, plan) = sandbox.json(&["undo", "--dry-run"]);
    assert_eq!(code, 0, "{plan}");
    let losses = plan["plan"]["losses"].to_string();
    assert!(
        losses.contains("price.rs"),
        "the plan says what changed since: {losses}"
    );
    assert_eq!(plan["plan"]["destructive"], Value::Bool(true));
    let (code, undone) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(fs::read(&file).unwrap(), before);
    let (code, redone) = sandbox.json(&["redo", "--yes"]);
    assert_eq!(code, 0, "{redone}");
    assert_eq!(fs::read(&file).unwrap(), b"// written after the restore\n");
}

#[test]
fn the_undo_that_is_printed_works_from_where_it_was_printed() {
    let sandbox = Sandbox::new();
    let before = sandbox.persons();
    let outside = crate::support::temporary::directory();
    let path = sandbox.root().join("projects/lab/tokenizer-speed");
    let args = ["resume", path.to_str().unwrap(), "--yes"];
    let output = sandbox.run_in(outside.path(), &args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let undo = text
        .lines()
        .find_map(|line| line.strip_prefix("undo "))
        .unwrap();
    let words: Vec<&str> = undo.split_whitespace().skip(1).chain(["--yes"]).collect();
    let output = sandbox.run_in(outside.path(), &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
    let left = differences(&before, &sandbox.persons());
    assert!(
        left.iter()
            .all(|path| path.ends_with("conference_events.jsonl")),
        "{left:?}"
    );
    assert_eq!(left.len(), 1, "the log keeps its line");
}
