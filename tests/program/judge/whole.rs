//! A directory that an undo or a redo moves as a whole: each file in it is shown, and nothing that leaves is said to
//! stay.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use relight::model::{Action, Loss, Plan, PlanOptions, RecoveryId, RestoreMode, UndoOptions};

use super::git;
use super::picture;
use super::project::{Moment, Project, carry, options};

/// Files that the person makes, the rows of the undo, and the counts of it and of its own undo.
type Case = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
    [[u64; 3]; 2],
);

/// A project whose restore moved the directory `nd` aside. Gives how it was before.
fn moved_aside(project: &Project) -> (Moment, RecoveryId) {
    project.write("a", "first\n");
    project.commit("work", "2031-03-02T09:30:00Z");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    project.write("a", "then\n");
    project.write("nd/n2", "agent\n");
    let before = project.now();
    let (_, outcome) = project.restore(&id, &options(RestoreMode::Exact));
    assert!(!project.path("nd").exists());
    let said: Vec<_> = outcome.verified.iter().map(|one| one.lossy()).collect();
    assert_eq!(
        said,
        [
            "1 path verified: it matches the plan; the previous version is in the backups.",
            "1 directory was moved as a whole, as planned."
        ]
    );
    (before, outcome.recovery.unwrap().id)
}

fn planned(project: &Project, id: &RecoveryId, redo: bool) -> Plan {
    let none = UndoOptions::default();
    let plan = project
        .engine()
        .undo_plan(Some(&id.0), redo, &none, &project.request());
    plan.unwrap_or_else(|why| panic!("{why} {:?}", why.hints))
}

/// The rows of a plan, with a mark where the path changed since.
fn rows(plan: &Plan) -> Vec<String> {
    let paths = plan.actions.iter().flat_map(|action| &action.paths);
    let row = |path: &relight::model::PlanPath| {
        let mark = if path.drifted { "!" } else { "" };
        format!("{} {}{mark}", path.change.word(), path.path.lossy())
    };
    paths.map(row).collect()
}

/// How many files the plan overwrites, restores and removes.
fn counts(plan: &Plan) -> [u64; 3] {
    let counts = plan.actions[0].changes.unwrap();
    [counts.modified, counts.added, counts.removed]
}

fn said(plan: &Plan) -> String {
    let losses = plan.losses.iter().map(|loss| loss.lossy().into_owned());
    losses.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_directory_that_leaves_is_listed_with_all_that_came_to_it() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (_, id) = moved_aside(&project);
    project.undo(Some(&id), false);
    let untouched = planned(&project, &id, true);
    assert_eq!(rows(&untouched), ["write a", "remove nd", "remove nd/n2"]);
    assert_eq!(said(&untouched), "");

    project.write("nd/mine.txt", "mine\n");
    project.write("nd/sub/deep.txt", "mine\n");
    let added = planned(&project, &id, true);
    let came = ["remove nd/mine.txt!", "remove nd/sub/deep.txt!"];
    assert_eq!(
        rows(&added),
        ["write a", "remove nd", came[0], "remove nd/n2", came[1]]
    );
    assert_eq!(counts(&added), [1, 0, 3]);

    project.write("nd/n2", "edited\n");
    let edited = planned(&project, &id, true);
    assert_ne!(edited.fingerprint, added.fingerprint);
    assert!(rows(&edited).contains(&"remove nd/n2!".to_owned()));
    let losses = said(&edited);
    assert!(!losses.contains("stay"), "{losses}");
    for name in ["nd/mine.txt", "nd/n2", "nd/sub/deep.txt"] {
        assert_eq!(losses.matches(name).count(), 1, "{losses}");
    }
    // What was agreed to before is another plan.
    assert!(carry(&project.engine(), &added).is_err());
    let nd = picture::take(&project.path("nd"));
    let redone = carry(&project.engine(), &edited).unwrap().recovery.unwrap();
    assert!(!project.path("nd").exists());
    project.undo(Some(&redone.id), false);
    let none = Vec::<String>::new();
    assert_eq!(
        picture::differences(&nd, &picture::take(&project.path("nd"))),
        none
    );
}

