//! The next step that an answer names is a resume point.

use serde_json::Value;

use super::mgw::{STATE, at_stage};
use crate::cli_acting::sandbox::Sandbox;

/// The step that an answer names is one of the points afterwards.
pub(super) fn is_a_point(sandbox: &Sandbox, answer: &Value) {
    let Some(next) = answer["next"]["id"].as_str() else {
        return;
    };
    let points = sandbox.points(STATE);
    assert!(
        points.iter().any(|point| point == next),
        "{next} is not among {points:?}: {answer}"
    );
}

#[test]
fn with_a_linked_pull_request_it_is_one_too() {
    let sandbox = Sandbox::new();
    let mut recorded = 0;
    for step in ["triage", "plan", "execute", "verify", "pr"] {
        for stage in ["triaged", "planning", "executing", "verifying"] {
            for linked in [&[][..], &["--linked-pr", "71"]] {
                at_stage(&sandbox, stage);
                let args = ["record", STATE, "--step", step];
                let (code, answer) = sandbox.json(&[&args[..], linked].concat());
                if code == 0 {
                    recorded += 1;
                    is_a_point(&sandbox, &answer);
                    let retry = ["record", STATE, "retry", "--failure-class", "transient"];
                    let (code, answer) = sandbox.json(&retry);
                    assert_eq!((code, answer["next"].is_null()), (0, false), "{answer}");
                    is_a_point(&sandbox, &answer);
                }
            }
        }
    }
    assert!(recorded > 8, "{recorded}");
}

/// An issue that waits for a person keeps the step at which it stopped.
#[test]
fn no_step_goes_on_while_the_issue_waits() {
    let sandbox = Sandbox::new();
    for stage in [
        "blocked",
        "needs-info",
        "needs-security-review",
        "discussing",
        "failed",
    ] {
        for (reached, step, allowed) in [
            ("triage", "triage", true),
            ("triage", "plan", false),
            ("triage", "pr", false),
            ("execute", "execute", true),
            ("execute", "pr", false),
        ] {
            let text = at_stage(&sandbox, stage);
            let checkpoint = format!(
                ",\n  \"checkpoint\": {{\"schema_version\": 1, \"pipeline_step\": \"{reached}\"}}\n}}"
            );
            let text = text.strip_suffix("\n}").unwrap().to_owned() + &checkpoint;
            std::fs::write(sandbox.path(STATE), text).unwrap();
            let code = sandbox.tried(&[STATE, "--step", step]);
            assert_eq!(
                code,
                if allowed { 0 } else { 3 },
                "{stage}: {reached}, then {step}"
            );
        }
    }
}
