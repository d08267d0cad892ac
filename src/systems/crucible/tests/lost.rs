//! F13: a reboot clears /tmp, and the manifest with it. The remaining records still show how far the run got.

use super::*;
use crate::systems::testing;

/// A run in this phase whose dispatch folder is gone.
fn rebooted(phase: &str, checkpoints: &[(&str, &str)]) -> Kit {
    let mut kit = Kit::new();
    kit.marker(phase);
    kit.checkpoints(checkpoints);
    kit
}

const ALL: &[(&str, &str)] = &[
    ("pre-design-gate", "10:05:00"),
    ("pre-plan-gate", "10:10:00"),
    ("pre-wave-1", "10:15:00"),
    ("pre-wave-2", "10:30:00"),
    ("pre-code-review", "10:50:00"),
];

fn dirty(kit: &mut Kit) {
    repo(kit).status = vec![StatusPath {
        path: "a".into(),
        kind: crate::world::git::StatusKind::Changed,
        on_disk: true,
    }];
}

fn handed(kit: &Kit, from: u64, to: u64) {
    let path = kit.memory().join(format!("handoff-{from}-to-{to}.md"));
    kit.write(&path, "**Timestamp:** 2026-04-08T10:14:00Z\n");
}

#[test]
fn f13_the_newest_checkpoint_of_the_phase_is_chosen_while_work_is_uncommitted() {
    let table = [
        ("1", "phase-2"),
        ("2", "phase-2-gate"),
        ("3", "wave-2"),
        ("4", "phase-4"),
    ];
    for (phase, want) in table {
        let mut kit = rebooted(phase, ALL);
        dirty(&mut kit);
        let case = kit.open();
        assert_eq!(case.reading().claim.status, Status::Interrupted, "{phase}");
        let (chosen, all) = kit.points(&case);
        assert_eq!(chosen, want, "{phase}: {all:?}");
        for id in ["disk", "fresh"] {
            assert!(all.iter().any(|point| point == id), "{phase}: {all:?}");
        }
        let boundaries = kit.boundaries(&case);
        let chosen = boundaries.iter().find(|b| b.id.0 == want).unwrap();
        assert_eq!(chosen.verified, Verdict::Skipped, "{phase}");
        assert_eq!(chosen.time_lost_s, None, "{phase}");
        assert!(matches!(chosen.checkpoint, CheckpointNeed::Found(_)));
    }
}

#[test]
fn f13_a_clean_tree_is_kept_and_nothing_starts_over() {
    type Change = fn(&mut Kit);
    let table: &[(&str, Change)] = &[
        ("handed over and clean", |kit| handed(kit, 2, 3)),
        ("clean", |_| {}),
        ("no store", |kit| {
            dirty(kit);
            std::fs::remove_dir_all(kit.store()).unwrap();
        }),
    ];
    for (name, change) in table {
        let mut kit = rebooted("3", ALL);
        change(&mut kit);
        let (chosen, all) = kit.points(&kit.open());
        assert_eq!(chosen, "disk", "{name}");
        assert_eq!(all.last().map(String::as_str), Some("fresh"), "{name}");
    }
}

#[test]
fn f13_without_the_markers_phase_other_records_show_where_it_stopped() {
    let kit = rebooted("3", ALL);
    kit.write(
        &kit.memory().join(".pipeline-active"),
        &format!(
            "pipeline: build\nsession-id: {SID}\nstarted: {}\ndispatch-dir: /tmp/x\n",
            testdata::START
        ),
    );
    let case = kit.open();
    assert_eq!(case.reading().progress.done, Some(3));
    assert_eq!(case.reading().stopped_where, "phase 4");
    std::fs::remove_dir_all(kit.store()).unwrap();
    handed(&kit, 2, 3);
    let case = kit.open();
    assert_eq!(case.reading().progress.done, Some(2));
    assert_eq!(case.reading().stopped_where, "phase 3");
}

#[test]
fn f13_the_timeline_and_the_checks_use_the_remaining_records() {
    let mut kit = rebooted("3", ALL);
    handed(&kit, 2, 3);
    kit.commit(
        "b".repeat(40).as_str(),
        "2026-04-08T10:20:50Z",
        "feat: cache",
    );
    let case = kit.open();
    let timeline = case.timeline();
    let kinds: Vec<String> = (0..timeline.len())
        .filter_map(|at| Some(timeline.get(at)?.kind.lossy().into_owned()))
        .collect();
    assert_eq!(
        kinds,
        [
            "started",
            "checkpoint",
            "checkpoint",
            "hand-off",
            "checkpoint",
            "commit",
            "checkpoint",
            "checkpoint"
        ]
    );
    let checks = case.verify(&kit.world);
    for id in ["F1", "F2", "F6", "F7", "F8", "F9", "F12"] {
        let check = checks.iter().find(|check| check.id.0 == id).unwrap();
        assert_eq!(check.verdict, Verdict::Skipped, "{id}");
        assert!(
            check.evidence.lossy().contains("restart clears /tmp"),
            "{id}"
        );
    }
    // What is in its place is not gone.
    std::fs::write(kit.dispatch(), "").unwrap();
    let checks = kit.open().verify(&kit.world);
    let check = checks.iter().find(|check| check.id.0 == "F1").unwrap();
    let said = check.evidence.lossy();
    assert!(said.contains("is not a directory that you own"), "{said}");
}

