mod causes;
mod damage;
mod decisions;
mod irregular;
mod lost;
mod merged;
pub(crate) mod scene;

use crate::model::{Badge, PhaseStatus, Reading, Status};
use crate::systems::nine_step::tests::scene::{PLAN, STATE, Scene, commit, full, head};
use crate::systems::nine_step::*;

const WT: &str = ".worktree/price-alerts";

fn reading(scene: &Scene) -> Reading {
    let candidates = scene.candidates();
    assert_eq!(candidates.len(), 1, "{candidates:?}");
    NineStep
        .open(&candidates[0], &scene.world)
        .reading()
        .clone()
}

fn natives(scene: &Scene) -> Vec<String> {
    scene
        .candidates()
        .iter()
        .map(|c| c.native.lossy().into_owned())
        .collect()
}

#[test]
fn a_state_is_the_same_pipeline_however_it_was_found() {
    let scene = Scene::with_state(STATE);
    let by_repository = scene.candidates();
    assert_eq!(natives(&scene), ["price-alerts"]);
    assert_eq!(by_repository[0].anchor, scene.top);
    let file = scene.top.join(WT).join("workflow-state.json");
    let by_file = scene.sniff(Marker::File("workflow-state.json"), &file);
    assert_eq!(by_file, Sniffed::Ours(by_repository.clone()));
    let linked = scene.top.join(WT);
    assert_eq!(
        scene.sniff(Marker::Repository, &linked),
        Sniffed::Ours(vec![])
    );
    let hit = Hit {
        marker: Marker::Repository,
        path: linked,
        found: Found::Named,
    };
    assert_eq!(
        NineStep.sniff(&hit, &scene.world),
        Sniffed::Ours(by_repository)
    );
}

#[test]
fn a_state_at_the_top_belongs_to_the_worktree_it_names() {
    let scene = Scene::with_state(STATE);
    let newer = STATE
        .replace("15:12:44", "16:12:44")
        .replace("\"failed\"", "\"approved\"");
    scene.write(".workflow-state.json", newer);
    assert_eq!(natives(&scene), ["price-alerts"]);
    let facts = scene.facts();
    assert_eq!(facts.docs.len(), 2);
    assert_eq!(facts.docs[0].dir, scene.top);
    // Before the worktree exists, the feature's name is the key; another feature is another pipeline.
    for (feature, count) in [("price-alerts", 1), ("other", 2)] {
        let scene = Scene::new();
        let text = STATE.replace("\"price-alerts\"", &format!("{feature:?}"));
        let text = text
            .replace(".worktree/price-alerts", ".worktree/none")
            .replace("feature/price-alerts", "feature/none");
        scene.write("workflow-state.json", text);
        assert_eq!(
            natives(&scene).len(),
            count,
            "{feature}: {:?}",
            natives(&scene)
        );
    }
}

#[test]
fn foreign_files_of_the_same_name_are_not_ours() {
    let foreign = [
        r#"{"workflow_id":"w","stages":[{"id":"a","status":"pending","depends_on":[]}],"amendments":[]}"#,
        r#"{"steps":[{"id":"1","name":"x","startTime":1}]}"#,
        r#"{"skill":"review"}"#,
        "{}",
    ];
    for text in foreign {
        let scene = Scene::new();
        scene.write("workflow-state.json", text);
        let file = scene.top.join("workflow-state.json");
        let sniffed = scene.sniff(Marker::File("workflow-state.json"), &file);
        assert!(matches!(sniffed, Sniffed::NotOurs(_)), "{text}");
        assert_eq!(
            scene.candidates().len(),
            1,
            "the stateless worktree alone: {text}"
        );
    }
    // Copies: in a rollback folder, and deep in a worktree.
    let scene = Scene::with_state(STATE);
    for copy in [
        ".backup/price-alerts/phase2_20251109_150000/workflow-state.json",
        ".worktree/price-alerts/src/workflow-state.json",
    ] {
        scene.write(copy, STATE);
        let sniffed = scene.sniff(Marker::File("workflow-state.json"), &scene.top.join(copy));
        assert!(matches!(sniffed, Sniffed::NotOurs(_)), "{copy}");
    }
    assert_eq!(scene.candidates().len(), 1);
}

#[test]
fn corrupt_files_are_ours_only_with_other_evidence() {
    let cut = head(200);
    let mut scene = Scene::new();
    std::fs::remove_dir_all(scene.top.join(".plan")).unwrap();
    std::fs::remove_dir_all(scene.top.join(".worktree")).unwrap();
    scene.repo().worktrees.clear();
    scene.repo().branches.remove("feature/price-alerts");
    scene.write("workflow-state.json", cut);
    assert_eq!(natives(&scene), Vec::<String>::new());
    scene.write("workflow-state.json.backup", STATE);
    assert_eq!(natives(&scene), ["price-alerts"]);
    std::fs::remove_file(scene.top.join("workflow-state.json.backup")).unwrap();
    scene.write(
        ".claude/settings.json",
        r#"{"plugins":[{"name":"nine-step-workflow"}]}"#,
    );
    assert_eq!(natives(&scene).len(), 1);
    assert_eq!(natives(&Scene::with_state(cut)), ["price-alerts"]);
}

