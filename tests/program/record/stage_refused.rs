//! What a record of a workflow refuses, in which words, and how a session begins after one that was stopped.

use std::fs;

use serde_json::json;

use super::superscientist::{LOG, STATE, WF, at_status, stage};
use crate::cli_acting::sandbox::Sandbox;

#[test]
fn a_session_after_a_budget_stop_says_how_the_last_one_ended() {
    let sandbox = Sandbox::new();
    at_status(&sandbox, "ready");
    fs::write(sandbox.path(LOG), "").unwrap();
    let said = sandbox.refused(3, &[WF, "session", "end"]);
    assert_eq!(said, "No session was started.");
    let config = r#""session_config": {"session_budget": 5, "exit_reason": "budget"}, "stages""#;
    let text = sandbox.text(STATE).replace("\"stages\"", config);
    fs::write(sandbox.path(STATE), text).unwrap();
    sandbox.recorded(&[WF, "session", "start"]);
    let log = sandbox.text(LOG);
    let lines: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once("] "))
        .map(|(_, said)| said)
        .collect();
    assert_eq!(
        lines,
        [
            "Previous session ended: exit_reason=budget, cost=0/5",
            "Session 1 started."
        ]
    );
}

/// A refusal says what to do instead, and values of a file are what options would be.
#[test]
fn a_refusal_names_what_is_in_the_way() {
    let sandbox = Sandbox::new();
    let values = |text: &str| fs::write(sandbox.path("values.json"), text).unwrap();
    for (status, args, values_of, said) in [
        ("running", &["running"][..], "{}", "stage-2 is running."),
        ("failed", &["ready"], "{}", "stage-2 was retried 3 times."),
        (
            "running",
            &["failed", "--from", "values.json"],
            r#"{"error": ["x"]}"#,
            "--error must be one value.",
        ),
        (
            "running",
            &["failed", "--from", "values.json"],
            "[]",
            "--from must be one JSON object.",
        ),
    ] {
        at_status(&sandbox, status);
        let text = sandbox.text(STATE);
        let text = text.replace("\"retry_count\": 0", "\"retry_count\": 3");
        fs::write(sandbox.path(STATE), text).unwrap();
        values(values_of);
        let (code, answer) = sandbox.record(&[&[WF, "stage-2"], args].concat());
        let text = answer["error"]["text"].as_str().unwrap();
        assert!(code != 0 && text.contains(said), "{args:?}: {answer}");
    }
    // A number is a text where one is needed.
    values(r#"{"error": 137}"#);
    sandbox.recorded(&[WF, "stage-2", "failed", "--from", "values.json"]);
    assert_eq!(stage(&sandbox, 2)["last_error"], "137");
}

#[test]
fn a_profile_type_that_is_not_known_is_named_as_it_is() {
    let sandbox = Sandbox::new();
    for (kind, named) in [
        (json!(7), "7"),
        (json!(null), "null"),
        (json!("moon"), "moon"),
    ] {
        let plan = json!({"workflow_id": "w", "experiment_design": "d.md", "workflow_plan": "p.md",
            "backend_profiles": {"local": {"type": kind}},
            "stages": [{"name": "N", "success_criteria": "it is there"}]});
        fs::write(sandbox.path("plan.json"), plan.to_string()).unwrap();
        let init = ["init", "--system", "superscientist", "--from", "plan.json"];
        let (code, answer) = sandbox.record(&[&["projects/science/new"][..], &init].concat());
        let said = format!("There is no profile type {named}.");
        assert_eq!((code, &answer["error"]["text"]), (3, &said.into()));
    }
}
