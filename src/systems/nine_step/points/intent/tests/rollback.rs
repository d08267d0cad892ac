use crate::systems::nine_step::points::intent::tests::*;
use crate::systems::nine_step::tests::scene::full;
use crate::systems::testing::appended;
use crate::world::git::{StatusKind, StatusPath};

/// What is removed is what HEAD has and the target does not: commits of the main branch too, whatever their times.
#[test]
fn a_rollback_counts_the_same_commits_everywhere() {
    let mut scene = Scene::with_state(STATE);
    let old = "2025-11-09T13:00:00Z";
    let main = commit("m1", "more main", old, &["b0"]);
    let two = commit("c2", "feat: Phase 2 - x", "2025-11-09T16:00:00Z", &["c1"]);
    let both = commit("c3", "Merge main", "2025-11-09T17:00:00Z", &["c2", "m1"]);
    let repo = scene.repo();
    repo.branches.get_mut("main").unwrap().insert(0, main);
    let own = repo.branches.get_mut("feature/price-alerts").unwrap();
    own.splice(0..0, [both, two]);
    repo.worktrees[0].head = Some(full("c3"));
    let intent = intent_of(&scene, "phase-1-commit");
    let said = |intent: &Intent| {
        let texts = intent.losses.iter().map(|loss| loss.text.lossy());
        let mut removed = texts.filter(|text| text.contains("removed from"));
        removed.next().map(std::borrow::Cow::into_owned)
    };
    let removed = said(&intent).unwrap();
    assert!(removed.starts_with("3 commits are removed"), "{removed}");
    let files = intent.steps.iter().filter_map(replaced);
    let mut files = files.filter(|(path, ..)| path.ends_with("commit_info.txt"));
    let (_, _, listed) = files.next().unwrap();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    assert_eq!(listed.matches("commit ").count(), 3, "{listed}");
    // Of the main branch, which the work tree was switched to, no commit of the feature is removed.
    scene.repo().worktrees[0].branch = Some("main".into());
    scene.repo().worktrees[0].head = Some(full("m1"));
    let removed = said(&intent_of(&scene, "phase-1-commit")).unwrap();
    assert!(
        removed.starts_with("1 commit is removed from main, the newest `more main`"),
        "{removed}"
    );
}

#[test]
fn a_rollback_keeps_copies_resets_and_logs_its_target() {
    let mut scene = Scene::with_state(STATE);
    let two = commit(
        "c2",
        "feat: Phase 2 - service",
        "2025-11-09T16:00:00Z",
        &["c1"],
    );
    scene
        .repo()
        .branches
        .get_mut("feature/price-alerts")
        .unwrap()
        .insert(0, two);
    scene.repo().worktrees[0].head = Some(full("c2"));
    let intent = intent_of(&scene, "phase-1-commit");
    let kinds: Vec<String> = intent
        .steps
        .iter()
        .map(|step| {
            let Step::Change(action) = step else {
                let (_, _, _, commit) = step.tree().unwrap();
                return format!("reset {}", commit.get(..2).unwrap());
            };
            let name = action.target.file_name().unwrap().to_string_lossy();
            if appended(step).is_some() {
                return format!("append {name}");
            }
            name.into_owned()
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "BACKUP_INFO.md",
            "commit_info.txt",
            "workflow-state.json",
            "alerts.rs",
            "workflow-state.json.backup",
            "reset c1",
            "workflow-state.json",
            "append ROLLBACK_LOG.md"
        ]
    );
    assert!(
        intent.guards.iter().all(|guard| guard.holds),
        "{:?}",
        intent.guards
    );
    assert_eq!(
        intent.tree.as_ref().unwrap().branch.as_ref().unwrap(),
        "feature/price-alerts"
    );
    let (_, _, content) = replaced(&intent.steps[6]).unwrap();
    let text = String::from_utf8_lossy(&content);
    assert!(
        text.contains("\"current_phase\": 1,\n  \"current_step\": 9"),
        "{text}"
    );
    assert!(text.contains("\"reason\": \"Continue from Phase 1 after rollback\""));
    assert!(text.contains("\"note\": \"Rolled back from Phase 2 to Phase 1\""));
    apply(&scene, &intent);
    assert_eq!(scene.decision().chosen.id(), "phase-2-step-1");
    let before = intent_of(&scene, "phase-0-commit");
    apply(
        &scene,
        &Intent {
            steps: before
                .steps
                .iter()
                .filter(|s| {
                    replaced(s)
                        .is_some_and(|(path, ..)| path.parent().unwrap().ends_with("price-alerts"))
                })
                .cloned()
                .collect(),
            ..before.clone()
        },
    );
    assert_eq!(scene.decision().chosen.id(), "phase-1-step-1");
}

