//! H1 and H3: the instructions for an agent after each kind of point.

use super::points::run;
use super::*;

/// A run that stopped in phase 4 with every boundary taken.
fn in_phase_4() -> Kit {
    run(
        "4",
        &[
            (1, "researcher", "1", true, "10:00:00"),
            (2, "planner", "2", true, "10:10:00"),
            (3, "red-team", "2", true, "10:20:00"),
            (4, "implementer", "3", true, "10:30:00"),
            (5, "implementer", "3", true, "10:40:00"),
            (6, "reviewer", "4", true, "10:50:00"),
            (7, "inquisitor", "4", true, "11:00:00"),
            (8, "quality-gate", "4", false, "11:10:00"),
        ],
        &[
            ("pre-design-gate", "10:05:00"),
            ("pre-plan-gate", "10:15:00"),
            ("pre-wave-1", "10:25:00"),
            ("pre-wave-2", "10:35:00"),
            ("pre-code-review", "10:45:00"),
            ("pre-inquisitor", "10:55:00"),
            ("pre-impl-gate", "11:05:00"),
        ],
    )
}

fn prompt(kit: &Kit, point: &str) -> String {
    let prompt = kit.handoff(&kit.open(), point).prompt;
    let path = kit.memory().display().to_string();
    prompt.lossy().replace(&path, "SCRATCH")
}

#[test]
fn h3_every_prompt_says_where_to_start_and_what_runs_again() {
    let kit = in_phase_4();
    let stay = "All other dispatches stay done. Do not restore a checkpoint.)";
    let table = [
        (
            "phase-2",
            format!(
                "/replay SCRATCH --from-phase 2 (Start at phase 2 (Plan). Repeat the design gate of phase 1 first if its acceptance tests or its edits are missing from the files. Run again: dispatches 2-8. {stay}"
            ),
        ),
        (
            "phase-2-gate",
            format!(
                "/replay SCRATCH --from-phase 2 (Start at the plan gate of phase 2; phase 3 begins only after it passes. Run again: dispatches 3-8. {stay}"
            ),
        ),
        (
            "wave-1",
            format!(
                "/replay SCRATCH --from-phase 3 (Start at wave 1 of phase 3 (Execute). Run again: dispatches 4-8. {stay}"
            ),
        ),
        (
            "wave-2",
            format!(
                "/replay SCRATCH --from-phase 3 (Start at wave 2 of phase 3 (Execute); wave 1 is done. Run again: dispatches 5-8. {stay}"
            ),
        ),
        (
            "phase-4",
            format!(
                "/replay SCRATCH --from-phase 4 (Start phase 4 (Completion) at its beginning, before the code review. Run again: dispatches 6-8. {stay}"
            ),
        ),
        (
            "phase-4-inquisitor",
            format!(
                "/replay SCRATCH --from-phase 4 (Start phase 4 (Completion) before the inquisitor; the code review is done. Run again: dispatches 7-8. {stay}"
            ),
        ),
        (
            "phase-4-gate",
            format!(
                "/replay SCRATCH --from-phase 4 (Start phase 4 (Completion) before the implementation gate; the code review and the inquisitor are done. Run again: dispatch 8. {stay}"
            ),
        ),
        (
            "disk",
            format!(
                "/replay SCRATCH --from-phase 4 (Continue phase 4 on the current files. Run again: dispatch 8. {stay}"
            ),
        ),
        (
            "fresh",
            format!(
                "/build (Start fresh: do not resume run {SID}. If it offers to resume that run, answer fresh.)"
            ),
        ),
    ];
    for (point, want) in table {
        assert_eq!(prompt(&kit, point), want, "{point}");
    }
}

#[test]
fn h3_a_wave_after_open_work_does_not_call_the_earlier_ones_done() {
    let kit = run(
        "3",
        &[
            (1, "implementer", "3", false, "10:00:00"),
            (2, "implementer", "3", true, "10:40:00"),
        ],
        &[("pre-wave-1", "09:59:00"), ("pre-wave-2", "10:30:00")],
    );
    let told = prompt(&kit, "wave-2");
    assert!(
        told.contains("Start at wave 2 of phase 3 (Execute). Run again: dispatches 1-2."),
        "{told}"
    );
}

