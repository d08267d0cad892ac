//! What is said of saves: of the backup of the state file, and where there is none.

use crate::systems::nine_step::points::intent::tests::*;
use crate::systems::nine_step::tests::scene::{record, records, state};

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

/// Without a number of phases, a person says that the last one was reached.
#[test]
fn the_merge_beside_the_next_phase_records_the_number_of_phases() {
    let done = records(
        "1 3 completed 1; 1 4 approved 2; 1 5 completed 3; 1 6 approved 4; 1 7 completed 5; 1 8 approved 6",
    );
    let scene = Scene::with_state(&state("", &record("1 9 completed 9"), &done));
    scene.write(".plan/price_alerts_plan.md", "# Price alerts\n");
    assert_eq!(read(&scene).1.chosen.id(), "phase-2-step-1");
    let mut all = points(&scene).into_iter();
    let merge = all.find(|point| point.id.0 == "merge").unwrap();
    let said = "The state file is changed so that its number of phases is that of the last one.";
    let warned = merge.warnings.iter().any(|warning| *warning == said);
    assert!(warned, "{:?}", merge.warnings);
    let intent = intent_of(&scene, "merge");
    apply(&scene, &intent);
    let text = std::fs::read_to_string(scene.top.join(FILE)).unwrap();
    assert!(text.contains("\"total_phases\": 1"), "{text}");
    let summaries = intent.steps.iter().filter_map(Step::change);
    let mut summaries = summaries.map(|action| action.summary.lossy());
    assert_eq!(
        summaries.next_back().as_deref(),
        Some("The state file then says how many phases there are.")
    );
    assert_eq!(read(&scene).1.chosen.id(), "merge");
}

/// Nobody approved the plan: relight records no approval when it sets the work to the step after that gate.
#[test]
fn an_approval_is_repeated_only_where_one_is_on_record() {
    let approval = "1 2.5 completed 0; ";
    for (before, step) in [("", "3"), (approval, "2.5")] {
        let done = records(&format!("{before}1 3 completed 1; 1 4 completed 2"));
        let scene = Scene::with_state(&state("", &record("1 5 failed 9"), &done));
        let kept = |scene: &Scene| {
            let kept = intent_of(scene, "phase-1-step-3").kept;
            kept.into_iter().map(|item| item.id).collect::<Vec<_>>()
        };
        let planned = kept(&scene);
        let implied = read(&scene).0.ledger.unwrap().approved();
        apply(&scene, &intent_of(&scene, "phase-1-step-3"));
        let text = std::fs::read_to_string(scene.top.join(FILE)).unwrap();
        assert!(
            text.contains(&format!("\"current_step\": {step},")),
            "{text}"
        );
        let (facts, decision) = read(&scene);
        assert_eq!(decision.chosen.id(), "phase-1-step-3");
        assert_eq!(facts.ledger.unwrap().approved(), implied);
        assert_eq!(kept(&scene), planned);
    }
}
