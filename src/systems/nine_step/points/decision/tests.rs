use crate::systems::nine_step::facts::BackupAge;
use crate::systems::nine_step::points::decision::*;
use crate::systems::nine_step::shape;
use crate::systems::nine_step::tests::scene::{PLAN, Scene, change, commit, full, records, state};
use crate::world::fake::FakeWorld;

/// Decides from records: `total`, `planned` up to that phase.
fn decided(last: &str, completed: &str, total: Option<i64>, more: &str) -> Decision {
    let text = state(more, &records(last), &records(completed));
    let world = FakeWorld::from("2025-11-09T18:00:00Z");
    let state = shape::parse(text.as_bytes(), &world.clock).unwrap();
    let ledger = Ledger::of(&state);
    let outlook = Outlook {
        total,
        uncommitted: &|_| false,
        planned: &|phase| Some(total.is_some_and(|total| phase <= total)),
    };
    recorded(&ledger, state.resume_plan.as_ref(), &outlook)
}

fn offers(decision: &Decision) -> Vec<String> {
    decision
        .offers
        .iter()
        .map(|offer| offer.target.id())
        .collect()
}

const TO_4: &str = "2 3 completed 1; 2 4 approved 2";
const TO_8: &str = "2 3 completed 1; 2 4 approved 2; 2 5 completed 3; 2 6 approved 4; 2 7 completed 5; 2 8 approved 6";

#[test]
fn every_row_of_the_decision_table_is_as_recommended() {
    let table: &[(&str, &str, &str, &[&str])] = &[
        // Reviewers return to the step that they reviewed; after a manual fix it can be reviewed again.
        (
            "2 4 failed 9",
            "2 3 completed 1",
            "phase-2-step-3",
            &["phase-2-step-4"],
        ),
        (
            "2 6 NEEDS_REVISION 9",
            TO_4,
            "phase-2-step-5",
            &["phase-2-step-6"],
        ),
        ("1 2 failed 9", "", "phase-1-step-1", &[]),
        (
            "2 8 failed 9",
            TO_8,
            "phase-2-step-7",
            &["phase-2-step-8", "phase-2-step-3"],
        ),
        // Other steps are repeated; tests also offer the code.
        ("1 1 failed 9", "", "phase-1-step-1", &[]),
        ("2 3 failed 9", "", "phase-2-step-3", &[]),
        ("2 5 failed 9", TO_4, "phase-2-step-5", &[]),
        ("2 7 failed 9", TO_8, "phase-2-step-7", &["phase-2-step-3"]),
        ("2 9 error 9", TO_8, "phase-2-step-9", &[]),
        ("1 2.5 failed 9", "", "phase-1-step-1", &[]),
        // relight does not decide a rejection for the user.
        (
            "2 4 REJECTED 9",
            "2 3 completed 1",
            "phase-2-step-4",
            &["phase-2-step-1", "phase-2-step-3"],
        ),
        // A pending decision stays.
        (
            "1 2.5 waiting_approval 9",
            "",
            "phase-1-step-2.5",
            &["phase-1-step-3"],
        ),
        (
            "2 4 waiting_approval 9",
            "2 3 completed 1",
            "phase-2-step-4",
            &[],
        ),
        ("2 6 waiting_approval 9", TO_4, "phase-2-step-6", &[]),
        ("3 9 waiting_approval 9", "3 9 completed 1", "merge", &[]),
        // Interrupted: the step again; never past a gate, a review or the commit.
        (
            "2 3 in_progress 9",
            "",
            "phase-2-step-3",
            &["phase-2-step-4"],
        ),
        ("2 5 running 9", TO_4, "phase-2-step-5", &["phase-2-step-6"]),
        ("1 2.5 in_progress 9", "", "phase-1-step-2.5", &[]),
        (
            "2 4 in_progress 9",
            "2 3 completed 1",
            "phase-2-step-4",
            &[],
        ),
        ("2 8 in_progress 9", TO_8, "phase-2-step-8", &[]),
        ("2 9 in_progress 9", TO_8, "phase-2-step-9", &[]),
        ("2 5 결정 9", TO_4, "phase-2-step-5", &["phase-2-step-6"]),
        // Done: the next of the list.
        ("1 1 completed 9", "", "phase-1-step-2", &[]),
        ("1 2 approved 9", "", "phase-1-step-2.5", &[]),
        ("1 2.5 completed 9", "", "phase-1-step-3", &[]),
        ("2 3 completed 9", "", "phase-2-step-4", &[]),
        ("2 4 APPROVED 9", "2 3 completed 1", "phase-2-step-5", &[]),
        (
            "2 4 APPROVED_WITH_CONDITIONS 9",
            "2 3 completed 1",
            "phase-2-step-5",
            &["phase-2-step-3"],
        ),
        // The end of a phase.
        (
            "2 9 completed 9",
            TO_8,
            "phase-3-step-3",
            &["phase-3-step-1"],
        ),
        ("3 9 completed 9", "", "merge", &[]),
    ];
    for (last, completed, chosen, also) in table {
        let decision = decided(last, completed, Some(3), "");
        assert_eq!(decision.chosen.id(), *chosen, "{last} | {completed}");
        assert_eq!(offers(&decision), *also, "{last} | {completed}");
        assert!(decision.reason.ends_with('.'), "{}", decision.reason);
    }
}