#[test]
fn f13_a_truncated_manifest_does_not_undo_later_records() {
    let mut kit = rebooted("3", ALL);
    kit.manifest(&[line(1, "planner", "2", 0, "dispatched", "")]);
    kit.header(1, "planner", "10:00:00");
    handed(&kit, 2, 3);
    dirty(&mut kit);
    let case = kit.open();
    assert_eq!(case.reading().stopped_where, "phase 3, wave 2");
    let codes: Vec<&str> = case.reading().findings.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["manifest-cut"]);
    assert_eq!(kit.points(&case).0, "wave-2");
    let cut = "the outcome of dispatch 1 is missing, although later records show that the run left its phase.";
    let compare = "Compare the plan's tasks with git log before you resume.";
    let said = |kit: &Kit| testing::said(&kit.open().verify(&kit.world), "F1");
    let whole = format!("warn 1 line can be read, but the manifest ends early: {cut} - {compare}");
    assert_eq!(said(&kit), whole);
    // Lines that are skipped are counted beside it.
    let first = line(1, "planner", "2", 0, "dispatched", "");
    kit.manifest(&[first, "half".to_owned(), "{".to_owned()]);
    let both = format!(
        "warn 1 line can be read; 2 lines are skipped (line 2 and 3). The manifest ends early: {cut} - Nothing to repair; look at the skipped lines of the file before you resume. {compare}"
    );
    assert_eq!(said(&kit), both);
}

#[test]
fn f13_the_marker_alone_does_not_finish_what_a_whole_manifest_calls_open() {
    let mut kit = rebooted("3", ALL);
    kit.manifest(&[line(1, "planner", "2", 0, "dispatched", "")]);
    kit.header(1, "planner", "10:08:00");
    dirty(&mut kit);
    assert_eq!(kit.open().reading().stopped_where, "phase 2 · planner");
    // A dispatch file without a line shows that lines are missing.
    kit.header(2, "implementer", "10:20:00");
    let case = kit.open();
    assert_eq!(case.reading().stopped_where, "phase 3, wave 2");
    let point = PointId("wave-2".to_owned());
    let options = PlanOptions::default();
    let intent = case.intent(&point, &options, &kit.world);
    assert_eq!(
        intent.unwrap().kept[0].detail,
        "outcome missing from the manifest"
    );
}

#[test]
fn f8_an_unreadable_manifest_is_reported_and_differs_from_a_missing_one() {
    let kit = rebooted("3", ALL);
    std::fs::create_dir_all(kit.dispatch()).unwrap();
    let elsewhere = kit.root().join("elsewhere.jsonl");
    kit.write(&elsewhere, &line(1, "planner", "2", 0, "completed", ""));
    std::os::unix::fs::symlink(&elsewhere, kit.dispatch().join("manifest.jsonl")).unwrap();
    let case = kit.open();
    let claim = &case.reading().claim;
    assert_eq!(claim.status, Status::Interrupted);
    assert!(
        claim
            .reason
            .lossy()
            .starts_with("The manifest cannot be read"),
        "{claim:?}"
    );
    let codes: Vec<&str> = case.reading().findings.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["unreadable-file"]);
}

/// What a hit of discovery is taken for: the sessions.
fn found(kit: &Kit, path: &Path) -> Vec<String> {
    let hit = Hit {
        marker: Marker::File("checkpoint-manifest.md"),
        ..kit.hit(path)
    };
    match crate::systems::crucible::shape::sniff::sniff(&hit, &kit.world) {
        Sniffed::Ours(all) => all
            .into_iter()
            .map(|one| one.native.lossy().into_owned())
            .collect(),
        Sniffed::NotOurs(why) => panic!("{why:?}"),
    }
}

