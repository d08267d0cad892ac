//! What sweeps a work tree does not reach what was kept, and undo needs nothing of the project's to work.

use std::fs;
use std::path::Path;

use relight::model::{RecoveryId, RestoreMode};

use super::git;
use super::picture::{self, Picture};
use super::project::{Moment, Project, carry, options};
use super::reset::{Conference, collect_garbage};

/// A project whose agent changed one committed and one untracked file, restored. Gives how it was before.
fn restored(project: &Project) -> (Moment, RecoveryId) {
    project.write(".gitignore", "/target\n");
    project.write("committed.txt", "first\n");
    project.commit("work", "2031-03-02T09:30:00Z");
    project.write("untracked.txt", "first\n");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    project.write("committed.txt", "then\n");
    project.write("untracked.txt", "then\n");
    project.write("target/since.txt", "ignored\n");
    project.write("since.txt", "then\n");
    let before = project.now();
    let (_, outcome) = project.restore(&id, &options(RestoreMode::Exact));
    assert!(!project.path("since.txt").exists());
    (before, outcome.recovery.unwrap().id)
}

/// What git's own sweep takes is gone; everything that the recovery replaced is back.
pub(crate) fn survives_a_sweep(project: &Project) {
    let (before, recovery) = restored(project);
    git::run(&project.root, &["clean", "-ffdxq"]);
    assert!(!project.path("untracked.txt").exists());
    git::sound(&project.root);
    collect_garbage(&project.root);
    project.undo(Some(&recovery), false);
    let without = |mut files: Picture| {
        files.retain(|path, _| !path.starts_with("target"));
        files
    };
    let (wanted, found) = (without(before.files), without(project.now().files));
    assert_eq!(picture::differences(&wanted, &found), Vec::<String>::new());
}

#[test]
fn a_sweep_of_the_work_tree_takes_nothing_that_was_kept() {
    if git::is_there() {
        survives_a_sweep(&Project::new());
    }
}

/// Every file beneath a folder that holds these bytes.
pub(crate) fn holding(folder: &Path, bytes: &[u8]) -> usize {
    let files = picture::take(folder);
    files.values().filter(|entry| entry.bytes == bytes).count()
}

#[test]
fn a_worktree_that_git_removes_leaves_what_was_kept_of_it() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let worktree = project.path("worktrees/B");
    let conference = Conference::new(project, &worktree);
    conference.half_done();
    let recovery = conference.resume();
    let project = &conference.project;
    let path = worktree.to_str().unwrap();
    // While it is open its number is not given to the folder that comes in its place.
    let open = std::fs::File::open(&worktree).unwrap();
    git::run(&project.root, &["worktree", "remove", "--force", path]);
    assert!(!worktree.exists());
    let half = b"fn main() { half\n";
    assert_eq!(holding(&project.state, half), 1);
    let undo = project.engine().undo_plan(
        Some(&recovery.0),
        false,
        &relight::model::UndoOptions::default(),
        &project.request(),
    );
    let said = undo.map(|plan| plan.actions.len()).unwrap_err().text;
    assert!(said.lossy().contains("worktrees/B"), "{said:?}");
    // The same place again is another folder: nothing is put into it unasked, and nothing that was kept goes.
    git::run(
        &project.root,
        &["worktree", "add", "-q", path, "conference/researcher-B"],
    );
    let undo = project.engine().undo_plan(
        Some(&recovery.0),
        false,
        &relight::model::UndoOptions::default(),
        &project.request(),
    );
    drop(open);
    assert!(undo.is_err());
    assert_eq!(holding(&project.state, half), 1);
    git::sound(&project.root);
}

