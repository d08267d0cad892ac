//! Replays of the sandbox's crucible run, from the plan to the sessions, with programs that every system has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

mod ends;
mod in_place;
mod purged;
mod refusals;

use super::super::testing::Scene;
use super::{in_order, oldest_first};
use crate::engine::{EngineError, ErrorKind};
use crate::model::{
    Arm, Cancel, PipelineId, ReplayAsk, ReplayPlan, ReplayProgress, ReplaySession, RunPlace,
    RunnerAsk, SessionId, SessionState, Stamp,
};

/// A replay without mutations by a shell's script.
fn ask(script: &str) -> ReplayAsk {
    let words = ["/bin/sh", "-c", script, "sh", "{file}", "{prompt}"];
    ReplayAsk {
        runner: RunnerAsk::Words(words.iter().map(Into::into).collect()),
        ..ReplayAsk::default()
    }
}

fn id(scene: &Scene) -> PipelineId {
    scene.id("crucible-").clone()
}

fn plan(scene: &Scene, ask: &ReplayAsk) -> ReplayPlan {
    scene.engine.replay_plan(&id(scene), ask).unwrap()
}

fn run(scene: &Scene, plan: &ReplayPlan) -> Vec<ReplaySession> {
    scene.engine.replay(plan, &|_| {}, &Cancel::new()).unwrap()
}

/// What an error says, line by line.
fn told(error: &EngineError) -> Vec<String> {
    let lines = std::iter::once(&error.text).chain(&error.hints);
    lines.map(|line| line.lossy().into_owned()).collect()
}

/// Everything of the sandbox but relight's own state.
fn others(scene: &Scene) -> BTreeMap<PathBuf, Vec<u8>> {
    fn add(dir: &Path, own: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            if path.starts_with(own) {
                continue;
            }
            if kind.is_dir() {
                add(&path, own, found);
            }
            let bytes = if kind.is_file() {
                std::fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            found.insert(path, bytes);
        }
    }
    let root = scene.path("").canonicalize().unwrap();
    let mut found = BTreeMap::new();
    add(&root, &scene.engine.state_dir().unwrap(), &mut found);
    found
}

/// Finding S2: the roots of the experiments are among those at which an id is looked up.
#[test]
fn s2_a_replay_knows_where_its_pipeline_lay() {
    let scene = Scene::new();
    let state = scene.engine.state_dir().unwrap();
    assert!(crate::replay::session::origins(&state).is_empty());
    let plan = plan(&scene, &ask("echo \"Done.\""));
    run(&scene, &plan);
    let origins = crate::replay::session::origins(&state);
    let opened = scene.engine.recall(&plan.pipeline).unwrap();
    assert!(origins.contains(opened.pipeline.reading.work_tree.as_ref().unwrap()));
    let manifest = |origin: &PathBuf| origin.join("manifest.jsonl").is_file();
    assert!(origins.iter().any(manifest), "{origins:?}");
}

/// Whenever the runs of an experiment start, in whichever order they were drawn, they are listed in one.
#[test]
fn runs_are_listed_in_the_order_of_their_experiment() {
    let run = |group: u64, at: usize, second: i64| ReplaySession {
        id: SessionId(format!("{group}-{at}")),
        group: SessionId(group.to_string()),
        repeat: (at, 4),
        place: Some(RunPlace {
            experiment: SessionId(group.to_string()),
            arm: [Arm::Control, Arm::Mutated][(at - 1) % 2],
            block: at.div_ceil(2),
        }),
        started_at: Stamp::from_unix(second),
        ..ReplaySession::default()
    };
    for starts in [[20, 20, 20, 20], [21, 20, 22, 23], [23, 22, 21, 20]] {
        let of = |group: u64, from: i64| {
            let all = starts.iter().enumerate();
            all.map(move |(at, second)| run(group, at + 1, from + second))
                .collect::<Vec<_>>()
        };
        let mut all = [of(10, 0), of(11, 0), of(12, 100)].concat();
        all.rotate_left(5);
        let ids = |all: &[ReplaySession]| {
            let ids = all.iter().map(|one| one.id.0.clone());
            ids.collect::<Vec<_>>().join(" ")
        };
        in_order(&mut all);
        let newest = "12-1 12-2 12-3 12-4 11-1 11-2 11-3 11-4 10-1 10-2 10-3 10-4";
        assert_eq!(ids(&all), newest);
        oldest_first(&mut all);
        let oldest = "10-1 10-2 10-3 10-4 11-1 11-2 11-3 11-4 12-1 12-2 12-3 12-4";
        assert_eq!(ids(&all), oldest);
    }
}

#[test]
fn a_replay_runs_to_its_end_and_leaves_the_original_as_it_was() {
    let scene = Scene::new();
    let plan = plan(&scene, &ask("echo made > made.txt; echo \"Done.\""));
    let before = others(&scene);
    let told: Mutex<Vec<ReplayProgress>> = Mutex::default();
    let tell = |progress: &ReplayProgress| told.lock().unwrap().push(progress.clone());
    let sessions = scene.engine.replay(&plan, &tell, &Cancel::new()).unwrap();
    assert_eq!(sessions.len(), 1);
    let one = &sessions[0];
    assert_eq!(one.state, SessionState::Done);
    assert_eq!(one.dispatches.done, plan.steps.len() as u64);
    let tree = one.tree.clone().unwrap();
    assert_eq!(std::fs::read(tree.join("made.txt")).unwrap(), b"made\n");
    assert_eq!(others(&scene), before);
    let told = told.into_inner().unwrap();
    assert_eq!(told[0].sessions[0].state, None);
    let last = &told.last().unwrap().sessions[0];
    assert_eq!((last.state, &last.id), (Some(SessionState::Done), &one.id));
    assert_eq!(last.steps.len(), plan.steps.len());
    assert_eq!(last.tree.0, last.tree.1);
    assert_eq!(scene.engine.replays(&id(&scene)).unwrap()[0], *one);
}