#[test]
fn without_a_state_file_only_traces_of_the_plugin_count() {
    let mut scene = Scene::new();
    assert_eq!(natives(&scene), ["price-alerts"]);
    assert!(reading(&scene).badges.contains(&Badge::NoStateFile));
    // Without the plan, the phase commits are still evidence.
    std::fs::remove_file(scene.top.join(".plan/price_alerts_plan.md")).unwrap();
    assert_eq!(natives(&scene), ["price-alerts"]);
    // A branch without a worktree: a single commit is evidence only with a plan of its name.
    scene.repo().worktrees.clear();
    assert_eq!(natives(&scene), Vec::<String>::new());
    scene.write(".plan/price_alerts_plan.md", PLAN);
    let found = scene.candidates();
    assert_eq!(
        (found.len(), found[0].native.lossy().as_ref()),
        (1, "price-alerts")
    );
    let read = reading(&scene);
    assert_eq!(
        (read.work_tree, read.claim.status),
        (None, Status::Interrupted)
    );
    // A plain repository.
    std::fs::remove_dir_all(scene.top.join(".plan")).unwrap();
    std::fs::remove_dir_all(scene.top.join(".worktree")).unwrap();
    assert_eq!(natives(&scene), Vec::<String>::new());
}

#[test]
fn an_interrupted_pipeline_is_read_completely() {
    let read = reading(&Scene::with_state(STATE));
    assert_eq!(read.title, "price-alerts");
    assert_eq!(read.claim.status, Status::Interrupted);
    assert_eq!(read.stopped_where, "phase 2, step 4 (code review) · failed");
    assert_eq!(
        (read.progress.done, read.progress.total),
        (Some(1), Some(3))
    );
    assert_eq!(read.branch.unwrap().actual.unwrap(), "feature/price-alerts");
    let phases: Vec<(String, PhaseStatus)> = read
        .phases
        .iter()
        .map(|p| (p.name.lossy().into_owned(), p.status))
        .collect();
    assert_eq!(
        phases,
        [
            ("Schema".to_owned(), PhaseStatus::Done),
            ("알림".to_owned(), PhaseStatus::Failed),
            ("Screens".to_owned(), PhaseStatus::Pending)
        ]
    );
    assert_eq!(read.badges, [Badge::Dirty]);
}

#[test]
fn statuses_follow_the_contract() {
    let table = [
        ("\"failed\"", "\"failed\"", Status::Interrupted),
        ("\"failed\"", "\"REJECTED\"", Status::Waiting),
        ("\"failed\"", "\"waiting_approval\"", Status::Waiting),
        ("\"failed\"", "\"in_progress\"", Status::Interrupted),
        ("\"failed\"", "\"mystery\"", Status::Interrupted),
    ];
    for (from, to, status) in table {
        assert_eq!(
            reading(&Scene::state_but(from, to)).claim.status,
            status,
            "{to}"
        );
    }
    let done =
        self::scene::at("9", "completed").replace("\"total_phases\": 3", "\"total_phases\": 2");
    let mut scene = Scene::with_state(&done);
    let uncommitted = reading(&scene);
    assert_eq!(
        (
            uncommitted.claim.status,
            &*uncommitted.stopped_where.lossy()
        ),
        (
            Status::Interrupted,
            "phase 2, step 9 (phase commit) · completed"
        ),
        "the changes are committed before anything is merged"
    );
    scene.repo().status.clear();
    assert_eq!(reading(&scene).claim.status, Status::Waiting);
}

#[test]
fn a_directory_that_git_no_longer_lists_is_an_orphan() {
    let mut scene = Scene::with_state(STATE);
    scene.repo().worktrees.clear();
    scene.repo().branches.remove("feature/price-alerts");
    let read = reading(&scene);
    assert!(read.badges.contains(&Badge::Orphan), "{:?}", read.badges);
    assert_eq!(read.claim.status, Status::Interrupted);
}

#[test]
fn an_orphan_without_a_state_file_is_found_by_its_plan() {
    let mut scene = Scene::new();
    scene.repo().worktrees.clear();
    scene.repo().branches.remove("feature/price-alerts");
    let read = reading(&scene);
    assert_eq!(read.native, "price-alerts");
    assert!(
        read.badges.contains(&Badge::Orphan) && read.badges.contains(&Badge::NoStateFile),
        "{:?}",
        read.badges
    );
    assert_eq!(scene.decision().chosen.id(), "phase-1-step-3");
}

