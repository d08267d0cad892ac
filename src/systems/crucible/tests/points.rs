//! Which point the rules choose, phase by phase, and which checkpoints count.

use super::*;

/// A run with these entries (seq, role, phase, done, start time) and checkpoints, and its marker in this phase.
pub(crate) fn run(
    phase: &str,
    entries: &[(u64, &str, &str, bool, &str)],
    checkpoints: &[(&str, &str)],
) -> Kit {
    let mut kit = Kit::new();
    kit.marker(phase);
    let mut lines = Vec::new();
    for (seq, role, phase, is_done, time) in entries {
        if *is_done {
            lines.extend(done(*seq, role, phase, 0));
        } else {
            lines.push(line(*seq, role, phase, 0, "dispatched", ""));
        }
        if !time.is_empty() {
            kit.header(*seq, role, time);
        }
    }
    kit.manifest(&lines);
    if !checkpoints.is_empty() {
        kit.checkpoints(checkpoints);
    }
    kit
}

pub(crate) fn chosen(kit: &Kit) -> String {
    kit.points(&kit.open()).0
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, a row a rule")]
fn the_rules_choose_by_the_first_unfinished_phase() {
    type Entries = &'static [(u64, &'static str, &'static str, bool, &'static str)];
    type Saved = &'static [(&'static str, &'static str)];
    let table: &[(&str, &str, Entries, Saved, &str)] = &[
        (
            "phase 1",
            "1",
            &[(1, "researcher", "1", false, "10:00:00")],
            &[],
            "fresh",
        ),
        (
            "phase 1, approved",
            "1",
            &[(1, "researcher", "1", false, "10:00:00")],
            &[("pre-design-gate", "10:05:00")],
            "phase-2",
        ),
        (
            "phase 2",
            "2",
            &[(1, "planner", "2", false, "10:00:00")],
            &[("pre-design-gate", "09:59:00")],
            "phase-2",
        ),
        (
            "phase 2, no checkpoint",
            "2",
            &[(1, "planner", "2", false, "10:00:00")],
            &[],
            "phase-2",
        ),
        (
            "plan gate open",
            "2",
            &[
                (1, "planner", "2", true, "10:00:00"),
                (2, "red-team", "2", false, "10:20:00"),
            ],
            &[("pre-plan-gate", "10:10:00")],
            "phase-2-gate",
        ),
        (
            "planner and gate open",
            "2",
            &[
                (1, "planner", "2", false, "10:00:00"),
                (2, "red-team", "2", false, "10:20:00"),
            ],
            &[("pre-plan-gate", "10:10:00")],
            "phase-2",
        ),
        (
            "wave 2",
            "3",
            &[
                (1, "implementer", "3", true, "10:00:00"),
                (2, "implementer", "3", false, "10:30:00"),
            ],
            &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:20:00")],
            "wave-2",
        ),
        (
            "open work since wave 1",
            "3",
            &[
                (1, "implementer", "3", false, "10:00:00"),
                (2, "implementer", "3", true, "10:30:00"),
            ],
            &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:20:00")],
            "wave-1",
        ),
        (
            "between waves",
            "3",
            &[(1, "implementer", "3", true, "10:00:00")],
            &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:20:00")],
            "wave-2",
        ),
        (
            "times unknown",
            "3",
            &[(1, "implementer", "3", false, "")],
            &[
                ("pre-wave-1", "09:59:00"),
                ("pre-wave-10", "10:20:00"),
                ("pre-wave-9", "10:19:00"),
            ],
            "wave-10",
        ),
        (
            "no wave",
            "3",
            &[(1, "implementer", "3", false, "")],
            &[],
            "wave-1",
        ),
        (
            "phase 4",
            "4",
            &[(1, "reviewer", "4", false, "10:00:00")],
            &[("pre-code-review", "09:59:00")],
            "phase-4",
        ),
        (
            "phase 4 by its newer name",
            "4",
            &[(1, "temper", "4", false, "10:00:00")],
            &[("pre-temper", "09:59:00")],
            "phase-4",
        ),
        (
            "review complete",
            "4",
            &[
                (1, "reviewer", "4", true, "10:00:00"),
                (2, "inquisitor", "4", false, "10:10:00"),
            ],
            &[("pre-inquisitor", "10:05:00")],
            "phase-4-inquisitor",
        ),
        (
            "gate left",
            "4",
            &[
                (1, "reviewer", "4", true, "10:00:00"),
                (2, "inquisitor", "4", true, "10:10:00"),
                (3, "quality-gate", "4", false, "10:20:00"),
            ],
            &[("pre-impl-gate", "10:15:00")],
            "phase-4-gate",
        ),
        (
            "hole in phase 2",
            "3",
            &[
                (1, "planner", "2", false, "10:00:00"),
                (2, "implementer", "3", true, "10:10:00"),
            ],
            &[("pre-wave-1", "10:05:00")],
            "phase-2",
        ),
        (
            "crossing without a dispatch of the phase",
            "4",
            &[(1, "implementer", "3", true, "10:00:00")],
            &[],
            "phase-4",
        ),
    ];
    for (name, phase, entries, checkpoints, want) in table {
        assert_eq!(chosen(&run(phase, entries, checkpoints)), *want, "{name}");
    }
}

