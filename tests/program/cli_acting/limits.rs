//! What a recovery never writes into or through, and the modes of what it makes.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::sandbox::{Sandbox, differences};

/// The work tree of the interrupted crucible run, and its id.
fn project(sandbox: &Sandbox) -> (PathBuf, String) {
    let id = sandbox.crucible();
    let (_, shown) = sandbox.json(&["show", &id]);
    let tree = shown["pipeline"]["work_tree"].as_str().unwrap();
    (tree.into(), id)
}

/// The guards of an answer that do not hold.
fn failing(answer: &Value) -> Vec<String> {
    let guards = answer["plan"]["guards"].as_array().unwrap().iter();
    let failing = guards.filter(|guard| guard["holds"] == false);
    failing
        .map(|guard| guard["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn w5_files_that_a_nested_repository_hides_refuse_the_plan_that_would_restore_them() {
    let sandbox = Sandbox::new();
    let (tree, id) = project(&sandbox);
    let src = tree.join("src");
    fs::create_dir(src.join(".git")).unwrap();
    fs::write(src.join(".git/HEAD"), "ref: refs/heads/x\n").unwrap();
    let (_, plan) = sandbox.json(&["plan", &id, "wave-2"]);
    assert_eq!(failing(&plan), ["nested"], "{plan}");
    let actions = plan["plan"]["actions"].to_string();
    assert!(!actions.contains("\"change\":\"write\""), "{actions}");
    let before = sandbox.all();
    let (code, refused) = sandbox.json(&["resume", &id, "wave-2", "--yes"]);
    assert_eq!(code, 3, "nothing is handed over as restored: {refused}");
    assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
    let (_, checkpoints) = sandbox.json(&["checkpoints", &id]);
    let hides = |checkpoint: &Value| checkpoint["drift"]["not_covered"].as_u64() > Some(1);
    let all = checkpoints["checkpoints"].as_array().unwrap();
    assert!(all.iter().any(hides), "{checkpoints}");
}

#[test]
fn w10_nothing_is_appended_to_a_log_that_has_another_name() {
    let sandbox = Sandbox::new();
    let (_, shown) = sandbox.json(&["show", "tokenizer-speed"]);
    let root = PathBuf::from(shown["pipeline"]["root"].as_str().unwrap());
    let log = root.join("conference_events.jsonl");
    let peer = sandbox.root().join("backup.jsonl");
    fs::hard_link(&log, &peer).unwrap();
    let before = sandbox.all();
    let (code, refused) = sandbox.json(&["resume", "tokenizer-speed", "round-2-mid", "--yes"]);
    assert_eq!(code, 3, "{refused}");
    assert_eq!(
        refused["error"]["guards"][0]["id"], "hard_link",
        "{refused}"
    );
    assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
    // With a file of its own it is resumed; an undo is not refused for the sake of its line.
    fs::remove_file(&peer).unwrap();
    let (code, done) = sandbox.json(&["resume", "tokenizer-speed", "round-2-mid", "--yes"]);
    assert_eq!(code, 0, "{done}");
    fs::hard_link(&log, &peer).unwrap();
    sandbox.grow_old();
    let kept = fs::read(&peer).unwrap();
    let (code, undone) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(fs::read(&peer).unwrap(), kept);
    let notes = undone["notes"].to_string();
    assert!(notes.contains("so the undo is not logged in it"), "{notes}");
}

/// The permissions of a file or folder.
fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// The directory is private, and a copy of the file is not in it.
#[test]
fn the_list_of_records_can_be_read_by_its_owner_alone() {
    let sandbox = Sandbox::new();
    let told = ["record", "projects/science/polymer-ring", "log", "Said."];
    let (code, recorded) = sandbox.json(&told);
    assert_eq!(code, 0, "{recorded}");
    let all = sandbox.all().into_keys();
    let lists = all.filter(|path| path.ends_with("records.jsonl"));
    let modes = lists.map(|list| mode(&sandbox.root().join(list)));
    assert_eq!(modes.collect::<Vec<_>>(), [0o600]);
}

/// A command, under an umask.
fn under(umask: &str, program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("/bin/sh");
    let script = format!("umask {umask}; exec \"$@\"");
    command.args(["-c", &script, "sh"]).arg(program).args(args);
    command
}

#[test]
fn w11_new_files_and_folders_have_the_modes_that_git_gives_them() {
    if !crate::judge::git_is_there() {
        return;
    }
    for umask in ["022", "002", "027", "077", "000"] {
        let sandbox = Sandbox::new();
        let (tree, id) = project(&sandbox);
        let file = tree.join("src/price.rs");
        // The same by git, in a repository beside it.
        let peer = sandbox.root().join("peer");
        fs::create_dir_all(peer.join("src")).unwrap();
        fs::write(peer.join("src/price.rs"), "x").unwrap();
        let author = ["-c", "user.name=x", "-c", "user.email=x@x"];
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "x"]] {
            let git = Command::new("git")
                .args(author)
                .args(args)
                .current_dir(&peer)
                .output();
            assert!(git.unwrap().status.success());
        }
        for top in [&tree, &peer] {
            fs::remove_dir_all(top.join("src")).unwrap();
        }
        let git = under(umask, Path::new("git"), &["checkout", "-q", "--", "src"]);
        let mut git = git;
        assert!(git.current_dir(&peer).status().unwrap().success());
        let program = assert_cmd::cargo::cargo_bin!("relight");
        let mut resume = under(umask, program, &["resume", &id, "wave-2", "--yes"]);
        let output = resume
            .current_dir(sandbox.root())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", sandbox.root().join("home"))
            .env("TMPDIR", sandbox.root().join("home").join("tmp"))
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{umask}: {said}");
        assert_eq!(mode(&file), mode(&peer.join("src/price.rs")), "{umask}");
        assert_eq!(mode(&tree.join("src")), mode(&peer.join("src")), "{umask}");
    }
}

