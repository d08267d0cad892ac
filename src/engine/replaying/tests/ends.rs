//! How replays end and continue: several runs, a cancel, a runner that is not there, nobody to run them.

use super::{ask, id, plan, run};
use crate::engine::ErrorKind;
use crate::engine::testing::Scene;
use crate::model::{Cancel, ReplayAsk, RunnerAsk, SessionId, SessionState, StepState};

#[test]
fn independent_runs_share_a_group_and_are_listed_in_their_order() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        repeat: 2,
        jobs: 2,
        ..ask("echo Done.")
    };
    let sessions = run(&scene, &plan(&scene, &asked));
    let group = sessions[0].group.clone();
    let known: Vec<_> = sessions
        .iter()
        .map(|one| (&*one.id.0, one.repeat))
        .collect();
    let id_of = |number: u32| format!("{group}-{number}");
    assert_eq!(known, [(&*id_of(1), (1, 2)), (&*id_of(2), (2, 2))]);
    assert_eq!(sessions[1].group, group);
    let again = run(&scene, &plan(&scene, &ask("echo Done.")));
    let listed = scene.engine.replays(&id(&scene)).unwrap();
    let listed: Vec<&str> = listed.iter().map(|one| &*one.id.0).collect();
    assert_eq!(listed, [&*again[0].id.0, &*id_of(1), &*id_of(2)]);
}

#[test]
fn a_cancelled_run_is_an_answer_and_goes_on_later() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        repeat: 2,
        ..ask("echo Done.")
    };
    let plan = plan(&scene, &asked);
    let cancel = Cancel::new();
    // As soon as the first dispatch has ended.
    let tell = |progress: &crate::model::ReplayProgress| {
        let mut steps = progress.sessions.iter().flat_map(|one| &one.steps);
        if steps.any(|step| step.state == StepState::Completed) {
            cancel.cancel();
        }
    };
    let sessions = scene.engine.replay(&plan, &tell, &cancel).unwrap();
    assert_eq!(sessions.len(), 1, "the second was not begun");
    let one = &sessions[0];
    assert_eq!(one.state, SessionState::Cancelled);
    assert_eq!(one.dispatches.done, 1);
    assert_eq!(one.dispatches.left, plan.steps.len() as u64 - 1);
    assert_eq!(scene.engine.replays(&id(&scene)).unwrap(), sessions);
    let ended = scene
        .engine
        .replay_continue(&id(&scene), &one.id, &|_| {}, &Cancel::new())
        .unwrap();
    assert_eq!(ended.state, SessionState::Done);
    assert_eq!(ended.dispatches.done, plan.steps.len() as u64);
    let text = std::fs::read_to_string(&ended.manifest).unwrap();
    let of = format!("\"replay_session\":\"{}\"", one.id);
    let lines = text.lines().filter(|line| line.contains(&of));
    let done = lines.filter(|line| line.contains("\"completed\""));
    assert_eq!(done.count(), plan.steps.len());
}

#[test]
fn a_runner_that_is_not_there_is_refused_before_anything_is_made() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        runner: RunnerAsk::Words(vec!["/nowhere/agent".into()]),
        ..ReplayAsk::default()
    };
    let plan = plan(&scene, &asked);
    let refused = scene.engine.replay(&plan, &|_| {}, &Cancel::new());
    assert_eq!(refused.unwrap_err().kind, ErrorKind::Refused);
    assert_eq!(scene.engine.replays(&id(&scene)).unwrap(), []);
}

#[test]
fn without_a_runner_the_files_are_written_and_handed_over() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        runner: RunnerAsk::Nobody,
        ..ReplayAsk::default()
    };
    let plan = plan(&scene, &asked);
    let sessions = run(&scene, &plan);
    let one = &sessions[0];
    assert_eq!(one.state, SessionState::HandedOver);
    let handoff = one.handoff.as_ref().unwrap();
    assert_eq!(Some(&handoff.cwd), one.tree.as_ref());
    let briefing = handoff.briefing.lossy();
    let dispatch = one.folder.as_ref().unwrap().join("dispatch");
    let files: Vec<_> = dispatch
        .read_dir()
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert_eq!(files.len(), plan.steps.len());
    for file in &files {
        assert!(briefing.contains(file.to_str().unwrap()), "{briefing}");
    }
    assert_eq!(scene.engine.replays(&id(&scene)).unwrap(), sessions);
}

