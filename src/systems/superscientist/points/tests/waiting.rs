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

/// The next wait ends at once with the old exit code.
#[test]
fn old_done_markers_are_named_where_a_launch_is_ordered_and_where_they_stay() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "failed", &["stage-1"]),
    ]);
    site.write("stage-2/DPDISP_DONE", "");
    site.write("stage-3/DPDISP_DONE", "");
    let warned = |point: &str| -> Vec<&str> {
        let all = site.boundaries();
        let found = all.iter().find(|b| b.id.0 == point).unwrap();
        let has = |id: &&str| {
            let mut all = found.warnings.iter().map(|warning| warning.lossy());
            all.any(|text| text.contains("done marker") && text.contains(*id))
        };
        ["stage-2", "stage-3"].into_iter().filter(has).collect()
    };
    assert_eq!(warned("stage-1:rerun"), ["stage-2", "stage-3"]);
    let all = ["stage-2", "stage-3"];
    assert_eq!(warned("stage-2:retry"), all, "it writes nothing");
    assert_eq!(
        warned("stage-3:retry"),
        ["stage-2"],
        "it moves its own aside"
    );
    assert_eq!(warned("stage-2:skip"), ["stage-3"], "the next task");
    for point in ["stage-1:rerun", "stage-2:retry", "stage-3:retry"] {
        let prompt = site.handoff(point).prompt;
        let prompt = prompt.lossy();
        let both = "stage-2 and stage-3 have done markers of earlier attempts: move them aside";
        assert!(prompt.contains(both), "{point}: {prompt}");
    }
}

/// A job that broke leaves its marker, and the state file still says that it is running.
#[test]
fn the_done_marker_of_a_job_that_broke_is_old_for_the_retry() {
    let site = Site::new(&[("stage-1", "running", &[])]);
    site.job("stage-1", false);
    site.write("stage-1/DPDISP_DONE", "");
    site.write("stage-1/DPDISP_EXIT_CODE", "1\n");
    assert_eq!(site.chosen().as_deref(), Some("stage-1:retry"));
    let said = "stage-1 has a done marker of an earlier attempt";
    for boundary in site.boundaries() {
        let has = boundary.warnings.iter().any(|w| w.lossy().contains(said));
        let launches = ["stage-1:retry", "stage-1:fail"].contains(&boundary.id.0.as_str());
        assert_eq!(has, launches, "{}", boundary.id.0);
    }
    assert!(site.handoff("stage-1:retry").prompt.lossy().contains(said));
}

/// The prompt after a skip orders the retry of another stage: what that costs is part of the plan.
#[test]
fn a_skip_counts_what_its_next_task_does_again() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "pending", &["stage-2"]),
    ]);
    site.write("stage-2/err", "x");
    let of = |point: &str| {
        let all = site.boundaries();
        let found = all.into_iter().find(|b| b.id.0 == point).unwrap();
        let intent = site.intent(point);
        let again: Vec<_> = intent.redone.iter().map(|item| item.id.clone()).collect();
        assert_eq!(found.redone, Some(again.len() as u64), "{point}");
        let lost = intent.losses.iter();
        let lost = lost.filter(|l| {
            l.lossy()
                .contains("overwrites the files of the failed attempt")
        });
        (again, lost.count())
    };
    let stage_2 = vec![Foreign::from("stage-2")];
    assert_eq!(of("stage-3:skip"), (stage_2, 1));
    assert_eq!(of("stage-2:skip"), (Vec::new(), 0));
}
