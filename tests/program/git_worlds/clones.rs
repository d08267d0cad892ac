//! Shallow clones: the history that they lack is unknown and never missing.

use serde_json::Value;

use super::{SHALLOW, World};

#[test]
fn commits_that_a_shallow_clone_lacks_are_neither_counted_nor_denied() {
    if !crate::judge::git_is_there() {
        return;
    }
    for (depth, least, refusal) in [
        (
            "1",
            "At least 1 commit of the project is newer",
            "No commit that this clone has is older",
        ),
        (
            "2",
            "At least 2 commits of the project are newer",
            "No commit that this clone has is older",
        ),
        ("3", "2 commits of the project are newer", ""),
    ] {
        let world = World::new(&SHALLOW.replace("--depth 1", &format!("--depth {depth}")));
        let (_, keeps) = world.json("plan", &["wave-1"]);
        let losses = keeps["plan"]["losses"].to_string();
        assert!(losses.contains(&format!("\"{least}")), "{depth}: {losses}");
        let (code, moves) = world.json("plan", &["wave-1", "--rewind-branch"]);
        let guards = moves["plan"]["guards"].to_string();
        assert_eq!(code, if refusal.is_empty() { 0 } else { 3 }, "{guards}");
        assert!(guards.contains(refusal), "{guards}");
    }
}

#[test]
fn the_start_of_a_branch_that_a_shallow_clone_lacks_is_said_to_be_unknown() {
    if !crate::judge::git_is_there() {
        return;
    }
    let cut = "git rev-parse main feature/price-alerts > .git/shallow";
    let world = World::of("nine-step", "trader", cut);
    assert!(world.id.contains("price-alerts"), "{}", world.id);
    let (_, verify) = world.json("verify", &[]);
    let mut checks = verify["checks"].as_array().unwrap().iter();
    let merged = checks.find(|check| check["id"] == "N13").unwrap();
    let said = merged["evidence"].as_str().unwrap();
    assert!(said.contains("phase-0-commit is not offered"), "{said}");
    assert!(said.contains("git fetch --unshallow"), "{said}");
}

/// The check of a commit that a record names: it failed in a whole repository, and cannot in a shallow one.
#[test]
fn a_recorded_commit_that_a_shallow_clone_may_lack_is_not_said_to_be_missing() {
    if !crate::judge::git_is_there() {
        return;
    }
    let mode =
        "printf 'mode: refactor\\nbaseline: %040d\\n' 7 > ../../home/tmp/crucible-build-mode.md";
    let record = r#"sed -i '0,/"agent": "git-worktree-manager", /s//&"commit_sha": "0000000000000000000000000000000000000007", /' \
        .worktree/price-alerts/workflow-state.json"#;
    for (system, project, script, check) in [
        ("crucible", "shop", mode, "F13"),
        ("nine-step", "trader", record, "N9"),
    ] {
        let world = World::of(system, project, script);
        let verdicts = || {
            let (_, verify) = world.json("verify", &[]);
            let checks = verify["checks"].as_array().unwrap().iter();
            let checks = checks.filter(|one| one["id"] == check);
            let verdicts: Vec<Value> = checks.map(|one| one["verdict"].clone()).collect();
            verdicts
        };
        assert_eq!(verdicts(), ["fail"], "{check}");
        world.sh("git rev-list --all --max-parents=1 > .git/shallow");
        assert_ne!(verdicts(), ["fail"], "{check}");
    }
}
