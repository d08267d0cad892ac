//! A replay in the user's own work tree, on the ground that a recovery has made.

use std::time::Duration;

use super::{ErrorKind, ask, others, plan, run, told};
use crate::apply::Consent;
use crate::engine::testing::Scene;
use crate::model::{Cancel, PlanOptions, ReplayAsk, ReplayFrom, SessionState};

fn in_place(script: &str) -> ReplayAsk {
    ReplayAsk {
        in_place: true,
        from: ReplayFrom::Phase("3".to_owned()),
        ..ask(script)
    }
}

#[test]
fn the_work_tree_is_put_back_first_and_then_the_original_is_continued() {
    let mut scene = Scene::new();
    scene.engine = scene.engine.with_quiet(Duration::ZERO);
    let plan = plan(&scene, &in_place("echo made > made.txt; echo Done."));
    let before = others(&scene);
    let error = scene
        .engine
        .replay(&plan, &|_| {}, &Cancel::new())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused, "{error}");
    assert_eq!(others(&scene), before);
    let ground = scene
        .engine
        .replay_ground(&plan, &PlanOptions::default())
        .unwrap();
    assert!(!ground.actions.is_empty());
    let consent = Consent::yes(&ground);
    scene
        .engine
        .apply(&ground, &consent, &|_| {}, &crate::model::Cancel::new())
        .unwrap();
    let original = std::fs::read_to_string(&plan.experiment.manifest).unwrap();
    let sessions = run(&scene, &plan);
    let one = &sessions[0];
    assert_eq!(one.state, SessionState::Done);
    assert_eq!(one.manifest, plan.experiment.manifest);
    let text = std::fs::read_to_string(&plan.experiment.manifest).unwrap();
    let added = text.strip_prefix(&original).unwrap();
    assert_eq!(added.trim_start().lines().count(), 2 * plan.steps.len());
    let tree = plan.experiment.work_tree.clone().unwrap();
    assert_eq!(std::fs::read(tree.join("made.txt")).unwrap(), b"made\n");
    // It is listed once, though its folder and the manifest both know of it.
    let listed = scene.engine.replays(&plan.pipeline).unwrap();
    assert_eq!(listed, sessions);
    let options = PlanOptions::default();
    let choice = crate::model::PointChoice::Recommended;
    assert!(scene.engine.plan(&plan.pipeline, &choice, &options).is_ok());
}

/// A script can answer what the plan asks, as it can for every other plan.
#[test]
fn unknown_liveness_is_answered_as_for_a_resume() {
    let scene = Scene::shared();
    let plan = plan(scene, &in_place("echo Done."));
    for assume_stopped in [false, true] {
        let options = PlanOptions {
            assume_stopped,
            ..PlanOptions::default()
        };
        let ground = scene.engine.replay_ground(&plan, &options).unwrap();
        assert_eq!(ground.assumes_stopped(), assume_stopped);
    }
}

#[test]
fn where_no_recovery_leads_there_is_no_replay_in_place() {
    let scene = Scene::shared();
    let asked = ReplayAsk {
        from: ReplayFrom::Seq(1),
        ..in_place("echo Done.")
    };
    let error = scene
        .engine
        .replay_ground(&plan(scene, &asked), &PlanOptions::default())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert_eq!(error.hints.len(), 2);
}

#[test]
fn without_a_boundary_a_run_that_was_interrupted_goes_on_where_a_resume_would() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        from: ReplayFrom::FirstAffected,
        ..in_place("echo Done.")
    };
    let plan = plan(&scene, &asked);
    let dossier = scene.engine.dossier(&plan.pipeline).unwrap();
    let recommended = dossier.recommended().unwrap();
    assert_eq!(plan.begin().unwrap().point, recommended.boundary.id);
    assert!(
        scene
            .engine
            .replay_ground(&plan, &PlanOptions::default())
            .is_ok()
    );
    // A mutation still begins where it takes effect, and a tree of its own with the run.
    let own = ReplayAsk {
        in_place: false,
        ..asked
    };
    let own = super::plan(&scene, &own);
    assert_eq!(own.ask.from, ReplayFrom::FirstAffected);
}

#[test]
fn what_a_replay_in_place_needs_is_named() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let planned = plan(&scene, &in_place("echo Done."));
    let twice = ReplayAsk {
        repeat: 2,
        ..planned.ask.clone()
    };
    let error = engine.replay_plan(&planned.pipeline, &twice).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(told(&error)[0].starts_with("A replay in place runs only once"));

    let before = others(&scene);
    let mut nowhere = planned.clone();
    nowhere.experiment.dispatch_dir = None;
    let mut unsaved = planned;
    unsaved.experiment.starts[unsaved.start].checkpoint = None;
    for (plan, says) in [
        (nowhere, "The original's dispatch directory is missing"),
        (unsaved, " has no checkpoint to start from."),
    ] {
        let error = engine.replay(&plan, &|_| {}, &Cancel::new()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(told(&error)[0].contains(says), "{error}");
        assert_eq!(others(&scene), before);
    }
}
