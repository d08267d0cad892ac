mod counts;
pub(crate) mod rollback;
mod saves;

use crate::model::{Boundary, Preference, Step, Verdict};
use crate::systems::nine_step::points::boundaries;
use crate::systems::nine_step::points::decision::Decision;
use crate::systems::nine_step::points::intent::*;
use crate::systems::nine_step::tests::scene::{STATE, Scene, at, change, commit, head};
use crate::systems::testing::replaced;

const FILE: &str = ".worktree/price-alerts/workflow-state.json";

fn points(scene: &Scene) -> Vec<Boundary> {
    let (facts, decision) = read(scene);
    let of = scene.of(&facts, &decision);
    let checks = crate::systems::nine_step::checks::checks(of);
    boundaries(of, &checks)
}

fn read(scene: &Scene) -> (Facts, Decision) {
    let facts = scene.facts();
    let decision = decision::decide(&facts);
    (facts, decision)
}

fn ids(scene: &Scene) -> Vec<String> {
    points(scene).into_iter().map(|point| point.id.0).collect()
}

fn intent_of(scene: &Scene, id: &str) -> Intent {
    let (facts, decision) = read(scene);
    intent(scene.of(&facts, &decision), &PointId(id.to_owned())).unwrap()
}

fn handoff_of(scene: &Scene, id: &str) -> crate::model::Handoff {
    let (facts, decision) = read(scene);
    let id = PointId(id.to_owned());
    crate::systems::nine_step::points::handoff::of(
        scene.of(&facts, &decision),
        &crate::model::Prospect::new(&id, &[]),
    )
}

/// Applies the file steps of an intent like the real writer.
fn apply(scene: &Scene, intent: &Intent) {
    for step in &intent.steps {
        if let Some((path, expect, content)) = replaced(step) {
            assert_eq!(std::fs::read(&path).ok(), expect, "{path:?}");
            let name = path.strip_prefix(&scene.top).unwrap().to_str().unwrap();
            scene.write(
                name,
                String::from_utf8_lossy(&content).replace("\"{now}\"", "\"2025-11-09T17:59:00\""),
            );
        }
    }
}

#[test]
fn points_come_in_the_contracts_order_with_one_recommended() {
    let scene = Scene::with_state(STATE);
    scene.write(
        &format!("{FILE}.backup"),
        STATE.replace("15:12:44", "15:02:44"),
    );
    assert_eq!(
        ids(&scene),
        [
            "phase-1-step-3",
            "phase-2-step-3",
            "phase-2-step-4",
            "skip-phase",
            "from-backup",
            "phase-0-commit",
            "phase-1-commit"
        ]
    );
    let chosen: Vec<Boundary> = points(&scene)
        .into_iter()
        .filter(|p| matches!(p.preference, Preference::Chosen(_)))
        .collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0].id.0, "phase-2-step-3");
    // The step, and the review that sent it back.
    assert_eq!((chosen[0].kept, chosen[0].redone), (Some(1), Some(2)));
    assert_eq!(chosen[0].time_lost_s, Some(42 * 60 + 41));
    assert_eq!(chosen[0].verified, Verdict::Warn);
}

#[test]
fn a_skipped_phase_stays_unfinished_and_the_next_one_is_resumed() {
    let scene = Scene::with_state(STATE);
    let point = points(&scene).into_iter().find(|p| p.id.0 == "skip-phase");
    assert_eq!(point.unwrap().label.lossy(), "Skip phase 2 for now");
    let prompt = handoff_of(&scene, "skip-phase").prompt.lossy().into_owned();
    assert!(prompt.contains("at phase 3, step 3"), "{prompt}");
    assert!(prompt.contains("I skip it for now"), "{prompt}");
    apply(&scene, &intent_of(&scene, "skip-phase"));
    let (facts, decision) = read(&scene);
    assert_eq!(decision.chosen.id(), "phase-3-step-3");
    assert_eq!(facts.state.unwrap().completed.len(), 2);
    let last = ids(&scene);
    assert!(
        !last.contains(&"skip-phase".to_owned()),
        "the last phase: {last:?}"
    );
    // Never past an open gate.
    for text in [
        at("2.5", "waiting_approval"),
        at("4", "rejected"),
        at("3", "completed"),
        at("4", "in_progress"),
        at("8", "approved"),
    ] {
        let scene = Scene::with_state(&text);
        assert!(!ids(&scene).contains(&"skip-phase".to_owned()), "{text}");
    }
    for text in [at("3", "in_progress"), at("4", "failed")] {
        let scene = Scene::with_state(&text);
        assert!(ids(&scene).contains(&"skip-phase".to_owned()), "{text}");
    }
}

