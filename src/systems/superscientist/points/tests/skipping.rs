//! What is said of skipped stages.

use super::*;

/// Whether a skipped stage counts as done is for the person to say, in the session: neither choosing a point nor
/// `--yes` says it.
#[test]
fn no_prompt_confirms_for_the_person_that_a_skipped_stage_counts() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "skipped", &["stage-1"]),
        ("stage-3", "ready", &["stage-2"]),
        ("stage-4", "pending", &["stage-2"]),
        ("stage-5", "ready", &["stage-1"]),
        ("stage-6", "pending", &["stage-5"]),
    ]);
    for (point, asks) in [
        ("stage-3:rerun", true),
        ("stage-4:rerun", true),
        ("stage-5:rerun", false),
        ("stage-5:skip", true),
    ] {
        let handoff = site.handoff(point);
        for text in [handoff.prompt.lossy(), handoff.briefing.lossy()] {
            assert!(!text.contains("I confirm"), "{point}: {text}");
            let asked = text.to_lowercase().contains("ask me whether");
            assert_eq!(asked, asks, "{point}: {text}");
        }
    }
    for boundary in site.boundaries() {
        for warning in &boundary.warnings {
            let text = warning.lossy();
            assert!(!text.contains("confirms"), "{}: {text}", boundary.id.0);
        }
    }
}

/// A skip is no claim about what was done before, and it keeps earlier results that have to be there.
#[test]
fn a_point_that_keeps_earlier_results_depends_on_them() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "pending", &["stage-2"]),
    ]);
    std::fs::remove_dir_all(site.wf.join("stage-1")).unwrap();
    assert_eq!(site.verdict("S8"), Verdict::Fail);
    for boundary in site.boundaries() {
        let id = &boundary.id.0;
        let keeps = boundary.kept > Some(0);
        assert_eq!(boundary.verified == Verdict::Fail, keeps, "{id}");
        for warning in &boundary.warnings {
            assert!(
                !warning.lossy().contains("was skipped"),
                "{id}: {warning:?}"
            );
        }
        // Nothing is moved where nothing is left.
        let losses = site.intent(id).losses;
        let moved = losses
            .iter()
            .any(|loss| loss.lossy().contains("moved directories"));
        assert!(!moved, "{id}: {losses:?}");
    }
}
