//! Work that is in the main branch: what is left over of it, what is unknown of it, and what only looks like it.

use crate::model::Verdict;
use crate::systems::nine_step::tests::lost::{
    FEATURE, all_recorded, base, branch, of_phase, recommended,
};
use crate::systems::nine_step::tests::scene::{change, record, state};
use crate::systems::nine_step::tests::*;
use crate::world::git::{Commit, GitError};

const STATE_AT_TOP: &str = "workflow-state.json";

fn merge(subject: &str, at: &str) -> Commit {
    commit("m1", subject, at, &["b0", "c1"])
}

/// One phase, all of it recorded and committed, and merged by a commit or a fast-forward.
fn merged(by_commit: bool) -> Scene {
    let one = of_phase(1, "09", "b0");
    let mut scene = all_recorded(1);
    scene.repo().status.clear();
    branch(&mut scene, &[one.clone(), base()], usize::from(by_commit));
    if by_commit {
        let main = vec![merge("Merge x", "2025-11-09T11:00:00Z"), one, base()];
        scene.repo().branches.insert("main".into(), main);
    }
    scene
}

/// The same, with the state at the project's top and without a worktree.
fn at_top(mut scene: Scene) -> Scene {
    let state = scene.top.join(WT).join(STATE_AT_TOP);
    let text = std::fs::read(state).unwrap();
    std::fs::remove_dir_all(scene.top.join(".worktree")).unwrap();
    scene.repo().worktrees.clear();
    scene.write(STATE_AT_TOP, text);
    scene
}

fn unreadable() -> GitError {
    GitError::Other("it is damaged".to_owned())
}

fn evidence_of_merge(scene: &Scene) -> (Verdict, String) {
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let checks = case.verify(&scene.world);
    let check = checks.iter().find(|check| check.id.0 == "N13").unwrap();
    (check.verdict, check.evidence.lossy().into_owned())
}

fn points(scene: &Scene) -> Vec<String> {
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let checks = case.verify(&scene.world);
    let all = case.boundaries(&checks, &scene.world).into_iter();
    all.map(|point| point.id.0).collect()
}

#[test]
fn merged_work_is_complete_and_a_fresh_branch_is_not() {
    let mut scene = Scene::with_state(STATE);
    let uncommitted = std::mem::take(&mut scene.repo().status);
    scene.merge("merge: price-alerts 기능 완료", &["b0", "c1"]);
    let read = reading(&scene);
    assert_eq!(read.claim.status, Status::Complete);
    assert!(read.badges.contains(&Badge::CleanupPending));
    // What was never committed is not merged, whatever the main branch has.
    scene.repo().status = uncommitted;
    assert_eq!(reading(&scene).claim.status, Status::Interrupted);
    assert_eq!(scene.verdict("N13"), Verdict::Warn);
    // A new branch is contained in the main branch, but it is not merged.
    let mut scene = Scene::with_state(STATE);
    let base = scene.repo().branches["main"].clone();
    scene
        .repo()
        .branches
        .insert("feature/price-alerts".into(), base);
    scene.repo().worktrees[0].head = Some(full("b0"));
    assert_eq!(reading(&scene).claim.status, Status::Interrupted);
    // A squash merge names the feature.
    let mut scene = Scene::with_state(STATE);
    scene.repo().status.clear();
    scene.merge("merge: price alerts 기능 완료", &["b0"]);
    assert_eq!(reading(&scene).claim.status, Status::Complete);
}

#[test]
fn merged_work_is_not_merged_again_and_what_is_uncommitted_is_named() {
    for by_commit in [true, false] {
        let mut scene = merged(by_commit);
        assert_eq!(reading(&scene).claim.status, Status::Complete);
        scene.repo().status = vec![change("a.rs"), change("b.rs")];
        let (point, asks, prompt) = recommended(&scene);
        assert_eq!(point.id.0, "merge");
        let case = NineStep.open(&scene.candidates()[0], &scene.world);
        let handoff = case.handoff(&Prospect::new(&point.id, &[]), &scene.world);
        let briefing = handoff.briefing.lossy().into_owned();
        let read = reading(&scene);
        assert_eq!(read.claim.status, Status::Waiting);
        assert_eq!(read.stopped_where, "before the cleanup");
        assert_eq!(asks.len(), 1, "{asks:?}");
        let (verdict, evidence) = evidence_of_merge(&scene);
        assert_eq!(verdict, Verdict::Warn);
        let left = "), but 2 paths are uncommitted.";
        let (reason, claim) = (point.reason.lossy(), read.claim.reason.lossy());
        for text in [&asks[0], &prompt, &briefing, &evidence, &*reason, &*claim] {
            assert!(text.contains("Merged (") && text.contains(left), "{text}");
            for again in ["approval", "--no-ff", "merge stage"] {
                assert!(!text.contains(again), "{text}");
            }
        }
        assert!(prompt.contains("do not merge it again"), "{prompt}");
        assert!(prompt.contains("'a.rs' and 'b.rs'"), "{prompt}");
        let label = point.label.lossy();
        assert!(label.starts_with("Clean up the merged work"), "{label}");
        let stopped = case.recorded_cause(None, &scene.world).unwrap();
        assert!(!format!("{stopped:?}").contains("Approve"));
    }
}

#[test]
fn what_is_uncommitted_is_named_before_the_merge_too() {
    let mut scene = merged(true);
    scene.repo().branches.insert("main".into(), vec![base()]);
    let (_, _, prompt) = recommended(&scene);
    assert!(!prompt.contains("ncommitted"), "{prompt}");
    scene.repo().status = vec![change("a.rs")];
    let (_, _, prompt) = recommended(&scene);
    assert!(prompt.contains("Ask me for approval before"), "{prompt}");
    assert!(prompt.contains("Uncommitted: 'a.rs'."), "{prompt}");
}

