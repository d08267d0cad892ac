//! Repositories as people have them: what a clone lacks, and what a crash damaged, is unknown and never missing, and
//! each refusal names the way out of it.

mod clones;

use std::process::Command;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

/// A sandbox whose project with a checkpoint store is in another world of git.
struct World {
    sandbox: Sandbox,
    project: &'static str,
    id: String,
}

impl World {
    fn new(script: &str) -> Self {
        Self::of("crucible", "shop", script)
    }

    /// The first pipeline of a system, in another project.
    fn of(system: &str, project: &'static str, script: &str) -> Self {
        let sandbox = Sandbox::new();
        let (_, list) = sandbox.json(&["list", "--system", system]);
        let id = list["pipelines"][0]["id"].as_str().unwrap().to_owned();
        let world = Self {
            sandbox,
            project,
            id,
        };
        world.sh(script);
        world
    }

    /// Runs a script in the project.
    fn sh(&self, script: &str) {
        let project = self.sandbox.root().join("projects").join(self.project);
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

/// A repository whose format is not read here: what its commits and its branch would say is unknown, and said so.
#[test]
fn what_an_unreadable_repository_would_say_is_unknown_in_the_hand_off() {
    if !crate::judge::git_is_there() {
        return;
    }
    let odd = "git config core.repositoryformatversion 1
        git config extensions.objectformat sha256";
    let world = World::of("mgw", "notes", odd);
    let (code, plan) = world.json("plan", &["step-plan"]);
    assert_eq!(code, 0, "{plan:#}");
    let plan = &plan["plan"];
    let briefing = plan["handoff"]["briefing"].as_str().unwrap();
    assert!(!briefing.contains("no commits"), "{briefing}");
    assert!(!briefing.contains("nothing newer"), "{briefing}");
    assert!(briefing.contains("commits unknown"), "{briefing}");
    let (_, points) = world.json("points", &[]);
    let said = "is checked out is unknown";
    for warnings in [&plan["warnings"], &points["points"][0]["warnings"]] {
        assert!(warnings.to_string().contains(said), "{warnings}");
    }
    // The question does not say it again.
    let guards = plan["guards"].as_array().unwrap();
    let question = guards.iter().find(|one| one["id"] == "gate:branch");
    let question = question.unwrap()["text"].as_str().unwrap();
    assert!(question.contains(" checked out in "), "{question}");
    assert!(!question.contains(said), "{question}");
}

/// The checkpoints of a project that was moved stay with the store of its old path, and are not chosen.
#[test]
fn a_checkpoint_of_the_old_path_of_a_project_is_not_said_to_be_missing() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::new("mv ../shop ../moved");
    let moved = world.sandbox.root().join("projects/moved");
    let (_, plan) = world.json("plan", &["--work-tree", moved.to_str().unwrap()]);
    let point = plan["plan"]["point"].to_string();
    assert!(!point.contains("There is no checkpoint"), "{point}");
    assert!(
        point.contains("belongs to the old path of the project"),
        "{point}"
    );
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

/// One unreadable commit does not hide those that can be read, and it is named.
#[test]
fn the_commits_before_a_missing_one_are_listed() {
    if !crate::judge::git_is_there() {
        return;
    }
    let damage = "rm -rf .git; git init -q .; git config user.name a; git config user.email a@x
        for n in 1 2 3; do sed -i \"s/^  \\\"updated.*/  \\\"updated\\\": \\\"2026-06-0${n}T00:00:00Z\\\",/\" polymer-ring/workflow-state.json
        git add -A; git commit -qm $n; done
        old=$(git rev-parse HEAD~1); rm -f .git/objects/${old%??????????????????????????????????????}/${old#??}";
    let world = World::of("superscientist", "science", damage);
    let output = world.sandbox.run(&["checkpoints", &world.id]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("Not every commit"), "{said}");
    let (code, answer) = world.json("checkpoints", &[]);
    let all = answer["checkpoints"].as_array().unwrap().iter();
    let commits: Vec<&Value> = all.filter(|one| one["reason"] == "3").collect();
    assert_eq!((code, commits.len()), (0, 1), "{answer:#}");
    let id = commits[0]["id"].as_str().unwrap();
    let (code, plan) = world.json("restore", &["--checkpoint", id, "--dry-run"]);
    assert_ne!(code, 2, "{plan:#}");
}

/// One commit that cannot be read hides what is before it: the newer ones are read, and no phase is said to have none.
#[test]
fn a_damaged_commit_hides_no_newer_one() {
    if !crate::judge::git_is_there() {
        return;
    }
    let damage = "old=$(git rev-parse feature/price-alerts~1)
        file=.git/objects/$(echo $old | cut -c1-2)/$(echo $old | cut -c3-)
        test -e $file && rm -f $file";
    let world = World::of("nine-step", "trader", damage);
    let (_, verify) = world.json("verify", &[]);
    let checks = verify["checks"].as_array().unwrap().iter();
    let commits: Vec<&Value> = checks.filter(|check| check["id"] == "N8").collect();
    let verdicts: Vec<&Value> = commits.iter().map(|check| &check["verdict"]).collect();
    assert!(
        verdicts.iter().all(|verdict| *verdict != "fail"),
        "{commits:#?}"
    );
    let said = commits[0]["evidence"].as_str().unwrap();
    assert!(said.starts_with("Commit "), "{said}");
    let (_, shown) = world.json("show", &[]);
    let findings = shown.to_string();
    assert!(findings.contains("unread-commits"), "{findings}");
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

#[test]
fn a_worktree_whose_link_is_broken_is_one_again_after_the_command_that_is_named() {
    if !crate::judge::git_is_there() {
        return;
    }
    let broken = "echo /elsewhere/.git > .git/worktrees/price-alerts/gitdir";
    let world = World::of("nine-step", "trader", broken);
    let (code, refused) = world.json("plan", &[]);
    assert_eq!(code, 3, "{refused:#}");
    let guards = refused["plan"]["guards"].as_array().unwrap().iter();
    let mut cures = guards.filter_map(|guard| guard["would_hold_if"].as_str());
    let cure = cures.find(|cure| cure.starts_with("git worktree repair "));
    world.sh(cure.unwrap_or_else(|| panic!("{refused:#}")));
    let (code, plan) = world.json("plan", &[]);
    assert_eq!(code, 0, "{plan:#}");
}

#[test]
fn a_link_is_restored_as_git_checks_it_out_where_links_are_switched_off() {
    if !crate::judge::git_is_there() {
        return;
    }
    let script = "cd .worktree/price-alerts && ln -s app/alerts.py latest && git add latest
        git -c user.name=a -c user.email=a commit -q --amend --no-edit
        git config core.symlinks false && rm latest && echo other > latest";
    let world = World::of("nine-step", "trader", script);
    let link = world
        .sandbox
        .root()
        .join("projects/trader/.worktree/price-alerts/latest");
    let (code, answer) = world.json("resume", &["phase-1-commit", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{answer:#}");
    assert!(link.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read_to_string(&link).unwrap(), "app/alerts.py");
    world.sh("test -z \"$(git -C .worktree/price-alerts status --short latest)\"");
    let undo = world.sandbox.run(&["undo", "--yes", "--assume-stopped"]);
    assert!(undo.status.success(), "{undo:?}");
    assert_eq!(std::fs::read_to_string(&link).unwrap(), "other\n");
}