#[test]
fn what_the_manifest_records_itself_is_among_the_replays() {
    let line = |seq: u64, of: u64, status: &str| {
        format!(
            "{{\"seq\":{seq},\"file\":\"{seq}-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":1,\"status\":\"{status}\",\"duration_s\":3,\"summary\":\"x\",\"replay_of\":{of},\"replay_session\":\"1775431900\",\"mutation\":\"a.md -> b.md\"}}\n"
        )
    };
    // The manifest's own last line was cut off by the crash.
    let lines = "\n".to_owned() + &line(900, 1, "completed") + &line(901, 2, "dispatched");
    let scene = Scene::edited(|scene| {
        let file = format!("home/tmp/{}/manifest.jsonl", scene.dispatch());
        scene.append(&file, &lines);
    });
    let ours = run(&scene, &plan(&scene, &ask("echo Done.")));
    let listed = scene.engine.replays(&id(&scene)).unwrap();
    assert_eq!(listed[0], ours[0]);
    let theirs = &listed[1];
    assert_eq!(theirs.id, SessionId("1775431900".to_owned()));
    assert_eq!((theirs.folder.as_ref(), theirs.in_place), (None, true));
    assert_eq!((theirs.dispatches.done, theirs.dispatches.left), (1, 1));
    assert_eq!(theirs.mutations, ["a.md -> b.md"]);
    assert_eq!(theirs.state, SessionState::HandedOver);
}

#[test]
fn the_trees_of_replays_are_no_pipelines() {
    let scene = Scene::new();
    run(&scene, &plan(&scene, &ask("echo Done.")));
    let root = scene.path("").canonicalize().unwrap();
    let request = crate::engine::Request {
        cwd: root.clone(),
        paths: vec![root],
        all: true,
        ..crate::engine::Request::default()
    };
    let survey = scene.engine.survey(&request, &|_| {}).unwrap();
    let mut found: Vec<_> = survey.pipelines.into_iter().map(|one| one.id).collect();
    let mut known = scene.ids.clone();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    known.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, known);
}

#[test]
fn a_run_with_a_torn_manifest_is_missing_everywhere_and_run_again() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        repeat: 2,
        ..ask("echo Done.")
    };
    let sessions = run(&scene, &plan(&scene, &asked));
    let (id, group) = (id(&scene), sessions[0].group.clone());
    let text = std::fs::read(&sessions[1].manifest).unwrap();
    std::fs::write(&sessions[1].manifest, &text[..text.len() - 9]).unwrap();
    let listed = scene.engine.replays(&id).unwrap();
    assert_eq!(listed[1].state, SessionState::Interrupted);
    let compared = scene
        .engine
        .compare(&id, None, Some(&sessions[1].id.0))
        .unwrap();
    assert!(compared.b.runs[0].unfinished);
    let again = scene
        .engine
        .replay_extend(&id, &group, (0, false), &|_| {}, &Cancel::new())
        .unwrap();
    assert_eq!(again.len(), 1);
    assert_eq!(
        (&again[0].id, again[0].state),
        (&sessions[1].id, SessionState::Done)
    );
}

#[test]
fn a_run_that_cannot_be_read_is_named_in_the_comparison() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        repeat: 3,
        ..ask("echo Done.")
    };
    let sessions = run(&scene, &plan(&scene, &asked));
    let folder = sessions[1].folder.clone().unwrap();
    std::fs::write(folder.join("session.json"), "{").unwrap();
    std::fs::remove_file(&sessions[2].manifest).unwrap();
    std::fs::create_dir(&sessions[2].manifest).unwrap();
    let group = sessions[0].group.0.as_str();
    let compared = scene
        .engine
        .compare(&id(&scene), None, Some(group))
        .unwrap();
    assert_eq!(compared.b.runs.len(), 1);
    let skipped = &compared.skipped;
    for unread in &sessions[1..] {
        let names = format!("{}: ", unread.id);
        assert!(
            skipped.iter().any(|one| one.lossy().starts_with(&names)),
            "{skipped:?}"
        );
    }
}

/// The list offers to continue it, so that must not fail because of another run.
#[test]
fn an_experiment_goes_on_beside_a_run_that_cannot_be_read() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        repeat: 2,
        ..ask("echo Done.")
    };
    let sessions = run(&scene, &plan(&scene, &asked));
    let (id, group) = (id(&scene), sessions[0].group.clone());
    let folder = sessions[0].folder.clone().unwrap();
    std::fs::write(folder.join("session.json"), "{").unwrap();
    let go_on = || {
        let cancel = Cancel::new();
        let engine = &scene.engine;
        engine.replay_extend(&id, &group, (0, false), &|_| {}, &cancel)
    };
    let error = go_on().unwrap_err();
    assert_eq!(error.kind, crate::model::ErrorKind::Unreadable, "{error}");
    let text = std::fs::read(&sessions[1].manifest).unwrap();
    std::fs::write(&sessions[1].manifest, &text[..text.len() - 9]).unwrap();
    let again = go_on().unwrap();
    assert_eq!(again.len(), 1);
    assert_eq!(
        (&again[0].id, again[0].state),
        (&sessions[1].id, SessionState::Done)
    );
}
