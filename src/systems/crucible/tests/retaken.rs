//! A boundary whose checkpoint was taken again: a run that resumes enters its wave once more. And dispatches whose
//! outcome nothing records.

use super::points::{chosen, run};
use super::*;
use crate::systems::crucible::checks::seq_in;

/// Wave 1 is done. Wave 2 was entered, crashed, was entered again and crashed before its first dispatch.
fn entered_twice() -> Kit {
    let mut kit = Kit::new();
    kit.marker("3");
    let mut lines = done(1, "planner", "2", 0).to_vec();
    lines.extend(done(2, "implementer", "3", 1));
    lines.push(line(3, "implementer", "3", 2, "dispatched", ""));
    lines.push(line(4, "implementer", "3", 3, "dispatched", ""));
    kit.manifest(&lines);
    for (seq, role, time) in [
        (1, "planner", "10:00:00"),
        (2, "implementer", "10:16:00"),
        (3, "implementer", "10:31:00"),
        (4, "implementer", "10:31:10"),
    ] {
        kit.header(seq, role, time);
    }
    kit.commit(&"a".repeat(40), "2026-04-08T10:00:30Z", "docs: the plan");
    kit.commit(&"b".repeat(40), "2026-04-08T10:16:30Z", "feat: one");
    kit.checkpoints(&[
        ("pre-plan-gate", "10:05:00"),
        ("pre-wave-1", "10:15:00"),
        ("pre-wave-2", "10:30:00"),
        ("pre-wave-2", "12:00:00"),
    ]);
    kit
}

