//! A small world with one project, and crucible's rules applied to its runs.

use std::path::{Path, PathBuf};

use super::*;
use crate::model::{Badge, CheckpointNeed, Preference, Status, Step, Verdict};
use crate::systems::Found;
use crate::world::fake::{FakeRepo, FakeWorld};
use crate::world::git::{Commit, StatusPath};

mod causes;
mod checks;
mod copies;
mod handoffs;
mod lost;
mod own_resume;
mod passed_over;
mod points;
mod retaken;
mod said;
mod same_files;
pub(crate) mod testdata;
mod undone;

use testdata::done;
pub(crate) use testdata::{BASE, Kit, SID, interrupted, line, repo};

#[test]
fn an_interrupted_build_resumes_at_its_last_clean_wave() {
    let kit = interrupted();
    let case = kit.open();
    let reading = case.reading();
    assert_eq!(reading.claim.status, Status::Interrupted);
    assert_eq!(reading.work_tree, Some(kit.proj()));
    assert_eq!(reading.root, kit.proj());
    assert_eq!(reading.progress.done, Some(2));
    assert_eq!(
        reading.stopped_where,
        "phase 3, wave 2 · implementer, task 2"
    );
    assert_eq!(reading.findings, []);
    assert_eq!(reading.badges, []);
    let (chosen, all) = kit.points(&case);
    assert_eq!(chosen, "wave-2");
    assert_eq!(all, ["phase-2", "wave-1", "wave-2", "disk", "fresh"]);
    let counts: Vec<(u64, u64, Option<u64>)> = kit
        .boundaries(&case)
        .iter()
        .map(|b| (b.kept.unwrap(), b.redone.unwrap(), b.time_lost_s))
        .collect();
    assert_eq!(
        counts,
        [
            (1, 3, Some(120)),
            (2, 2, Some(60)),
            (3, 1, None),
            (3, 1, None),
            (0, 4, Some(180))
        ]
    );
}

