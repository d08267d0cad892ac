//! The tables of superscientist's stages, row by row.

use std::fs;

use serde_json::{Value, json};

use super::superscientist::at_status;
use crate::cli_acting::sandbox::Sandbox;

const WF: &str = "projects/science/polymer-ring";

/// A workflow whose second stage depends on the first, at these statuses.
fn workflow(sandbox: &Sandbox, first: &str, second: &str) {
    let then = "2026-01-01T00:00:00Z";
    let entry = |number: u64, status: &str, needs: &[&str]| {
        json!({"id": format!("stage-{number}"), "name": "S", "status": status, "depends_on": needs, "outputs": [],
            "backend": null, "inputs": [], "parameters": {}, "success_criteria": "it is there", "started_at": then,
            "completed_at": then, "retry_count": 1, "last_error": "old", "running_process": {"tmux_session": "old"}})
    };
    let state = json!({"workflow_id": "w", "version": 1, "updated": then, "created": then, "amendments": [],
        "experiment_design": "d", "workflow_plan": "p", "default_backend": "local",
        "backend_profiles": {"local": {"type": "local"}},
        "stages": [entry(1, first, &[]), entry(2, second, &["stage-1"])]});
    let text = serde_json::to_string_pretty(&state).unwrap();
    fs::write(sandbox.path(&format!("{WF}/workflow-state.json")), text).unwrap();
}

fn second(sandbox: &Sandbox) -> Value {
    sandbox.value(&format!("{WF}/workflow-state.json"))["stages"][1].clone()
}

/// What a transition sets beside the status, and what it leaves.
#[test]
fn superscientist_what_each_transition_sets() {
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, Value)]);
    let sandbox = Sandbox::new();
    let text = || json!("a time");
    let rows: [Row<'_>; 9] = [
        ("pending", "ready", &[("retry_count", json!(1))]),
        (
            "ready",
            "preparing",
            &[("started_at", text()), ("running_process", Value::Null)],
        ),
        (
            "preparing",
            "running",
            &[
                ("running_process/tmux_session", json!("dpdisp_stage-2")),
                (
                    "running_process/submission_json",
                    json!("stage-2/submission.json"),
                ),
                (
                    "running_process/wrapper_script",
                    json!("stage-2/dpdisp-run.sh"),
                ),
                ("running_process/done_marker", json!("stage-2/DPDISP_DONE")),
                (
                    "running_process/exit_code_file",
                    json!("stage-2/DPDISP_EXIT_CODE"),
                ),
                ("running_process/recovery_attempted", json!(false)),
                ("running_process/launched_at", text()),
            ],
        ),
        ("preparing", "post_processing", &[("retry_count", json!(1))]),
        ("running", "post_processing", &[("retry_count", json!(1))]),
        (
            "post_processing",
            "completed",
            &[("completed_at", text()), ("last_error", json!("old"))],
        ),
        (
            "running",
            "failed",
            &[("last_error", json!("exit 1")), ("retry_count", json!(1))],
        ),
        (
            "failed",
            "ready",
            &[("retry_count", json!(2)), ("running_process", Value::Null)],
        ),
        (
            "invalidated",
            "ready",
            &[
                ("started_at", Value::Null),
                ("completed_at", Value::Null),
                ("last_error", Value::Null),
                ("running_process", Value::Null),
                ("retry_count", json!(0)),
            ],
        ),
    ];
    for (from, to, sets) in rows {
        workflow(&sandbox, "completed", from);
        let error: &[&str] = if to == "failed" {
            &["--error", "exit 1"]
        } else {
            &[]
        };
        sandbox.recorded(&[&[WF, "stage-2", to], error].concat());
        let stage = second(&sandbox);
        for (at, expected) in sets {
            let found = stage.pointer(&format!("/{at}")).unwrap();
            if *expected == text() {
                let time = chrono::DateTime::parse_from_rfc3339(found.as_str().unwrap()).unwrap();
                assert!(
                    chrono::Utc::now() - time.to_utc() < chrono::TimeDelta::hours(1),
                    "{from} {to}: {at}"
                );
            } else {
                assert_eq!(found, expected, "{from} {to}: {at}");
            }
        }
    }
}

/// A retry by hand begins an attempt, too.
#[test]
fn superscientist_a_retry_by_hand_leaves_no_job() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "failed", "post_processing");
    let point = ["resume", WF, "stage-1:retry", "--yes", "--assume-stopped"];
    let (code, answer) = sandbox.json(&point);
    assert_eq!(code, 0, "{answer}");
    let state = sandbox.value(&format!("{WF}/workflow-state.json"));
    let (first, second) = (&state["stages"][0], &state["stages"][1]);
    assert_eq!(
        (&first["status"], &first["running_process"]),
        (&json!("ready"), &Value::Null)
    );
    assert!(second["running_process"].is_object());
}

/// A stage becomes ready when everything that it depends on is completed; a person may accept what was skipped.
#[test]
fn superscientist_each_status_of_a_dependency() {
    let sandbox = Sandbox::new();
    for (status, code, approved) in [
        ("pending", 3, 3),
        ("ready", 3, 3),
        ("preparing", 3, 3),
        ("running", 3, 3),
        ("post_processing", 3, 3),
        ("completed", 0, 0),
        ("failed", 3, 3),
        ("invalidated", 3, 3),
        ("skipped", 3, 0),
    ] {
        workflow(&sandbox, status, "pending");
        let args = [WF, "stage-2", "ready"];
        assert_eq!(sandbox.tried(&args), code, "{status}");
        let args = [&args[..], &["--approved-by", "Ann"]].concat();
        assert_eq!(sandbox.tried(&args), approved, "{status}");
    }
}