#[test]
fn a_repository_in_a_directory_that_leaves_stops_the_redo() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (_, id) = moved_aside(&project);
    project.undo(Some(&id), false);
    fs::create_dir_all(project.path("nd/own/.git")).unwrap();
    let plan = planned(&project, &id, true);
    let refused = plan
        .guards
        .iter()
        .find(|guard| guard.id == "nested")
        .unwrap();
    assert!(refused.refuses());
    // What it advises works.
    let cure = refused.would_hold_if.as_ref().unwrap().lossy().into_owned();
    let nd = project.path("nd");
    assert!(
        cure.contains(&format!("leave {} unchanged", nd.display())),
        "{cure}"
    );
    assert!(carry(&project.engine(), &plan).is_err());
    let engine = project.engine();
    let keep = UndoOptions {
        keep: vec![nd.clone()],
        ..UndoOptions::default()
    };
    let plan = engine.undo_plan(Some(&id.0), true, &keep, &project.request());
    let plan = plan.unwrap();
    assert_eq!(rows(&plan), ["write a"]);
    carry(&engine, &plan).unwrap();
    assert!(nd.join("own/.git").is_dir());
}

/// A file cannot stay where its directory leaves. That is said, and what to do instead.
#[test]
fn a_path_in_a_directory_that_leaves_is_not_kept_alone() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (_, id) = moved_aside(&project);
    let nd = project.path("nd");
    let refused = |redo: bool, path: PathBuf| {
        let keep = UndoOptions {
            keep: vec![path],
            ..UndoOptions::default()
        };
        let plan = project
            .engine()
            .undo_plan(Some(&id.0), redo, &keep, &project.request());
        let why = plan.map(|plan| plan.actions.len()).unwrap_err();
        assert!(!why.text.lossy().contains("did not touch"), "{why}");
        let hint = format!("--keep {}", nd.display());
        assert!(
            why.hints.iter().any(|one| one.lossy().ends_with(&hint)),
            "{:?}",
            why.hints
        );
    };
    for redo in [false, true] {
        project.write("nd/mine.txt", "mine\n");
        refused(redo, nd.join("mine.txt"));
        refused(redo, "nd/mine.txt".into());
        refused(redo, nd.join("n2"));
        let plan = planned(&project, &id, redo);
        let advice: Vec<_> = plan.losses.iter().map(Loss::lossy).collect();
        let advice = advice.join("\n");
        assert!(advice.contains(&format!("--keep {}.", nd.display())));
        assert!(!advice.contains("PATH"), "{advice}");
        if !redo {
            fs::remove_dir_all(&nd).unwrap();
            project.undo(Some(&id), false);
        }
    }
}

/// What somebody changed among the backups is not what the person had.
#[test]
fn a_directory_whose_backup_was_altered_is_not_restored() {
    if !git::is_there() {
        return;
    }
    let harms: [fn(&Path); 3] = [
        |nd| fs::write(nd.join("n2"), "altered\n").unwrap(),
        |nd| fs::write(nd.join("more"), "altered\n").unwrap(),
        |nd| fs::remove_file(nd.join("n2")).unwrap(),
    ];
    for harm in harms {
        let project = Project::new();
        let (_, id) = moved_aside(&project);
        let undo = |redo, keep| {
            let keep = UndoOptions {
                keep,
                ..UndoOptions::default()
            };
            let engine = project.engine();
            engine.undo_plan(Some(&id.0), redo, &keep, &project.request())
        };
        let damaged = |redo: bool| {
            let plan = undo(redo, Vec::new()).unwrap();
            let mut refusing = plan.guards.iter().filter(|guard| guard.refuses());
            let text = format!("The backup of {} is damaged.", project.path("nd").display());
            refusing.any(|guard| guard.text.lossy() == text)
        };
        let nd = backup_of_nd(&project);
        assert!(!damaged(false));
        harm(&nd);
        assert!(damaged(false));
        let plan = undo(false, vec![project.path("nd")]).unwrap();
        carry(&project.engine(), &plan).unwrap();
        assert!(nd.is_dir() && !project.path("nd").exists());
    }
}

/// The directory among the backups that the restore of [`moved_aside`] moved there.
fn backup_of_nd(project: &Project) -> PathBuf {
    let id = project.engine().recoveries(&project.request()).unwrap()[0].clone();
    let pairs = id.actions.iter().flat_map(Action::kept_pairs);
    let mut nd = pairs.filter(|pair| pair.here == project.path("nd"));
    nd.next().unwrap().kept.clone().unwrap()
}