#[test]
fn the_chosen_point_restores_the_work_tree_and_nothing_else() {
    let kit = interrupted();
    let case = kit.open();
    let intent = |point: &str| {
        let point = PointId(point.to_owned());
        let intent = case.intent(&point, &PlanOptions::default(), &kit.world)?;
        let report = case.dry_run_report(&point, &intent, &kit.world);
        Some((intent, report.unwrap().lossy().into_owned()))
    };
    let (wave, report) = intent("wave-2").unwrap();
    assert_eq!(
        wave.steps,
        [Step::RestoreTree {
            store: kit.store(),
            commit: format!("{:040x}", 3),
            work_tree: kit.proj()
        }]
    );
    assert!(wave.guards.iter().all(|guard| guard.holds));
    assert_eq!(wave.tree.unwrap().branch, Some("feat/cache".into()));
    for part in [
        "# Replay Plan (dry-run)",
        "**Crashed at:** Phase 3, wave 2",
        "**Resume point:** Phase 3 boundary (pre-wave-2)",
        "**Work preserved:** 3m of active time (phases 1 through 2 and part of phase 3)",
        "| 1 | design-writer | 1 | did it |",
        "| 4 | implementer | 3 | dispatched | implementer |",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    for point in ["disk", "fresh"] {
        assert_eq!(intent(point).unwrap().0.steps, [], "{point}");
    }
    assert!(intent("wave-7").is_none());
}

#[test]
fn a_number_leads_to_the_wave_that_holds_it_else_to_the_start_of_its_phase() {
    let kit = interrupted();
    let case = kit.open();
    let table = [
        (1, Some("fresh")),
        (2, Some("phase-2")),
        (3, Some("wave-1")),
        (4, Some("wave-2")),
        (9, None),
    ];
    for (seq, want) in table {
        let got = case.point_for_seq(seq);
        assert_eq!(got.map(|p| p.0), want.map(str::to_owned), "{seq}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, a row a rule")]
fn the_status_follows_the_notes_table() {
    type Change = fn(&mut Kit);
    let table: &[(&str, Status, &[Badge], Change)] = &[
        ("interrupted", Status::Interrupted, &[], |_| {}),
        (
            "orphan",
            Status::Interrupted,
            &[Badge::Orphan, Badge::Inferred],
            |kit| {
                std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
            },
        ),
        ("abandoned", Status::Interrupted, &[Badge::Stale], |kit| {
            kit.world.clock.0 = "2026-04-10T15:00:00Z".parse().unwrap();
        }),
        (
            "branch deleted",
            Status::Interrupted,
            &[Badge::BranchMismatch, Badge::Orphan],
            |kit| {
                let repo = repo(kit);
                let commits = repo.branches.remove("feat/cache").unwrap();
                repo.branches.insert("main".to_owned(), commits);
                repo.branch = Some("main".to_owned());
            },
        ),
        ("dirty", Status::Interrupted, &[Badge::Dirty], |kit| {
            repo(kit).status = vec![StatusPath {
                path: "a".into(),
                kind: crate::world::git::StatusKind::Changed,
                on_disk: true,
            }];
        }),
        ("tidied up", Status::Complete, &[Badge::Inferred], |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
            let copy = kit
                .memory()
                .join(format!("crucible-dispatch-{SID}/manifest.jsonl"));
            kit.write(
                &copy,
                &std::fs::read_to_string(kit.dispatch().join("manifest.jsonl")).unwrap(),
            );
            std::fs::remove_dir_all(kit.dispatch()).unwrap();
        }),
        ("given up", Status::Waiting, &[], |kit| {
            for name in ["manifest.jsonl", "4-implementer.md"] {
                let text = std::fs::read_to_string(kit.dispatch().join(name)).unwrap();
                kit.write(
                    &kit.memory()
                        .join(format!("crucible-dispatch-{SID}"))
                        .join(name),
                    &text,
                );
            }
        }),
        ("gate verdict", Status::Waiting, &[], |kit| {
            kit.write(
                &kit.memory().join("quality-gate/gate-verdict-1.md"),
                "Verdict: ESCALATED\nPhase: code\nTimestamp: 2026-04-08T10:50:00Z\n",
            );
        }),
        (
            "only the marker left",
            Status::Complete,
            &[Badge::CleanupPending],
            |kit| {
                kit.manifest(&done(1, "implementer", "4", 0));
                kit.write(
                    &kit.memory().join("build-gate-ledger.md"),
                    "# Build Gate Ledger\n## Phase 4: Completion\nStatus: PASS\n",
                );
            },
        ),
        (
            "ruined",
            Status::Interrupted,
            &[Badge::Inferred, Badge::Damaged],
            |kit| kit.manifest(&["{".to_owned()]),
        ),
        (
            "no manifest",
            Status::Interrupted,
            &[Badge::Inferred],
            |kit| {
                std::fs::remove_file(kit.dispatch().join("manifest.jsonl")).unwrap();
            },
        ),
        (
            "not begun",
            Status::Interrupted,
            &[Badge::NotStarted],
            |kit| {
                kit.marker("1");
                std::fs::remove_dir_all(kit.dispatch()).unwrap();
                std::fs::create_dir(kit.dispatch()).unwrap();
                std::fs::remove_dir_all(kit.store()).unwrap();
                let proj = kit.proj();
                let talk = format!("{{\"cwd\":\"{}\"}}\n", proj.display());
                kit.write(&kit.project().join("talk.jsonl"), &talk);
                let commits = repo(kit).branches.get_mut("feat/cache").unwrap();
                commits.retain(|commit| commit.id == BASE);
            },
        ),
        (
            "lost",
            Status::Interrupted,
            &[Badge::Inferred, Badge::Damaged],
            |kit| std::fs::remove_dir_all(kit.dispatch()).unwrap(),
        ),
    ];
    for (name, status, badges, change) in table {
        let mut kit = interrupted();
        change(&mut kit);
        let case = kit.open();
        assert_eq!(
            case.reading().claim.status,
            *status,
            "{name}: {:?}",
            case.reading().claim
        );
        assert_eq!(case.reading().badges, *badges, "{name}");
    }
}