#[test]
fn a_run_without_a_whole_marker_is_joined_to_its_project() {
    type Change = fn(&Kit, PathBuf);
    let marker = |kit: &Kit| kit.memory().join(".pipeline-active");
    let table: &[(&str, Change, &str)] = &[
        (
            "a truncated marker",
            |kit, marker| kit.write(&marker, r#"{"pipeline_id":"1775642282"#),
            "is damaged",
        ),
        (
            "no marker",
            |_, marker| std::fs::remove_file(marker).unwrap(),
            "There is no marker",
        ),
    ];
    for (name, change, said) in table {
        let kit = interrupted();
        change(&kit, marker(&kit));
        let case = kit.open();
        let reading = case.reading();
        assert_eq!(reading.work_tree, Some(kit.proj()), "{name}");
        assert_eq!(
            reading.stopped_where,
            "phase 3, wave 2 · implementer, task 2"
        );
        assert_eq!(kit.points(&case).0, "wave-2", "{name}");
        let checks = case.verify(&kit.world);
        let check = checks.iter().find(|check| check.id.0 == "F3").unwrap();
        assert!(check.evidence.lossy().contains(said), "{check:?}");
        let boundaries = kit.boundaries(&case);
        let warned = boundaries.iter().all(|point| {
            let mut all = point.warnings.iter().map(Foreign::lossy);
            all.any(|text| text.contains("inferred from the times of its checkpoints"))
        });
        assert_eq!(warned, *name == "no marker");
        assert_eq!(reading.badges.contains(&Badge::Inferred), warned);
        // The store is not a second pipeline.
        let table = kit.store().join("checkpoint-manifest.md");
        assert_eq!(found(&kit, &table), [""; 0], "{name}");
    }
}

/// Each run replaces the marker, so a damaged one is that of the newest.
#[test]
fn a_damaged_marker_is_not_that_of_an_older_run() {
    for (other, said) in [
        ("1775632600", "is damaged"),
        ("1775652600", "There is no marker"),
    ] {
        let kit = interrupted();
        kit.write(
            &kit.memory().join(".pipeline-active"),
            r#"{"pipeline_id":"17756"#,
        );
        let active = kit.memory().join(format!(".dispatch-active-{other}"));
        kit.write(&active, "seq: 1\n");
        let checks = kit.open().verify(&kit.world);
        let check = checks.iter().find(|check| check.id.0 == "F3").unwrap();
        assert!(check.evidence.lossy().contains(said), "{other} {check:?}");
    }
}

#[test]
fn checkpoints_of_another_run_do_not_name_the_project() {
    type Change = fn(&Kit, PathBuf);
    let table: &[(&str, Change)] = &[
        ("another run's marker", |kit, marker| {
            kit.write(
                &marker,
                &format!(
                    r#"{{"pipeline_id":"7","skill":"build","start_time":"{}"}}"#,
                    testdata::START
                ),
            );
        }),
        ("another run began first", |kit, marker| {
            std::fs::remove_file(marker).unwrap();
            // 2026-04-08T10:03:20Z
            kit.write(
                &kit.memory().join(".dispatch-active-1775642600"),
                "seq: 1\n",
            );
        }),
        ("taken before the run", |kit, marker| {
            std::fs::remove_file(marker).unwrap();
            for seq in 1..4 {
                for role in ["design-writer", "planner", "implementer"] {
                    let path = kit.dispatch().join(format!("{seq}-{role}.md"));
                    drop(std::fs::remove_file(path));
                }
            }
        }),
    ];
    for (name, change) in table {
        let kit = interrupted();
        change(&kit, kit.memory().join(".pipeline-active"));
        let case = kit.open();
        assert_eq!(case.reading().work_tree, None, "{name}");
        let table = kit.store().join("checkpoint-manifest.md");
        let lone = *name != "another run's marker";
        assert_eq!(found(&kit, &table).len(), usize::from(lone), "{name}");
        // Nothing is handed over to a directory that may not be the project.
        for point in ["disk", "fresh"] {
            let point = PointId(point.to_owned());
            let options = PlanOptions::default();
            let intent = case.intent(&point, &options, &kit.world).unwrap();
            let refusing: Vec<_> = intent.guards.iter().filter(|g| g.refuses()).collect();
            assert_eq!(refusing.len(), 1, "{name}");
            let cure = refusing[0].would_hold_if.as_ref().unwrap();
            assert!(cure.lossy().contains("--work-tree"), "{name}");
        }
    }
}

#[test]
fn f13_an_older_manifest_in_the_scratch_folder_is_not_this_runs() {
    let kit = rebooted("3", ALL);
    let path = kit.memory().join("manifest.jsonl");
    let mut lines = done(1, "planner", "2", 0).to_vec();
    lines.extend(done(2, "implementer", "3", 1));
    kit.write(&path, &(lines.join("\n") + "\n"));
    let sniffed = |kit: &Kit| match crate::systems::crucible::shape::sniff::sniff(
        &kit.hit(&path),
        &kit.world,
    ) {
        crate::systems::Sniffed::Ours(all) => all[0].native.lossy().into_owned(),
        crate::systems::Sniffed::NotOurs(why) => panic!("{why:?}"),
    };
    assert_eq!(sniffed(&kit), SID);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(testdata::at("2026-04-07T11:00:00Z").into())
        .unwrap();
    assert_ne!(sniffed(&kit), SID);
}