/// Appends a line that was cut while it was written.
fn torn(kit: &Kit) {
    let path = kit.dispatch().join("manifest.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    kit.write(&path, &format!("{text}{{\"seq\":4,\"file\":\"4-imp"));
}

/// The numbers that a point runs again.
fn redone(kit: &Kit, point: &str) -> Vec<String> {
    let case = kit.open();
    let point = PointId(point.to_owned());
    let options = PlanOptions::default();
    let intent = case.intent(&point, &options, &kit.world);
    let redone = intent.unwrap().redone;
    redone
        .iter()
        .map(|item| item.id.lossy().into_owned())
        .collect()
}

#[test]
fn a_second_checkpoint_of_a_wave_is_of_the_same_wave() {
    for cut in [false, true] {
        let kit = entered_twice();
        if cut {
            torn(&kit);
        }
        let case = kit.open();
        let all = kit.boundaries(&case);
        let point = all
            .iter()
            .find(|b| matches!(b.preference, Preference::Chosen(_)))
            .unwrap();
        assert_eq!((point.id.0.as_str(), cut), ("wave-2", cut));
        assert_eq!((point.kept, point.redone), (Some(2), Some(2)), "cut: {cut}");
        assert_eq!(redone(&kit, "wave-2"), ["3", "4"], "cut: {cut}");
        let found = |need: &CheckpointNeed| match need {
            CheckpointNeed::Found(found) => found.id.clone(),
            CheckpointNeed::Missing { .. } | CheckpointNeed::None => String::new(),
        };
        assert_eq!(
            found(&point.checkpoint),
            format!("{:040x}", 4),
            "the newest"
        );
        let prompt = kit.handoff(&case, "wave-2").prompt.lossy().into_owned();
        assert!(prompt.contains("wave 1 is done"), "{prompt}");
        assert!(prompt.contains("Run again: dispatches 3-4."), "{prompt}");
        for check in case.verify(&kit.world) {
            let text = check.evidence.lossy();
            let of_open = seq_in(&check) == Some(3);
            assert!(
                !(of_open && text.contains("recorded as completed")),
                "{text}"
            );
        }
        let codes: Vec<&str> = case.reading().findings.iter().map(|f| f.code).collect();
        assert!(!codes.contains(&"manifest-cut"), "{codes:?}");
    }
}

#[test]
fn a_second_checkpoint_of_any_boundary_keeps_no_work_of_before_it_that_belongs_after_it() {
    // The gate passed its first round, the run was resumed at the gate, and crashed in the second.
    let kit = run(
        "2",
        &[
            (1, "planner", "2", true, "10:00:00"),
            (2, "red-team", "2", true, "10:20:00"),
            (3, "red-team", "2", false, "11:20:00"),
        ],
        &[("pre-plan-gate", "10:10:00"), ("pre-plan-gate", "11:10:00")],
    );
    assert_eq!(redone(&kit, "phase-2-gate"), ["2", "3"]);
    // The run went back to wave 1 and crashed in it: wave 2 has no checkpoint of what wave 1 did this time.
    let kit = run(
        "3",
        &[
            (1, "implementer", "3", true, "10:01:00"),
            (2, "implementer", "3", true, "10:21:00"),
            (3, "implementer", "3", true, "11:01:00"),
        ],
        &[
            ("pre-wave-1", "10:00:00"),
            ("pre-wave-2", "10:20:00"),
            ("pre-wave-1", "11:00:00"),
        ],
    );
    assert_eq!(redone(&kit, "wave-2"), ["2", "3"]);
    assert_eq!(chosen(&kit), "wave-1");
}

#[test]
fn a_handoff_says_nothing_of_a_dispatch_that_began_after_it() {
    for (begun, want) in [("10:10:00", "wave-2"), ("10:40:00", "phase-2")] {
        let kit = run(
            "3",
            &[(1, "planner", "2", false, begun)],
            &[
                ("pre-design-gate", "10:00:00"),
                ("pre-wave-1", "10:25:00"),
                ("pre-wave-2", "10:30:00"),
            ],
        );
        kit.write(
            &kit.memory().join("handoff-2-to-3.md"),
            "**Timestamp:** 2026-04-08T10:20:00Z\n",
        );
        assert_eq!(chosen(&kit), want, "{begun}");
    }
}

#[test]
fn a_dispatch_without_an_outcome_is_never_called_completed() {
    let kit = run(
        "3",
        &[
            (1, "implementer", "3", true, "10:00:00"),
            (2, "implementer", "3", false, "10:05:00"),
        ],
        &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:20:00")],
    );
    kit.header(3, "implementer", "10:21:00");
    let case = kit.open();
    let checks = case.verify(&kit.world);
    let own = checks
        .iter()
        .find(|check| check.id.0 == "F6" && seq_in(check) == Some(2))
        .unwrap();
    assert_eq!(
        own.evidence,
        "Its outcome is missing from the manifest, and no commit of the branch was made in its time."
    );
    let points = kit.boundaries(&case);
    for id in ["wave-2", "disk"] {
        let point = points.iter().find(|b| b.id.0 == id).unwrap();
        let told = point.warnings.iter().any(|text| {
            text.lossy()
                .contains("does not record the outcome of dispatch 2")
        });
        assert!(told, "{id}: {:?}", point.warnings);
        let prompt = kit.handoff(&case, id).prompt.lossy().into_owned();
        assert!(
            prompt.contains("The manifest does not record the outcome of dispatch 2: check the work first, and run again what is missing."),
            "{prompt}"
        );
        assert!(!prompt.contains("wave 1 is done"), "{prompt}");
    }
}

#[test]
fn without_a_store_no_commit_of_the_project_takes_completed_work_back() {
    let mut kit = entered_twice();
    std::fs::remove_dir_all(kit.store()).unwrap();
    kit.world.git.repos.remove(&kit.store());
    repo(&mut kit).status = vec![StatusPath {
        path: "a".into(),
        kind: crate::world::git::StatusKind::Changed,
        on_disk: true,
    }];
    let case = kit.open();
    let all = kit.boundaries(&case);
    let of = |id: &str| all.iter().find(|b| b.id.0 == id).unwrap();
    let wave = of("wave-1");
    assert!(matches!(wave.checkpoint, CheckpointNeed::Found(_)));
    assert_eq!(wave.preference, Preference::ByHand);
    let disk = of("disk");
    let Preference::Chosen(why) = &disk.preference else {
        panic!("{:?}", disk.preference)
    };
    assert!(
        why.lossy().contains("would discard completed work"),
        "{why:?}"
    );
    assert_eq!((disk.kept, disk.redone), (Some(2), Some(2)));
    assert_eq!(
        disk.warnings,
        ["Files that interrupted dispatches changed stay as they are."]
    );
    let checks = case.verify(&kit.world);
    let check = checks.iter().find(|check| check.id.0 == "F10").unwrap();
    assert!(!check.evidence.lossy().contains("no files can be restored"));
    // Nothing was completed after the commit, so that it takes nothing back.
    kit.manifest(
        &[
            done(1, "planner", "2", 0).to_vec(),
            vec![line(2, "implementer", "3", 1, "dispatched", "")],
        ]
        .concat(),
    );
    assert_eq!(chosen(&kit), "wave-1");
}
