//! Repositories as people have them: what a clone lacks, and what a crash damaged, is unknown and never missing, and
//! each refusal names the way out of it.

use std::process::Command;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

/// A sandbox whose project with a checkpoint store is in another world of git.
struct World {
    sandbox: Sandbox,
    id: String,
}

impl World {
    fn new(script: &str) -> Self {
        let sandbox = Sandbox::new();
        let id = sandbox.crucible();
        let world = Self { sandbox, id };
        world.sh(script);
        world
    }

    /// Runs a script in the project.
    fn sh(&self, script: &str) {
        let project = self.sandbox.root().join("projects/shop");
        let output = Command::new("sh")
            .args(["-ec", script])
            .current_dir(project)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {said}");
    }

    fn json(&self, command: &str, more: &[&str]) -> (i32, Value) {
        let args: Vec<&str> = [command, &self.id].iter().chain(more).copied().collect();
        self.sandbox.json(&args)
    }

    fn recommended(&self) -> String {
        let (_, points) = self.json("points", &[]);
        let mut points = points["points"].as_array().unwrap().iter();
        let one = points.find(|point| point["recommended"] == true);
        one.unwrap()["id"].as_str().unwrap().to_owned()
    }
}

const SHALLOW: &str = "git clone -q --depth 1 \"file://$PWD\" ../cut
    rm -rf .git && mv ../cut/.git .git";
const SPARSE_INDEX: &str = "git checkout -q -- . && rm src/price_cache_wip.rs
    git sparse-checkout set --cone --sparse-index docs";

/// The world, a check and what its evidence says, and what the refusal of a restore says: nothing if it is possible.
const WORLDS: &[(&str, &str, &str, &str)] = &[
    (SHALLOW, "F5", "git fetch --unshallow", ""),
    (SHALLOW, "F6", "git fetch --unshallow", ""),
    ("printf '' > .git/HEAD", "F4", "`HEAD`", "`HEAD`"),
    (
        "head -c 41 /dev/zero > .git/refs/heads/feat/price-cache",
        "F4",
        "cannot be read",
        "cannot be read",
    ),
    (
        SPARSE_INDEX,
        "F5",
        "is an ancestor",
        "sparse-checkout reapply --no-sparse-index",
    ),
    (
        "git init -q --separate-git-dir ../apart",
        "F4",
        "does not point back",
        "config core.worktree",
    ),
];

#[test]
fn what_git_cannot_tell_here_fails_no_check_and_moves_no_recommendation() {
    if !crate::judge::git_is_there() {
        return;
    }
    for (script, check, evidence, refusal) in WORLDS {
        let world = World::new(script);
        let (code, verify) = world.json("verify", &[]);
        assert_eq!(code, 0, "{script}: {verify:#}");
        let checks = verify["checks"].as_array().unwrap();
        let mut same = checks.iter().filter(|one| one["id"] == *check);
        let said = same.any(|one| one["evidence"].as_str().unwrap().contains(evidence));
        assert!(said, "{script}: {verify:#}");
        assert_eq!(world.recommended(), "wave-2", "{script}");
        let (code, plan) = world.json("plan", &["wave-1"]);
        let guards = plan["plan"]["guards"].as_array().unwrap().iter();
        let failed: Vec<&Value> = guards.filter(|guard| guard["holds"] == false).collect();
        let text = serde_json::to_string(&failed).unwrap();
        assert_eq!(
            code,
            if refusal.is_empty() { 0 } else { 3 },
            "{script}: {text}"
        );
        assert!(
            failed.len() < 2 && text.contains(refusal),
            "{script}: {text}"
        );
    }
}

#[test]
fn files_that_a_sparse_index_leaves_out_are_not_restored_as_deleted() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::new(SPARSE_INDEX);
    let before = world.sandbox.all();
    let (code, refused) = world.json("resume", &["wave-1", "--yes"]);
    assert_eq!(code, 3, "{refused:#}");
    assert!(world.sandbox.all() == before);
    world.sh("git sparse-checkout reapply --no-sparse-index");
    let (code, plan) = world.json("plan", &["wave-1"]);
    assert_eq!(code, 0, "{plan:#}");
    assert_eq!(plan["plan"]["actions"], serde_json::json!([]));
    assert!(
        plan["plan"]["left_out"]
            .to_string()
            .contains("src/stock.rs")
    );
}

#[test]
fn a_damaged_index_is_said_to_be_damaged_with_a_way_out_that_works() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::new("printf garbage > .git/index");
    let losses = || {
        let (code, plan) = world.json("plan", &["wave-1"]);
        assert_eq!(code, 0, "{plan:#}");
        plan["plan"]["losses"].to_string()
    };
    let unknown = losses();
    assert!(
        unknown.contains("the index is damaged (build it again"),
        "{unknown}"
    );
    world.sh("git read-tree HEAD");
    assert!(losses().contains("Uncommitted changes will be overwritten: src/price.rs"));
}

#[test]
fn a_repository_that_cannot_be_read_is_not_said_to_be_none() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::new("git refs migrate --ref-format=reftable");
    let project = world.sandbox.root().join("projects/shop");
    let doctor = world.sandbox.run_in(&project, &["doctor"]);
    let text = String::from_utf8(doctor.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("work tree"));
    assert!(
        line.unwrap().contains("unknown: a repository format"),
        "{text}"
    );
}

#[test]
fn a_branch_that_cannot_be_read_is_unknown_and_a_detached_head_is_none() {
    if !crate::judge::git_is_there() {
        return;
    }
    for (script, branch) in [
        (
            "git checkout -q --detach",
            "none, expected feat/price-cache",
        ),
        (
            "printf '' > .git/HEAD",
            "unknown, expected feat/price-cache",
        ),
    ] {
        let world = World::new(script);
        let shown = world.sandbox.run(&["show", &world.id]);
        let text = String::from_utf8(shown.stdout).unwrap();
        let line = text.lines().find(|line| line.starts_with("branch"));
        assert!(line.unwrap().ends_with(branch), "{text}");
    }
}
