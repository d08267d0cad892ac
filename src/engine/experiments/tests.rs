//! Plans of replays of the sandbox's pipelines, from their files as they are.

use crate::engine::testing::Scene;
use crate::engine::{ErrorKind, Settings};
use crate::model::{Mutation, PipelineId, ReplayAsk, RunnerAsk, StepBody};

/// What is asked: a template swapped for a file of the sandbox.
fn ask(scene: &Scene, original: &str, file: &str) -> ReplayAsk {
    ReplayAsk {
        mutations: vec![Mutation {
            original: original.into(),
            replacement: scene.path(file).canonicalize().unwrap(),
        }],
        ..ReplayAsk::default()
    }
}

/// The finished run that everything was kept of.
fn labels(scene: &Scene) -> &PipelineId {
    let found = scene.ids.iter().find(|id| {
        let pipeline = scene.engine.recall(id).unwrap();
        let tree = pipeline.pipeline.reading.work_tree.clone();
        id.0.starts_with("crucible") && tree.is_some_and(|tree| tree.ends_with("labels"))
    });
    found.unwrap()
}

#[test]
fn the_sandbox_has_a_run_whose_red_team_can_be_swapped() {
    let scene = Scene::shared();
    let asked = ask(
        scene,
        "red-team-prompt.md",
        "projects/labels-experiment/red-team-v2.md",
    );
    let plan = scene.engine.replay_plan(labels(scene), &asked).unwrap();
    assert_eq!(plan.begin().unwrap().point.0, "phase-2-gate");
    let seqs: Vec<u64> = plan.steps.iter().map(|step| step.original.seq).collect();
    assert_eq!(seqs, (5..=15).collect::<Vec<u64>>());
    let swapped: Vec<u64> = plan
        .steps
        .iter()
        .filter(|step| step.mutation == Some(0))
        .map(|step| step.original.seq)
        .collect();
    assert_eq!(swapped, [5, 6, 11]);
    assert_eq!(plan.conflicts().count(), 0);
    for step in &plan.steps {
        let StepBody::Ready(text) = &step.body else {
            panic!("{}", step.original.seq);
        };
        let before = std::fs::read(step.original.path.as_ref().unwrap()).unwrap();
        assert_eq!(
            *text == before,
            step.mutation.is_none(),
            "{}",
            step.original.seq
        );
        let (text, before) = (
            String::from_utf8_lossy(text),
            String::from_utf8_lossy(&before),
        );
        let context = before.lines().filter(|line| line.starts_with("- Plan:"));
        for line in context {
            assert!(text.contains(line), "{line} is missing from {text}");
        }
    }
    let waves: Vec<usize> = plan.steps.iter().map(|step| step.wave).collect();
    assert_eq!(waves, [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(plan.commit.is_some());
    let swap = plan.mutations.first().unwrap();
    assert!(
        swap.template_from
            .lossy()
            .starts_with("skills/build/red-team-prompt.md at ")
    );
}

#[test]
fn the_sandbox_s_other_replacement_is_in_conflict() {
    let scene = Scene::shared();
    let asked = ask(
        scene,
        "red-team-prompt.md",
        "projects/labels-experiment/red-team-v3.md",
    );
    let plan = scene.engine.replay_plan(labels(scene), &asked).unwrap();
    let open: Vec<u64> = plan.conflicts().map(|step| step.original.seq).collect();
    assert_eq!(open, [5, 6, 11]);
}

#[test]
fn only_crucible_can_be_replayed() {
    let scene = Scene::shared();
    for system in ["autoconference", "mgw", "superscientist", "nine-step"] {
        let id = scene.id(system);
        let error = scene
            .engine
            .replay_plan(id, &ReplayAsk::default())
            .unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused, "{system}");
        let want = format!("Replaying {system} pipelines is not supported");
        assert!(error.text.lossy().starts_with(&want), "{error}");
        assert!(
            error
                .hints
                .iter()
                .any(|hint| hint.lossy().contains("relight compare"))
        );
    }
}

#[test]
fn words_and_disk_are_told_apart() {
    let scene = Scene::shared();
    let id = labels(scene);
    let mut asked = ask(
        scene,
        "nobody.md",
        "projects/labels-experiment/red-team-v2.md",
    );
    let error = scene.engine.replay_plan(id, &asked).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    asked.template_ref = Some("nosuch".to_owned());
    let error = scene.engine.replay_plan(id, &asked).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    asked.runner = RunnerAsk::Words(Vec::new());
    asked.template_ref = None;
    asked.mutations.clear();
    let error = scene.engine.replay_plan(id, &asked).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
}

#[test]
fn without_a_runner_there_is_a_hand_off() {
    let mut scene = Scene::new();
    scene.engine = scene.engine.with_settings(Settings::default());
    let mut asked = ask(
        &scene,
        "red-team-prompt.md",
        "projects/labels-experiment/red-team-v2.md",
    );
    let plan = scene.engine.replay_plan(labels(&scene), &asked).unwrap();
    assert_eq!(plan.runner.unwrap().name, "stand-in");
    asked.runner = RunnerAsk::Nobody;
    let plan = scene.engine.replay_plan(labels(&scene), &asked).unwrap();
    assert_eq!((plan.runner, plan.handoff.is_some()), (None, true));
}