#[test]
fn f13_without_a_manifest_the_build_is_told_where_to_continue() {
    let kit = in_phase_4();
    std::fs::remove_dir_all(kit.dispatch()).unwrap();
    kit.marker("3");
    let base = crate::model::short_id(BASE);
    let tail = format!(
        "Phases 1 and 2 are finished. Compare the plan's tasks with the files and with git log {base}..HEAD: run those whose work is not in the files. Do not restore a checkpoint.)"
    );
    let head = format!(
        "/build (Resume the interrupted run {SID}; do not start over, and do not use /replay. The dispatch directory is gone (a restart clears /tmp) and there is no copy of the manifest."
    );
    assert_eq!(
        prompt(&kit, "wave-2"),
        format!("{head} Start at wave 2 of phase 3 (Execute). {tail}")
    );
    assert_eq!(
        prompt(&kit, "disk"),
        format!("{head} Continue phase 3 on the current files. {tail}")
    );
}

/// The briefing below a heading of the state block.
fn briefing(kit: &Kit, point: &str) -> String {
    kit.handoff(&kit.open(), point)
        .briefing
        .lossy()
        .into_owned()
}

#[test]
fn h1_the_briefing_calls_nothing_done_that_runs_again() {
    let mut kit = in_phase_4();
    for (from, to, time) in [(1, 2, "10:07:00"), (2, 3, "10:24:00"), (3, 4, "10:44:00")] {
        let text = format!(
            "**Timestamp:** 2026-04-08T{time}Z\n**Goal:** cache\n## Inputs for Phase {to}\n- **plan:** docs/plan-{to}.md\n- **mode:** fast\n## Decisions Carried Forward\n- [DEC-{from}] decided in phase {from}\n## Active Constraints\n- constraint of phase {from}\n"
        );
        kit.write(
            &kit.memory().join(format!("handoff-{from}-to-{to}.md")),
            &text,
        );
    }
    kit.write(
        &kit.memory().join("pipeline-status.md"),
        "# Pipeline Status\n**Updated:** 2026-04-08T11:10:00Z\n**Phase:** 4\n## Compression State\nGoal: cache\nKey Decisions:\n- decided in phase 4\nNext Steps:\n1. finish the gate\n",
    );
    std::fs::create_dir_all(kit.proj().join("docs")).unwrap();
    std::fs::write(kit.proj().join("docs/plan-2.md"), "x").unwrap();
    let early = briefing(&kit, "phase-2");
    for part in [
        "Phase: 2\n",
        "- Phase 1 completed in prior session\n",
        "- Phase 1: 1 of 1 dispatches stay done\n",
        "- Phase 2: 0 of 2 dispatches stay done\n",
        "- Phase 3: 0 of 2 dispatches stay done\n",
        "- [DEC-1] decided in phase 1\n",
        "Input plan: docs/plan-2.md\n",
        "Input mode: fast\n",
        "1. Start at phase 2 (Plan).",
    ] {
        assert!(early.contains(part), "{part}\n{early}");
    }
    for part in [
        "DEC-2",
        "DEC-3",
        "decided in phase 4",
        "finish the gate",
        "constraint of phase 2",
        "plan-4",
        "handoff-2-to-3.md",
        "handoff-3-to-4.md",
        "pipeline-status.md",
    ] {
        assert!(!early.contains(part), "{part}\n{early}");
    }
    let late = briefing(&kit, "phase-4-gate");
    for part in [
        "- Phases 1 through 3 completed in prior session\n",
        "- Phase 4: 2 of 3 dispatches stay done\n",
        "DEC-1",
        "DEC-2",
        "DEC-3",
        "decided in phase 4",
        "finish the gate",
        "Input plan: docs/plan-4.md (not in the work tree; look for it in git log)\n",
    ] {
        assert!(late.contains(part), "{part}\n{late}");
    }
    // H10: only files that are there are named.
    for line in late.lines().filter(|line| line.starts_with("- Recovery: ")) {
        for file in line.trim_start_matches("- Recovery: ").split(", ") {
            assert!(Path::new(file).is_file(), "{file}");
        }
    }
    assert!(late.contains("- Recovery: "));
    // A failed check means that the work is not verified.
    repo(&mut kit)
        .branches
        .get_mut("feat/cache")
        .unwrap()
        .clear();
    let doubted = briefing(&kit, "phase-4-gate");
    assert!(doubted.contains("not fully verified"), "{doubted}");
}

