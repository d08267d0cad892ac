//! W4: an undo finds its pipeline by the root that the recovery recorded, so it asks the same guards and writes the
//! same lines from any directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::sandbox::{Sandbox, differences};

/// A folder beside the sandbox, with a repository of its own in it.
struct Elsewhere {
    dir: tempfile::TempDir,
}

impl Elsewhere {
    fn new() -> Self {
        let dir = crate::support::temporary::directory();
        let made = Command::new("git")
            .args(["init", "-q", "repo"])
            .current_dir(dir.path())
            .status();
        assert!(made.unwrap().success());
        Self { dir }
    }

    /// Runs a command in one of its folders, in the sandbox's home.
    fn json(&self, sandbox: &Sandbox, at: &str, args: &[&str]) -> (i32, Value) {
        let home = sandbox.root().join("home");
        let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
            .args(args)
            .arg("--json")
            .current_dir(self.dir.path().join(at))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &home)
            .env("TMPDIR", home.join("tmp"))
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let value = serde_json::from_slice(&output.stdout);
        let value = value.unwrap_or_else(|why| panic!("{args:?}: {why}\n{said}"));
        (output.status.code().unwrap(), value)
    }
}

/// A program by the name of an agent, at work in a folder for as long as this is held.
struct Agent(Child);

impl Agent {
    fn at(place: &Path, own: &Path) -> Self {
        let child = Command::new(super::alive::by_name(own, "claude"))
            .arg("600")
            .current_dir(place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Resumes, then undoes from elsewhere: under a live agent, and once that has ended.
fn undone_from(beginning: &str, point: &str, at: &str) {
    let (sandbox, elsewhere) = (Sandbox::new(), Elsewhere::new());
    let named = match beginning {
        "crucible" => sandbox.crucible(),
        word => word.to_owned(),
    };
    let case = format!("{beginning} {point} from {at}");
    let before = sandbox.persons();
    let (code, done) = sandbox.json(&["resume", &named, point, "--yes"]);
    assert_eq!(code, 0, "{case}: {done}");
    let recovery = done["recovery"]["id"].as_str().unwrap();
    let resumed = sandbox.persons();
    let (_, shown) = sandbox.json(&["show", &named]);
    let root = &shown["pipeline"]["work_tree"];
    let root = root
        .as_str()
        .or_else(|| shown["pipeline"]["root"].as_str())
        .unwrap();
    let agent = Agent::at(Path::new(root), elsewhere.dir.path());
    let (code, refused) = elsewhere.json(&sandbox, at, &["undo", recovery, "--yes"]);
    assert_eq!(code, 3, "{case}: {refused}");
    let guards = refused["error"]["guards"].as_array().unwrap();
    assert!(
        guards.iter().any(|g| g["id"] == "liveness"),
        "{case}: {refused}"
    );
    assert_eq!(
        differences(&resumed, &sandbox.persons()),
        Vec::<PathBuf>::new(),
        "{case}"
    );
    drop(agent);
    sandbox.grow_old();
    let (code, here) = sandbox.json(&["undo", recovery, "--dry-run"]);
    assert_eq!(code, 0, "{case}: {here}");
    let (code, there) = elsewhere.json(&sandbox, at, &["undo", recovery, "--dry-run"]);
    assert_eq!(code, 0, "{case}: {there}");
    assert_eq!(here["plan"], there["plan"], "{case}");
    let (code, undone) = elsewhere.json(&sandbox, at, &["undo", recovery, "--yes"]);
    assert_eq!(code, 0, "{case}: {undone}");
    if point.ends_with("-commit") {
        // W15: what a rollback's undo leaves lying beside the worktree.
        let notes = undone["notes"].to_string();
        for words in [
            "/.backup is kept: the log ",
            "/ROLLBACK_LOG.md still names ",
        ] {
            assert!(notes.contains(words), "{case}: {notes}");
        }
    }
    let after = sandbox.persons();
    for path in differences(&before, &after) {
        let log = fs::read_to_string(&path).unwrap_or_default();
        let said = log.contains(&format!("relight: recovery {recovery} undone"));
        assert!(said || path.is_dir(), "{case}: {} differs", path.display());
        let notes = undone["notes"].as_array().unwrap();
        let named = notes.iter().any(|note| {
            let note = note.as_str().unwrap();
            note.contains(path.to_str().unwrap()) && note.contains("stay")
        });
        assert!(
            named || path.is_dir(),
            "{case}: {notes:?} do not name {}",
            path.display()
        );
    }
}

#[test]
fn w4_crucible() {
    if !crate::judge::git_is_there() {
        return;
    }
    undone_from("crucible", "wave-2", "");
    undone_from("crucible", "wave-2", "repo");
}

#[test]
fn w4_autoconference() {
    if !crate::judge::git_is_there() {
        return;
    }
    undone_from("tokenizer-speed", "round-2-mid", "");
    undone_from("tokenizer-speed", "round-2-mid", "repo");
}

#[test]
fn w4_mgw() {
    if !crate::judge::git_is_there() {
        return;
    }
    undone_from("mgw-57", "step-plan", "repo");
}

#[test]
fn w4_superscientist() {
    if !crate::judge::git_is_there() {
        return;
    }
    undone_from("superscientist-polymer", "stage-1:rerun", "repo");
}

#[test]
fn w4_nine_step() {
    if !crate::judge::git_is_there() {
        return;
    }
    undone_from("two-factor", "phase-1-step-1", "repo");
    undone_from("csv-export", "phase-0-commit", "");
}

#[test]
fn w16_a_plan_has_the_same_fingerprint_from_every_directory() {
    if !crate::judge::git_is_there() {
        return;
    }
    let (sandbox, elsewhere) = (Sandbox::new(), Elsewhere::new());
    let crucible = sandbox.crucible();
    for (id, point) in [
        (crucible.as_str(), "wave-2"),
        ("tokenizer-speed", "round-2-mid"),
        ("mgw-57", "step-plan"),
        ("superscientist-polymer", "stage-1:rerun"),
        ("two-factor", "phase-1-step-1"),
    ] {
        let (_, shown) = sandbox.json(&["show", id]);
        let file = shown["pipeline"]["state_files"][0].as_str().unwrap();
        let print = |(code, plan): (i32, Value)| {
            assert_eq!(code, 0, "{id}: {plan}");
            plan["plan"]["fingerprint"].as_str().unwrap().to_owned()
        };
        let here = print(sandbox.json(&["plan", id, point]));
        assert_eq!(
            print(sandbox.json(&["resume", id, point, "--dry-run"])),
            here,
            "{id}"
        );
        for at in ["", "repo"] {
            let there = elsewhere.json(&sandbox, at, &["plan", file, point]);
            assert_eq!(print(there), here, "{id} from {at:?}");
        }
    }
}