#[test]
fn an_unknown_number_of_phases_offers_the_next_and_the_merge() {
    let decision = decided("2 9 completed 9", TO_8, None, "");
    assert_eq!(decision.chosen.id(), "phase-3-step-1");
    assert_eq!(offers(&decision), ["phase-3-step-3", "merge"]);
}

#[test]
fn a_missing_gate_comes_first() {
    let table = [
        (
            "2 7 completed 9",
            "2 3 completed 1",
            "phase-2-step-4",
            vec![],
        ),
        (
            "2 5 completed 9",
            "2 3 completed 1",
            "phase-2-step-4",
            vec![],
        ),
        // The code was rewritten after its review.
        (
            "2 6 approved 9",
            "2 3 completed 1; 2 4 approved 2; 2 5 completed 3; 2 3 completed 4",
            "phase-2-step-4",
            vec![],
        ),
        (
            "1 3 in_progress 9",
            "",
            "phase-1-step-2.5",
            vec!["phase-1-step-3"],
        ),
        (
            "1 3 in_progress 9",
            "1 2.5 approved 1",
            "phase-1-step-3",
            vec!["phase-1-step-4"],
        ),
    ];
    for (last, completed, chosen, also) in table {
        let decision = decided(last, completed, Some(3), "");
        assert_eq!(decision.chosen.id(), chosen, "{last} | {completed}");
        assert_eq!(offers(&decision), also, "{last} | {completed}");
    }
}

