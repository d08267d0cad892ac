//! Every check, passing on a healthy run and failing if the world disagrees.

use super::*;

fn verdicts(kit: &Kit, case: &CrucibleCase) -> Vec<(String, Verdict)> {
    let mut all: Vec<(String, Verdict)> = Vec::new();
    for check in case.verify(&kit.world) {
        assert!(
            check.verdict == Verdict::Pass
                || check.verdict == Verdict::Skipped
                || check.remedy.is_some(),
            "{check:?}"
        );
        match all.iter_mut().find(|(id, _)| *id == check.id.0) {
            Some((_, worst)) => *worst = (*worst).max(check.verdict),
            None => all.push((check.id.0, check.verdict)),
        }
    }
    all
}

fn verdict(kit: &Kit, id: &str) -> Verdict {
    let all = verdicts(kit, &kit.open());
    all.into_iter().find(|(i, _)| i == id).unwrap().1
}

#[test]
fn every_check_passes_or_is_skipped_on_a_healthy_run() {
    let kit = interrupted();
    kit.write(
        &kit.root().join("tmp/crucible-build-mode.md"),
        &format!("mode: feature\nbaseline: {BASE}\n"),
    );
    kit.write(
        &kit.memory().join("handoff-2-to-3.md"),
        "# Phase Handoff: 2 → 3\n**Timestamp:** 2026-04-08T10:14:00Z\n**Goal:** Add a cache\n",
    );
    kit.write(&kit.memory().join("build-gate-ledger.md"), "# Build Gate Ledger\nGoal: Add a cache\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: PASS\n");
    let case = kit.open();
    assert_eq!(case.reading().title, "Add a cache");
    let all = verdicts(&kit, &case);
    let ids: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12", "F13", "F14"
        ]
    );
    assert!(
        all.iter().all(|(_, verdict)| *verdict == Verdict::Pass),
        "{all:?}"
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, a row a check")]
fn checks_fail_where_the_world_disagrees() {
    type Damage = fn(&mut Kit);
    let table: &[(&str, Verdict, Damage)] = &[
        ("F1", Verdict::Warn, |kit| {
            kit.manifest(&[
                line(1, "planner", "2", 0, "completed", ""),
                "{\"seq\":2,".to_owned(),
            ]);
        }),
        ("F1", Verdict::Fail, |kit| {
            kit.manifest(&["nothing".to_owned()]);
        }),
        ("F2", Verdict::Warn, |kit| {
            kit.manifest(&[
                line(1, "a", "2", 0, "completed", ""),
                line(3, "a", "2", 0, "completed", ""),
            ]);
        }),
        ("F2", Verdict::Warn, |kit| {
            kit.manifest(&[
                line(1, "a", "2", 0, "dispatched", ""),
                line(1, "b", "2", 0, "completed", ""),
            ]);
        }),
        ("F3", Verdict::Warn, |kit| kit.marker("2")),
        ("F3", Verdict::Warn, |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
        }),
        ("F4", Verdict::Fail, |kit| {
            repo(kit).branch = Some("main".to_owned());
        }),
        ("F4", Verdict::Fail, |kit| repo(kit).branch = None),
        ("F4", Verdict::Warn, |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
            let active = kit.memory().join(format!(".dispatch-active-{SID}"));
            kit.write(&active, "dispatch-dir: /tmp/x\nseq: 4\n");
        }),
        ("F4", Verdict::Skipped, |kit| {
            repo(kit).broken = Some(crate::world::git::GitError::Unsupported(
                "sha256".to_owned(),
            ));
        }),
        ("F5", Verdict::Fail, |kit| {
            drop(repo(kit).branches.get_mut("feat/cache").unwrap().pop());
        }),
        ("F6", Verdict::Fail, |kit| {
            drop(repo(kit).branches.get_mut("feat/cache").unwrap().remove(0));
        }),
        ("F6", Verdict::Skipped, |kit| {
            std::fs::remove_file(kit.dispatch().join("3-implementer.md")).unwrap();
        }),
        ("F7", Verdict::Fail, |kit| {
            kit.manifest(&done(1, "reviewer", "4", 0));
            kit.write(
                &kit.dispatch().join("receipt-ledger.jsonl"),
                "{\"dispatch_id\":\"1-reviewer\",\"verdict\":\"FAIL\"}\n",
            );
        }),
        // F16: if only some files are missing, they were removed separately.
        ("F7", Verdict::Fail, |kit| {
            kit.manifest(&done(9, "reviewer", "4", 0));
        }),
        ("F7", Verdict::Warn, |kit| {
            let mut lines = done(9, "reviewer", "4", 0).to_vec();
            lines.extend(done(10, "reviewer", "4", 0));
            kit.manifest(&lines);
            kit.header(10, "reviewer", "10:50:00");
        }),
        ("F7", Verdict::Warn, |kit| {
            std::fs::remove_dir_all(kit.dispatch()).unwrap();
            kit.manifest(&done(9, "reviewer", "4", 0));
        }),
        ("F9", Verdict::Warn, |kit| {
            kit.commit("c".repeat(40).as_str(), "2026-04-08T10:45:00Z", "wip");
        }),
        ("F10", Verdict::Fail, |kit| {
            kit.write(
                &kit.store().join("checkpoint-manifest.md"),
                "| deadbeef | 2026-04-08 10:00:00 | pre-wave-9 | build |\n",
            );
        }),
        ("F10", Verdict::Warn, |kit| {
            std::fs::remove_dir_all(kit.store()).unwrap();
        }),
        ("F11", Verdict::Warn, |kit| {
            kit.write(
                &kit.memory().join("handoff-2-to-3.md"),
                "**Timestamp:** 2026-04-01T10:14:00Z\n",
            );
        }),
        ("F12", Verdict::Warn, |kit| {
            std::fs::remove_file(kit.dispatch().join("4-implementer.md")).unwrap();
        }),
        ("F13", Verdict::Warn, |kit| {
            std::fs::create_dir_all(kit.memory()).unwrap();
        }),
        ("F13", Verdict::Fail, |kit| {
            kit.write(
                &kit.root().join("tmp/crucible-build-mode.md"),
                "mode: refactor\nbaseline: 1234567890\n",
            );
        }),
        ("F14", Verdict::Fail, |kit| {
            kit.write(&kit.memory().join("build-gate-ledger.md"), "# Build Gate Ledger\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: FAIL\n");
        }),
        ("F14", Verdict::Warn, |kit| {
            kit.write(&kit.memory().join("build-gate-ledger.md"), "# Build Gate Ledger\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: INFERRED\n");
        }),
    ];
    for (number, (id, want, damage)) in table.iter().enumerate() {
        let mut kit = interrupted();
        damage(&mut kit);
        assert_eq!(verdict(&kit, id), *want, "row {number}, {id}");
    }
}

