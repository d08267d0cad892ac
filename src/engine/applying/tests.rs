//! A plan that was looked at some time ago.

use super::*;
use crate::engine::testing::Scene;
use crate::git::testing::{git, git_is_there};
use crate::model::{PlanOptions, PointChoice};

#[test]
fn a_plan_that_only_hands_over_is_computed_again_before_it_does() {
    if !git_is_there() {
        return;
    }
    let scene = Scene::new();
    let id = scene.id("nine-step-price-alerts").clone();
    let plan = || {
        let options = PlanOptions::default();
        scene
            .engine
            .plan(&id, &PointChoice::Recommended, &options)
            .unwrap()
    };
    let apply = |plan: &Plan| {
        let consent = Consent::yes(plan);
        scene
            .engine
            .apply(plan, &consent, &|_| {}, &Cancel::new())
            .map(|outcome| outcome.recovery.is_some())
    };
    let seen = plan();
    assert!(seen.actions.is_empty() && seen.guards.iter().all(|guard| guard.holds));
    assert!(!apply(&seen).unwrap());
    let tree = scene.path("projects/trader/.worktree/price-alerts");
    git(&tree, &["switch", "-q", "-c", "other"]);
    let refused = apply(&seen).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Refused);
    assert!(refused.text.lossy().contains("other"), "{refused:?}");
    git(&tree, &["switch", "-q", "feature/price-alerts"]);
    // The branch is back, and what it was computed from is another one.
    scene.edit(
        "projects/trader/.worktree/price-alerts/workflow-state.json",
        "\"total_phases\"",
        "\"other\": 1, \"total_phases\"",
    );
    assert_eq!(apply(&seen).unwrap_err().kind, ErrorKind::Refused);
}