#[test]
fn completed_work_alone_does_not_finish_a_phase() {
    let kit = run("2", &[(1, "planner", "2", true, "10:00:00")], &[]);
    assert_eq!(kit.open().reading().stopped_where, "phase 2");
    kit.write(
        &kit.memory().join("handoff-2-to-3.md"),
        "**Timestamp:** 2026-04-08T10:14:00Z\n",
    );
    assert_eq!(kit.open().reading().stopped_where, "phase 3");
    kit.write(
        &kit.memory().join("handoff-2-to-3.md"),
        "**Timestamp:** 2026-04-07T10:14:00Z\n",
    );
    assert_eq!(kit.open().reading().stopped_where, "phase 2");
}

#[test]
fn a_committed_design_is_not_overwritten() {
    let mut kit = run(
        "2",
        &[(1, "planner", "2", false, "10:10:00")],
        &[("pre-design-gate", "10:00:00")],
    );
    kit.write(
        &kit.memory().join("handoff-1-to-2.md"),
        "**Timestamp:** 2026-04-08T10:05:00Z\n",
    );
    let all = kit.boundaries(&kit.open());
    assert_eq!(chosen(&kit), "disk");
    assert_eq!(all[0].label, "Re-enter before the design gate");
    assert_eq!(all[0].preference, Preference::Rung);
    repo(&mut kit).status = vec![StatusPath {
        path: "a".into(),
        kind: crate::world::git::StatusKind::Untracked,
        on_disk: true,
    }];
    assert_eq!(chosen(&kit), "phase-2");
}

#[test]
fn a_missing_checkpoint_is_reported_with_the_fallback() {
    let kit = run(
        "4",
        &[
            (1, "implementer", "3", true, "10:00:00"),
            (2, "reviewer", "4", false, "11:00:00"),
        ],
        &[("pre-wave-1", "09:59:00")],
    );
    let all = kit.boundaries(&kit.open());
    let last = all.iter().find(|b| b.id.0 == "phase-4").unwrap();
    assert_eq!(
        last.checkpoint,
        CheckpointNeed::Missing {
            wanted: "pre-code-review or pre-temper".into()
        }
    );
    assert_eq!(
        last.warnings[0],
        "Desired checkpoint pre-code-review or pre-temper not found. Using pre-wave-1. Replaying from Phase 3 instead of Phase 4."
    );
    assert!(
        all.iter()
            .any(|b| b.id.0 == "wave-1" && b.preference == Preference::Rung)
    );
}

#[test]
fn an_earlier_checkpoint_with_the_same_files_is_used() {
    let kit = run(
        "4",
        &[
            (1, "implementer", "3", true, "10:00:00"),
            (2, "reviewer", "4", false, "11:00:00"),
        ],
        &[("pre-wave-2", "10:30:00")],
    );
    let all = kit.boundaries(&kit.open());
    let last = all.iter().find(|b| b.id.0 == "phase-4").unwrap();
    assert!(matches!(&last.checkpoint, CheckpointNeed::Found(c) if c.reason == "pre-wave-2"));
}

