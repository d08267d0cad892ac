//! F14 and F15: boundaries for which no checkpoint was taken.

use super::points::{chosen, run};
use super::*;
use crate::model::CheckpointKind;

/// Phase 4 after an empty wave 2; `between` ran between its checkpoint and the review.
fn reviewed(between: &str) -> Kit {
    run(
        "4",
        &[
            (1, "implementer", "3", true, "10:00:00"),
            (2, between, "3", true, "10:40:00"),
            (3, "reviewer", "4", false, "11:00:00"),
        ],
        &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:30:00")],
    )
}

#[test]
fn f14_an_earlier_checkpoint_is_used_only_if_no_file_changed_since() {
    let table = [
        ("plan-reviewer", Some("pre-wave-2")),
        ("red-team", Some("pre-wave-2")),
        ("quality-gate", Some("pre-wave-2")),
        ("implementer", None),
        ("quality-gate fix agent", None),
        ("something new", None),
    ];
    for (role, want) in table {
        let kit = reviewed(role);
        let all = kit.boundaries(&kit.open());
        let last = all.iter().find(|b| b.id.0 == "phase-4").unwrap();
        let found = match &last.checkpoint {
            CheckpointNeed::Found(found) => Some(found.reason.lossy().into_owned()),
            CheckpointNeed::Missing { .. } | CheckpointNeed::None => None,
        };
        assert_eq!(found.as_deref(), want, "{role}");
        let told = last
            .reason
            .lossy()
            .contains("pre-wave-2 has the same files");
        assert_eq!(told, want.is_some(), "{role}: {:?}", last.reason);
        if want.is_some() {
            assert!(last.reason.lossy().contains(role), "{role}");
            assert_eq!((last.kept, last.redone), (Some(2), Some(1)), "{role}");
            let Preference::Chosen(why) = &last.preference else {
                panic!("{role}: {:?}", last.preference)
            };
            assert!(why.lossy().contains("has the same files"), "{why:?}");
        }
    }
}

/// The checkpoint of the boundary before phase 4.
fn found(kit: &Kit) -> Option<Checkpoint> {
    let all = kit.boundaries(&kit.open());
    let last = all.into_iter().find(|b| b.id.0 == "phase-4").unwrap();
    match last.checkpoint {
        CheckpointNeed::Found(found) => Some(found),
        CheckpointNeed::Missing { .. } | CheckpointNeed::None => None,
    }
}

#[test]
fn f14_a_commit_in_between_means_that_files_changed() {
    for (time, of_store) in [
        ("2026-04-08T10:20:00Z", true),
        ("2026-04-08T10:45:00Z", false),
        ("2026-04-08T11:10:00Z", true),
    ] {
        let mut kit = reviewed("red-team");
        kit.commit("c".repeat(40).as_str(), time, "fix: by hand");
        let found = found(&kit).unwrap();
        let shadow = matches!(found.kind, CheckpointKind::Shadow { .. });
        assert_eq!(shadow, of_store, "{time}");
    }
}

#[test]
fn f14_the_commit_at_the_boundary_is_its_checkpoint_where_all_work_ended_with_it() {
    // The implementer reports at 10:40 plus the time it took.
    let table = [
        ("10:41:00", Some(60), true),
        ("10:41:00", Some(180), true),
        // It continued after the commit.
        ("10:41:00", Some(1_200), false),
        ("10:41:00", None, false),
        // It started after the commit.
        ("10:39:00", Some(60), false),
        // The review was running.
        ("11:01:00", Some(60), false),
    ];
    for (time, took, want) in table {
        let mut kit = reviewed("implementer");
        kit.commit(&"c".repeat(40), &format!("2026-04-08T{time}Z"), "feat: two");
        let path = kit.dispatch().join("manifest.jsonl");
        let lines = std::fs::read_to_string(&path).unwrap();
        let (first, second) = lines.split_once("\"seq\":2").unwrap();
        let took = took.map_or_else(|| "null".to_owned(), |s: u64| s.to_string());
        let second = second.replace("\"duration_s\":60", &format!("\"duration_s\":{took}"));
        kit.write(&path, &format!("{first}\"seq\":2{second}"));
        let found = found(&kit);
        assert_eq!(found.is_some(), want, "{time} {took:?}: {found:?}");
        let Some(found) = found else { continue };
        let repo = kit.proj();
        assert_eq!(found.kind, CheckpointKind::Commit { repo });
        let listed = kit.open().checkpoints(&kit.world);
        assert!(listed.contains(&found), "{listed:?}");
        let case = kit.open();
        let point = PointId("phase-4".to_owned());
        let options = PlanOptions::default();
        let intent = case.intent(&point, &options, &kit.world);
        let intent = intent.unwrap();
        assert!(
            matches!(&intent.steps[..], [Step::RestoreTree { commit, .. }] if *commit == found.id),
            "{:?}",
            intent.steps
        );
    }
}

