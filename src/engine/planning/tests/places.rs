//! Whether a pipeline may go on where it is, asked by every front end.

use std::fs;
use std::path::{Path, PathBuf};

use super::{commits, rebase};
use crate::engine::testing::Scene;
use crate::git::testing::{command, git, git_is_there};
use crate::model::{CauseKind, Guard, PlanOptions, PointChoice, Readiness, Status};

/// Every work tree of the sandbox.
fn work_trees(scene: &Scene) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![scene.path("projects")];
    while let Some(dir) = todo.pop() {
        for entry in dir.read_dir().unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() == ".git" {
                found.push(dir.clone());
            } else if entry.file_type().unwrap().is_dir() {
                todo.push(entry.path());
            }
        }
    }
    found
}

/// A commit of the same files with another history.
fn other_commit(tree: &Path) -> String {
    let root = git(tree, &["rev-list", "--max-parents=0", "HEAD"]);
    let somebody = ["-c", "user.name=x", "-c", "user.email=x@x"];
    let args = ["commit-tree", "-m", "x", "-p", root.trim(), "HEAD^{tree}"];
    let commit = git(tree, &[&somebody[..], &args[..]].concat());
    commit.trim().to_owned()
}

fn git_file(tree: &Path, name: &str) -> PathBuf {
    let path = git(tree, &["rev-parse", "--git-path", name]);
    tree.join(path.trim())
}

/// Brings a work tree into an odd state.
fn bring(tree: &Path, into: &str) {
    match into {
        "merge" => {
            let other = other_commit(tree);
            commits(tree, &["merge", "--no-ff", "--no-commit", &other]);
        }
        "cherry-pick" => {
            git(tree, &["stash"]);
            let other = other_commit(tree);
            commits(tree, &["cherry-pick", &other]);
        }
        "rebase" => rebase(tree),
        "index.lock" => fs::write(git_file(tree, "index.lock"), "").unwrap(),
        "detached" => {
            git(tree, &["checkout", "--detach"]);
        }
        "wrong branch" => {
            git(tree, &["checkout", "-b", "elsewhere-of-its-own"]);
            // The next work tree of the same repository has another one.
            let name = format!("elsewhere-{}", tree.file_name().unwrap().display());
            git(tree, &["branch", "-m", &name]);
        }
        "split index" => {
            git(tree, &["update-index", "--split-index"]);
        }
        "no files" => {
            for file in ["conference.md", "workflow-state.json"] {
                let listed = command(tree, &["ls-files", "-o", "-c", "-z"], &[]);
                let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
                for path in listed.split('\0').filter(|path| path.ends_with(file)) {
                    let _gone = fs::remove_file(tree.join(path));
                }
            }
        }
        _ => {}
    }
}

#[test]
fn no_face_offers_to_go_on_where_another_refuses() {
    if !git_is_there() {
        return;
    }
    let states = [
        "merge",
        "cherry-pick",
        "rebase",
        "index.lock",
        "detached",
        "wrong branch",
        "split index",
        "no files",
        "as it is",
    ];
    let (mut offered, mut withheld) = (0, 0);
    for state in states {
        let scene = Scene::edited(|scene| {
            for tree in work_trees(scene) {
                bring(&tree, state);
            }
        });
        for id in &scene.ids {
            let options = PlanOptions::default();
            let plan = scene.engine.plan(id, &PointChoice::Recommended, &options);
            let Ok(plan) = plan else {
                continue;
            };
            let plan_offers = plan.offers_conversation();
            let why = scene.engine.why(id, false).unwrap();
            let closed = |one: &&crate::model::Conversation| one.cause.kind != CauseKind::Running;
            for one in why.conversations.iter().filter(closed) {
                let offers = one.resume.is_some();
                if offers {
                    offered += 1;
                    assert!(plan_offers, "{state} {id} {:?}", plan.guards);
                } else if !plan_offers {
                    withheld += 1;
                }
                let command = format!("--resume {}", one.id.lossy());
                let listed = scene.engine.listed_cause(id);
                let listed = listed.as_ref().map_or(&[][..], |cause| &cause.next);
                for next in why.cause.next.iter().chain(listed).chain(&one.cause.next) {
                    let text = next.lossy();
                    assert!(
                        plan_offers || !text.contains(&command),
                        "{state} {id} {text}"
                    );
                    assert!(
                        state != "rebase" || !text.contains(" switch "),
                        "{state} {id} {text}"
                    );
                }
            }
            for check in scene.engine.checks(id).unwrap_or_default() {
                let remedy = check.remedy.unwrap_or_default();
                let text = remedy.lossy();
                assert!(
                    state != "rebase" || !text.contains("git switch") && !text.contains(" switch "),
                    "{id} {} {text}",
                    check.id.0
                );
            }
        }
    }
    assert!(offered > 0 && withheld > 0, "{offered} {withheld}");
}

/// The records of some systems outlive the project: then no point of theirs can be resumed at.
#[test]
fn nothing_is_resumed_in_a_project_that_is_missing() {
    let scene = Scene::new();
    let mut lost = Vec::new();
    for id in &scene.ids {
        let pipeline = scene.engine.dossier(id).unwrap().pipeline;
        let (root, aside) = (pipeline.reading.root.clone(), scene.path("aside"));
        fs::rename(&root, &aside).unwrap();
        let dossier = scene.engine.dossier(id);
        // What lies in the project is gone with it, and nothing is said of what is left.
        if let Err(error) = &dossier {
            let text = error.text.lossy();
            assert!(text.starts_with(&format!("{id} is gone: ")), "{text}");
        }
        if let Ok(dossier) = dossier {
            let [before, now] = [&pipeline, &dossier.pipeline].map(|one| one.standing.status);
            assert!(now != Status::Unreadable || before == now, "{id}");
            for point in &dossier.points {
                assert!(
                    matches!(point.readiness, Readiness::Blocked(_)),
                    "{id} {:?}",
                    point.boundary.id
                );
                let choice = PointChoice::Id(point.boundary.id.clone());
                let plan = scene.engine.plan(id, &choice, &PlanOptions::default());
                let refuses = |guard: &Guard| guard.id == "work_tree" && guard.refuses();
                assert!(plan.unwrap().guards.iter().any(refuses), "{id}");
                lost.push(pipeline.reading.system.0);
            }
        }
        fs::rename(&aside, &root).unwrap();
    }
    lost.sort_unstable();
    lost.dedup();
    assert_eq!(lost, ["claude-workflow", "crucible"]);
}