#[test]
fn checkpoints_of_other_runs_of_the_folder_are_not_this_runs() {
    let kit = run(
        "3",
        &[(1, "implementer", "3", false, "10:00:00")],
        &[
            ("pre-wave-9", "09:00:00"),
            ("pre-wave-1", "09:59:00"),
            ("pre-wave-2", "12:30:00"),
        ],
    );
    // Another run of the same folder started at 12:00.
    std::fs::create_dir_all(kit.memory().join("crucible-dispatch-1775649600")).unwrap();
    let case = kit.open();
    let reasons: Vec<_> = case
        .checkpoints(&kit.world)
        .into_iter()
        .map(|c| c.reason)
        .collect();
    assert_eq!(reasons, ["pre-wave-1"]);
}

#[test]
fn only_builds_are_resumed() {
    let kit = run(
        "3",
        &[(1, "investigator", "3", false, "10:00:00")],
        &[("pre-wave-1", "09:59:00")],
    );
    let marker = kit.memory().join(".pipeline-active");
    let text = std::fs::read_to_string(&marker)
        .unwrap()
        .replace("build", "debugging");
    kit.write(&marker, &text);
    assert_eq!(
        kit.points(&kit.open()),
        ("fresh".to_owned(), vec!["fresh".to_owned()])
    );
}

#[test]
fn a_store_of_another_project_is_not_restored_from() {
    let mut kit = super::interrupted();
    let store = kit.store();
    kit.world
        .git
        .repos
        .get_mut(&store)
        .unwrap()
        .shadow_work_tree = Some("/elsewhere".into());
    let case = kit.open();
    let point = PointId("wave-2".to_owned());
    let intent = case
        .intent(&point, &PlanOptions::default(), &kit.world)
        .unwrap();
    assert!(
        intent
            .guards
            .iter()
            .any(|guard| guard.id == "work_tree" && !guard.holds)
    );
}

/// A truncated manifest has an open dispatch whose end was recorded in the lost lines, because a later wave started.
#[test]
fn a_manifest_cut_inside_phase_3_resumes_at_the_wave_that_other_records_show() {
    let entries = [
        (1, "implementer", "3", true, "10:00:00"),
        (2, "implementer", "3", false, "10:05:00"),
    ];
    let saved = [("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:20:00")];
    let kit = run("3", &entries, &saved);
    assert_eq!(chosen(&kit), "wave-1", "the manifest shows no cut");
    kit.header(3, "implementer", "10:21:00");
    assert_eq!(chosen(&kit), "wave-2", "dispatch 3 is not in the manifest");
    let reading = kit.open().reading().clone();
    assert_eq!(reading.claim.status, Status::Interrupted);
    let findings: Vec<&str> = reading.findings.iter().map(|one| one.code).collect();
    assert!(findings.contains(&"manifest-cut"), "{findings:?}");
}

#[test]
fn an_unused_marker_is_reported_with_the_reason() {
    for (text, code) in [
        (r#"{"pipeline_id": "1775"#, "bad-json"),
        (r#"{"pipeline_id": 7}"#, "foreign-marker"),
        ("running", "foreign-marker"),
    ] {
        let kit = run("3", &[(1, "implementer", "3", false, "10:00:00")], &[]);
        kit.write(&kit.memory().join(format!(".dispatch-active-{SID}")), "");
        kit.write(&kit.memory().join(".pipeline-active"), text);
        let reading = kit.open().reading().clone();
        let codes: Vec<&str> = reading.findings.iter().map(|one| one.code).collect();
        assert!(codes.contains(&code), "{text}: {codes:?}");
    }
}

#[test]
fn the_recommended_point_is_not_later_than_itself() {
    let kit = run(
        "1",
        &[
            (1, "researcher", "1", true, "10:00:00"),
            (2, "quality-gate", "1", false, "10:10:00"),
        ],
        &[("pre-design-gate", "10:05:00")],
    );
    let case = kit.open();
    assert_eq!(kit.points(&case).0, "phase-2");
    let boundaries = kit.boundaries(&case);
    let point = boundaries.iter().find(|b| b.id.0 == "phase-2").unwrap();
    let mut warnings = point.warnings.iter();
    assert!(
        !warnings.any(|text| text.lossy().contains("later than")),
        "{:?}",
        point.warnings
    );
}
