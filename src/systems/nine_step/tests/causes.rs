//! Why a feature stopped, according to its state file.

use super::*;
use crate::model::{CauseKind, Sure};
use crate::systems::nine_step::tests::scene::{at, record, records, state};

fn cause(text: &str) -> Option<Cause> {
    let scene = Scene::with_state(text);
    let candidates = scene.candidates();
    NineStep
        .open(&candidates[0], &scene.world)
        .recorded_cause(None, &scene.world)
}

/// Stopped at a record `phase step status`, after others.
fn stopped(last: &str, done: &str) -> Option<Cause> {
    cause(&state(
        "\"total_phases\": 3,",
        &record(last),
        &records(done),
    ))
}

#[test]
fn a_failed_review_has_its_error_and_its_line() {
    let found = cause(STATE).unwrap();
    assert_eq!(
        (found.kind, found.sure),
        (CauseKind::ScriptFailed, Sure::Certain)
    );
    let text = found.text.lossy();
    let error =
        "Step 4 (code review) of phase 2 failed. Its error: NEEDS_REVISION: missing input check;";
    assert!(text.starts_with(error), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert_eq!(found.next[0].lossy(), "Make the changes that it asks for.");
    assert!(found.at.is_some());
    let file = &found.evidence[0].file;
    assert!(
        file.ends_with(".worktree/price-alerts/workflow-state.json"),
        "{file:?}"
    );
    let wanted = STATE
        .lines()
        .position(|line| line.contains("last_execution"));
    let lines: Vec<_> = found.evidence.iter().map(|one| one.line).collect();
    assert_eq!(lines, [wanted.map(|at| at as u64 + 1); 2]);
    let texts: Vec<_> = found.evidence.iter().map(|one| one.text.lossy()).collect();
    assert_eq!(texts[0], "Step 4 (code review) of phase 2: failed.");
    assert!(
        texts[1].starts_with("Its error: NEEDS_REVISION: missing input check;"),
        "{texts:?}"
    );
    assert!(!texts[1].contains('\u{1b}'), "{texts:?}");
}

#[test]
fn each_class_of_status_has_its_kind() {
    for (step, status, expected) in [
        (
            "4",
            "rejected",
            Some((CauseKind::WaitingAnswer, Sure::Certain)),
        ),
        (
            "4",
            "Needs Revision",
            Some((CauseKind::ScriptFailed, Sure::Certain)),
        ),
        (
            "2.5",
            "waiting_approval",
            Some((CauseKind::WaitingApproval, Sure::Certain)),
        ),
        ("3", "in_progress", None),
        ("3", "completed", None),
        ("3", "no word of the list", None),
    ] {
        let found = cause(&at(step, status));
        let found = found.map(|cause| (cause.kind, cause.sure));
        assert_eq!(found, expected, "{step} {status}");
    }
}

#[test]
fn a_gate_that_comes_next_is_likely_and_a_loop_is_counted() {
    let gate = stopped("1 2 completed 20", "1 1 completed 10").unwrap();
    assert_eq!(
        (gate.kind, gate.sure),
        (CauseKind::WaitingApproval, Sure::Likely)
    );
    let again = "1 3 completed 1; 1 3 completed 3; 1 3 completed 5";
    let third = stopped("1 4 failed 20", again).unwrap();
    assert_eq!(
        third.text.lossy(),
        "Step 4 (code review) of phase 1 failed 3 times."
    );
    assert_eq!(
        third.next[0].lossy(),
        "Review the plan or the design before the step is repeated."
    );
}
