//! Features: the step that was executed, by the plugin's order of steps, with the backup of the state before it.

use std::fs;

use serde_json::{Value, json};

use crate::act_systems::part::is_tried;
use crate::cli_acting::sandbox::Sandbox;

const TREE: &str = "projects/trader/.worktree/price-alerts";
const STATE: &str = "projects/trader/.worktree/price-alerts/workflow-state.json";
const STEPS: [&str; 10] = ["1", "2", "2.5", "3", "4", "5", "6", "7", "8", "9"];

/// A state that stopped at a step.
fn at_step(sandbox: &Sandbox, phase: u64, step: &str, status: &str) {
    let text = format!(
        "{{\n  \"feature_name\": \"price-alerts\",\n  \"current_phase\": {phase},\n  \"current_step\": {step},\n  \"total_phases\": 3,\n  \"note\": \"caf\\u00e9\",\n  \"last_execution\": {{\n    \"phase\": {phase},\n    \"step\": {step},\n    \"agent\": \"x\",\n    \"status\": \"{status}\",\n    \"timestamp\": \"2025-11-09T15:12:44.120933\"\n  }},\n  \"completed_steps\": []\n}}"
    );
    fs::write(sandbox.path(STATE), text).unwrap();
}

fn step<'a>(phase: &'a str, step: &'a str, status: &'a str) -> Vec<&'a str> {
    let mut args = vec![TREE, "--phase", phase, "--step", step, "--status", status];
    if step == "2.5" {
        args.extend(["--approved-by", "Ann"]);
    }
    args
}

#[test]
fn a_step_is_saved_with_its_backup() {
    let sandbox = Sandbox::new();
    let before = fs::read(sandbox.path(STATE)).unwrap();
    // The code reviewer failed, so the code is written again.
    let answer = sandbox.recorded(&[
        TREE,
        "--phase",
        "2",
        "--step",
        "3",
        "--agent",
        "frontend-developer",
        "--status",
        "completed",
        "--result",
        "files=3",
    ]);
    assert_eq!(answer["next"]["id"], "phase-2-step-4");
    assert_eq!(
        fs::read(sandbox.path(&format!("{STATE}.backup"))).unwrap(),
        before
    );
    let state = sandbox.value(STATE);
    let last = &state["last_execution"];
    assert_eq!(
        (&last["phase"], &last["step"], &last["status"]),
        (&2.into(), &3.into(), &"completed".into())
    );
    assert_eq!(
        (&last["agent"], &last["files"]),
        (&"frontend-developer".into(), &3.into())
    );
    assert_eq!(
        state["completed_steps"].as_array().unwrap().last(),
        Some(last)
    );
    assert_eq!(
        (&state["current_phase"], &state["current_step"]),
        (&2.into(), &3.into())
    );
    assert_eq!(sandbox.recommended("price-alerts"), "phase-2-step-4");
    let answer = sandbox.recorded(&[
        TREE,
        "--phase",
        "2",
        "--step",
        "4",
        "--status",
        "failed",
        "--error",
        "NEEDS_REVISION: caf\u{e9}",
    ]);
    assert_eq!(answer["next"]["id"], "phase-2-step-3");
    let text = sandbox.text(STATE);
    assert!(
        text.contains("NEEDS_REVISION: caf\\u00e9") && !text.ends_with('\n'),
        "{text}"
    );
    assert_eq!(sandbox.recommended("price-alerts"), "phase-2-step-3");
}

#[test]
fn every_step_that_may_follow_and_no_other() {
    let sandbox = Sandbox::new();
    for (at, from) in STEPS.iter().enumerate() {
        for (other, to) in STEPS.iter().enumerate() {
            for (status, done) in [("completed", true), ("failed", false)] {
                // What failed is as what is done, except for the step after it.
                if !done && other.abs_diff(at) > 1 {
                    continue;
                }
                // All that are near, and some of the others.
                if other.abs_diff(at) > 1 && !is_tried(at + other, 4) {
                    continue;
                }
                at_step(&sandbox, 2, from, status);
                let args = step("2", to, "in_progress");
                if other <= at || done && other == at + 1 {
                    sandbox.recorded(&args);
                    assert_eq!(
                        sandbox.value(STATE)["last_execution"]["step"].to_string(),
                        *to
                    );
                } else {
                    sandbox.refused(3, &args);
                }
            }
        }
    }
}

#[test]
fn the_next_phase_begins_after_the_commit() {
    let sandbox = Sandbox::new();
    for (from, status, to_phase, to, allowed) in [
        ("9", "completed", "3", "1", true),
        ("9", "completed", "3", "3", true),
        ("9", "completed", "3", "4", false),
        ("9", "completed", "4", "1", false),
        ("9", "failed", "3", "1", false),
        ("8", "completed", "3", "1", false),
        ("9", "completed", "1", "9", false),
    ] {
        at_step(&sandbox, 2, from, status);
        let args = step(to_phase, to, "in_progress");
        if allowed {
            sandbox.recorded(&args);
        } else {
            sandbox.refused(3, &args);
        }
    }
    at_step(&sandbox, 3, "9", "completed");
    let text = sandbox.refused(3, &step("4", "1", "in_progress"));
    assert!(text.contains("cannot follow"), "{text}");
    at_step(&sandbox, 3, "8", "approved");
    let answer = sandbox.recorded(&step("3", "9", "completed"));
    assert_eq!(answer["next"]["id"], "merge");
}