#[test]
fn a_worktree_on_another_branch_has_commands_to_copy() {
    let mut scene = Scene::with_state(STATE);
    scene.repo().worktrees.last_mut().unwrap().branch = Some("elsewhere".into());
    let all = points(&scene);
    let chosen = all.iter().find(|p| p.id.0 == "phase-2-step-3").unwrap();
    let text: Vec<_> = chosen.warnings.iter().map(|w| w.lossy()).collect();
    let text = text.join("\n");
    for command in [" switch feature/price-alerts", "claude /workflow-exec"] {
        assert!(text.contains(command), "{text}");
    }
    // A recipe that moves the worktree away would lose commits that are on no branch.
    assert!(!text.contains("worktree add"), "{text}");
}

#[test]
fn labels_say_which_gates_are_passed() {
    let table = [
        (at("3", "in_progress"), "phase-2-step-4", "skipping step 3"),
        (r#"{"feature_name": "price-alerts", "current_phase": 1, "current_step": 2.5, "last_execution": {"phase": 1, "step": 2.5, "status": "waiting_approval"}}"#.to_owned(), "phase-1-step-3", "approving gate 2.5 (user approval)"),
    ];
    for (text, id, words) in table {
        let scene = Scene::with_state(&text);
        let point = points(&scene).into_iter().find(|p| p.id.0 == id).unwrap();
        assert!(point.label.lossy().contains(words), "{:?}", point.label);
    }
}

#[test]
fn merged_and_unreadable_pipelines_have_no_points() {
    let mut scene = Scene::with_state(STATE);
    scene.repo().status.clear();
    scene.merge("Merge", &["b0", "c1"]);
    assert_eq!(ids(&scene), Vec::<String>::new());
    // What was not committed goes on, and nothing that is merged is reset.
    scene.repo().status = vec![change("src/alerts.rs")];
    let points = ids(&scene);
    let resets = points.iter().filter(|id| id.ends_with("-commit"));
    assert_eq!((points.is_empty(), resets.count()), (false, 0));
}

#[test]
fn the_recommended_point_writes_nothing_and_names_the_step() {
    let scene = Scene::with_state(STATE);
    let intent = intent_of(&scene, "phase-2-step-3");
    assert_eq!(intent.steps, []);
    let handoff = handoff_of(&scene, "phase-2-step-3");
    assert_eq!(handoff.cwd, scene.top);
    let command = handoff.prompt.lossy().into_owned();
    assert!(
        command.contains("phase 2, step 3 (code), with the agent backend-developer"),
        "{command}"
    );
    assert!(!command.chars().any(char::is_control));
    let briefing = handoff.briefing.lossy().into_owned();
    for part in [
        "Worktree path: ",
        "- Branch: feature/price-alerts",
        "- Current Phase: 2 of 3 - 알림",
        "Feature name: price-alerts",
        "  - NEEDS_REVISION: missing input check",
        "Task Scope:",
    ] {
        assert!(briefing.contains(part), "{part}\n{briefing}");
    }
    assert!(!briefing.contains('\u{1b}'));
}

#[test]
fn a_written_state_leads_to_the_point_that_was_chosen() {
    let bases = [
        STATE.to_owned(),
        STATE.replace("\"step\": 4,", "\"step\": 7,"),
        at("3", "in_progress"),
        at("9", "completed"),
        at("4", "REJECTED"),
        at("7", "failed"),
        at("4", "waiting_approval"),
        at("9", "completed").replace("\"total_phases\": 3,", ""),
        r#"{"feature_name": "price-alerts", "current_phase": 1, "current_step": 2.5, "last_execution": {"phase": 1, "step": 2.5, "status": "waiting_approval"}}"#.to_owned(),
        r#"{"feature_name":"price-alerts","current_phase":1,"current_step":2,"completed_steps":[],"last_execution":{"phase":1,"step":3,"status":"in_progress"}}"#.to_owned(),
    ];
    let mut seen = 0;
    for base in &bases {
        let first = Scene::with_state(base);
        for id in ids(&first)
            .iter()
            .filter(|id| id.contains("-step-") || *id == "merge")
        {
            let scene = Scene::with_state(base);
            let intent = intent_of(&scene, id);
            assert!(
                !intent.guards.iter().any(crate::model::Guard::refuses),
                "{id} {:?}",
                intent.guards
            );
            apply(&scene, &intent);
            assert_eq!(
                scene.decision().chosen.id(),
                *id,
                "{base}\n{}",
                std::fs::read_to_string(scene.top.join(FILE)).unwrap()
            );
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn an_edit_keeps_every_other_byte() {
    let scene = Scene::with_state(STATE);
    let intent = intent_of(&scene, "phase-1-step-3");
    let steps: Vec<_> = intent.steps.iter().map(replaced).collect();
    let [Some((path, None, backup)), Some((_, Some(old), content))] = steps.as_slice() else {
        panic!("{:?}", intent.steps);
    };
    assert_eq!(*path, scene.top.join(format!("{FILE}.backup")));
    assert_eq!(
        (backup.as_slice(), old.as_slice()),
        (STATE.as_bytes(), STATE.as_bytes())
    );
    let wanted = r##"{
  "feature_name": "price-alerts",
  "current_phase": 1,
  "current_step": 3,
  "total_phases": 3,
  "worktree_path": ".worktree/price-alerts",
  "branch_name": "feature/price-alerts",
  "plan_reference": ".plan/price_alerts_plan.md",
  "related_issues": "#42",
  "phases": {"1": {"description": "Schema"}, "2": {"description": "\uc54c\ub9bc"}},
  "last_execution": {"phase": 1, "step": 3, "agent": "backend-developer", "status": "in_progress", "timestamp": "{now}", "note": "Set to continue at phase 1, step 3 (it was at phase 2, step 4)"},
  "completed_steps": [],
  "x_unknown": 1.10,
  "resume_plan": {"next_phase": 1, "next_step": 3, "next_agent": "backend-developer", "reason": "Continue at phase 1, step 3 as chosen by the user"}
}"##;
    assert_eq!(std::str::from_utf8(content).unwrap(), wanted);
}

#[test]
fn one_line_files_raw_letters_and_a_final_newline_are_kept() {
    let text = "{\"feature_name\": \"알림\", \"current_phase\": 1, \"current_step\": 4, \"last_execution\": {\"phase\": 1, \"step\": 4, \"agent\": \"code-reviewer\", \"status\": \"REJECTED\"}, \"completed_steps\": [{\"phase\": 1, \"step\": 3, \"agent\": \"\", \"status\": \"completed\"}]}\n";
    let scene = Scene::with_state(text);
    let intent = intent_of(&scene, "phase-1-step-1");
    let (_, _, content) = replaced(intent.steps.last().unwrap()).unwrap();
    let content = std::str::from_utf8(&content).unwrap();
    assert!(
        content.starts_with(
            "{\"feature_name\": \"알림\", \"current_phase\": 1, \"current_step\": 1, "
        ),
        "{content}"
    );
    assert!(
        content.contains("\"completed_steps\": [], \"resume_plan\": {")
            && content.ends_with("}}\n"),
        "{content}"
    );
}

#[test]
fn a_file_with_duplicate_keys_is_never_written() {
    let scene = Scene::state_but(
        "\"x_unknown\": 1.10",
        "\"x_unknown\": 1.10, \"x_unknown\": 2",
    );
    let intent = intent_of(&scene, "phase-1-step-3");
    assert_eq!(intent.steps, []);
    assert!(
        intent
            .guards
            .iter()
            .any(|guard| guard.id == "state_file" && !guard.holds)
    );
}

#[test]
fn a_file_that_contains_the_placeholder_is_never_written() {
    let scene = Scene::state_but("missing input check", "missing {now}");
    let intent = intent_of(&scene, "phase-1-step-3");
    let failing: Vec<_> = intent
        .guards
        .iter()
        .filter(|guard| !guard.holds)
        .map(|guard| &*guard.id)
        .collect();
    assert_eq!(failing, ["placeholder"]);
}

#[test]
fn the_backup_is_restored_and_the_damaged_file_kept() {
    let cut = head(200);
    let scene = Scene::with_state(cut);
    let backup = STATE.replace("15:12:44", "15:02:44");
    scene.write(&format!("{FILE}.backup"), &backup);
    assert!(ids(&scene).contains(&"from-backup".to_owned()));
    let intent = intent_of(&scene, "from-backup");
    let steps: Vec<_> = intent.steps.iter().map(replaced).collect();
    let [Some((path, _, kept)), Some((_, expect, content))] = steps.as_slice() else {
        panic!("{intent:?}");
    };
    assert!(
        path.to_str()
            .unwrap()
            .contains("workflow-state.json.corrupt-")
    );
    assert_eq!(
        (kept.as_slice(), expect.as_deref()),
        (cut.as_bytes(), Some(cut.as_bytes()))
    );
    assert_eq!(content.as_slice(), backup.as_bytes());
    scene.write(FILE, STATE);
    let intent = intent_of(&scene, "from-backup");
    let (path, _, kept) = replaced(intent.steps.first().unwrap()).unwrap();
    assert!(path.ends_with("workflow-state.json.backup") && kept == STATE.as_bytes());
}

/// After the resume the backup is the state file, and the plan from there counts the same work.
#[test]
fn from_the_backup_the_same_work_counts_before_and_after_it_is_restored() {
    let records = [
        serde_json::json!([]),
        serde_json::json!([{"phase": 1, "step": 3, "agent": "", "status": "completed"}]),
    ];
    for records in records {
        let mut state: serde_json::Value = serde_json::from_str(STATE).unwrap();
        state["completed_steps"] = records;
        let scene = Scene::with_state(&state.to_string());
        scene.write(&format!("{FILE}.backup"), STATE);
        let counts = |id: &str| {
            let intent = intent_of(&scene, id);
            let point = points(&scene).into_iter().find(|point| point.id.0 == id);
            let said = point.map(|point| (point.kept, point.redone));
            let counts = (intent.kept.len() as u64, intent.redone.len() as u64);
            assert_eq!(said, Some((Some(counts.0), Some(counts.1))), "{id}");
            (intent.kept, intent.redone)
        };
        let before = counts("from-backup");
        scene.write(FILE, STATE);
        let after = counts(&read(&scene).1.chosen.id());
        assert_eq!(before, after, "{state}");
    }
}

/// The type of a number in the file is that of the program that reads it.
#[test]
fn numbers_that_the_file_has_as_strings_stay_strings() {
    let text = STATE
        .replace("\"current_phase\": 2", "\"current_phase\": \"2\"")
        .replace("\"step\": 4", "\"step\": \"4\"");
    let scene = Scene::with_state(&text);
    let intent = intent_of(&scene, "phase-2-step-4");
    let (.., content) = intent
        .steps
        .iter()
        .filter_map(replaced)
        .next_back()
        .unwrap();
    let text = String::from_utf8_lossy(&content);
    for part in [
        "\"current_phase\": \"2\"",
        "\"current_step\": 3",
        "\"step\": \"3\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("\"phase\": \"2\""), "{text}");
}
