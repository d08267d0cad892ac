//! Dispatches that failed in a phase that the run then left.

use super::points::chosen;
use super::*;
use crate::model::{CauseKind, PhaseStatus};

/// A run in this phase with these entries: seq, role, phase, status.
fn run(phase: &str, entries: &[(u64, &str, &str, &str)], checkpoints: &[(&str, &str)]) -> Kit {
    let mut kit = Kit::new();
    kit.marker(phase);
    let lines = entries
        .iter()
        .map(|(seq, role, phase, status)| line(*seq, role, phase, 0, status, ""));
    kit.manifest(&lines.collect::<Vec<_>>());
    for (seq, role, ..) in entries {
        kit.header(*seq, role, &format!("10:{seq:02}:00"));
    }
    if !checkpoints.is_empty() {
        kit.checkpoints(checkpoints);
    }
    kit
}

const GATE: &[(&str, &str)] = &[("pre-design-gate", "10:00:30")];

#[test]
fn nothing_starts_over_or_is_restored_because_an_earlier_dispatch_failed() {
    type Entries = &'static [(u64, &'static str, &'static str, &'static str)];
    type Saved = &'static [(&'static str, &'static str)];
    let table: &[(&str, Entries, Saved, &str)] = &[
        // In phase 1, in which nothing was done.
        ("1", &[(1, "researcher", "1", "failed")], &[], "fresh"),
        // Phase 1 has no boundary within it, so what was done in it alone runs again.
        (
            "1",
            &[
                (1, "researcher", "1", "completed"),
                (2, "writer", "1", "dispatched"),
            ],
            &[],
            "fresh",
        ),
        (
            "3",
            &[
                (1, "researcher", "1", "failed"),
                (2, "planner", "2", "skipped"),
                (3, "implementer", "3", "completed"),
            ],
            &[],
            "disk",
        ),
        (
            "3",
            &[
                (1, "researcher", "1", "completed"),
                (2, "planner", "2", "error"),
                (3, "planner", "2", "completed"),
                (4, "writer", "2", "failed"),
                (5, "reviewer", "2", "completed"),
                (6, "implementer", "3", "dispatched"),
            ],
            GATE,
            "disk",
        ),
        // Nothing was completed after it.
        (
            "3",
            &[
                (1, "researcher", "1", "completed"),
                (2, "planner", "2", "completed"),
                (3, "writer", "2", "failed"),
                (4, "implementer", "3", "dispatched"),
            ],
            GATE,
            "phase-2",
        ),
        // One that was lost may have left half of its work.
        (
            "3",
            &[
                (1, "researcher", "1", "completed"),
                (2, "planner", "2", "dispatched"),
                (3, "writer", "2", "failed"),
                (4, "implementer", "3", "completed"),
            ],
            GATE,
            "phase-2",
        ),
    ];
    for (phase, entries, saved, point) in table {
        assert_eq!(chosen(&run(phase, entries, saved)), *point, "{entries:?}");
    }
}

#[test]
fn the_failure_in_the_phase_that_is_not_finished_is_the_cause() {
    let entries = [
        (1, "researcher", "1", "failed"),
        (2, "planner", "2", "skipped"),
        (3, "implementer", "3", "completed"),
    ];
    let kit = run("3", &entries, &[]);
    let cause = kit.open().recorded_cause(None, &kit.world).unwrap();
    assert_eq!(cause.kind, CauseKind::ScriptFailed);
    let text = cause.text.lossy();
    assert!(
        text.starts_with("Dispatch 1 (researcher) failed."),
        "{text}"
    );
}

/// What failed is still the cause while other work of its phase is done or in flight.
#[test]
fn an_open_failure_of_the_current_phase_is_the_cause_whatever_came_after_it() {
    for later in ["completed", "dispatched"] {
        let entries = [
            (1, "researcher", "1", "completed"),
            (2, "implementer", "3", "error"),
            (3, "reviewer", "3", later),
        ];
        let kit = run("3", &entries, &[]);
        let case = kit.open();
        let found = case.recorded_cause(None, &kit.world);
        let text = found.map(|found| found.text.lossy().into_owned());
        let text = text.unwrap_or_default();
        assert!(
            text.starts_with("Dispatch 2 (implementer) ended with an error."),
            "{later}: {text}"
        );
        let place = case.reading().stopped_where.lossy().into_owned();
        assert!(place.ends_with("implementer"), "{place}");
    }
}

#[test]
fn a_failure_is_never_verified_work() {
    let kit = Kit::new();
    kit.marker("2");
    kit.manifest(&[
        line(1, "researcher", "1", 0, "dispatched", ""),
        line(1, "researcher", "1", 0, "failed", ""),
        line(2, "researcher", "1", 0, "dispatched", ""),
        line(2, "researcher", "1", 0, "completed", ""),
        line(3, "planner", "2", 0, "dispatched", ""),
    ]);
    let case = kit.open();
    let point = PointId("disk".to_owned());
    let options = PlanOptions::default();
    let intent = case.intent(&point, &options, &kit.world).unwrap();
    assert_eq!(
        intent.kept[0].detail.lossy(),
        "failed: did it; a later dispatch did the work"
    );
    let replayable = case.replayable().unwrap();
    let report = replayable.dry_run_report(&point, &intent, &kit.world);
    let report = report.unwrap().lossy().into_owned();
    let verified = report.split("## ").nth(1).unwrap();
    assert!(
        !verified.contains("\n| 1 |") && verified.contains("\n| 2 |"),
        "{report}"
    );
}

/// A run that ended has no phase that is active or pending.
#[test]
fn every_phase_of_a_finished_run_is_over() {
    let entries = [
        (1, "researcher", "1", "failed"),
        (2, "implementer", "3", "completed"),
    ];
    let kit = run("4", &entries, &[]);
    std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
    let manifest = std::fs::read_to_string(kit.dispatch().join("manifest.jsonl")).unwrap();
    let copy = kit.memory().join(format!("crucible-dispatch-{SID}"));
    kit.write(&copy.join("manifest.jsonl"), &manifest);
    std::fs::remove_dir_all(kit.dispatch()).unwrap();
    let case = kit.open();
    let reading = case.reading();
    assert_eq!(reading.claim.status, Status::Complete);
    let words: Vec<_> = reading.phases.iter().map(|phase| phase.status).collect();
    assert_eq!(words, [PhaseStatus::Done; 4]);
}