/// Without a list of steps, the commit of a phase stands for all of them, with a record and without.
#[test]
fn a_committed_phase_is_done_as_a_whole_where_only_its_commit_is_known() {
    let last = scene::record("2 9 completed");
    let mut scene = Scene::with_state(&scene::state("\"total_phases\": 3,", &last, ""));
    let two = commit("c2", "feat: Phase 2", "2025-11-09T15:30:00Z", &["c1"]);
    scene.repo().worktrees[0].head = Some(two.id.clone());
    let branch = scene.repo().branches.get_mut("feature/price-alerts");
    branch.unwrap().insert(0, two);
    let phases = reading(&scene).phases;
    let rows: Vec<_> = phases.iter().map(|row| (row.done, row.total)).collect();
    assert_eq!(rows, [7, 7, 0].map(|done| (Some(done), Some(7))));
}

#[test]
fn a_damaged_state_falls_back_to_its_backup_then_to_git() {
    let scene = Scene::with_state(head(300));
    let read = reading(&scene);
    assert!(read.badges.contains(&Badge::NoStateFile) == read.state_files.is_empty());
    assert!(read.badges.contains(&Badge::Damaged));
    assert_eq!(read.findings[0].code, "cut-file");
    assert!(read.findings.iter().any(|f| f.code == "inferred-state"));
    scene.write(".worktree/price-alerts/workflow-state.json.backup", STATE);
    let read = reading(&scene);
    assert!(read.findings.iter().any(|f| f.code == "from-backup"));
    assert_eq!(read.stopped_where, "phase 2, step 4 (code review) · failed");
}

#[test]
fn without_git_the_state_alone_is_read() {
    let mut scene = Scene::with_state(STATE);
    scene.world.git.repos.clear();
    let file = scene.top.join(WT).join("workflow-state.json");
    let Sniffed::Ours(found) = scene.sniff(Marker::File("workflow-state.json"), &file) else {
        panic!("not ours");
    };
    assert_eq!(
        (found[0].native.lossy().as_ref(), &found[0].anchor),
        ("price-alerts", &scene.top)
    );
    let case = NineStep.open(&found[0], &scene.world);
    assert_eq!(case.reading().claim.status, Status::Interrupted);
    assert!(
        case.verify(&scene.world)
            .iter()
            .any(|check| check.id.0 == "N4")
    );
    scene.write(".worktree/price-alerts/workflow-state.json", head(50));
    std::fs::remove_dir_all(scene.top.join(".plan")).unwrap();
    assert_eq!(
        NineStep
            .open(&found[0], &scene.world)
            .reading()
            .claim
            .status,
        Status::Unreadable
    );
}

#[test]
fn the_timeline_holds_steps_commits_and_rollbacks_in_order() {
    let scene = Scene::with_state(STATE);
    scene.write(
        ".backup/price-alerts/ROLLBACK_LOG.md",
        "## Rollback: 2025-11-09 14:45:00\n- **To**: Phase 1\n---\n",
    );
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let timeline = case.timeline();
    let events: Vec<_> = (0..timeline.len())
        .filter_map(|at| timeline.get(at))
        .collect();
    let kinds: Vec<String> = events.iter().map(|e| e.kind.lossy().into_owned()).collect();
    assert_eq!(kinds, ["commit", "step", "rollback", "step", "step"]);
    let lines: Vec<Option<u64>> = events.iter().map(|e| e.origin.line).collect();
    assert_eq!(lines, [None, Some(20), Some(1), Some(27), None]);
}

#[test]
fn staleness_counts_from_file_times_and_hostile_paths_are_refused() {
    let mut scene = Scene::state_but("\".plan/price_alerts_plan.md\"", "\"../../../etc/passwd\"");
    scene.world.clock = crate::world::clock::FixedClock(
        chrono::DateTime::parse_from_rfc3339("2099-01-01T00:00:00Z").unwrap(),
    );
    let read = reading(&scene);
    assert!(read.badges.contains(&Badge::Stale));
    let scene = Scene::new();
    std::fs::remove_file(scene.top.join(".plan/price_alerts_plan.md")).unwrap();
    scene.write(
        ".worktree/price-alerts/workflow-state.json",
        STATE.replace(".plan/price_alerts_plan.md", "../../../etc/passwd"),
    );
    assert!(
        reading(&scene)
            .findings
            .iter()
            .any(|f| f.code == "refused-path")
    );
}

/// A merge brings the state file that was committed with the work to the project's top, where it is older, or the same.
#[test]
fn of_two_state_files_of_one_second_the_one_with_more_records_decides() {
    let review = "1 8 approved 9";
    let save = |last: &str, done: &str| {
        let (last, done) = (scene::records(last), scene::records(done));
        scene::state("\"total_phases\": 3,", &last, &done)
    };
    let older = save(review, review);
    let newer = save("1 9 completed 9", "1 8 approved 9; 1 9 completed 9");
    for (own, copy, at_top) in [
        (&newer, &older, false),
        (&older, &older, false),
        (&older, &newer, true),
    ] {
        let scene = Scene::with_state(own);
        scene.write("workflow-state.json", copy);
        let facts = scene.facts();
        assert_eq!(facts.docs.len(), 2);
        assert_eq!(facts.docs[0].dir == scene.top, at_top, "{own} {copy}");
    }
}
