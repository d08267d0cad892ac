//! The guards of plans in repositories that git itself brought into a state.

mod places;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::testing::Scene;
use crate::git::testing::{command, git, git_is_there};
use crate::model::{Guard, Plan, PlanOptions, PointChoice, PointId};

/// The work trees of pipelines that stopped on a branch: the beginning of the id, the work tree, the branch.
const TREES: [(&str, &str, &str); 4] = [
    ("crucible-", "projects/shop", "feat/price-cache"),
    (
        "nine-step-price-alerts",
        "projects/trader/.worktree/price-alerts",
        "feature/price-alerts",
    ),
    (
        "nine-step-csv-export",
        "projects/trader/.worktree/csv-export",
        "feature/csv-export",
    ),
    (
        "mgw-57",
        "projects/notes/.worktrees/issue/57-cache-lookups",
        "issue/57-cache-lookups",
    ),
];

fn tree(scene: &Scene, at: usize) -> PathBuf {
    scene.path(TREES[at].1)
}

fn plan(scene: &Scene, at: usize, point: &str, branch: Option<&str>) -> Plan {
    let options = PlanOptions {
        assume_stopped: true,
        branch: branch.map(str::to_owned),
        ..PlanOptions::default()
    };
    let point = PointChoice::Id(PointId(point.to_owned()));
    scene
        .engine
        .plan(scene.id(TREES[at].0), &point, &options)
        .unwrap()
}

/// Whether it is still found: without its state file, one is known by the commits of its branch alone.
fn is_found(scene: &Scene, at: usize) -> bool {
    scene.ids.iter().any(|id| id.0.starts_with(TREES[at].0))
}

/// The plans of every point.
fn plans(scene: &Scene, at: usize, branch: Option<&str>) -> Vec<(String, Plan)> {
    if !is_found(scene, at) {
        return Vec::new();
    }
    let dossier = scene.engine.dossier(scene.id(TREES[at].0)).unwrap();
    let points = dossier.points.iter();
    let points = points.map(|point| point.boundary.id.0.clone());
    points
        .map(|point| {
            let plan = plan(scene, at, &point, branch);
            (point, plan)
        })
        .collect()
}

fn guard<'a>(plan: &'a Plan, id: &str) -> Option<&'a Guard> {
    plan.guards.iter().find(|guard| guard.id == id)
}

fn cure(plan: &Plan, id: &str) -> String {
    let guard = guard(plan, id).unwrap_or_else(|| panic!("no {id} in {:?}", plan.guards));
    let cure = guard.would_hold_if.as_ref();
    cure.map_or_else(String::new, |cure| cure.lossy().into_owned())
}

fn head(scene: &Scene, at: usize) -> String {
    git(&tree(scene, at), &["rev-parse", "HEAD"])
        .trim()
        .to_owned()
}

fn as_somebody(scene: &Scene, at: usize, args: &[&str]) -> bool {
    commits(&tree(scene, at), args)
}

fn commits(tree: &Path, args: &[&str]) -> bool {
    let somebody = ["-c", "user.name=x", "-c", "user.email=x@x"];
    let args: Vec<&str> = somebody.iter().chain(args).copied().collect();
    let done = command(tree, &args, &[]);
    done.status.success()
}

/// Stops a rebase of a work tree in its middle.
fn rebase(tree: &Path) {
    git(tree, &["stash"]);
    let root = git(tree, &["rev-list", "--max-parents=0", "HEAD"]);
    let _stopped = commits(tree, &["rebase", "-x", "false", root.trim()]);
}

/// The ways in which HEAD can be on no branch, and whether the name of the branch answers them.
const HEADS: [(&str, bool); 5] = [
    ("tip", true),
    ("root", false),
    ("main", false),
    ("orphan", false),
    ("rebase", false),
];

fn detach(scene: &Scene, at: usize, how: &str) {
    let tree = tree(scene, at);
    if how == "rebase" {
        return rebase(&tree);
    }
    git(&tree, &["stash"]);
    let commit = match how {
        "tip" => head(scene, at),
        "root" => git(&tree, &["rev-list", "--max-parents=0", "HEAD"]),
        "main" => git(&tree, &["rev-parse", "main"]),
        _ => {
            let somebody = ["-c", "user.name=x", "-c", "user.email=x@x"];
            let args = ["commit-tree", "-m", "x", "HEAD^{tree}"];
            git(&tree, &[&somebody[..], &args[..]].concat())
        }
    };
    git(&tree, &["checkout", "--detach", commit.trim()]);
}

#[test]
fn a_detached_head_is_answered_only_at_the_tip_of_its_branch() {
    if !git_is_there() {
        return;
    }
    for (at, (id, _, branch)) in TREES.into_iter().enumerate() {
        for (how, answers) in HEADS {
            let scene = Scene::edited(|scene| detach(scene, at, how));
            for (point, asked) in plans(&scene, at, None) {
                let open = guard(&asked, "branch").unwrap();
                assert!(open.refuses(), "{id} {how} {point}");
                let text = open.text.lossy();
                assert!(text.contains("no branch (detached HEAD)"), "{point} {text}");
                assert!(!cure(&asked, "branch").is_empty(), "{id} {how} {point}");
            }
            for (point, named) in plans(&scene, at, Some(branch)) {
                let resets = named
                    .actions
                    .iter()
                    .any(|a| a.kind.word() == "reset_worktree");
                let found = guard(&named, "branch").map(|guard| guard.holds);
                let expected = Some(answers && !resets);
                assert_eq!(found, expected, "{id} {how} {point} {:?}", named.guards);
            }
        }
    }
}