/// Where the person made the directory anew, each row is what the disk shows.
#[test]
fn a_directory_that_was_made_anew_is_compared_file_by_file() {
    if !git::is_there() {
        return;
    }
    let cases: [Case; 4] = [
        (
            &[("nd/mine.txt", "mine\n")],
            &["write a", "remove nd/mine.txt!", "create nd/n2"],
            [[1, 1, 1], [1, 1, 1]],
        ),
        (
            &[("nd/mine.txt", "mine\n"), ("nd/n2", "mine\n")],
            &["write a", "remove nd/mine.txt!", "write nd/n2!"],
            [[2, 0, 1], [2, 1, 0]],
        ),
        (
            &[("nd/n2/in0", "mine\n"), ("nd/n2/deep/in1", "mine\n")],
            &[
                "write a",
                "write nd/n2!",
                "remove nd/n2/deep/in1!",
                "remove nd/n2/in0!",
            ],
            // A file gives way to a directory.
            [[2, 0, 2], [1, 2, 1]],
        ),
        (
            &[("nd", "a file\n")],
            &["write a", "remove nd!", "create nd/n2"],
            [[1, 1, 1], [2, 0, 1]],
        ),
    ];
    for (files, expected, numbers) in cases {
        let project = Project::new();
        let (before, id) = moved_aside(&project);
        for (path, text) in files {
            project.write(path, text);
        }
        let made = picture::take(&project.root);
        let plan = planned(&project, &id, false);
        assert_eq!(rows(&plan), expected, "{files:?}");
        assert_eq!(counts(&plan), numbers[0], "{files:?}");
        let undo = carry(&project.engine(), &plan)
            .unwrap()
            .recovery
            .unwrap()
            .id;
        before.same(&project.now());
        let plan = planned(&project, &undo, false);
        assert_eq!(counts(&plan), numbers[1], "{files:?}");
        assert!(!rows(&plan).iter().any(|row| row.ends_with('!')));
        carry(&project.engine(), &plan).unwrap();
        let none = Vec::<String>::new();
        assert_eq!(
            picture::differences(&made, &picture::take(&project.root)),
            none
        );
    }
}

/// The files and the branch of one work tree are two actions, and it is asked once.
#[test]
fn the_undo_of_a_rewind_says_each_file_and_each_condition_once() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    project.write("a.rs", "first\n");
    project.write("b.rs", "first\n");
    project.commit("first", "2031-03-02T09:30:00Z");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    project.write("a.rs", "second\n");
    project.commit("second", "2031-03-02T10:30:00Z");
    project.write("b.rs", "half\n");
    let rewind = PlanOptions {
        rewind_branch: true,
        ..options(RestoreMode::Overlay)
    };
    let (_, outcome) = project.restore(&id, &rewind);
    project.write("b.rs", "mine\n");
    project.write("new.rs", "mine\n");
    // The clock of a file system is coarse.
    let later = SystemTime::now() + Duration::from_secs(60);
    let new = fs::File::options().write(true).open(project.path("new.rs"));
    new.unwrap().set_modified(later).unwrap();
    let plan = planned(&project, &outcome.recovery.unwrap().id, false);
    let losses = said(&plan);
    let stays = losses.lines().find(|line| line.contains("stays as it is"));
    assert!(
        stays.is_some_and(|line| line.ends_with(": new.rs.")),
        "{losses}"
    );
    assert_eq!(losses.matches("b.rs").count(), 1, "{losses}");
    let mut guards: Vec<&str> = plan.guards.iter().map(|guard| guard.id.as_ref()).collect();
    guards.sort_unstable();
    assert_eq!(guards, ["branch", "branch_tip", "liveness"]);
}

/// Of a file that has its old content again, nothing is exchanged.
#[test]
fn a_file_that_has_its_old_content_again_is_left_alone() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let (_, id) = moved_aside(&project);
    project.write("a", "then\n");
    let inode = |path: &str| fs::symlink_metadata(project.path(path)).unwrap().ino();
    let was = inode("a");
    let plan = planned(&project, &id, false);
    assert_eq!(rows(&plan), ["create nd", "create nd/n2"]);
    assert!(!plan.destructive && plan.warnings.is_empty(), "{plan:?}");
    assert!(!said(&plan).contains("overwritten"), "{}", said(&plan));
    carry(&project.engine(), &plan).unwrap();
    assert_eq!(inode("a"), was);
    assert_eq!(fs::read(project.path("nd/n2")).unwrap(), b"agent\n");
}