#[test]
fn h13_the_losses_of_an_overlay_do_not_list_kept_files() {
    let kit = run(
        "2",
        &[
            (1, "acceptance-test-writer", "1", true, "10:10:00"),
            (2, "planner", "2", false, "10:20:00"),
        ],
        &[("pre-design-gate", "10:05:00")],
    );
    let case = kit.open();
    let losses = |mode| {
        let point = PointId("phase-2".to_owned());
        let options = PlanOptions {
            mode,
            ..PlanOptions::default()
        };
        let intent = case.intent(&point, &options, &kit.world);
        intent.unwrap().losses.last().unwrap().lossy().into_owned()
    };
    assert_eq!(
        losses(crate::model::RestoreMode::Overlay),
        "1 dispatch of phase 1 ran after this checkpoint: what it changed in the files that are restored is overwritten, files that it created stay."
    );
    assert!(losses(crate::model::RestoreMode::Exact).ends_with("created are moved aside."));
}

#[test]
fn a_gate_that_passed_before_runs_again_with_its_phase() {
    let kit = in_phase_4();
    let phase = |number: u64, status: &str| format!("## Phase {number}: x\nStatus: {status}\n");
    let rows = [
        (1, "PASS"),
        (2, "PASS"),
        (3, "COMPLETE"),
        (4, "IN_PROGRESS"),
    ];
    let rows = rows.map(|(number, status)| phase(number, status)).concat();
    let ledger = format!("# Build Gate Ledger\n{rows}");
    kit.write(&kit.memory().join("build-gate-ledger.md"), &ledger);
    let told = "The gate ledger still says passed for";
    let table = [
        (
            "phase-2",
            Some("phases 2 and 3, from before: run their gates again."),
        ),
        ("wave-2", Some("phase 3, from before: run its gate again.")),
        ("phase-4", None),
        ("disk", None),
    ];
    for (point, names) in table {
        let want = names.map(|names| format!("{told} {names}"));
        let handoff = kit.handoff(&kit.open(), point);
        for text in [handoff.prompt.lossy(), handoff.briefing.lossy()] {
            let said = want
                .as_ref()
                .map_or_else(|| !text.contains(told), |want| text.contains(want));
            assert!(said, "{point}: {text}");
        }
        let all = kit.boundaries(&kit.open());
        let warnings = &all.iter().find(|b| b.id.0 == point).unwrap().warnings;
        let mut warned = warnings.iter().map(|it| it.lossy().into_owned());
        assert_eq!(warned.find(|it| it.contains(told)), want, "{point}");
    }
}

#[test]
fn an_escalated_run_is_handed_over_only_after_a_question() {
    type Change = fn(&Kit);
    let table: &[(&str, Change)] = &[
        ("gate:escalation", |kit| {
            let copy = kit.memory().join(format!("crucible-dispatch-{SID}"));
            for entry in std::fs::read_dir(kit.dispatch()).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap();
                kit.write(&copy.join(path.file_name().unwrap()), &text);
            }
        }),
        ("gate:phase-4", |kit| {
            let text = "# Build Gate Ledger\nGoal: x\n## Phase 4: Completion\nStatus: FAIL\n";
            kit.write(&kit.memory().join("build-gate-ledger.md"), text);
        }),
        ("gate:quality", |kit| {
            let text = "Verdict: ESCALATED\nPhase: code\nTimestamp: 2026-04-08T11:20:00Z\n";
            let path = kit.memory().join("quality-gate/gate-verdict-1.md");
            kit.write(&path, text);
        }),
    ];
    for (id, change) in table {
        let kit = in_phase_4();
        change(&kit);
        let case = kit.open();
        let claim = &case.reading().claim;
        assert_eq!(claim.status, Status::Waiting, "{id}");
        let asked = |point: &str| {
            let point = PointId(point.to_owned());
            let options = PlanOptions::default();
            let intent = case.intent(&point, &options, &kit.world).unwrap();
            let open = intent.guards.into_iter().filter(Guard::is_open);
            open.map(|guard| guard.id.into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(asked("phase-4-gate"), [*id]);
        assert_eq!(asked("fresh"), [""; 0], "{id}");
        let prompt = kit.handoff(&case, "phase-4-gate").prompt;
        let told = format!("({} Ask the user how to continue", claim.reason.lossy());
        assert!(prompt.lossy().contains(&told), "{id}: {prompt:?}");
    }
}