#[test]
fn every_status_leads_where_the_plugin_leads() {
    let sandbox = Sandbox::new();
    for (at, status, next) in [
        ("3", "completed", json!("phase-2-step-4")),
        ("4", "approved", json!("phase-2-step-5")),
        ("2", "approved", json!("phase-2-step-2.5")),
        ("2.5", "approved", json!("phase-2-step-3")),
        ("2.5", "waiting_approval", Value::Null),
        ("6", "waiting_approval", Value::Null),
        ("4", "failed", json!("phase-2-step-3")),
        ("6", "failed", json!("phase-2-step-5")),
        ("8", "failed", json!("phase-2-step-7")),
        ("2", "failed", json!("phase-2-step-1")),
        ("5", "in_progress", json!("phase-2-step-5")),
        ("9", "completed", json!("phase-3-step-3")),
        ("4", "rejected", Value::Null),
    ] {
        at_step(&sandbox, 2, at, "in_progress");
        let answer = sandbox.recorded(&step("2", at, status));
        let id = answer["next"].get("id").cloned().unwrap_or_default();
        assert_eq!(id, next, "{at} {status}");
        let completed = sandbox.value(STATE)["completed_steps"]
            .as_array()
            .unwrap()
            .len();
        let done = ["completed", "approved"].contains(&status);
        assert_eq!(completed, usize::from(done), "{at} {status}");
    }
}

#[test]
fn what_is_not_valid_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    at_step(&sandbox, 2, "2", "completed");
    let approved = ["--phase", "2", "--step", "2.5", "--status", "approved"];
    sandbox.refused(3, &[&[TREE], &approved[..]].concat());
    at_step(&sandbox, 2, "3", "completed");
    for (code, args) in [
        (2, &["--phase", "2", "--step", "4"][..]),
        (2, &["--step", "4", "--status", "completed"]),
        (2, &["--phase", "x", "--step", "4", "--status", "completed"]),
        (
            2,
            &[
                "--phase",
                "2",
                "--step",
                "4",
                "--status",
                "completed",
                "--error",
                "x",
            ],
        ),
        (
            2,
            &[
                "--phase",
                "2",
                "--step",
                "4",
                "--status",
                "completed",
                "--result",
                "status=x",
            ],
        ),
        (
            2,
            &[
                "--phase",
                "2",
                "--step",
                "4",
                "--status",
                "completed",
                "--stage",
                "x",
            ],
        ),
        (
            3,
            &["--phase", "2", "--step", "4.5", "--status", "completed"],
        ),
        (3, &["--phase", "2", "--step", "4", "--status", "done"]),
        (
            3,
            &[
                "--phase",
                "2",
                "--step",
                "4",
                "--status",
                "completed",
                "--agent",
                "backend-developer",
            ],
        ),
        (
            3,
            &[
                "--phase",
                "2",
                "--step",
                "4",
                "--status",
                "completed",
                "--agent",
                "somebody",
            ],
        ),
        (
            3,
            &[
                "--phase",
                "2",
                "--step",
                "4",
                "--status",
                "completed",
                "--at",
                "2020-01-01T00:00:00",
            ],
        ),
    ] {
        sandbox.refused(code, &[&[TREE], args].concat());
    }
    fs::write(sandbox.path(STATE), "{\"feature_name\": \"x\", ").unwrap();
    sandbox.refused(5, &step("2", "4", "completed"));
}

#[test]
fn a_commit_is_recorded_as_the_checks_find_it() {
    let sandbox = Sandbox::new();
    at_step(&sandbox, 2, "8", "approved");
    let commit = |more: &[&'static str]| [&step("2", "9", "completed")[..], more].concat();
    // An id stays text though it reads as a number.
    for set in [
        "commit_sha=deadbeef",
        "commit_sha=7375e96",
        "commit_sha=73750960",
    ] {
        let text = sandbox.refused(3, &commit(&["--result", set]));
        let id = set.trim_start_matches("commit_sha=");
        assert!(
            text.contains(&format!("{id} is not in the repository")),
            "{text}"
        );
    }
    let answer = sandbox.recorded(&commit(&[]));
    let said = "No commit of the branch names phase 2 yet.";
    assert_eq!(answer["notes"], json!([said]), "{answer}");
}

/// What a resume leads to can be recorded, also after it skipped a step or a phase.
#[test]
fn the_step_that_a_resume_leads_to_is_recorded() {
    for (point, phase, at) in [
        ("phase-2-step-4", "2", "4"),
        ("phase-1-step-5", "1", "5"),
        ("skip-phase", "3", "3"),
    ] {
        let sandbox = Sandbox::new();
        let resume = ["resume", "price-alerts", point, "--yes", "--assume-stopped"];
        let (code, resumed) = sandbox.json(&resume);
        assert_eq!(code, 0, "{point}: {resumed}");
        sandbox.recorded(&step(phase, at, "completed"));
    }
}
