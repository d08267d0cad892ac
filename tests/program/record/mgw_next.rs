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

/// So does one that a record stops.
#[test]
fn no_step_goes_on_with_the_record_that_stops_an_issue() {
    let sandbox = Sandbox::new();
    for (from, step, to, allowed) in [
        ("triaged", "triage", "needs-info", true),
        ("planning", "plan", "failed", true),
        ("executing", "execute", "blocked", true),
        ("planning", "execute", "failed", false),
        ("executing", "pr", "failed", false),
        ("verifying", "pr", "blocked", false),
        ("needs-info", "pr", "failed", false),
    ] {
        at_stage(&sandbox, from);
        let args = [STATE, "--step", step, "--stage", to, "--approved-by", "Ann"];
        let code = if allowed { 0 } else { 3 };
        assert_eq!(sandbox.tried(&args), code, "{from}: {step} and {to}");
    }
}

/// A document that is missing is made first, in the answer as in the points.
#[test]
fn it_is_the_recommended_point_where_a_document_is_missing() {
    let sandbox = Sandbox::new();
    // An issue without any document or branch.
    let state = "projects/notes/.mgw/active/999-new.json";
    let text = at_stage(&sandbox, "triaged").replace("57", "999");
    std::fs::write(sandbox.path(state), text).unwrap();
    for (args, next, lack) in [
        (
            "--step plan --stage planning --action spawn-executor",
            "step-plan",
            Some(("PLAN", "execute")),
        ),
        (
            "--step execute --stage executing",
            "step-plan",
            Some(("PLAN", "execute")),
        ),
        (
            "--step execute --action spawn-verifier",
            "step-plan",
            Some(("PLAN", "execute")),
        ),
        (
            "--step verify --stage verifying --action create-pr",
            "step-plan",
            Some(("SUMMARY", "verify")),
        ),
    ] {
        let args: Vec<&str> = [state].into_iter().chain(args.split(' ')).collect();
        let answer = sandbox.recorded(&args);
        assert_eq!(answer["next"]["id"], next, "{args:?}: {answer}");
        let (_, points) = sandbox.json(&["points", state]);
        let points = points["points"].as_array().unwrap();
        let recommended = points.iter().find(|point| point["recommended"] == true);
        assert_eq!(recommended.unwrap()["id"], next, "{args:?}: {points:?}");
        let notes = answer["notes"].to_string();
        let said = lack.is_none_or(|(document, step)| {
            notes.contains(&format!(
                "There is no {document}, which the step {step} needs."
            ))
        });
        assert!(
            said && lack.is_some() == notes.contains("needs"),
            "{args:?}: {notes}"
        );
    }
}

#[test]
fn no_more_tasks_are_completed_than_there_are() {
    let sandbox = Sandbox::new();
    at_stage(&sandbox, "executing");
    let step = [STATE, "--step", "execute", "--progress"];
    let both = ["tasks_completed=5", "--progress", "tasks_total=2"];
    let said = sandbox.refused(3, &[&step[..], &both].concat());
    assert_eq!(said, "tasks_completed is 5, and tasks_total is 2.");
    sandbox.recorded(&[&step[..], &["tasks_total=2"]].concat());
    sandbox.refused(3, &[&step[..], &["tasks_completed=3"]].concat());
    sandbox.recorded(&[&step[..], &["tasks_completed=2"]].concat());
    // Another program may have written more.
    let text = sandbox
        .text(STATE)
        .replace("\"tasks_completed\": 2", "\"tasks_completed\": 5");
    std::fs::write(sandbox.path(STATE), text).unwrap();
    let (_, shown) = sandbox.json(&["show", STATE]);
    let phases = shown["phases"].as_array().unwrap();
    let execute = phases
        .iter()
        .find(|phase| phase["id"] == "execute")
        .unwrap();
    assert_eq!(
        (&execute["done"], &execute["total"]),
        (&2.into(), &2.into())
    );
}

/// Documents on the branch that the same record names count.
#[test]
fn it_is_read_from_the_branch_that_the_record_names() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    let state = "projects/notes/.mgw/active/999-new.json";
    let text = at_stage(&sandbox, "triaged").replace("57", "999");
    std::fs::write(sandbox.path(state), text).unwrap();
    let top = sandbox.path("projects/notes");
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a"];
        let done = std::process::Command::new("git")
            .args(who)
            .args(args)
            .current_dir(&top)
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    };
    let docs = ".planning/quick/4-new";
    let tree = sandbox.path("feature");
    git(&["worktree", "add", "-b", "feature/y", tree.to_str().unwrap()]);
    std::fs::create_dir_all(tree.join(docs)).unwrap();
    std::fs::write(tree.join(docs).join("4-PLAN.md"), "x").unwrap();
    git(&["-C", tree.to_str().unwrap(), "add", "--force", "."]);
    git(&["-C", tree.to_str().unwrap(), "commit", "-m", "plan"]);
    let dir = format!("quick_dir={docs}");
    let plan = format!("{docs}/4-PLAN.md:plan");
    let args = [
        state,
        "--step",
        "plan",
        "--stage",
        "planning",
        "--action",
        "spawn-executor",
        "--context",
        "branch=feature/y",
        &dir,
        "--artifact",
        &plan,
    ];
    let answer = sandbox.recorded(&args);
    assert_eq!(answer["next"]["id"], "step-execute", "{answer}");
    // The artifact is on that branch alone.
    assert_eq!(
        answer["notes"].as_array().map_or(0, Vec::len),
        0,
        "{answer}"
    );
}