#[test]
fn a_completed_dispatch_without_its_commit_fails_the_boundaries_after_it() {
    let mut kit = interrupted();
    drop(
        repo(&mut kit)
            .branches
            .get_mut("feat/cache")
            .unwrap()
            .remove(0),
    );
    let verified: Vec<(String, Verdict)> = kit
        .boundaries(&kit.open())
        .into_iter()
        .map(|b| (b.id.0, b.verified))
        .collect();
    assert_eq!(verified[1], ("wave-1".to_owned(), Verdict::Pass));
    assert_eq!(verified[2], ("wave-2".to_owned(), Verdict::Fail));
    assert_eq!(verified[3], ("disk".to_owned(), Verdict::Warn));
}

/// A finished run whose marker, dispatch folder and store are gone.
fn finished() -> Kit {
    let kit = interrupted();
    std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
    std::fs::remove_dir_all(kit.store()).unwrap();
    let copy = kit.memory().join(format!("crucible-dispatch-{SID}"));
    std::fs::create_dir_all(&copy).unwrap();
    std::fs::rename(
        kit.dispatch().join("manifest.jsonl"),
        copy.join("manifest.jsonl"),
    )
    .unwrap();
    std::fs::remove_dir_all(kit.dispatch()).unwrap();
    kit
}

#[test]
fn a_point_in_a_remedy_is_among_the_points() {
    fn no_store(kit: &Kit) {
        std::fs::remove_dir_all(kit.store()).unwrap();
    }
    type Change = fn(&Kit);
    let debugging: Change = |kit| {
        std::fs::remove_dir_all(kit.store()).unwrap();
        let text = format!(r#"{{"pipeline_id":"{SID}","skill":"debugging","phase":"3"}}"#);
        kit.write(&kit.memory().join(".pipeline-active"), &text);
    };
    let unreadable: Change = |kit| {
        no_store(kit);
        std::fs::remove_dir_all(kit.dispatch()).unwrap();
        std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
    };
    let changed = |change: Change| {
        let kit = interrupted();
        change(&kit);
        kit
    };
    let kits = [
        ("interrupted", interrupted()),
        ("no store", changed(no_store)),
        ("debugging", changed(debugging)),
        ("unreadable", changed(unreadable)),
        ("finished", finished()),
    ];
    for (name, kit) in kits {
        let case = kit.open();
        let points = kit.points(&case).1;
        for check in case.verify(&kit.world) {
            let remedy = check.remedy.unwrap_or_default();
            let remedy = remedy.lossy();
            let Some((_, rest)) = remedy.split_once("(point ") else {
                continue;
            };
            let point = rest.split(')').next().unwrap();
            assert!(points.iter().any(|id| id == point), "{name}: {remedy}");
        }
    }
}

#[test]
fn a_project_that_went_is_named_by_the_branch_guard_unless_the_run_is_over() {
    for (kit, want) in [
        (interrupted(), Verdict::Fail),
        (finished(), Verdict::Skipped),
    ] {
        std::fs::remove_dir_all(kit.proj()).unwrap();
        assert_eq!(verdict(&kit, "F4"), want);
    }
}

#[test]
fn a_finished_run_needs_nothing_that_a_resume_needs() {
    let kit = finished();
    assert_eq!(kit.open().reading().claim.status, Status::Complete);
    for (id, want) in [
        ("F3", Verdict::Pass),
        ("F4", Verdict::Skipped),
        ("F10", Verdict::Skipped),
        ("F11", Verdict::Skipped),
        ("F13", Verdict::Skipped),
    ] {
        assert_eq!(verdict(&kit, id), want, "{id}");
    }
}

/// An orchestrator makes the file before the first dispatch, which may be of any phase. It was emptied where a dispatch
/// left its file.
#[test]
fn an_empty_manifest_is_damage_only_beside_dispatch_files() {
    for (emptied, verdict, badges) in [
        (false, Verdict::Warn, &[Badge::Inferred][..]),
        (true, Verdict::Fail, &[Badge::Inferred, Badge::Damaged]),
    ] {
        let kit = Kit::new();
        kit.marker("2");
        kit.write(&kit.dispatch().join("manifest.jsonl"), "");
        if emptied {
            kit.header(1, "design-writer", "10:00:00");
        }
        let case = kit.open();
        assert_eq!(self::verdict(&kit, "F1"), verdict);
        assert_eq!(case.reading().badges, badges);
        let claim = &case.reading().claim;
        assert_eq!(claim.status, Status::Interrupted);
        let said = "The manifest is empty; the marker is at phase 2.";
        assert_eq!(claim.reason.lossy(), said);
        assert_eq!(kit.points(&case).0, "disk");
    }
}
