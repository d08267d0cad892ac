//! The fingerprint and what a plan says: they change together, and neither changes by time alone.

use std::fs;

use chrono::TimeDelta;

use crate::engine::Engine;
use crate::engine::testing::Scene;
use crate::model::{PipelineId, Plan, PlanOptions, PointChoice, Sure};
use crate::world::agents::Agents;
use crate::world::clock::FixedClock;
use crate::world::fake::FakeWorld;
use crate::world::files::Files;
use crate::world::git::Git;
use crate::world::process::Processes;
use crate::world::{Clock, Places, World};

/// A world at another time.
struct Later(Box<dyn World>, FixedClock);

impl World for Later {
    fn clock(&self) -> &dyn Clock {
        &self.1
    }

    fn files(&self) -> &dyn Files {
        self.0.files()
    }

    fn git(&self) -> &dyn Git {
        self.0.git()
    }

    fn processes(&self) -> &dyn Processes {
        self.0.processes()
    }

    fn places(&self) -> &Places {
        self.0.places()
    }

    fn know_agents(&mut self, agents: Agents) {
        self.0.know_agents(agents);
    }
}

/// The plan of every point.
fn plans(engine: &Engine, id: &PipelineId) -> Vec<Plan> {
    let points = engine
        .dossier(id)
        .map_or_else(|_| Vec::new(), |known| known.points);
    let options = PlanOptions {
        assume_stopped: true,
        ..PlanOptions::default()
    };
    let plan = |id_of_point| {
        engine
            .plan(id, &PointChoice::Id(id_of_point), &options)
            .ok()
    };
    points
        .into_iter()
        .filter_map(|point| plan(point.boundary.id))
        .collect()
}

/// Everything that a plan says and hands over, but the name of the briefing's file.
fn words(plan: &Plan) -> String {
    let handoff = &plan.handoff;
    let said = (
        &handoff.prompt,
        &handoff.briefing,
        &handoff.cwd,
        &handoff.argv,
    );
    format!("{said:?} {:?} {:?}", plan.warnings, plan.losses)
}

#[test]
fn the_same_plan_a_minute_later_has_the_same_fingerprint() {
    let mut scene = Scene::new();
    let now = scene.engine.now();
    let mut at = |minutes: i64| {
        let clock = FixedClock(now + TimeDelta::minutes(minutes));
        let away = Box::new(FakeWorld::from("2026-11-21T07:00:00+00:00"));
        let world = std::mem::replace(&mut scene.engine.world, away);
        scene.engine.world = Box::new(Later(world, clock));
        let all = scene.ids.iter().flat_map(|id| plans(&scene.engine, id));
        let print = |plan: Plan| {
            let id = format!("{} {}", plan.pipeline, plan.point.boundary.id);
            (id, plan.fingerprint.0)
        };
        all.map(print).collect::<Vec<_>>()
    };
    let (first, second) = (at(1), at(2));
    assert!(first.len() > 40, "{}", first.len());
    for (before, after) in first.iter().zip(&second) {
        assert_eq!(before, after);
    }
    assert_eq!(first.len(), second.len());
}

#[test]
fn a_plan_that_says_something_else_has_another_fingerprint() {
    let scene = Scene::new();
    let tree = "projects/trader/.worktree/price-alerts";
    for (id, gone) in [
        ("claude-workflow", "projects/handbook/review.js".to_owned()),
        (
            "superscientist",
            "projects/science/polymer-ring/stage-1".to_owned(),
        ),
        ("nine-step-price-alerts", format!("{tree}/app/alerts.py")),
    ] {
        let id = scene.id(id);
        let before = plans(&scene.engine, id);
        let path = scene.path(&gone);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
        let after = plans(&scene.engine, id);
        let mut others = 0;
        for plan in &before {
            let at = |other: &&Plan| other.point.boundary.id == plan.point.boundary.id;
            let Some(other) = after.iter().find(at) else {
                continue;
            };
            if words(plan) != words(other) {
                others += 1;
                let point = &plan.point.boundary.id;
                assert_ne!(plan.fingerprint, other.fingerprint, "{gone} {point}");
            }
        }
        assert!(others > 0, "{gone} is said nowhere");
    }
}

#[test]
fn a_reason_is_part_of_what_is_agreed_to() {
    let scene = Scene::shared();
    let id = scene.id("superscientist");
    let print = |reason: Option<&str>| {
        let options = PlanOptions {
            reason: reason.map(str::to_owned),
            ..PlanOptions::default()
        };
        let plan = scene.engine.plan(id, &PointChoice::Recommended, &options);
        plan.unwrap().fingerprint
    };
    assert_ne!(print(None), print(Some("the cluster is back")));
}

#[test]
fn a_conversation_that_is_a_guess_is_not_recommended() {
    let scene = Scene::shared();
    let mut guesses = 0;
    for id in &scene.ids {
        let (Ok(why), Some(plan)) = (
            scene.engine.why(id, false),
            plans(&scene.engine, id)
                .into_iter()
                .find(|plan| plan.point.recommended),
        ) else {
            continue;
        };
        let newest = why.conversations.first();
        let guess = newest.is_some_and(|newest| newest.cause.sure == Sure::Guess);
        if let Some(offered) = scene.engine.continuation(&plan, &plan.handoff)
            && guess
        {
            guesses += 1;
            assert!(!offered.recommended, "{id}: {}", offered.reason);
        }
    }
    assert!(guesses > 0);
}
