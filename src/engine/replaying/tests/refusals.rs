//! What is not run, and why.

use std::path::Path;

use super::{ErrorKind, ask, id, others, plan, run, told};
use crate::engine::testing::Scene;
use crate::model::{
    Cancel, DiskCost, Foreign, Merge, OwnMetric, ReplayAsk, RunValue, SessionId, StepBody,
};

#[test]
fn an_open_conflict_is_refused_and_named() {
    let scene = Scene::new();
    let mut plan = plan(&scene, &ask("echo Done."));
    for step in &mut plan.steps {
        step.body = StepBody::Conflict(Merge { pieces: Vec::new() });
    }
    let error = scene
        .engine
        .replay(&plan, &|_| {}, &Cancel::new())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert_eq!(error.hints.len(), plan.steps.len());
    let file = plan.steps[0].original.file.lossy().into_owned();
    assert!(error.hints[0].lossy().contains(&file), "{:?}", error.hints);
    assert!(scene.engine.replays(&id(&scene)).unwrap().is_empty());
}

#[test]
fn a_plan_that_is_no_longer_that_one_is_refused() {
    let scene = Scene::new();
    let plan = plan(&scene, &ask("echo Done."));
    let file = plan.steps[0].original.path.clone().unwrap();
    let mut text = std::fs::read(&file).unwrap();
    text.extend_from_slice(b"And more.\n");
    std::fs::write(&file, text).unwrap();
    let before = others(&scene);
    let error = scene
        .engine
        .replay(&plan, &|_| {}, &Cancel::new())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(scene.engine.replays(&id(&scene)).unwrap().is_empty());
    assert_eq!(others(&scene), before);
}

#[test]
fn only_what_was_cut_short_goes_on() {
    let scene = Scene::new();
    let sessions = run(&scene, &plan(&scene, &ask("echo Done.")));
    let on = |session: &SessionId| {
        let (id, cancel) = (id(&scene), Cancel::new());
        let tried = scene.engine.replay_continue(&id, session, &|_| {}, &cancel);
        tried.unwrap_err().kind
    };
    assert_eq!(on(&sessions[0].id), ErrorKind::NothingToDo);
    for unknown in ["1", "../x", ""] {
        assert_eq!(on(&SessionId(unknown.to_owned())), ErrorKind::NotFound);
    }
    let folder = sessions[0].folder.clone().unwrap();
    std::fs::write(folder.join("session.json"), "{").unwrap();
    assert_eq!(on(&sessions[0].id), ErrorKind::Unreadable);
}

#[test]
fn a_program_that_was_left_behind_in_the_tree_is_not_joined() {
    let scene = Scene::new();
    let plan = plan(&scene, &ask("echo Done."));
    let cancel = Cancel::new();
    let tell = |progress: &crate::model::ReplayProgress| {
        if progress.sessions[0].state.is_some() {
            cancel.cancel();
        }
    };
    let sessions = scene.engine.replay(&plan, &tell, &cancel).unwrap();
    let one = &sessions[0];
    assert_eq!(one.dispatches.done, 0);
    let tree = one.tree.as_ref().unwrap();
    let go_on = || {
        let cancel = Cancel::new();
        scene
            .engine
            .replay_continue(&id(&scene), &one.id, &|_| {}, &cancel)
    };
    // One that works in the tree, and one that a runner started and that works elsewhere.
    for (dir, mark) in [(tree.as_path(), Path::new("")), (Path::new("/"), tree)] {
        let mut left = std::process::Command::new("sleep")
            .arg("600")
            .current_dir(dir)
            .env("RELIGHT_TREE", mark)
            .spawn()
            .unwrap();
        let error = go_on();
        left.kill().unwrap();
        left.wait().unwrap();
        let error = error.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        let pid = format!("process {}", left.id());
        assert!(error.text.lossy().contains(&pid), "{error}");
    }
    assert_eq!(scene.engine.replays(&id(&scene)).unwrap(), sessions);
    assert_eq!(go_on().unwrap().dispatches.left, 0);
}

