use std::time::Duration;

use crate::apply::Consent;
use crate::engine::testing::Scene;
use crate::engine::{Engine, Request};
use crate::model::{
    ActionKind, Compared, ComparisonVerdict, Outcome, PipelineId, Plan, PlanOptions, PointChoice,
    PointId, Preview,
};

/// A plan that changes files: of the first point that has one.
fn plan(engine: &Engine, id: &PipelineId) -> Option<Plan> {
    let options = PlanOptions {
        assume_stopped: true,
        ..PlanOptions::default()
    };
    let points: Vec<PointId> = engine
        .dossier(id)
        .unwrap()
        .points
        .into_iter()
        .map(|point| point.boundary.id)
        .collect();
    points.into_iter().find_map(|point| {
        let plan = engine.plan(id, &PointChoice::Id(point), &options).ok()?;
        let holds = plan.guards.iter().all(|guard| guard.holds);
        (holds && plan.destructive).then_some(plan)
    })
}

fn carry_out(engine: &Engine, plan: &Plan) -> Outcome {
    engine
        .apply(
            plan,
            &Consent::yes(plan),
            &|_| {},
            &crate::model::Cancel::new(),
        )
        .unwrap()
}

/// What records say that was appended and kept: lines by their number, and no folder in which nothing is.
fn records(engine: &Engine, request: &Request) {
    for recovery in engine.recoveries(request).unwrap() {
        for action in &recovery.actions {
            let lines = matches!(action.preview, Preview::Appended { lines: 1.. });
            assert_eq!(lines, action.kind == ActionKind::AppendLines, "{action:?}");
            if lines {
                let done = action.done();
                let number = done.as_str().chars().next().unwrap();
                assert!(number.is_ascii_digit(), "{done}");
            }
        }
        for folder in &recovery.kept_in {
            let entries = std::fs::read_dir(folder).unwrap();
            assert_ne!(entries.count(), 0, "{} {}", recovery.id.0, folder.display());
        }
    }
}

#[test]
fn what_a_recovery_changed_is_compared_in_every_system_and_back_when_it_is_undone() {
    let mut scene = Scene::new();
    scene.engine = scene.engine.with_quiet(Duration::ZERO);
    let engine = &scene.engine;
    let mut systems = Vec::new();
    for id in &scene.ids {
        let system = engine.dossier(id).unwrap().pipeline.reading.system.0;
        if systems.contains(&system) {
            continue;
        }
        let Some(plan) = plan(engine, id) else {
            continue;
        };
        systems.push(system);
        let recovery = carry_out(engine, &plan).recovery.unwrap();
        let word = recovery.id.0.as_str();
        let after = engine.compare(id, Some(word), None).unwrap();
        assert_eq!(after.verdict, ComparisonVerdict::NotJudged, "{id}");
        assert_eq!(after.b.name, recovery.id.0);
        let artifacts = after.artifacts.as_ref().unwrap();
        assert!(!artifacts.files.is_empty(), "{id}");
        let texts = engine.compared(&after, Compared::Artifact(0)).unwrap();
        assert_ne!(texts.before, texts.after, "{id}");
        let operands = engine.operands(id).unwrap();
        assert!(operands.iter().any(|one| one.name == recovery.id.0), "{id}");

        let request = Request {
            scope: Some(crate::engine::Scope::Machine),
            ..Request::default()
        };
        let undo = engine
            .undo_plan(
                Some(word),
                false,
                &crate::model::UndoOptions::default(),
                &request,
            )
            .unwrap();
        carry_out(engine, &undo);
        records(engine, &request);
        let undone = engine.compare(id, Some(word), None).unwrap();
        assert_eq!(
            undone.artifacts.as_ref().unwrap().files,
            artifacts.files,
            "{id}"
        );
        let again = engine.compared(&undone, Compared::Artifact(0)).unwrap();
        assert_eq!(
            (again.before, again.after),
            (texts.before, texts.after),
            "{id}"
        );
    }
    systems.sort_unstable();
    assert_eq!(
        systems,
        [
            "autoconference",
            "crucible",
            "mgw",
            "nine-step",
            "superscientist"
        ]
    );
}