#[test]
fn a_sandbox_in_a_directory_of_any_name_is_whole() {
    let facts = |name: &'static str| {
        let (_, list) = Sandbox::named(name).json(&["list", "--all"]);
        let pipelines = list["pipelines"].as_array().unwrap().iter();
        let rows = pipelines.map(|one| format!("{} {}", one["status"], one["badges"]));
        let rows: Vec<String> = rows.collect();
        (rows, list["skipped"].as_array().unwrap().len())
    };
    let plain = facts("demo");
    for name in ["it's \"so\"", "back\\slash", "a\ttab", "a\nnew line"] {
        assert_eq!(facts(name), plain, "{name:?}");
    }
}

/// On 2026-10-25 the clocks of Berlin show the hour from two to three twice.
#[test]
fn steps_in_the_hour_that_autumn_repeats_are_in_order() {
    let sandbox = Sandbox::new();
    let tree = sandbox
        .root()
        .join("projects/trader/.worktree/price-alerts");
    let file = tree.join("workflow-state.json");
    let mut state: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let times = [
        "00:10", "00:20", "00:30", "00:40", "00:50", "02:20", "02:50", "02:10", "02:40", "03:10",
        "03:20",
    ];
    let steps = state["completed_steps"].as_array_mut().unwrap();
    assert_eq!(steps.len(), times.len());
    for (step, time) in steps.iter_mut().zip(times) {
        step["timestamp"] = format!("2026-10-25T{time}:00").into();
    }
    state["last_execution"]["timestamp"] = "2026-10-25T03:30:00".into();
    fs::write(&file, state.to_string()).unwrap();
    let zone = [("TZ", "Europe/Berlin")];
    let verify = sandbox.run_with(&zone, &["verify", "price-alerts", "--json"]);
    let verify: Value = serde_json::from_slice(&verify.stdout).unwrap();
    let checks = verify["checks"].as_array().unwrap().iter();
    let mut of_order = checks.filter(|check| check["id"] == "N10" || check["id"] == "N11");
    let said = |check: &Value| check["evidence"].as_str().unwrap().to_owned();
    let untrue = ["do not increase", "not on record"];
    let wrong = of_order.find(|check| untrue.iter().any(|text| said(check).contains(text)));
    assert_eq!(wrong, None);
}

/// The name of a damaged file that is kept has its last write in the person's zone, as the rollback directory has.
#[test]
fn the_time_in_the_name_of_a_damaged_file_is_local() {
    let sandbox = Sandbox::new();
    let tree = sandbox
        .root()
        .join("projects/trader/.worktree/price-alerts");
    let file = tree.join("workflow-state.json");
    fs::write(&file, "{").unwrap();
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let opened = fs::File::options().write(true).open(&file).unwrap();
    opened.set_modified(written).unwrap();
    let zone = [("TZ", "Asia/Kolkata")];
    let resume = ["resume", "price-alerts", "from-backup", "--yes"];
    let done = sandbox.run_with(&zone, &[&resume[..], &["--assume-stopped"]].concat());
    assert!(done.status.success(), "{done:?}");
    // 2023-11-14 22:13:20 UTC.
    let kept = tree.join("workflow-state.json.corrupt-20231115_034320");
    assert_eq!(fs::read(kept).unwrap(), b"{");
}