#[test]
fn what_does_not_fit_on_the_disk_is_refused_before_anything_is_made() {
    let scene = Scene::new();
    let mut plan = plan(&scene, &ask("echo Done."));
    plan.cost.disk = Some(DiskCost {
        each: 2 << 30,
        all: 40 << 30,
        free: Some(3 << 30),
    });
    let (tell, cancel) = (&|_: &_| {}, Cancel::new());
    let error = scene.engine.replay(&plan, tell, &cancel).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    let text = error.text.lossy().into_owned();
    for part in ["40.0 GiB", "2.0 GiB a run", "3.0 GiB are free"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(error.hints[0].lossy().contains("relight purge"));
    assert!(scene.engine.replays(&id(&scene)).unwrap().is_empty());
}

#[test]
fn a_metric_without_its_program_is_refused_and_one_without_a_value_is_measured_again() {
    let scene = Scene::new();
    let metric = |word: &str| OwnMetric::parse(word).unwrap();
    let asked = |word: &str| ReplayAsk {
        repeat: 2,
        metrics: vec![metric(word)],
        ..ask("echo Done.")
    };
    let engine = &scene.engine;
    let absent = plan(&scene, &asked("speed=/nowhere/measure"));
    let refused = engine.replay(&absent, &|_| {}, &Cancel::new());
    let refused = refused.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Refused);
    assert!(
        refused
            .text
            .lossy()
            .contains("The metric speed cannot be measured")
    );
    assert!(engine.replays(&id(&scene)).unwrap().is_empty());

    let flag = scene.path("measured");
    let word = format!(
        "speed=sh -c 'test -e {} && echo 3 || exit 4'",
        flag.display()
    );
    let sessions = run(&scene, &plan(&scene, &asked(&word)));
    for one in engine.replays(&id(&scene)).unwrap().iter().chain(&sessions) {
        let said: Vec<Foreign> = one.troubles().collect();
        let [said] = said.as_slice() else {
            panic!("{said:?}");
        };
        let said = said.lossy();
        assert!(
            said.starts_with("The metric speed has no value: `sh -c "),
            "{said}"
        );
        assert!(
            said.ends_with("printed no number and ended with status 4."),
            "{said}"
        );
        assert!(one.lacks_values());
    }
    std::fs::write(&flag, "").unwrap();
    let again = engine
        .replay_extend(
            &id(&scene),
            &sessions[0].group,
            (0, false),
            &|_| {},
            &Cancel::new(),
        )
        .unwrap();
    assert_eq!(again.len(), 2);
    for one in engine.replays(&id(&scene)).unwrap() {
        assert_eq!(one.measured, [("speed".to_owned(), RunValue::Number(3.0))]);
        assert_eq!(one.troubles().count(), 0);
    }
}

#[test]
fn a_session_that_cannot_be_made_or_written_says_what_stays() {
    let scene = Scene::new();
    let engine = &scene.engine;
    // Whoever runs it takes the manifest away.
    let script =
        "cd \"$RELIGHT_OUTPUT/..\" && rm manifest.jsonl && mkdir manifest.jsonl; echo Done.";
    let broken = plan(&scene, &ask(script));
    let error = engine.replay(&broken, &|_| {}, &Cancel::new()).unwrap_err();
    let listed = engine.replays(&id(&scene)).unwrap();
    let one = &listed[0];
    assert_eq!(error.kind, ErrorKind::Unclear, "{error}");
    assert_eq!(
        told(&error),
        [
            "The replay stopped: the manifest: it is not a regular file.".to_owned(),
            format!(
                "Everything so far is kept. To continue: relight replay {} --continue {}",
                id(&scene),
                one.id
            ),
            format!("Already there: {}.", one.id),
        ]
    );
    let trouble = one.trouble.iter().map(|text| text.lossy());
    let trouble = trouble.collect::<Vec<_>>().join(" ");
    assert!(trouble.contains("What was run is not known."), "{trouble}");
    let again = engine.replay_continue(&id(&scene), &one.id, &|_| {}, &Cancel::new());
    let refused = [format!("Replay {} cannot be read.", one.id), trouble];
    assert_eq!(told(&again.unwrap_err()), refused);

    let done = plan(&scene, &ask("echo Done."));
    let done = engine.replay(&done, &|_| {}, &Cancel::new()).unwrap();
    std::fs::remove_file(&done[0].manifest).unwrap();
    std::fs::create_dir(&done[0].manifest).unwrap();
    let listed = engine.replays(&id(&scene)).unwrap();
    let found = listed.iter().find(|one| one.id == done[0].id).unwrap();
    assert_eq!(found.trouble.len(), 1, "{:?}", found.trouble);
    let refused = [
        format!("Replay {} cannot be read.", found.id),
        found.trouble[0].lossy().into_owned(),
    ];
    let compared = engine.compare(&id(&scene), None, Some(&found.id.0));
    assert_eq!(told(&compared.unwrap_err()), refused);
    let usual = engine.compare(&id(&scene), None, None);
    let said = format!("{usual:?}");
    assert!(!said.contains("nothing of it has run"), "{said}");

    let home = one.folder.as_ref().unwrap().parent().unwrap().to_owned();
    let plan = plan(&scene, &ask("echo Done."));
    std::fs::remove_dir_all(&home).unwrap();
    std::fs::write(&home, "").unwrap();
    let error = engine.replay(&plan, &|_| {}, &Cancel::new()).unwrap_err();
    let said = told(&error);
    assert!(
        said[0].starts_with("The replay could not be begun: "),
        "{said:?}"
    );
    assert_eq!(said[1], "Nothing was kept; the original was not changed.");
}