#[test]
fn a_resume_plan_counts_while_nothing_newer_was_recorded() {
    let plan = r#""resume_plan": {"next_phase": 2, "next_step": 1, "reason": "Continue"},"#;
    let decision = decided("1 9 completed 9", "1 9 completed 9", Some(3), plan);
    assert_eq!(decision.chosen.id(), "phase-2-step-3");
    assert!(decision.warnings.iter().any(|w| w.contains("resume_plan")));
    let text = state(
        plan,
        &records("1 9 completed 9").replace('}', r#", "note": "Rolled back"}"#),
        "",
    );
    let world = FakeWorld::from("2025-11-09T18:00:00Z");
    let state = shape::parse(text.as_bytes(), &world.clock).unwrap();
    let outlook = Outlook {
        total: Some(3),
        uncommitted: &|_| false,
        planned: &|_| Some(true),
    };
    let decision = recorded(&Ledger::of(&state), state.resume_plan.as_ref(), &outlook);
    assert_eq!(decision.chosen.id(), "phase-2-step-1");
    assert_eq!(offers(&decision), ["phase-2-step-1", "phase-2-step-3"][1..]);
}

#[test]
fn agents_are_trusted_and_both_interpretations_offered() {
    let by_agent = |status: &str, step: &str, agent: &str, completed: &str| {
        let last = format!(
            r#"{{"phase": 2, "step": {step}, "agent": "{agent}", "status": "{status}", "timestamp": "2025-11-09T10:50:00"}}"#
        );
        let text = state("", &last, &records(completed));
        let world = FakeWorld::from("2025-11-09T18:00:00Z");
        let state = shape::parse(text.as_bytes(), &world.clock).unwrap();
        recorded(
            &Ledger::of(&state),
            None,
            &Outlook {
                total: Some(3),
                uncommitted: &|_| false,
                planned: &|_| Some(true),
            },
        )
    };
    let decision = by_agent("failed", "3", "code-reviewer", "2 3 completed 1");
    assert_eq!(decision.chosen.id(), "phase-2-step-3");
    let decision = by_agent("completed", "3", "code-reviewer", "2 3 completed 1");
    assert_eq!(
        (decision.chosen.id().as_str(), offers(&decision)),
        ("phase-2-step-5", vec!["phase-2-step-4".to_owned()])
    );
    // The tester's number hides two unrecorded reviews.
    let decision = by_agent("completed", "3", "feature-tester", "2 3 completed 1");
    assert_eq!(decision.chosen.id(), "phase-2-step-4");
    assert!(!decision.warnings.is_empty());
}

#[test]
fn three_failures_of_a_step_give_a_warning() {
    let thrice = "2 3 completed 1; 2 3 completed 2; 2 3 completed 3";
    let decision = decided("2 4 failed 9", thrice, Some(3), "");
    assert!(
        decision
            .warnings
            .iter()
            .any(|w| w.contains("failed 3 times"))
    );
    assert_eq!(offers(&decision), ["phase-2-step-4", "phase-2-step-1"]);
    let decision = decided("2 4 failed 9", "2 3 completed 1", Some(3), "");
    assert!(decision.warnings.is_empty());
}

#[test]
fn the_plugins_own_answer_is_known() {
    let table = [
        ("2 4 failed", Some("phase 2, step 3")),
        ("2 8 failed", None),
        ("2 4 waiting_approval", Some("phase 2, step 2.5")),
        ("2 2 completed", Some("phase 2, step 3")),
        ("2 2.5 completed", Some("phase 2, step 3.5")),
        ("2 9 completed", Some("phase 3, step 1")),
        ("2 3 in_progress", Some("phase 2, step 4")),
        ("2 3 approved", None),
    ];
    for (last, answer) in table {
        let text = state("", &records(last), "");
        let world = FakeWorld::from("2025-11-09T18:00:00Z");
        let state = shape::parse(text.as_bytes(), &world.clock).unwrap();
        let position = Ledger::of(&state).position;
        assert_eq!(
            upstream(
                position.phase,
                position.record.written.unwrap_or(position.step),
                &position.record.status
            )
            .as_deref(),
            answer,
            "{last}"
        );
    }
}

#[test]
fn without_a_state_file_worktree_plan_and_commits_decide() {
    let id = |scene: &Scene| scene.decision().chosen.id();
    let mut scene = Scene::new();
    assert_eq!(id(&scene), "phase-2-step-3");
    scene.repo().status = vec![change("src/a.rs"), change("docs/a.md")];
    assert_eq!(id(&scene), "phase-2-step-5");
    scene.write(".worktree/price-alerts/.test/t.py", "");
    assert_eq!(id(&scene), "phase-2-step-7");
    std::fs::remove_dir_all(scene.top.join(".worktree/price-alerts/.test")).unwrap();
    scene.repo().status.clear();
    assert_eq!(id(&scene), "phase-2-step-3");
    let all = commit(
        "c2",
        "feat: Phase 2-3 - 화면",
        "2025-11-09T16:00:00Z",
        &["c1"],
    );
    scene
        .repo()
        .branches
        .get_mut("feature/price-alerts")
        .unwrap()
        .insert(0, all);
    scene.repo().worktrees[0].head = Some(full("c2"));
    assert_eq!(id(&scene), "merge");
    scene.write(
        ".plan/price_alerts_plan.md",
        PLAN.replace("3: Screens", "4: Screens"),
    );
    assert_eq!(id(&scene), "phase-4-step-3");
}

/// What was saved last decides between records of one second: a step that failed and then passed has passed, and one
/// that an older save shows as passed has failed.
#[test]
fn of_saves_of_one_second_the_one_with_more_records_is_newer() {
    let code = "2 3 completed 1";
    for (own, backup, point, age) in [
        (
            ("2 4 approved 9", "2 3 completed 1; 2 4 approved 9"),
            ("2 4 failed 9", code),
            "phase-2-step-5",
            BackupAge::Older,
        ),
        (
            ("2 4 approved 9", code),
            ("2 4 failed 9", "2 3 completed 1; 2 4 approved 9"),
            "phase-2-step-4",
            BackupAge::Newer,
        ),
        (
            ("2 4 approved 9", code),
            ("2 4 failed 9", code),
            "phase-2-step-4",
            BackupAge::Unknown,
        ),
    ] {
        let save = |(last, done)| state("\"total_phases\": 3,", &records(last), &records(done));
        let scene = Scene::with_state(&save(own));
        let name = ".worktree/price-alerts/workflow-state.json.backup";
        scene.write(name, save(backup));
        assert_eq!(scene.decision().chosen.id(), point, "{own:?}");
        assert_eq!(scene.facts().backup_age(), age, "{own:?}");
    }
}
