//! Deleting replays: all that is meant, or nothing.

use std::path::PathBuf;
use std::sync::Mutex;

use super::super::experiment::experiment_of;
use super::super::tally::begun_blocks;
use super::{ask, id, plan, run, told};
use crate::engine::testing::Scene;
use crate::engine::{ErrorKind, Result};
use crate::model::{Cancel, ReplayAsk, ReplayProgress, SessionId, SessionState};

fn purge(scene: &Scene, words: &[&str]) -> Result<usize> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let (found, others) = scene.engine.purgeable_replays(&words)?;
    assert_eq!(others, Vec::<String>::new());
    let held = scene.engine.hold_replays(found)?;
    Ok(scene
        .engine
        .purge_replays(&held, &Cancel::new())?
        .purged
        .len())
}

/// The names beside and in which the replays of the pipeline are.
fn names(scene: &Scene) -> Vec<PathBuf> {
    let state = scene.engine.state_dir().unwrap();
    let home = state.join("relight/replays").join(&id(scene).0);
    let mut names: Vec<PathBuf> = home
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_of_an_experiment_is_deleted_or_continued_while_it_runs() {
    let scene = Scene::new();
    let asked = ReplayAsk {
        repeat: 3,
        ..ask("echo Done.")
    };
    let lone = run(&scene, &plan(&scene, &ask("echo Done.")));
    let plan = plan(&scene, &asked);
    let refused: Mutex<Vec<ErrorKind>> = Mutex::default();
    let tell = |progress: &ReplayProgress| {
        let [first, second, _] = progress.sessions.as_slice() else {
            return;
        };
        let done = |state: Option<SessionState>| state == Some(SessionState::Done);
        let between = done(first.state) && second.state.is_some() && !done(second.state);
        if !between || !refused.lock().unwrap().is_empty() {
            return;
        }
        let before = names(&scene);
        let group = first.id.0.split('-').next().unwrap();
        let (id, cancel) = (id(&scene), Cancel::new());
        let group_id = crate::model::SessionId(group.to_owned());
        let found = [
            // The first run has ended, and nobody holds its own lock.
            purge(&scene, &[&first.id.0]).map(drop),
            purge(&scene, &[&lone[0].id.0, group]).map(drop),
            scene
                .engine
                .replay_extend(&id, &group_id, (1, false), &|_| {}, &cancel)
                .map(drop),
        ];
        assert_eq!(names(&scene), before);
        let kinds = found.map(|one| one.unwrap_err().kind);
        refused.lock().unwrap().extend(kinds);
    };
    let sessions = scene.engine.replay(&plan, &tell, &Cancel::new()).unwrap();
    assert_eq!(refused.into_inner().unwrap(), [ErrorKind::Refused; 3]);
    assert_eq!(sessions.len(), 3);
    assert_eq!(scene.engine.replays(&id(&scene)).unwrap().len(), 4);
    // Its own lock goes with it.
    let group = sessions[0].group.0.clone();
    assert_eq!(purge(&scene, &[&group]).unwrap(), 3);
    assert_eq!(names(&scene), [lone[0].folder.clone().unwrap()]);
}

#[test]
fn an_id_of_several_pipelines_needs_the_pipeline_and_a_cancel_leaves_the_rest() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let [one, two] = [0, 1].map(|_| {
        let ran = run(&scene, &plan(&scene, &ask("echo Done.")));
        ran[0].id.0.clone()
    });
    let home = names(&scene)[0].parent().unwrap().to_owned();
    let other = home.with_file_name("other-1~ab12");
    std::fs::create_dir_all(other.join(&one)).unwrap();
    let words = |word: &str| engine.purgeable_replays(&[word.to_owned()]);
    let error = words(&one).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Ambiguous, "{error}");
    let own = format!("{}/{one}", id(&scene));
    let mut said = told(&error);
    said.sort();
    let mut expected = [
        format!("Several pipelines have a replay {one}."),
        own.clone(),
        format!("other-1~ab12/{one}"),
    ];
    expected.sort();
    assert_eq!(said, expected);

    let (found, _) = engine.purgeable_replays(&[own, two]).unwrap();
    let held = engine.hold_replays(found.clone()).unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let report = engine.purge_replays(&held, &cancel).unwrap();
    assert_eq!(
        (report.purged, report.bytes, report.left),
        (vec![], 0, found)
    );
    assert_eq!(names(&scene).len(), 2);
}

#[test]
fn a_block_whose_runs_were_deleted_was_begun_so_that_it_is_run_again_whatever_the_verdict() {
    let scene = Scene::shared();
    let asked = ReplayAsk {
        repeat: 3,
        ..ask("echo Done.")
    };
    let mut one = experiment_of(&plan(scene, &asked), &SessionId("7".to_owned()), 0);
    assert!(begun_blocks(&[], &one).is_empty());
    one.purged = vec![SessionId("7-2".to_owned())];
    assert_eq!(begun_blocks(&[], &one), [2].into());
}
