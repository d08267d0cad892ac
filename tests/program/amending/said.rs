//! What a person says with an amendment: texts with the placeholder, answers.

use std::fs;

use serde_json::json;

use super::workflow::{WF, Workflow};

#[test]
fn an_open_question_of_an_amendment_is_answered_by_its_id() {
    let wf = Workflow::new();
    fs::write(wf.path("PAUSE"), "").unwrap();
    let skip = ["--type", "stage_skip", "--stage", "stage-4"];
    assert!(wf.refused(4, &skip).contains("gate:pause"));
    wf.amended(&[&skip[..], &["--accept", "gate:pause"]].concat());
    assert_eq!(wf.state()["stages"][3]["status"], "skipped");
}

/// It stands for the time of writing in what relight writes, never in what a person wrote.
#[test]
fn the_placeholder_for_the_time_is_text_in_every_amendment() {
    let wf = Workflow::new();
    let new = r#"{"name": "{now}", "success_criteria": "{now}", "parameters": {"{now}": "{now}"}}"#;
    fs::write(wf.path("new.json"), new).unwrap();
    let from = wf.path("new.json");
    let (set, from) = ("parameters.new={now}", from.to_str().unwrap());
    for args in [
        ["parameter_change", "--stage", "stage-2", "--set", set],
        ["stage_insert", "--after", "stage-2", "--from", from],
    ] {
        let told = ["amend", WF, "--reason", "{now}", "--approved-by", "{now}"];
        let sure = ["--assume-stopped", "--yes", "--type"];
        let (code, answer) = wf.0.json(&[&told[..], &sure, &args].concat());
        assert_eq!(code, 0, "{answer}");
    }
    let state = wf.state();
    let new = &state["stages"][2];
    assert_eq!(state["stages"][1]["parameters"]["new"], "{now}");
    assert_eq!(new["parameters"], json!({"{now}": "{now}"}));
    assert_eq!(
        (&new["name"], &new["success_criteria"]),
        (&json!("{now}"), &json!("{now}"))
    );
    for one in state["amendments"].as_array().unwrap() {
        assert_eq!(
            (&one["description"], &one["approved_by"]),
            (&json!("{now}"), &json!("{now}"))
        );
        assert_ne!(one["timestamp"], "{now}");
    }
    let log = wf.text("progress.log");
    assert!(log.contains("{ now }. Approved by { now }."), "{log}");
    assert_eq!(wf.text("workflow-state.json").matches("{now}").count(), 0);
}