#[test]
fn f14_a_run_that_stopped_at_the_boundary_has_one_too() {
    let kit = run(
        "3",
        &[
            (1, "planner", "2", true, "10:00:00"),
            (2, "red-team", "2", true, "10:20:00"),
        ],
        &[("pre-plan-gate", "10:10:00")],
    );
    let all = kit.boundaries(&kit.open());
    let wave = all.iter().find(|b| b.id.0 == "wave-1").unwrap();
    assert!(matches!(wave.preference, Preference::Chosen(_)));
    assert!(matches!(&wave.checkpoint, CheckpointNeed::Found(c) if c.reason == "pre-plan-gate"));
    assert_eq!((wave.kept, wave.redone), (Some(2), Some(0)));
}

#[test]
fn f14_a_checkpoint_before_a_restore_is_never_the_same() {
    let kit = run(
        "4",
        &[(1, "reviewer", "4", false, "11:00:00")],
        &[
            ("pre-wave-2", "10:30:00"),
            ("pre-restore-safety", "10:40:00"),
        ],
    );
    let all = kit.boundaries(&kit.open());
    let last = all.iter().find(|b| b.id.0 == "phase-4").unwrap();
    assert!(matches!(last.checkpoint, CheckpointNeed::Missing { .. }));
}

#[test]
fn f15_phase_4_without_checkpoints_continues_on_a_clean_tree_that_was_handed_over() {
    let table = [
        ("4", true, true, "disk"),
        ("4", true, false, "phase-4"),
        ("4", false, true, "phase-4"),
        // Its own checkpoint exists.
        ("3", true, true, "wave-2"),
    ];
    for (phase, handed, clean, want) in table {
        let mut kit = run(
            phase,
            &[
                (1, "implementer", "3", true, "10:00:00"),
                (2, "implementer", "3", true, "10:40:00"),
            ],
            &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:30:00")],
        );
        if handed {
            kit.write(
                &kit.memory().join(format!(
                    "handoff-{}-to-{phase}.md",
                    if phase == "4" { 3 } else { 2 }
                )),
                "**Timestamp:** 2026-04-08T10:55:00Z\n",
            );
        }
        if !clean {
            repo(&mut kit).status = vec![StatusPath {
                path: "a".into(),
                kind: crate::world::git::StatusKind::Changed,
                on_disk: true,
            }];
        }
        assert_eq!(chosen(&kit), want, "{phase} {handed} {clean}");
    }
}

#[test]
fn f15_no_phase_is_undone_because_a_checkpoint_is_missing() {
    let kit = run(
        "3",
        &[
            (1, "planner", "2", true, "10:00:00"),
            (2, "implementer", "3", false, "10:40:00"),
        ],
        &[("pre-design-gate", "09:59:00")],
    );
    assert_eq!(chosen(&kit), "wave-1");
    kit.write(
        &kit.memory().join("handoff-2-to-3.md"),
        "**Timestamp:** 2026-04-08T10:30:00Z\n",
    );
    assert_eq!(chosen(&kit), "disk");
}
