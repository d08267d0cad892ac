//! What only a clock that stands still can prove: repetitions, and the boundaries of crucible within a second.

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use serde_json::Map;

use crate::engine::testing::Scene;
use crate::engine::{Engine, ErrorKind, Request, sandbox};
use crate::git::RealGit;
use crate::model::{Cancel, CheckpointAsk, RecordAsk, TakenCheckpoint};
use crate::world::clock::FixedClock;
use crate::world::fake::{FakeProcesses, FakeWorld};
use crate::world::real_files::RealFiles;

/// An engine in the sandbox whose clock shows so many milliseconds after `from`.
fn engine(scene: &Scene, from: DateTime<Utc>, millis: i64) -> Engine {
    let projects = scene.path("projects");
    let world = FakeWorld {
        clock: FixedClock((from + TimeDelta::milliseconds(millis)).fixed_offset()),
        files: RealFiles,
        git: RealGit,
        processes: FakeProcesses::default(),
        places: sandbox::around(&projects).unwrap().places,
    };
    Engine::new(Box::new(world), vec![projects])
}

fn later() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(0) + TimeDelta::hours(1)
}

#[test]
fn the_same_record_within_a_second_is_refused_with_a_hint() {
    let scene = Scene::new();
    let from = later();
    let words = ["researcher.stuck", "researcher=B", "stuck_level=2"];
    let ask = RecordAsk {
        pipeline: scene.path("projects/lab/tokenizer-speed").into(),
        words: words.map(str::to_owned).to_vec(),
        values: Map::new(),
        ..RecordAsk::default()
    };
    let request = Request::default();
    let record = |millis| engine(&scene, from, millis).record(&ask, &request, &Cancel::new());
    record(0).unwrap();
    for millis in [0, 999, -999] {
        let refused = record(millis).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Refused, "{millis}");
        let said = refused.text.lossy().into_owned();
        assert!(said.contains("less than a second ago"), "{millis}: {said}");
        assert!(refused.hints[0].lossy().contains("--once KEY"), "{millis}");
    }
    record(1_000).unwrap();
    // Another record has come between: this one says something new.
    let mut other = ask.clone();
    other.words[2] = "stuck_level=3".to_owned();
    engine(&scene, from, 1_000)
        .record(&other, &request, &Cancel::new())
        .unwrap();
    record(1_000).unwrap();
    let log = "projects/lab/tokenizer-speed/conference_events.jsonl";
    let text = std::fs::read_to_string(scene.path(log)).unwrap();
    let stuck = text
        .lines()
        .filter(|line| line.contains("researcher.stuck"));
    assert_eq!(stuck.count(), 4);
}

#[test]
fn a_boundary_of_crucible_that_is_repeated_within_a_second_is_one() {
    let scene = Scene::new();
    let from = later();
    let id = scene.id("crucible-").0.clone();
    let take = |millis, reason: &str| -> TakenCheckpoint {
        let ask = CheckpointAsk {
            pipeline: id.clone().into(),
            reason: reason.to_owned(),
            ..CheckpointAsk::default()
        };
        let request = Request {
            cwd: scene.path("projects"),
            ..Request::default()
        };
        engine(&scene, from, millis)
            .checkpoint(&ask, &request, &Cancel::new())
            .unwrap()
    };
    let first = take(0, "pre-wave-7");
    assert!(!first.repeated);
    for millis in [0, 999] {
        let again = take(millis, "pre-wave-7");
        assert!(
            again.repeated && again.id == first.id,
            "{millis}: {again:?}"
        );
    }
    let other = take(999, "pre-wave-8");
    assert!(!other.repeated && other.id != first.id);
    let second = take(2_000, "pre-wave-8");
    assert!(!second.repeated && second.id != other.id);
}

/// The reasons of the skill's table are boundaries in its own store; any other is relight's.
#[test]
fn every_reason_of_the_table_is_a_boundary() {
    let scene = Scene::new();
    let from = later();
    let id = scene.id("crucible-").0.clone();
    let reasons = [
        ("pre-design-gate", "build"),
        ("pre-plan-gate", "build"),
        ("pre-wave-1", "build"),
        ("pre-wave-12", "build"),
        ("pre-code-review", "build"),
        ("pre-inquisitor", "build"),
        ("pre-impl-gate", "build"),
        ("pre-wave-", "relight"),
        ("pre-wave-1 again", "relight"),
        ("before the migration", "relight"),
    ];
    for (at, (reason, source)) in (0..).zip(reasons) {
        let ask = CheckpointAsk {
            pipeline: id.clone().into(),
            reason: reason.to_owned(),
            ..CheckpointAsk::default()
        };
        let request = Request {
            cwd: scene.path("projects"),
            ..Request::default()
        };
        let taken = engine(&scene, from, 2_000 * at).checkpoint(&ask, &request, &Cancel::new());
        let taken = taken.unwrap();
        assert!(!taken.repeated && taken.source == source, "{taken:?}");
    }
}
