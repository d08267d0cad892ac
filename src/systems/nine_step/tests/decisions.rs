//! Decisions of the user that are open: pending, rejected, or approved under conditions.

mod unread;

use crate::model::Guard;
use crate::systems::nine_step::tests::scene::{at, change};
use crate::systems::nine_step::tests::*;
use crate::world::git::StatusPath;

fn handed(scene: &Scene, point: &str) -> (Handoff, Vec<Guard>, Vec<String>) {
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let checks = case.verify(&scene.world);
    let id = PointId(point.to_owned());
    let handoff = case.handoff(&Prospect::new(&id, &checks), &scene.world);
    let intent = case.intent(&id, &PlanOptions::default(), &scene.world);
    let points = case.boundaries(&checks, &scene.world).into_iter();
    let mut points = points.filter(|one| one.id == id);
    let warnings = points.next().unwrap().warnings.into_iter();
    let warnings = warnings.map(|one| one.lossy().into_owned()).collect();
    (handoff, intent.unwrap().guards, warnings)
}

fn asked(guards: &[Guard]) -> Vec<&str> {
    let open = guards.iter().filter(|guard| !guard.holds);
    open.map(|guard| guard.id.as_ref()).collect()
}

#[test]
fn a_pending_decision_on_a_review_is_asked_for() {
    for step in ["4", "6", "8"] {
        let scene = Scene::with_state(&at(step, "waiting_approval"));
        let (handoff, guards, _) = handed(&scene, &scene.decision().chosen.id());
        if scene.decision().chosen.id() != format!("phase-2-step-{step}") {
            continue;
        }
        assert_eq!(asked(&guards), [format!("gate:step-{step}")]);
        let prompt = handoff.prompt.lossy();
        assert!(prompt.contains("Ask me for"), "{prompt}");
        assert!(!prompt.contains("at no other step"), "{prompt}");
        let briefing = handoff.briefing.lossy();
        assert!(!briefing.contains("Run step"), "{briefing}");
    }
    let scene = Scene::with_state(&at("4", "waiting_approval"));
    assert_eq!(scene.decision().chosen.id(), "phase-2-step-4");
}

#[test]
fn a_rejection_reaches_the_agent() {
    let scene = Scene::with_state(&at("4", "REJECTED"));
    let (handoff, guards, _) = handed(&scene, "phase-2-step-4");
    assert_eq!(asked(&guards), ["gate:rejected"]);
    let prompt = handoff.prompt.lossy().into_owned();
    for words in ["REJECTED", "missing input check", "Ask me", "do not repeat"] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    let (handoff, _, warnings) = handed(&scene, "phase-2-step-1");
    let prompt = handoff.prompt.lossy().into_owned();
    assert!(prompt.contains("REJECTED"), "{prompt}");
    assert!(
        warnings.iter().any(|w| w.contains("REJECTED")),
        "{warnings:?}"
    );
}

#[test]
fn conditions_of_an_approval_reach_the_agent() {
    let scene = Scene::with_state(&at("4", "APPROVED_WITH_CONDITIONS"));
    let (handoff, _, _) = handed(&scene, "phase-2-step-5");
    let prompt = handoff.prompt.lossy().into_owned();
    assert!(prompt.contains("under conditions"), "{prompt}");
    let briefing = handoff.briefing.lossy().into_owned();
    assert!(
        !briefing.contains("Step 4 (code review) passed"),
        "{briefing}"
    );
}

#[test]
fn a_revert_names_each_commit_before_its_parent_whatever_the_times() {
    let mut scene = Scene::with_state(STATE);
    scene.repo().status.clear();
    let same = "2025-11-09T14:30:00Z";
    let (a, b, c) = (
        commit("a1", "feat: Phase 1 - x", same, &["b0"]),
        commit("a2", "feat: Phase 2 - y", same, &["a1"]),
        commit("a3", "feat: Phase 3 - z", same, &["a2"]),
    );
    let base = commit("b0", "init", "2025-11-09T12:00:00Z", &[]);
    let merge = commit(
        "m",
        "merge: Price alerts",
        "2025-11-09T16:00:00Z",
        &["b0", "a3"],
    );
    let repo = scene.repo();
    let log = vec![c, a, b];
    repo.branches.insert(
        "main".into(),
        [vec![merge], log.clone(), vec![base.clone()]].concat(),
    );
    repo.branches
        .insert("feature/price-alerts".into(), [log, vec![base]].concat());
    repo.worktrees[0].head = Some(full("a3"));
    let findings = reading(&scene).findings;
    let merged = findings.iter().find(|one| one.code == "merged");
    let said = merged
        .map(|one| one.text.lossy().into_owned())
        .unwrap_or_default();
    let order: Vec<_> = ["a3", "a2", "a1"]
        .map(|id| said.find(full(id).get(..8).unwrap()))
        .into();
    assert!(
        order.is_sorted() && order.iter().all(Option::is_some),
        "{said}"
    );
}

/// A deleted file does not stay, whether HEAD or only the index has it.
#[test]
fn deleted_files_are_not_among_those_that_stay() {
    let gone = |path: &str| StatusPath {
        on_disk: false,
        ..change(path)
    };
    let mut scene = Scene::with_state(STATE);
    scene.repo().status = vec![change("src/alerts.rs"), gone("src/old.rs")];
    let (handoff, _, warnings) = handed(&scene, "phase-1-step-3");
    for said in [
        "1 uncommitted file stays in the worktree: 'src/alerts.rs'.",
        "1 deleted file stays deleted: 'src/old.rs'.",
    ] {
        assert!(warnings.iter().any(|one| one == said), "{warnings:?}");
        assert!(handoff.prompt.lossy().contains(said), "{handoff:?}");
    }
    scene.repo().status = (10..30).map(|at| gone(&format!("src/{at}.rs"))).collect();
    let briefing = handed(&scene, "phase-1-step-3").0.briefing;
    let briefing = briefing.lossy();
    assert!(
        briefing.contains("Deleted files:\n- 'src/10.rs'"),
        "{briefing}"
    );
    assert!(!briefing.contains("Uncommitted files"), "{briefing}");
}

/// One list of files decides how old the last write is, wherever it is said.
#[test]
fn the_plan_counts_as_a_write_wherever_its_age_is_told() {
    let scene = Scene::with_state(STATE);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(400 * 86_400);
    for file in [
        ".worktree/price-alerts/workflow-state.json",
        ".worktree/price-alerts/src/alerts.rs",
    ] {
        let file = std::fs::File::open(scene.top.join(file)).unwrap();
        file.set_modified(old).unwrap();
    }
    let plan = scene.top.join(".plan/price_alerts_plan.md");
    let written =
        chrono::DateTime::<chrono::Utc>::from(plan.metadata().unwrap().modified().unwrap());
    let last = reading(&scene).last_activity_at.unwrap();
    assert_eq!(last.at, written);
}

#[test]
fn an_approval_that_is_waited_for_has_been_reached() {
    for (step, said) in [("2", "has not been reached"), ("2.5", "is open")] {
        let last = scene::record(&format!("1 {step} waiting_approval 59"));
        let mut scene = Scene::with_state(&scene::state("\"total_phases\": 3,", &last, ""));
        let branch = scene.repo().branches.get_mut("feature/price-alerts");
        branch.unwrap().remove(0);
        let (facts, decision) = (scene.facts(), scene.decision());
        let checks = checks::checks(scene.of(&facts, &decision));
        let gate = checks.iter().find(|check| check.id.0 == "N12").unwrap();
        let evidence = gate.evidence.lossy();
        assert!(evidence.contains(said), "{step}: {evidence}");
    }
}
