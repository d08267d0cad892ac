//! `relight checkpoint`: taken while a pipeline works, listed, restored and undone.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";

/// Takes a checkpoint that must be possible.
pub(super) fn taken(sandbox: &Sandbox, args: &[&str]) -> Value {
    let (code, answer) = sandbox.json(&[&["checkpoint"], args].concat());
    assert_eq!(code, 0, "{args:?}: {answer}");
    answer["recorded"]["checkpoint"].clone()
}

fn listed(sandbox: &Sandbox, pipeline: &str) -> Vec<Value> {
    let (_, answer) = sandbox.json(&["checkpoints", pipeline]);
    let all = answer["checkpoints"].as_array().unwrap().iter();
    all.filter(|one| one["source"] == "relight")
        .cloned()
        .collect()
}

/// Restores a checkpoint, and gives the recovery.
fn restored(sandbox: &Sandbox, pipeline: &str, id: &str, more: &[&str]) -> String {
    sandbox.grow_old();
    let args = ["restore", pipeline, "--checkpoint", id, "--yes"];
    let (code, answer) = sandbox.json(&[&args, more].concat());
    assert_eq!(code, 0, "{answer}");
    answer["recovery"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_issue_goes_back_to_its_checkpoint_and_keeps_what_was_done() {
    let sandbox = Sandbox::new();
    let before = sandbox.persons();
    let first = taken(
        &sandbox,
        &[STATE, "--reason", "before verify", "--phase", "execute"],
    );
    assert!(before == sandbox.persons());
    let store = Path::new(first["store"].as_str().unwrap());
    let mode = fs::metadata(store).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let saved = sandbox.value(STATE);
    sandbox.recorded(&[
        STATE,
        "--step",
        "verify",
        "--stage",
        "verifying",
        "--history",
        "v:out.md",
        "--artifact",
        "out.md:verification",
    ]);
    let second = taken(&sandbox, &[STATE, "--reason", "after verify"]);
    let all = listed(&sandbox, STATE);
    let reasons: Vec<&str> = all
        .iter()
        .map(|one| one["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["before verify (phase execute)", "after verify"]);
    assert_eq!(all[1]["id"], second["id"]);
    let later = sandbox.value(STATE);
    let recovery = restored(&sandbox, STATE, first["id"].as_str().unwrap(), &[]);
    let now = sandbox.value(STATE);
    assert_eq!(now["pipeline_stage"], saved["pipeline_stage"]);
    assert_eq!(now["checkpoint"]["resume"], saved["checkpoint"]["resume"]);
    for list in ["artifacts", "step_history"] {
        assert_eq!(now["checkpoint"][list], later["checkpoint"][list]);
        assert_ne!(now["checkpoint"][list], saved["checkpoint"][list]);
    }
    sandbox.grow_old();
    let (code, answer) = sandbox.json(&["undo", &recovery, "--yes"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(sandbox.value(STATE), later);
    let (_, records) = sandbox.json(&["history", "--records"]);
    let records = records["records"].as_array().unwrap().iter();
    assert_eq!(records.filter(|one| one["form"] == "checkpoint").count(), 2);
}

#[test]
fn a_work_tree_is_kept_without_what_git_ignores_and_secrets() {
    let sandbox = Sandbox::new();
    let (_, shown) = sandbox.json(&["show", STATE]);
    let tree = Path::new(shown["pipeline"]["work_tree"].as_str().unwrap()).to_owned();
    fs::write(tree.join(".gitignore"), "built/\n").unwrap();
    fs::create_dir_all(tree.join("built")).unwrap();
    fs::create_dir_all(tree.join("src/deep")).unwrap();
    for (name, text) in [
        ("built/out.bin", "x"),
        (".env.local", "TOKEN=1"),
        ("src/deep/server.pem", "key"),
        ("src/deep/kept.txt", "one"),
    ] {
        fs::write(tree.join(name), text).unwrap();
    }
    fs::write(tree.join("big.dat"), vec![0; 11 << 20]).unwrap();
    let one = taken(&sandbox, &[STATE, "--reason", "tree", "--tree"]);
    assert_eq!(one["left_out"]["secret"], 2, "{one}");
    assert_eq!(one["left_out"]["large"], 1, "{one}");
    assert!(one["left_out"]["ignored"].as_u64().unwrap() >= 1, "{one}");
    fs::write(tree.join("src/deep/kept.txt"), "two").unwrap();
    fs::write(tree.join("src/deep/later.txt"), "later").unwrap();
    fs::write(tree.join(".env.local"), "TOKEN=2").unwrap();
    restored(&sandbox, STATE, one["id"].as_str().unwrap(), &[]);
    let text = |name: &str| fs::read_to_string(tree.join(name)).unwrap();
    assert_eq!(text("src/deep/kept.txt"), "one");
    assert_eq!(text("src/deep/later.txt"), "later");
    assert_eq!(text(".env.local"), "TOKEN=2");
    let all = taken(
        &sandbox,
        &[STATE, "--reason", "all", "--tree", "--include-ignored"],
    );
    assert_eq!(
        all["left_out"],
        serde_json::json!({"ignored": 0, "secret": 0, "large": 0})
    );
    fs::write(tree.join(".env.local"), "TOKEN=3").unwrap();
    restored(
        &sandbox,
        STATE,
        all["id"].as_str().unwrap(),
        &["--path", ".env.local"],
    );
    assert_eq!(text(".env.local"), "TOKEN=2");
}

#[test]
fn a_wrong_checkpoint_is_refused() {
    let sandbox = Sandbox::new();
    for (args, code) in [
        (&[STATE, "--reason", ""][..], 2),
        (&[STATE, "--reason", "a | b"], 2),
        (&[STATE, "--reason", "a\nb"], 2),
        (&[STATE, "--reason", "x", "--include-ignored"], 2),
        (&["projects/nothing", "--reason", "x"], 2),
    ] {
        let output = sandbox.run(&[&["checkpoint"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}");
    }
    assert!(listed(&sandbox, STATE).is_empty());
}

#[test]
fn each_reason_of_a_boundary_leads_to_a_row_in_the_table_of_the_skill() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let reasons = [
        "pre-design-gate",
        "pre-plan-gate",
        "pre-wave-1",
        "pre-wave-12",
        "pre-code-review",
        "pre-inquisitor",
        "pre-impl-gate",
        "pre-temper",
    ];
    for reason in reasons {
        let one = taken(&sandbox, &[&id, "--reason", reason]);
        assert_eq!(one["source"], "build", "{reason}");
        let store = Path::new(one["store"].as_str().unwrap());
        let table = fs::read_to_string(store.join("checkpoint-manifest.md")).unwrap();
        let row = table.lines().last().unwrap();
        assert!(row.ends_with(&format!(" | {reason} | build |")), "{row}");
    }
}

#[test]
fn a_boundary_of_crucible_is_taken_as_its_skill_takes_it() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (_, shown) = sandbox.json(&["show", &id]);
    let tree = Path::new(shown["pipeline"]["work_tree"].as_str().unwrap()).to_owned();
    let git = |sandbox: &Sandbox| {
        let all = sandbox.persons();
        all.into_iter()
            .filter(|(path, _)| path.starts_with(tree.join(".git")))
            .collect::<Vec<_>>()
    };
    let before = git(&sandbox);
    fs::create_dir_all(tree.join("dist")).unwrap();
    fs::write(tree.join("dist/out.js"), "x").unwrap();
    fs::write(tree.join(".env"), "TOKEN=1").unwrap();
    fs::write(tree.join("work.txt"), "one").unwrap();
    let first = taken(&sandbox, &[&id, "--reason", "pre-wave-7"]);
    assert_eq!(first["source"], "build");
    let store = Path::new(first["store"].as_str().unwrap()).to_owned();
    assert!(
        store.starts_with(sandbox.path("home/.claude/projects")),
        "{first}"
    );
    // Without a change it is recorded too: otherwise the boundary would be missing. Within a second it is the first.
    let second = loop {
        let (_, answer) = sandbox.json(&["checkpoint", &id, "--reason", "pre-wave-8"]);
        if answer["recorded"]["repeated"] != true {
            break answer["recorded"]["checkpoint"].clone();
        }
        assert_eq!(answer["recorded"]["checkpoint"]["id"], first["id"]);
    };
    assert_ne!(second["id"], first["id"]);
    assert!(before == git(&sandbox), "the repository was written");
    let table = fs::read_to_string(store.join("checkpoint-manifest.md")).unwrap();
    for (reason, one) in [("pre-wave-8", &second), ("pre-wave-7", &first)] {
        let row = table.lines().rfind(|row| row.contains(reason)).unwrap();
        let short = one["id"].as_str().unwrap().get(..8).unwrap();
        assert!(row.starts_with(&format!("| {short} | ")), "{row}");
        assert!(row.ends_with(&format!(" | {reason} | build |")), "{row}");
    }
    let listed = |args: &[&str]| {
        let output = std::process::Command::new("git")
            .args(args)
            .env("GIT_DIR", &store)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let files = listed(&[
        "ls-tree",
        "-r",
        "--name-only",
        second["id"].as_str().unwrap(),
    ]);
    assert!(
        files.contains("work.txt") && !files.contains("dist/") && !files.contains(".env"),
        "{files}"
    );
    let clean = listed(&["fsck", "--strict"]);
    assert!(!clean.contains("error"), "{clean}");
    fs::write(tree.join("work.txt"), "two").unwrap();
    restored(
        &sandbox,
        &id,
        second["id"].as_str().unwrap(),
        &["--path", "work.txt", "--assume-stopped"],
    );
    assert_eq!(fs::read_to_string(tree.join("work.txt")).unwrap(), "one");
    // Any other reason is kept apart, so that it never evicts a boundary.
    let free = taken(&sandbox, &[&id, "--reason", "pre-qg-fix-round-1"]);
    assert_eq!(free["source"], "relight");
    assert!(!Path::new(free["store"].as_str().unwrap()).starts_with(sandbox.path("home/.claude")));
}

#[test]
fn each_system_has_its_checkpoint_and_purge_deletes_it() {
    let sandbox = Sandbox::new();
    let (_, all) = sandbox.json(&["list"]);
    let ids = all["pipelines"].as_array().unwrap().iter();
    let ids: Vec<String> = ids
        .filter(|one| one["status"] != "unreadable")
        // relight writes nothing of Claude Code's.
        .filter(|one| one["system"] != "claude-workflow")
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    for id in &ids {
        let one = taken(&sandbox, &[id, "--reason", "now"]);
        assert_eq!(listed(&sandbox, id)[0]["id"], one["id"], "{id}");
        // Nothing has changed since, so a restore changes nothing.
        let args = [
            "restore",
            id,
            "--checkpoint",
            one["id"].as_str().unwrap(),
            "--dry-run",
        ];
        let (_, plan) = sandbox.json(&args);
        assert_eq!(
            plan["plan"]["actions"].as_array().map(Vec::len),
            Some(0),
            "{id}: {plan}"
        );
    }
    let id = &ids[0];
    let lock = sandbox.locked();
    let (code, refused) = sandbox.json(&["purge", id, "--yes"]);
    assert_eq!(code, 3, "{refused}");
    assert_eq!(listed(&sandbox, id).len(), 1);
    drop(lock);
    let (code, answer) = sandbox.json(&["purge", id, "--yes"]);
    assert_eq!(
        (code, &answer["checkpoints"][0]),
        (0, &Value::from(id.as_str()))
    );
    assert!(listed(&sandbox, id).is_empty());
}

#[test]
fn a_restored_workflow_keeps_its_log_and_notes_the_restore() {
    let sandbox = Sandbox::new();
    let wf = "projects/science/polymer-ring";
    let one = taken(&sandbox, &[wf, "--reason", "failed once"]);
    let state = sandbox.value(&format!("{wf}/workflow-state.json"));
    sandbox.recorded(&[wf, "stage-2", "ready"]);
    let log = sandbox.text(&format!("{wf}/progress.log"));
    restored(&sandbox, wf, one["id"].as_str().unwrap(), &[]);
    assert_eq!(sandbox.value(&format!("{wf}/workflow-state.json")), state);
    let now = sandbox.text(&format!("{wf}/progress.log"));
    let added = now.strip_prefix(log.as_str()).unwrap();
    assert_eq!(added.lines().count(), 1, "{added}");
}

#[test]
fn one_project_that_is_locked_keeps_all_that_purge_was_to_delete() {
    let sandbox = Sandbox::new();
    let (conference, workflow) = (
        "projects/lab/tokenizer-speed",
        "projects/science/polymer-ring",
    );
    taken(&sandbox, &[conference, "--reason", "now"]);
    let first = sandbox.homes();
    taken(&sandbox, &[workflow, "--reason", "now"]);
    let mut second = sandbox.homes();
    second.retain(|home| !first.contains(home));
    let ids = [conference, workflow].map(|path| {
        let (_, shown) = sandbox.json(&["show", path]);
        shown["pipeline"]["id"].as_str().unwrap().to_owned()
    });
    let lock = File::open(second[0].join("lock")).unwrap();
    lock.lock().unwrap();
    let words = ["purge", &ids[0], &ids[1], "--yes"];
    let (code, refused) = sandbox.json(&words);
    assert_eq!(code, 3, "{refused}");
    for id in &ids {
        assert_eq!(listed(&sandbox, id).len(), 1, "{id}");
    }
    drop(lock);
    let (code, answer) = sandbox.json(&words);
    assert_eq!(
        (code, answer["checkpoints"].as_array().unwrap().len()),
        (0, 2)
    );
    assert!(ids.iter().all(|id| listed(&sandbox, id).is_empty()));
}

/// The clock is set back after a checkpoint: the next one of the same reason is no repetition of it.
#[test]
fn a_checkpoint_that_is_dated_in_the_future_is_not_the_next_one() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let first = taken(&sandbox, &[&id, "--reason", "pre-wave-7"]);
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "x")
                .env(format!("GIT_{who}_EMAIL"), "x")
                .env(format!("GIT_{who}_DATE"), "2090-01-01T00:00:00Z");
        }
        git.args(args)
            .env("GIT_DIR", first["store"].as_str().unwrap());
        let output = git.output().unwrap();
        assert!(output.status.success(), "{args:?} {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let subject = git(&["log", "-1", "--format=%s"]);
    let later = git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", &subject]);
    git(&["update-ref", "HEAD", &later]);
    let (code, answer) = sandbox.json(&["checkpoint", &id, "--reason", "pre-wave-7"]);
    let next = &answer["recorded"];
    assert_eq!((code, next["repeated"] == true), (0, false), "{answer}");
    assert_ne!(next["checkpoint"]["id"], later);
}