#[test]
fn undo_rests_on_nothing_that_the_project_says_about_itself() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (before, recovery) = restored(&project);
    let (ignore, config) = (project.path(".gitignore"), project.path(".git/config"));
    let was = [fs::read(&ignore).unwrap(), fs::read(&config).unwrap()];
    fs::write(&ignore, "*\n").unwrap();
    let hostile = "[core]\n\tworktree = /nowhere\n\tautocrlf = true\n\tfsmonitor = false\n";
    fs::write(&config, [was[1].as_slice(), hostile.as_bytes()].concat()).unwrap();
    let engine = project.engine();
    let options = relight::model::UndoOptions::default();
    let plan = engine.undo_plan(Some(&recovery.0), false, &options, &project.request());
    let plan = plan.unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
    carry(&engine, &plan).unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
    fs::write(&ignore, &was[0]).unwrap();
    fs::write(&config, &was[1]).unwrap();
    let mut found = project.now();
    let own = Path::new(".gitignore");
    found
        .files
        .insert(own.to_owned(), before.files.get(own).unwrap().clone());
    before.same(&found);
}

/// A directory in the place of a file leaves with all that it holds, which the plan counts and names.
#[test]
fn an_undo_says_what_a_directory_in_the_place_of_a_file_holds() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (before, recovery) = restored(&project);
    let place = project.path("committed.txt");
    fs::remove_file(&place).unwrap();
    project.write("committed.txt/new.txt", "new\n");
    project.write("committed.txt/target/deep.txt", "deep\n");
    fs::create_dir(place.join("empty")).unwrap();
    let dir = picture::take(&place);
    let engine = project.engine();
    let none = relight::model::UndoOptions::default();
    let plan = engine.undo_plan(Some(&recovery.0), false, &none, &project.request());
    let plan = plan.unwrap();
    let tree = &plan.actions[0];
    assert_eq!(tree.changes.unwrap().removed, 2, "{tree:?}");
    let within = |path: &&relight::model::PlanPath| path.path.lossy().starts_with("committed.txt/");
    let rows: Vec<String> = tree
        .paths
        .iter()
        .filter(within)
        .map(|path| format!("{} {}", path.change.word(), path.path.lossy()))
        .collect();
    assert_eq!(
        rows,
        [
            "remove committed.txt/new.txt",
            "remove committed.txt/target/deep.txt"
        ]
    );
    let losses: Vec<_> = plan
        .losses
        .iter()
        .map(|loss| loss.lossy().into_owned())
        .collect();
    let said = losses.join(" ");
    assert!(
        said.contains("new.txt and") && said.contains("deep.txt"),
        "{said}"
    );
    assert!(
        !said.contains("stay as they are") && !said.contains("stays as it is"),
        "{said}"
    );
    let undo = carry(&engine, &plan).unwrap().recovery.unwrap().id;
    before.same(&project.now());
    // The redo brings the directory back.
    project.undo(Some(&undo), true);
    assert_eq!(
        picture::differences(&dir, &picture::take(&place)),
        Vec::<String>::new()
    );
    // A repository is never moved, neither by the undo nor by that of the redo, though nothing of the directory itself
    // has changed since. What came to it is counted.
    project.write("committed.txt/later.txt", "later\n");
    let taken_back = [Some(recovery.0.as_str()), None];
    for id in taken_back {
        let plan = project
            .engine()
            .undo_plan(id, false, &none, &project.request());
        let plan = plan.unwrap();
        let tree = &plan.actions[0];
        assert_eq!(tree.changes.unwrap().removed, 3, "{tree:?}");
    }
    fs::create_dir_all(place.join("own/.git")).unwrap();
    let refused = |guard: &relight::model::Guard| guard.id == "nested" && guard.refuses();
    for id in taken_back {
        let engine = project.engine();
        let plan = engine
            .undo_plan(id, false, &none, &project.request())
            .unwrap();
        assert!(plan.guards.iter().any(refused), "{plan:?}");
        assert!(carry(&engine, &plan).is_err());
        assert!(place.join("own/.git").is_dir());
    }
}

#[test]
fn undo_needs_no_git_program() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (before, recovery) = restored(&project);
    let out = std::process::Command::new(assert_cmd::cargo::cargo_bin!("relight"))
        .args(["undo", &recovery.0, "--yes", "--assume-stopped"])
        .current_dir(&project.root)
        .env_clear()
        .env("PATH", "/nowhere")
        .env("HOME", project.base.join("home"))
        .env("TMPDIR", project.base.join("home").join("tmp"))
        .env("XDG_STATE_HOME", &project.state)
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    before.same(&project.now());
}