#[test]
fn a_rollback_refuses_the_main_branch_and_a_tracked_state() {
    let failing = |scene: &Scene| -> Vec<String> {
        intent_of(scene, "phase-1-commit")
            .guards
            .iter()
            .filter(|g| !g.holds)
            .map(|g| g.id.to_string())
            .collect()
    };
    let scene = Scene::with_state(STATE);
    assert_eq!(failing(&scene), [""; 0]);
    let mut scene = Scene::with_state(STATE);
    scene.repo().worktrees[0].branch = Some("main".into());
    assert_eq!(failing(&scene), ["main_branch"]);
    let mut scene = Scene::with_state(STATE);
    scene
        .repo()
        .blobs
        .insert((full("c1"), "workflow-state.json".into()), STATE.into());
    assert_eq!(failing(&scene), ["tracked_state"]);
}

/// A subject may name a phase that the commit is not of, and a rollback to the tip removes no commit.
#[test]
fn a_rollback_goes_to_the_commit_that_the_record_names() {
    let reset = |scene: &Scene| {
        let steps = intent_of(scene, "phase-1-commit").steps;
        let (.., commit) = steps.iter().find_map(Step::tree).unwrap();
        let to = commit.get(..2).map(str::to_owned);
        let wrote = |step: &Step| {
            replaced(step).is_some_and(|(path, ..)| path.ends_with("commit_info.txt"))
        };
        (to.unwrap(), steps.iter().any(wrote))
    };
    assert_eq!(reset(&Scene::with_state(STATE)), ("c1".to_owned(), false));
    let sha = full("c1");
    let sha = format!(
        "\"step\": 9, \"commit_sha\": \"{}\",",
        sha.get(..9).unwrap()
    );
    let recorded = STATE.replacen("\"step\": 9,", &sha, 1);
    assert_ne!(recorded, STATE);
    let mut scene = Scene::with_state(&recorded);
    let two = commit("c2", "fix: after Phase 1", "2025-11-09T16:00:00Z", &["c1"]);
    let repo = scene.repo();
    let branch = repo.branches.get_mut("feature/price-alerts").unwrap();
    branch.insert(0, two);
    repo.worktrees[0].head = Some(full("c2"));
    assert_eq!(reset(&scene), ("c1".to_owned(), true));
}

/// The list of steps is lost in a file that the plugin's writer could not extend: the commits still show what is done.
#[test]
fn a_phase_counts_by_its_commit_where_its_steps_are_not_on_record() {
    let second = |scene: &mut Scene| {
        let two = commit("c2", "feat: Phase 2", "2025-11-09T16:00:00Z", &["c1"]);
        let repo = scene.repo();
        let branch = repo.branches.get_mut("feature/price-alerts").unwrap();
        branch.insert(0, two);
        repo.worktrees[0].head = Some(full("c2"));
    };
    let bare = r#"{"feature_name": "price-alerts", "current_phase": 3, "current_step": 3, "total_phases": 3,
        "last_execution": {"phase": 3, "step": 3, "agent": "", "status": "in_progress"}}"#;
    for (state, points) in [
        // Of phase 2, two steps are on record and no step 9.
        (
            STATE.replace(
                "\"phase\": 2,\n    \"step\": 4",
                "\"phase\": 3,\n    \"step\": 4",
            ),
            [
                ("phase-0-commit", 0, 4),
                ("phase-1-commit", 1, 3),
                ("phase-2-commit", 3, 1),
            ],
        ),
        (
            bare.to_owned(),
            [
                ("phase-0-commit", 0, 3),
                ("phase-1-commit", 1, 2),
                ("phase-2-commit", 2, 1),
            ],
        ),
    ] {
        let mut scene = Scene::with_state(&state);
        second(&mut scene);
        for (id, kept, redone) in points {
            let intent = intent_of(&scene, id);
            let counts = (intent.kept.len(), intent.redone.len());
            assert_eq!(counts, (kept, redone), "{id} of {state}");
            let found = super::points(&scene)
                .into_iter()
                .find(|point| point.id.0 == id);
            let counts = found.map(|point| (point.kept, point.redone));
            assert_eq!(
                counts,
                Some((Some(kept as u64), Some(redone as u64))),
                "{id}"
            );
        }
    }
}

