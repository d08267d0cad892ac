//! The next look after relight's own resume at an earlier boundary: the work that it discarded no longer counts, until
//! the orchestrator repeats it.

use super::points::{chosen, run};
use super::testdata::at;
use super::*;
use crate::model::{Drift, DriftPath, OwnResume, PathState, PipelineId, RestoredFiles};

/// Plan, two waves and a review are done, and the second review is open. relight resumed at a point at 12:00.
pub(super) fn resumed(point: &str) -> Kit {
    let mut kit = run(
        "4",
        &[
            (1, "planner", "2", true, "10:00:00"),
            (2, "implementer", "3", true, "10:20:00"),
            (3, "reviewer", "3", true, "10:40:00"),
            (4, "code-reviewer", "4", true, "10:55:00"),
            (5, "inquisitor", "4", false, "10:58:00"),
        ],
        &[
            ("pre-plan-gate", "10:05:00"),
            ("pre-wave-1", "10:15:00"),
            ("pre-wave-2", "10:30:00"),
            ("pre-code-review", "10:50:00"),
        ],
    );
    kit.write(
        &kit.memory().join("handoff-3-to-4.md"),
        "**Timestamp:** 2026-04-08T10:50:00Z\n",
    );
    kit.resumes = vec![OwnResume {
        pipeline: PipelineId("crucible-x".to_owned()),
        root: kit.proj(),
        point: point.to_owned(),
        files_of: None,
        left_out: Vec::new(),
        at: at("2026-04-08T12:00:00Z").fixed_offset(),
    }];
    kit
}

/// The numbers that a point keeps.
pub(super) fn kept(kit: &Kit, point: &str) -> Vec<String> {
    let case = kit.open();
    let options = PlanOptions::default();
    let intent = case.intent(&PointId(point.into()), &options, &kit.world);
    let kept = intent.unwrap().kept;
    kept.iter()
        .map(|item| item.id.lossy().into_owned())
        .collect()
}