/// Only a person skips or invalidates a stage: by an amendment, and not while it runs.
#[test]
fn superscientist_each_status_that_a_person_may_end() {
    let sandbox = Sandbox::new();
    for (status, skip, rerun) in [
        ("pending", 0, 3),
        ("ready", 0, 3),
        ("preparing", 3, 3),
        ("running", 3, 3),
        ("post_processing", 3, 3),
        ("completed", 3, 0),
        ("failed", 0, 3),
        ("invalidated", 0, 3),
        ("skipped", 3, 3),
    ] {
        workflow(&sandbox, "completed", status);
        for (kind, expected) in [("stage_skip", skip), ("stage_rerun", rerun)] {
            let (code, answer) = sandbox.json(&[
                "amend",
                WF,
                "--type",
                kind,
                "--stage",
                "stage-2",
                "--reason",
                "It must.",
                "--approved-by",
                "Ann",
                "--assume-stopped",
                "--dry-run",
            ]);
            assert_eq!(code, expected, "{kind} of {status}: {answer}");
        }
        sandbox.refused(3, &[WF, "stage-2", "skipped"]);
        sandbox.refused(3, &[WF, "stage-2", "invalidated"]);
    }
}

#[test]
fn the_results_of_a_failed_job_need_a_person() {
    let sandbox = Sandbox::new();
    for (code, refusal) in [
        (Some("137\n"), "The job of stage-2 ended with code 137."),
        (
            Some("\n"),
            "The job of stage-2 ended with an unknown result",
        ),
        (None, "The job of stage-2 ended with an unknown result"),
        (Some("0\n"), ""),
    ] {
        at_status(&sandbox, "preparing");
        sandbox.recorded(&[WF, "stage-2", "running"]);
        let folder = sandbox.path(&format!("{WF}/stage-2"));
        fs::create_dir_all(&folder).unwrap();
        let exit = folder.join("DPDISP_EXIT_CODE");
        fs::remove_file(&exit).ok();
        if let Some(code) = code {
            fs::write(&exit, code).unwrap();
        }
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        let marker = fs::File::create(folder.join("DPDISP_DONE")).unwrap();
        marker.set_modified(later).unwrap();
        let mut args = vec![WF, "stage-2", "post_processing"];
        if !refusal.is_empty() {
            let text = sandbox.refused(3, &args);
            assert!(text.contains(refusal), "{text}");
            args.extend(["--approved-by", "Ann"]);
        }
        sandbox.recorded(&args);
        // Without its marker nothing is known of the job.
        fs::remove_file(folder.join("DPDISP_DONE")).unwrap();
        at_status(&sandbox, "running");
        sandbox.recorded(&[WF, "stage-2", "post_processing", "--note", refusal]);
    }
}

/// A type that nobody knows would be run as a local one.
#[test]
fn superscientist_begins_only_with_profiles_of_known_types() {
    let sandbox = Sandbox::new();
    let stage = json!({"id": "stage-1", "name": "N", "success_criteria": "it is there"});
    let profiles = json!({"local": {"type": "local"}, "hpc": {"type": "slurm"}});
    let plan = json!({"workflow_id": "w", "experiment_design": "d", "workflow_plan": "p", "stages": [stage],
        "backend_profiles": profiles});
    fs::write(sandbox.path("plan.json"), plan.to_string()).unwrap();
    let system = ["--system", "superscientist", "--from", "plan.json"];
    let args = [&["projects/science/new", "init"][..], &system].concat();
    let (code, answer) = sandbox.record(&args);
    assert_eq!(code, 3, "{answer}");
    let said = answer.to_string();
    assert!(said.contains("Known: local, remote."), "{said}");
}

/// The answer names the point that `points` recommends, and nothing where a person decides first.
#[test]
fn superscientist_the_next_step_is_the_recommended_point() {
    let sandbox = Sandbox::new();
    fs::remove_dir_all(sandbox.path(&format!("{WF}/stage-2"))).unwrap();
    fs::remove_file(sandbox.path(&format!("{WF}/progress.log"))).unwrap();
    let next = || sandbox.recorded(&[WF, "log", "x", "--dry-run"])["next"]["id"].clone();
    for (first, second, expected) in [
        ("pending", "pending", Some("stage-1:rerun")),
        ("completed", "ready", Some("stage-2:rerun")),
        ("completed", "invalidated", Some("stage-2:rerun")),
        ("completed", "running", Some("stage-2:monitor")),
        ("completed", "post_processing", Some("stage-2:verify")),
        ("failed", "ready", Some("stage-1:retry")),
        ("completed", "skipped", Some("completion")),
        ("skipped", "ready", Some("stage-2:rerun")),
        ("skipped", "pending", None),
        ("completed", "odd", None),
    ] {
        workflow(&sandbox, first, second);
        assert_eq!(next(), json!(expected), "{first}, {second}");
        if let Some(expected) = expected {
            assert_eq!(sandbox.recommended(WF), expected, "{first}, {second}");
        }
    }
    workflow(&sandbox, "completed", "failed");
    assert_eq!(next(), "stage-2:retry");
    let state = sandbox.path(&format!("{WF}/workflow-state.json"));
    let text = fs::read_to_string(&state).unwrap();
    let used_up = text.replace("\"retry_count\": 1", "\"retry_count\": 3");
    fs::write(&state, used_up).unwrap();
    assert_eq!(next(), Value::Null);
    fs::write(&state, text).unwrap();
    fs::write(sandbox.path(&format!("{WF}/PAUSE")), "").unwrap();
    assert_eq!(next(), Value::Null);
}