/// A reset leaves a file that was added to the index, and a rename is both. How many files stay is counted once, where
/// the work tree is measured.
#[test]
fn a_rollback_says_of_each_kind_of_change_what_becomes_of_it() {
    let mut scene = Scene::with_state(STATE);
    scene.repo().status = [
        ("src/alerts.rs", StatusKind::Changed),
        ("src/old.rs", StatusKind::Changed),
        ("src/new.rs", StatusKind::New),
        ("notes.md", StatusKind::Untracked),
    ]
    .map(|(path, kind)| StatusPath {
        path: path.into(),
        kind,
        on_disk: true,
    })
    .to_vec();
    let intent = intent_of(&scene, "phase-1-commit");
    let said: Vec<_> = intent.losses.iter().map(|loss| loss.lossy()).collect();
    assert_eq!(
        said,
        [
            "2 tracked files have uncommitted changes: those that Changes lists are reset; undo restores them.",
            "1 staged new file is no longer staged; undo stages it again.",
        ]
    );
}

/// A commit that was pushed, and what others pushed after it: only the former is removed.
#[test]
fn a_rollback_says_what_it_does_to_pushed_commits() {
    let two = || commit("c2", "feat: Phase 2", "2025-11-09T16:00:00Z", &["c1"]);
    let other = commit("c3", "fix: typo", "2025-11-09T17:00:00Z", &["c1"]);
    let said = "Commits that were pushed are removed: pushing again rewrites published history.";
    for (own, pushed, published) in [
        (vec![two()], vec![two()], true),
        (vec![two()], vec![], false),
        (vec![two()], vec![other.clone()], false),
        (vec![], vec![other], false),
    ] {
        let mut scene = Scene::with_state(STATE);
        let repo = scene.repo();
        let name = "feature/price-alerts";
        let first = repo.branches[name].clone();
        let theirs = [pushed, first.clone()].concat();
        repo.branches.insert(format!("origin/{name}"), theirs);
        let own = [own, first].concat();
        repo.worktrees[0].head = Some(own[0].id.clone());
        repo.branches.insert(name.to_owned(), own);
        let losses = intent_of(&scene, "phase-1-commit").losses;
        let warned = losses.iter().any(|loss| loss.lossy() == said);
        assert_eq!(warned, published, "{losses:?}");
    }
}

/// The directory of a rollback has at most a hundred files, and none that has the name of its own.
#[test]
fn a_rollback_counts_the_files_that_it_does_not_copy() {
    let mut scene = Scene::with_state(STATE);
    let names: Vec<String> = (0..102).map(|n| format!("src/part{n}.rs")).collect();
    let names = names
        .iter()
        .map(String::as_str)
        .chain(["BACKUP_INFO.md", "gone.rs"]);
    scene.repo().status = names
        .map(crate::systems::nine_step::tests::scene::change)
        .collect();
    for n in 0..102 {
        scene.write(&format!(".worktree/price-alerts/src/part{n}.rs"), "x");
    }
    scene.write(".worktree/price-alerts/BACKUP_INFO.md", "mine");
    let said = "3 changed files that still exist are not copied into the rollback directory; undo restores all of them.";
    let losses = intent_of(&scene, "phase-1-commit").losses;
    assert!(losses.iter().any(|loss| loss.lossy() == said), "{losses:?}");
}

/// The main work tree is never reset in place of a worktree that is gone.
#[test]
fn a_rollback_without_its_worktree_is_refused() {
    let mut scene = Scene::new();
    scene.write("workflow-state.json", STATE);
    scene.repo().worktrees.clear();
    scene.repo().branch = Some("feature/price-alerts".into());
    std::fs::remove_dir_all(scene.top.join(".worktree")).unwrap();
    let refused = |id: &str| {
        let guards = intent_of(&scene, id).guards.into_iter();
        let texts = guards.filter(crate::model::Guard::refuses);
        texts
            .map(|guard| guard.text.lossy().into_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        refused("phase-1-commit"),
        ["The recorded worktree is missing; the main work tree is never reset in its place."]
    );
    assert_eq!(
        refused("phase-2-step-3"),
        ["The recorded worktree .worktree/price-alerts is missing."]
    );
    assert_eq!(scene.verdict("N4"), Verdict::Fail);
}