#[test]
fn merged_work_is_not_complete_while_what_is_uncommitted_is_unknown() {
    for by_commit in [true, false] {
        let mut damaged = merged(by_commit);
        damaged.repo().unread.insert("index".into(), unreadable());
        let mut moved = merged(by_commit);
        moved.repo().worktrees.clear();
        for scene in [damaged, moved] {
            assert_eq!(reading(&scene).claim.status, Status::Waiting);
            let (verdict, evidence) = evidence_of_merge(&scene);
            assert_eq!(verdict, Verdict::Warn);
            assert!(evidence.contains("unknown what is unc"), "{evidence}");
            assert_eq!(recommended(&scene).0.id.0, "merge");
            let ids = points(&scene);
            assert!(ids.iter().all(|id| !id.ends_with("-commit")), "{ids:?}");
        }
    }
}

#[test]
fn changes_of_the_main_work_tree_are_of_other_work_while_it_has_another_branch() {
    let plan = change(".plan/price_alerts_plan.md");
    for is_deleted in [true, false] {
        let mut scene = at_top(merged(true));
        if is_deleted {
            let subject = "merge: price-alerts";
            let merge = merge(subject, "2025-11-09T11:00:00Z");
            let repo = scene.repo();
            repo.branches.get_mut("main").unwrap()[0] = merge;
            repo.branches.remove(FEATURE);
        }
        scene.repo().status = vec![change("unrelated.rs"), plan.clone()];
        let read = reading(&scene);
        assert_eq!(read.claim.status, Status::Complete, "{is_deleted}");
        scene.repo().unread.insert("index".into(), unreadable());
        assert_eq!(reading(&scene).claim.status, Status::Complete);
    }
    let mut scene = at_top(merged(true));
    scene.repo().branch = Some(FEATURE.into());
    scene.repo().status = vec![plan];
    assert_eq!(reading(&scene).claim.status, Status::Complete);
    scene.repo().status.push(change("src/a.rs"));
    assert_eq!(reading(&scene).claim.status, Status::Waiting);
}

#[test]
fn changes_of_other_work_do_not_hold_a_phase_open() {
    let mut scene = all_recorded(1);
    let unnamed = commit("d1", "fix: y", "2025-11-09T10:00:00Z", &["b0"]);
    branch(&mut scene, &[unnamed, base()], 1);
    let mut scene = at_top(scene);
    assert_eq!(scene.decision().chosen.id(), "merge");
    scene.repo().branch = Some(FEATURE.into());
    assert_eq!(scene.decision().chosen.id(), "phase-1-step-9");
}

#[test]
fn another_branch_that_is_merged_is_not_the_work() {
    let mut scene = at_top(merged(true));
    let repo = scene.repo();
    let own = repo.branches.remove(FEATURE).unwrap();
    repo.branches.insert("other".into(), own);
    repo.branch = Some("other".into());
    let text = state("\"total_phases\": 1,", &record("1 1 in_progress 9"), "");
    scene.write(STATE_AT_TOP, text);
    assert_eq!(reading(&scene).claim.status, Status::Interrupted);
}

#[test]
fn a_merge_from_before_the_work_began_is_of_an_earlier_feature() {
    for (year, status) in [("2023", Status::Interrupted), ("2026", Status::Complete)] {
        for has_branch in [true, false] {
            let mut scene = all_recorded(1);
            if !has_branch {
                scene = at_top(scene);
                scene.repo().branches.remove(FEATURE);
            }
            let home = if has_branch { WT } else { "." };
            let text = state("\"total_phases\": 1,", &record("1 1 in_progress 9"), "");
            scene.write(&format!("{home}/{STATE_AT_TOP}"), text);
            scene.repo().status.clear();
            let at = format!("{year}-01-09T11:00:00Z");
            let merge = commit("m1", "merge: price-alerts", &at, &["b0"]);
            let main = scene.repo().branches.get_mut("main").unwrap();
            main.insert(0, merge);
            let read = reading(&scene);
            assert_eq!(read.claim.status, status, "{year} {has_branch}");
        }
    }
}

/// The main branch has 600 more commits after those of a scene; the first of them cannot be read.
fn damaged_below(mut scene: Scene) -> Scene {
    let repo = scene.repo();
    let main = repo.branches.get_mut("main").unwrap();
    for number in 0..600 {
        let last = main[0].id.clone();
        let mut next = commit(
            &format!("e{number}x"),
            "fix: y",
            "2025-11-09T16:00:00Z",
            &[],
        );
        next.parents = vec![last];
        main.insert(0, next);
    }
    repo.unread.insert(full("e0x"), unreadable());
    scene
}

#[test]
fn commits_of_the_main_branch_that_cannot_be_read_leave_the_merge_unknown() {
    let mut scene = merged(true);
    scene.repo().branches.insert("main".into(), vec![base()]);
    let (verdict, evidence) = evidence_of_merge(&damaged_below(scene));
    assert_eq!(verdict, Verdict::Warn);
    assert!(evidence.contains("it is damaged"), "{evidence}");
    // Of unfinished work only a new merge is looked for, so they are not read.
    let scene = damaged_below(Scene::with_state(STATE));
    assert_eq!(scene.verdict("N13"), Verdict::Pass);
}

#[test]
fn a_lost_phase_is_not_shown_as_whole() {
    let mut scene = all_recorded(2);
    branch(&mut scene, &[base()], 0);
    scene.repo().status.clear();
    for row in reading(&scene).phases {
        assert_eq!((row.done, row.total), (Some(6), Some(7)));
        assert_eq!(row.native_status, "recorded, commit not found");
    }
}
