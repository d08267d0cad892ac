//! What is said of saves: of the backup of the state file, and where there is none.

use crate::systems::nine_step::points::intent::tests::*;

/// A backup that was restored is the newer save: the texts follow the times of the two.
#[test]
fn what_is_said_of_a_backup_follows_its_time() {
    for (time, said) in [
        ("2025-11-09T09:00:00", "one save older"),
        ("2025-11-09T23:59:00", "a newer save"),
        ("", ""),
    ] {
        let scene = Scene::with_state(STATE);
        let (head, tail) = STATE.split_once("\"timestamp\": \"").unwrap();
        let (_, tail) = tail.split_once('"').unwrap();
        let backup = format!("{head}\"timestamp\": \"{time}\"{tail}");
        scene.write(&format!("{FILE}.backup"), &backup);
        let point = points(&scene)
            .into_iter()
            .find(|one| one.id.0 == "from-backup");
        let point = point.unwrap();
        let saved = checkpoints(&scene.facts()).pop().unwrap();
        for text in [point.label.lossy(), saved.reason.lossy()] {
            assert!(text.contains(said), "{time}: {text}");
            let older = text.contains("older") || text.contains("newer");
            assert_eq!(older, !said.is_empty(), "{time}: {text}");
        }
    }
}

/// Nothing records the step after a reset without a state file: the hand-off leads where the next look leads.
#[test]
fn a_reset_without_a_state_file_leads_where_the_next_look_leads() {
    let mut scene = Scene::new();
    let leads_to = |scene: &Scene, id: &str| {
        let (facts, decision) = read(scene);
        assert!(facts.state.is_none());
        let id = PointId(id.to_owned());
        let point = points::find(scene.of(&facts, &decision), &id);
        point.map(|point| point.leads_to(&facts))
    };
    let start = leads_to(&scene, "phase-0-commit");
    let first = leads_to(&scene, "phase-1-commit");
    scene.repo().status.clear();
    let chosen = |scene: &Scene| Some(read(scene).1.chosen);
    assert_eq!(first, chosen(&scene));
    // At the start of the branch no phase is committed.
    let tips = scene.repo().branches["main"].clone();
    scene.repo().worktrees.last_mut().unwrap().head = Some(tips[0].id.clone());
    scene
        .repo()
        .branches
        .insert("feature/price-alerts".into(), tips);
    assert_eq!(start, chosen(&scene));
}