#[test]
fn what_ends_a_detached_head_keeps_its_commits_and_runs() {
    if !git_is_there() {
        return;
    }
    for (at, (id, _, branch)) in TREES.into_iter().enumerate() {
        // A commit of one's own, on no branch.
        let scene = Scene::edited(|scene| {
            git(&tree(scene, at), &["checkout", "--detach"]);
            let args = ["commit", "-a", "--allow-empty", "-m", "feat: Phase 2 work"];
            assert!(as_somebody(scene, at, &args));
        });
        let lost = head(&scene, at);
        let point = plans(&scene, at, None).remove(0).0;
        let asked = plan(&scene, at, &point, Some(branch));
        let said = cure(&asked, "branch");
        let named = format!("branch rescue/{}", crate::model::short_id(&lost));
        assert!(said.contains(&named), "{id} {said}");
        for warning in &asked.warnings {
            let text = warning.lossy();
            assert!(
                !text.contains("mv ") && !text.contains("worktree add"),
                "{text}"
            );
        }
        let (_, command) = said.split_once("git -C").unwrap();
        let shell = std::process::Command::new("sh")
            .args(["-c", &format!("git -C{command}")])
            .output()
            .unwrap();
        assert!(shell.status.success(), "{said}: {shell:?}");
        let tree = tree(&scene, at);
        assert_eq!(git(&tree, &["branch", "--show-current"]).trim(), branch);
        let held = git(&tree, &["branch", "--contains", &lost]);
        assert!(held.contains("rescue/"), "{held}");
    }
}

#[test]
fn in_a_rebase_only_its_end_is_offered() {
    if !git_is_there() {
        return;
    }
    for (at, (id, _, _)) in TREES.into_iter().enumerate() {
        let scene = Scene::edited(|scene| rebase(&tree(scene, at)));
        for (point, asked) in plans(&scene, at, None) {
            for guard in asked.guards.iter().filter(|guard| guard.refuses()) {
                if guard.id != "branch" && guard.id != "git_state" {
                    continue;
                }
                let said = cure(&asked, &guard.id);
                assert!(said.contains(" rebase --abort"), "{id} {point} {said}");
                assert!(!said.contains(" switch "), "{id} {point} {said}");
            }
            for warning in &asked.warnings {
                assert!(!warning.lossy().contains(" switch "), "{id} {warning:?}");
            }
        }
    }
}

#[test]
fn a_plan_with_another_command_has_another_fingerprint() {
    let with = |words: &[&str]| {
        let mut settings = crate::engine::Settings::default();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if !words.is_empty() {
            settings.agents.insert("nine-step".to_owned(), words);
        }
        settings
    };
    let scene = Scene::new();
    let mut found = Vec::new();
    let id = scene.id(TREES[1].0).clone();
    let mut engine = scene.engine;
    for words in [&[][..], &["a"], &["a", "b"], &["a b"], &["b"]] {
        engine = engine.with_settings(with(words));
        let options = PlanOptions::default();
        let plan = || {
            engine
                .plan(&id, &PointChoice::Recommended, &options)
                .unwrap()
        };
        let first = plan();
        assert_eq!(first.fingerprint, plan().fingerprint);
        found.push(first.fingerprint.0);
    }
    let all = found.len();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), all);
}

#[test]
fn a_rollback_is_not_said_to_be_on_a_branch_of_its_own_without_one() {
    if !git_is_there() {
        return;
    }
    for (at, how) in [(1, "main"), (1, "tip"), (2, "main"), (2, "tip")] {
        let scene = Scene::edited(|scene| detach(scene, at, how));
        for (point, asked) in plans(&scene, at, Some(TREES[at].2)) {
            if let Some(guard) = guard(&asked, "main_branch") {
                assert!(!guard.holds, "{how} {point} {}", guard.text.lossy());
            }
            for loss in &asked.losses {
                let text = loss.text.lossy();
                assert!(!text.contains("removed from the branch"), "{how} {text}");
            }
        }
    }
}

#[test]
fn conflicts_are_one_guard_with_what_ends_them() {
    if !git_is_there() {
        return;
    }
    for paths in [1, 12] {
        let scene = Scene::edited(|scene| {
            let tree = tree(scene, 1);
            git(&tree, &["stash"]);
            let names: Vec<String> = (0..paths).map(|n| format!("c{n}.txt")).collect();
            let commit = |text: &str| {
                for name in &names {
                    fs::write(tree.join(name), text).unwrap();
                }
                let words: Vec<&str> = names.iter().map(String::as_str).collect();
                git(&tree, &[&["add"][..], &words[..]].concat());
                assert!(as_somebody(scene, 1, &["commit", "-m", text]));
            };
            git(&tree, &["checkout", "-b", "other"]);
            commit("theirs");
            git(&tree, &["checkout", TREES[1].2]);
            commit("ours");
            assert!(!as_somebody(scene, 1, &["merge", "--squash", "other"]));
        });
        let asked = plan(&scene, 1, "phase-0-commit", None);
        let refusing = asked.guards.iter().filter(|guard| guard.refuses());
        let ids: Vec<&str> = refusing.map(|guard| guard.id.as_ref()).collect();
        assert_eq!(ids, ["git_state"], "{:?}", asked.guards);
        let said = cure(&asked, "git_state");
        assert!(
            !said.contains("resolved: git -C") || said.contains(" add "),
            "{said}"
        );
    }
}