pub(super) fn append(kit: &Kit, lines: &[String]) {
    let path = kit.dispatch().join("manifest.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    written(&path, &format!("{text}{}\n", lines.join("\n")));
}

/// Writes a file after the resume.
pub(super) fn written(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(at("2026-04-08T13:00:00Z").into())
        .unwrap();
}

#[test]
fn what_a_resume_discarded_is_kept_by_no_point_that_does_not_restore_it() {
    let table: &[(&str, &[&str])] = &[
        ("phase-2-gate", &["1"]),
        ("wave-1", &["1"]),
        ("wave-2", &["1", "2"]),
        ("phase-4", &["1", "2", "3"]),
    ];
    for (point, disk) in table {
        let kit = resumed(point);
        assert_eq!(chosen(&kit), *point);
        assert_eq!(kept(&kit, "disk"), *disk, "{point}");
        assert_eq!(kept(&kit, point), *disk, "{point}");
        let case = kit.open();
        // Nothing stopped at the point, where nothing ran yet.
        assert_eq!(case.reading().stopped_where, "phase 4 · inquisitor");
        let all = case.checkpoints(&kit.world);
        assert_eq!(all.len(), 4, "no checkpoint is listed twice");
    }
    // The checkpoint of a later point has the files again.
    assert_eq!(kept(&resumed("wave-1"), "phase-4"), ["1", "2", "3"]);
}

#[test]
fn a_resume_of_another_project_or_at_no_boundary_is_none() {
    for (root, point) in [("elsewhere", "wave-1"), ("proj", "disk"), ("proj", "fresh")] {
        let mut kit = resumed(point);
        let root = kit.root().join(root);
        kit.resumes[0].root = root;
        assert_eq!(chosen(&kit), "phase-4-inquisitor", "{point}");
        assert_eq!(kept(&kit, "disk"), ["1", "2", "3", "4"]);
    }
}

#[test]
fn work_that_the_orchestrator_repeats_counts() {
    let kit = resumed("wave-1");
    // It continued in the same manifest, without saying what each entry repeats.
    append(&kit, &done(6, "implementer", "3", 0));
    kit.header(6, "implementer", "12:10:00");
    assert_eq!(kept(&kit, "disk"), ["1", "6"]);
    // No checkpoint of wave 2 was taken this time.
    assert_eq!(chosen(&kit), "wave-1");
    append(
        &kit,
        &[
            done(7, "reviewer", "3", 0),
            done(8, "code-reviewer", "4", 0),
        ]
        .concat(),
    );
    kit.header(7, "reviewer", "12:30:00");
    kit.header(8, "code-reviewer", "12:40:00");
    append(&kit, &done(9, "inquisitor", "4", 0));
    kit.header(9, "inquisitor", "12:50:00");
    let marker = kit.memory().join(".pipeline-active");
    let text = std::fs::read_to_string(&marker).unwrap();
    written(&marker, &text);
    assert_eq!(kept(&kit, "disk"), ["1", "6", "7", "8", "9"]);
    assert_eq!(chosen(&kit), "phase-4-gate");
}

/// The checkpoint of a later boundary has the files of the work that was discarded, and would replace those of the new.
#[test]
fn a_checkpoint_from_before_the_resume_never_replaces_work_after_it() {
    let kit = resumed("wave-1");
    append(
        &kit,
        &[done(6, "implementer", "3", 0), done(7, "reviewer", "3", 0)].concat(),
    );
    kit.header(6, "implementer", "12:10:00");
    kit.header(7, "reviewer", "12:30:00");
    let marker = kit.memory().join(".pipeline-active");
    let text = std::fs::read_to_string(&marker).unwrap();
    written(&marker, &text);
    assert_eq!(chosen(&kit), "disk");
    assert_eq!(kept(&kit, "disk"), ["1", "6", "7"]);
    let case = kit.open();
    let all = case.boundaries(&[], &kit.world);
    let has = |id: &str, text: &str| {
        let found = all.iter().find(|one| one.id.0 == id).unwrap();
        format!("{:?} {:?}", found.warnings, found.preference).contains(text)
    };
    let outdated = "taken before an earlier boundary was entered again";
    for (point, is_outdated) in [
        ("phase-2-gate", false),
        ("wave-1", false),
        ("wave-2", true),
        ("phase-4", true),
        ("disk", true),
    ] {
        assert_eq!(has(point, outdated), is_outdated, "{point}");
    }
}

/// Commits are a record, too: a restore would revert them.
#[test]
fn no_point_that_restores_is_recommended_once_work_was_committed_after_the_resume() {
    for (time, wanted) in [
        ("2026-04-08T11:59:00Z", "wave-1"),
        ("2026-04-08T12:30:00Z", "disk"),
    ] {
        let mut kit = resumed("wave-1");
        kit.commit(&format!("{:040x}", 77), time, "feat: task 2 again");
        assert_eq!(chosen(&kit), wanted, "{time}");
        // What the resume discarded is still in no file.
        assert_eq!(kept(&kit, "disk"), ["1"], "{time}");
    }
}

/// Edits that are in no commit are in no record at all, and a restore would overwrite them.
#[test]
fn no_point_that_restores_is_recommended_once_files_were_changed_after_the_resume() {
    let row = |path: &str, state| DriftPath {
        path: path.into(),
        state,
        blob: None,
        forms: crate::model::Forms::default(),
        seen: None,
    };
    let (modified, created) = (PathState::Modified, PathState::Created);
    for (path, state, written_at, wanted) in [
        ("a.rs", modified, Some("13:00"), "disk"),
        // A file that the person left out, or that was created before.
        ("a.rs", modified, Some("11:00"), "wave-1"),
        ("a.rs", created, Some("11:00"), "wave-1"),
        ("a.rs", created, Some("13:00"), "disk"),
        ("a.rs", PathState::Missing, None, "disk"),
        ("a.rs", PathState::Hidden, Some("13:00"), "wave-1"),
    ] {
        let mut kit = resumed("wave-1");
        let drift = Drift {
            paths: vec![row(path, state)],
            ..Drift::default()
        };
        let store = kit.store();
        let saved = kit.world.git.repos.get_mut(&store).unwrap();
        saved.drift.insert(format!("{:040x}", 2), drift);
        if let Some(time) = written_at {
            let file = kit.proj().join(path);
            std::fs::write(&file, "edited").unwrap();
            let file = std::fs::File::options().write(true).open(file).unwrap();
            let time = at(&format!("2026-04-08T{time}:00Z"));
            file.set_modified(time.into()).unwrap();
        }
        let case = kit.open();
        let points = kit.boundaries(&case);
        let chosen = |point: &&Boundary| matches!(point.preference, Preference::Chosen(_));
        let found = points.iter().find(chosen).unwrap();
        assert_eq!(found.id.0, wanted, "{path} {state:?} {written_at:?}");
        let Preference::Chosen(reason) = &found.preference else {
            continue;
        };
        let named = reason.lossy().contains("1 file was changed since (a.rs)");
        assert_eq!(named, wanted == "disk", "{reason:?}");
    }
}

/// A point has the numbers of its plan, whatever became of the work.
#[test]
fn a_point_and_its_plan_name_the_same_time() {
    for point in ["none", "wave-1", "phase-4"] {
        let kit = resumed(point);
        let case = kit.open();
        for boundary in kit.boundaries(&case) {
            let options = PlanOptions::default();
            let intent = case.intent(&boundary.id, &options, &kit.world);
            let intent = intent.unwrap();
            let id = &boundary.id.0;
            let (kept, redone) = (intent.kept.len() as u64, intent.redone.len() as u64);
            assert_eq!(
                (boundary.kept, boundary.redone),
                (Some(kept), Some(redone)),
                "{point}, {id}"
            );
            let time = crate::model::WorkItem::recorded_time(&intent.redone);
            assert_eq!(boundary.time_lost_s, time, "{point}, {id}");
        }
    }
}

/// relight restored the files of a checkpoint at 12:00, and resumed nothing.
fn restored(checkpoint: &str, taken: &str) -> Kit {
    let mut kit = resumed("checkpoint");
    kit.resumes[0].files_of = Some(RestoredFiles {
        checkpoint: checkpoint.to_owned(),
        taken_at: Some(at(&format!("2026-04-08T{taken}Z")).fixed_offset()),
        whole: true,
    });
    kit
}

#[test]
fn a_restore_of_a_checkpoints_files_discards_the_work_after_it() {
    let all = resumed("none").open();
    let all = all.checkpoints(&resumed("none").world);
    for (reason, point, disk) in [
        ("pre-wave-1", "wave-1", &["1"][..]),
        ("pre-wave-2", "wave-2", &["1", "2"]),
        ("pre-code-review", "phase-4", &["1", "2", "3"]),
    ] {
        let found = all.iter().find(|one| one.reason.lossy() == reason).unwrap();
        let mut kit = restored(&found.id, "10:00:00");
        assert_eq!(chosen(&kit), point);
        assert_eq!(kept(&kit, "disk"), disk, "{point}");
        // A part of the files that was restored afterwards discards nothing, and takes nothing back.
        let mut part = kit.resumes[0].clone();
        part.files_of.as_mut().unwrap().whole = false;
        kit.resumes.insert(0, part);
        assert_eq!(chosen(&kit), point);
    }
    // Taken by hand in the middle of wave 1, after its only dispatch had begun, and in the review.
    for (taken, disk) in [
        ("10:25:00", &["1", "2"][..]),
        ("10:56:00", &["1", "2", "3", "4"]),
    ] {
        let kit = restored("fffff", taken);
        assert_eq!(chosen(&kit), "disk", "{taken}");
        assert_eq!(kept(&kit, "disk"), disk, "{taken}");
        assert_eq!(kept(&kit, "phase-4"), ["1", "2", "3"]);
    }
}

#[test]
fn the_report_names_where_the_run_crashed_and_not_where_relight_resumed() {
    let report = |kit: &Kit| {
        let case = kit.open();
        let id = PointId("wave-1".to_owned());
        let replayable = case.replayable().unwrap();
        let text = replayable.dry_run_report(&id, &crate::model::Intent::default(), &kit.world);
        let text = text.unwrap().lossy().into_owned();
        text.lines()
            .find(|line| line.contains("Crashed at"))
            .unwrap()
            .to_owned()
    };
    let mut kit = resumed("wave-1");
    let after = report(&kit);
    kit.resumes.clear();
    assert_eq!(after, report(&kit));
    assert_eq!(after, "**Crashed at:** Phase 4 · inquisitor");
}

/// What a person excluded is not as the checkpoint has it: every later look says so, until the run goes on.
#[test]
fn what_a_resume_left_out_is_said_until_it_is_restored_or_something_newer_is_recorded() {
    let both = "When relight resumed at wave-1, 2 files were left out and not restored: notes.md and od\\xFFd.";
    let one = "When relight resumed at wave-1, 1 file was left out and not restored: od\\xFFd.";
    let says = |kit: &Kit, text: &str| {
        let case = kit.open();
        let points = case.boundaries(&[], &kit.world);
        let has = |warning: &crate::model::Foreign| warning.clean().as_str() == text;
        // A plan that restores the files of a checkpoint lists itself what it leaves out.
        let leaves =
            |point: &&Boundary| !matches!(point.checkpoint, crate::model::CheckpointNeed::Found(_));
        for point in points.iter().filter(|point| !leaves(point)) {
            assert!(!point.warnings.iter().any(has), "{}", point.id.0);
        }
        let points: Vec<Boundary> = points.iter().filter(leaves).cloned().collect();
        let warned = points.iter().filter(|point| point.warnings.iter().any(has));
        let found = case.reading().findings.iter().any(|one| has(&one.text));
        (found, warned.count(), points.len())
    };
    let said = |kit: &Kit| says(kit, both);
    let mut kit = resumed("wave-1");
    assert!(matches!(said(&kit), (false, 0, _)));
    kit.resumes[0].left_out = vec!["notes.md".into(), b"od\xffd".as_slice().into()];
    let (found, warned, points) = said(&kit);
    assert!(
        found && warned == points && points > 1,
        "{warned} of {points}"
    );
    // The checkpoint of wave 1 is the second one. A file may differ in its mode alone, so its content is not asked.
    let checkpoint = format!("{:040x}", 2);
    let drifts = |kit: &mut Kit, paths: &[&[u8]]| {
        let store = kit.store();
        let saved = kit.world.git.repos.get_mut(&store).unwrap();
        let row = |path: &&[u8]| DriftPath {
            path: (*path).into(),
            state: PathState::Modified,
            blob: None,
            forms: crate::model::Forms::default(),
            seen: None,
        };
        let drift = Drift {
            paths: paths.iter().map(row).collect(),
            ..Drift::default()
        };
        saved.drift.insert(checkpoint.clone(), drift);
    };
    drifts(&mut kit, &[b"notes.md", b"od\xffd"]);
    assert!(said(&kit).0);
    drifts(&mut kit, &[b"od\xffd"]);
    assert!(!said(&kit).0 && says(&kit, one).0);
    // A part of the files of the same checkpoint, restored after that.
    let mut part = kit.resumes[0].clone();
    part.files_of = Some(RestoredFiles {
        checkpoint: checkpoint.clone(),
        taken_at: None,
        whole: false,
    });
    kit.resumes.insert(0, part);
    let of_files = "When relight restored files of checkpoint 00000000, 1 file was left out and not restored: od\\xFFd.";
    assert!(says(&kit, of_files).0);
    kit.resumes.remove(0);
    append(&kit, &done(6, "implementer", "3", 0));
    kit.header(6, "implementer", "12:10:00");
    assert!(!said(&kit).0 && matches!(says(&kit, one), (false, 0, _)));
}
