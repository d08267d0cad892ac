//! Stages that failed while another one can still run.

use super::*;

/// A failed stage, a completed one, and one that depends on neither; with the row of the failed one.
fn site(status: &str) -> Site {
    Site::new(&[
        ("stage-1", status, &[]),
        ("stage-2", "completed", &[]),
        ("stage-3", "pending", &[]),
        ("stage-4", "pending", &["stage-1"]),
    ])
}

/// The sentence about the failure stands in the points, in the plan and in the prompt, and the retry is counted by every
/// point that lets the session go on to it.
#[test]
fn a_failure_is_named_beside_what_can_still_run() {
    for (status, said) in [
        (
            "failed",
            "stage-1 failed: debug and retry it once nothing else can run.",
        ),
        (
            "preparing",
            "stage-1: its subagent died while preparing it. Mark it as failed before anything new.",
        ),
    ] {
        let site = site(status);
        site.quiet();
        assert_eq!(site.chosen().as_deref(), Some("stage-3:rerun"), "{status}");
        for boundary in site.boundaries() {
            let point = boundary.id.0.as_str();
            // After the skip of stage-4, stage-3 runs.
            let other = ["stage-2:rerun", "stage-3:rerun", "stage-4:skip"].contains(&point);
            let warned = boundary.warnings.iter().any(|one| one.lossy() == said);
            assert_eq!(warned, other, "{status}: {point}");
            // Without its changes a skip has no next task.
            let ordered = other && point != "stage-4:skip";
            let prompt = site.handoff(point).prompt;
            assert_eq!(prompt.lossy().contains(said), ordered, "{status}: {point}");
        }
        let redone = |point: &str| {
            let redone = site.intent(point).redone;
            let ids = redone.iter().map(|item| item.id.lossy().into_owned());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(redone("stage-3:rerun"), ["stage-1"], "{status}");
        assert_eq!(redone("stage-3:skip"), ["stage-1"], "{status}");
        assert_eq!(redone("stage-2:rerun"), ["stage-1", "stage-2"], "{status}");
    }
}

/// The reading says the bad news first.
#[test]
fn a_failure_comes_before_what_can_still_run() {
    for (status, place, reason) in [
        (
            "failed",
            "stage-1 (Name of stage-1) · failed",
            "stage-1 failed; stage-3 is next.",
        ),
        (
            "preparing",
            "stage-1 (Name of stage-1) · preparing",
            "stage-1: its subagent died while preparing it; stage-3 is next.",
        ),
    ] {
        let site = site(status);
        site.quiet();
        let case = site.open();
        let reading = case.reading();
        assert_eq!(reading.stopped_where, *place);
        assert_eq!(reading.claim.reason, *reason);
    }
}

/// Who has just written, or is seen, may still be preparing the stage.
#[test]
fn a_subagent_died_only_if_nothing_works_on_the_workflow() {
    let mut seen = site("preparing");
    seen.quiet();
    let wf = seen.wf.clone();
    seen.session("workflow-runner-demo-2026-06-01", &wf);
    let quiet = site("preparing");
    quiet.quiet();
    let alive = "stage-1: the end of its preparation is not recorded";
    let dead = "stage-1: its subagent died while preparing it";
    for (site, said, verdict) in [
        (site("preparing"), alive, Verdict::Warn),
        (seen, alive, Verdict::Warn),
        (quiet, dead, Verdict::Fail),
    ] {
        let reason = site.open().reading().claim.reason.lossy().into_owned();
        assert!(reason.starts_with(said), "{reason}");
        assert_eq!(site.verdict("S10"), verdict, "{said}");
        assert_eq!(site.chosen().as_deref(), Some("stage-3:rerun"));
    }
}

/// A stage that waits for a person is the reason, the place and the cause alike, whatever else can still run.
#[test]
fn one_stage_is_the_reason_the_place_and_the_cause() {
    let site = Site::new(&[
        ("stage-1", "failed", &[]),
        ("stage-2", "failed", &[]),
        ("stage-3", "pending", &["stage-2"]),
    ]);
    site.edit("\"retry_count\": 0", "\"retry_count\": 3");
    let case = site.open();
    let reading = case.reading();
    assert!(reading.claim.reason.lossy().starts_with("stage-1 failed"));
    assert_eq!(reading.stopped_where, "stage-1 (Name of stage-1) · failed");
    let found = case.recorded_cause(None, &site.world).unwrap();
    assert!(found.text.lossy().starts_with("stage-1 "), "{found:?}");
    assert_eq!(site.chosen().as_deref(), Some("stage-2:retry"));
}

/// Nor do they name two stages where the job of another one runs.
#[test]
fn a_job_beside_a_stage_that_waits_changes_neither() {
    let mut site = Site::new(&[("stage-1", "failed", &[]), ("stage-2", "running", &[])]);
    site.edit("\"retry_count\": 0", "\"retry_count\": 3");
    site.job("stage-2", false);
    let wf = site.wf.clone();
    site.session("dpdisp_stage-2", &wf);
    let case = site.open();
    let reading = case.reading();
    assert!(reading.claim.reason.lossy().starts_with("stage-1 failed"));
    assert_eq!(reading.stopped_where, "stage-1 (Name of stage-1) · failed");
    assert_eq!(site.chosen().as_deref(), Some("stage-2:monitor"));
}

/// An old done marker that the session must move aside is named by the point as well as in the prompt.
#[test]
fn the_old_marker_of_a_failed_stage_is_named_by_the_point_and_in_the_prompt() {
    let site = site("failed");
    site.write("stage-1/DPDISP_DONE", "");
    let said = "stage-1 has a done marker of an earlier attempt";
    for point in [
        "stage-1:retry",
        "stage-2:rerun",
        "stage-3:rerun",
        "stage-3:skip",
    ] {
        let all = site.boundaries();
        let found = all.iter().find(|one| one.id.0 == point).unwrap();
        let mut warnings = found.warnings.iter();
        let warned = warnings.any(|one| one.lossy().contains(said));
        // A retry by hand moves the marker itself.
        assert_eq!(warned, point != "stage-1:retry", "{point}");
        assert!(site.handoff(point).prompt.lossy().contains(said), "{point}");
    }
}
