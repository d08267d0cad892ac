//! Replays of the sandbox's crucible run, from the plan to the sessions, with programs that every system has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

mod ends;
mod in_place;
mod purged;
mod refusals;

use super::super::testing::Scene;
use crate::engine::{EngineError, ErrorKind};
use crate::model::{
    Cancel, PipelineId, ReplayAsk, ReplayPlan, ReplayProgress, ReplaySession, RunnerAsk,
    SessionState,
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
