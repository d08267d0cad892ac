//! Stages whose dependencies are not done.

use super::*;

/// A stage whose input is missing is neither run nor retried, whatever its status says.
#[test]
fn no_point_starts_a_stage_whose_dependencies_are_not_done() {
    let site = Site::new(&[
        ("stage-1", "invalidated", &[]),
        ("stage-2", "ready", &["stage-1"]),
        ("stage-3", "failed", &["stage-1"]),
        ("stage-4", "running", &["stage-1"]),
        ("stage-5", "skipped", &[]),
        ("stage-6", "ready", &["stage-5"]),
    ]);
    assert_eq!(
        ids(&site),
        [
            "stage-1:rerun",
            "stage-1:skip",
            "stage-2:skip",
            "stage-3:skip",
            "stage-4:skip",
            "stage-4:fail",
            "stage-6:rerun",
            "stage-6:skip",
        ]
    );
    assert_eq!(site.chosen().as_deref(), Some("stage-1:rerun"));
}

/// The first stage in order failed for want of the second one, which is what must be retried.
#[test]
fn a_failed_stage_is_retried_after_the_failed_stage_that_it_depends_on() {
    let site = Site::new(&[
        ("stage-1", "failed", &["stage-2"]),
        ("stage-2", "failed", &[]),
    ]);
    assert_eq!(site.chosen().as_deref(), Some("stage-2:retry"));
    let site = Site::new(&[
        ("stage-1", "failed", &["stage-2"]),
        ("stage-2", "failed", &["stage-1"]),
    ]);
    assert_eq!(site.chosen().as_deref(), Some("stage-1:rerun"));
    let prompt = site.handoff("stage-1:rerun").prompt;
    assert!(prompt.lossy().contains("No stage can continue"));
}

/// The orchestrator takes the first ready stage: one whose dependency is invalidated must not stay ready.
#[test]
fn ready_dependents_of_an_invalidated_stage_become_pending_in_the_same_write() {
    let site = Site::new(CHAIN);
    for (point, pending) in [("stage-1:rerun", 1), ("stage-4:rerun", 0)] {
        let (state, lines) = written(&site.intent(point));
        assert_eq!(state.matches("\"status\": \"pending\"").count(), pending);
        assert_eq!(state.matches("\"ready\"").count(), 1 - pending, "{point}");
        let line = "[{now}] stage-3 (Name of stage-3): status -> pending".to_owned();
        assert_eq!(lines.contains(&line), pending == 1, "{point}: {lines:?}");
    }
}
