//! Issues: the checkpoint is merged as the orchestrator merges it, and the stage moves only as its table allows.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::mgw_next::is_a_point;
use crate::act_systems::part::is_tried;
use crate::cli_acting::sandbox::Sandbox;

pub(super) const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";

/// The orchestrator's own table.
const NEXT: [(&str, &[&str]); 14] = [
    ("new", &["triaged"]),
    (
        "triaged",
        &[
            "needs-info",
            "needs-security-review",
            "discussing",
            "approved",
            "planning",
            "diagnosing",
        ],
    ),
    ("needs-info", &["triaged"]),
    ("needs-security-review", &["triaged", "approved"]),
    ("discussing", &["triaged", "approved"]),
    ("approved", &["planning"]),
    ("planning", &["executing"]),
    ("diagnosing", &["planning"]),
    ("executing", &["verifying"]),
    ("verifying", &["pr-created", "executing"]),
    ("pr-created", &["done"]),
    ("done", &[]),
    ("failed", &["new", "triaged", "planning", "executing"]),
    ("blocked", &["new", "triaged", "planning", "executing"]),
];

/// A state file at a stage, without a checkpoint, with text that no writer must touch.
pub(super) fn at_stage(sandbox: &Sandbox, stage: &str) -> String {
    let text = format!(
        "{{\n  \"issue\": {{\n    \"number\": 57,\n    \"title\": \"Cach\u{e9}\"\n  }},\n  \"pipeline_stage\": \"{stage}\",\n  \"odd\": 1e-6,\n  \"dead_letter\": false\n}}"
    );
    fs::write(sandbox.path(STATE), &text).unwrap();
    text
}

#[test]
fn a_step_is_merged_and_every_other_byte_stays() {
    let sandbox = Sandbox::new();
    let before = sandbox.value(STATE);
    let path = sandbox.path(STATE);
    fs::write(
        &path,
        sandbox
            .text(STATE)
            .replace("\"tasks_total\": 2", "\"ratio\": 1.50e1"),
    )
    .unwrap();
    let answer = sandbox.recorded(&[
        STATE,
        "--step",
        "verify",
        "--stage",
        "verifying",
        "--action",
        "create-pr",
        "--context",
        "quick_dir=.planning/x",
        "plan_num=4",
        "--progress",
        "tasks_completed=3",
        "--artifact",
        ".planning/x/4:V.md:verification",
        "--history",
        "gsd-verifier:.planning/x/4-V.md",
        "--agent-output",
        "out.md",
    ]);
    let text = sandbox.text(STATE);
    assert!(text.contains("\"ratio\": 1.50e1"), "{text}");
    assert!(
        !text.ends_with('\n'),
        "the orchestrator writes no final newline"
    );
    let after = sandbox.value(STATE);
    let (old, new) = (&before["checkpoint"], &after["checkpoint"]);
    assert_eq!(
        new["resume"],
        json!({"action": "create-pr", "context": {"quick_dir": ".planning/x", "plan_num": 4}})
    );
    assert_eq!(new["step_progress"]["tasks_completed"], 3);
    assert_eq!(
        new["step_progress"]["plan_path"],
        old["step_progress"]["plan_path"]
    );
    let grown = |key: &str| new[key].as_array().unwrap().len() - old[key].as_array().unwrap().len();
    assert_eq!((grown("artifacts"), grown("step_history")), (1, 1));
    assert_eq!(new["artifacts"][2]["path"], ".planning/x/4:V.md");
    assert_eq!(new["last_agent_output"], "out.md");
    assert_eq!(after["pipeline_stage"], "verifying");
    assert_eq!(after["previous_stage"], "executing");
    assert_eq!(answer["recorded"]["form"], "mgw step");
    assert_eq!(
        answer["next"],
        json!({"id": "step-pr", "label": "Pull request", "phase": "pr"})
    );
    assert!(sandbox.json(&["list"]).1["pipelines"].is_array());
}

#[test]
fn the_first_checkpoint_has_the_defaults_and_migrates_the_file() {
    let sandbox = Sandbox::new();
    let text = at_stage(&sandbox, "planning");
    sandbox.recorded(&[STATE, "--step", "plan", "--at", "2026-01-02T03:04:05.678Z"]);
    let after = sandbox.text(STATE);
    assert!(after.starts_with(text.trim_end_matches("\n}")), "{after}");
    let value: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(value["retry_count"], 0);
    assert_eq!(
        value["checkpoint"],
        json!({
            "schema_version": 1,
            "pipeline_step": "plan",
            "step_progress": {},
            "last_agent_output": null,
            "artifacts": [],
            "resume": {"action": null, "context": {}},
            "started_at": "2026-01-02T03:04:05.678Z",
            "updated_at": "2026-01-02T03:04:05.678Z",
            "step_history": [],
        })
    );
}

#[test]
fn every_transition_of_the_table_and_no_other() {
    let sandbox = Sandbox::new();
    for (row, (from, own)) in NEXT.into_iter().enumerate() {
        let ends = ["failed", "blocked"];
        let waits = ["needs-info", "needs-security-review", "discussing"];
        let waits = [&ends[..], &waits].concat();
        for (column, (to, _)) in NEXT.into_iter().enumerate() {
            let stops = ends.contains(&to) && !ends.contains(&from) && from != "done";
            // All that is allowed, and some of what is not.
            let some = stops || own.contains(&to) || is_tried(row + column, 4);
            if to == from || !some {
                continue;
            }
            at_stage(&sandbox, from);
            // Triage agrees with every stage, so only the transition decides.
            let args = [STATE, "--step", "triage", "--stage", to];
            if !own.contains(&to) && !stops {
                let text = sandbox.refused(3, &args);
                assert!(text.contains("does not follow"), "{from} {to}: {text}");
                continue;
            }
            if waits.contains(&from) {
                let text = sandbox.refused(3, &args);
                assert!(text.contains("Only a person"), "{from} {to}: {text}");
            }
            let answer = sandbox.recorded(&[&args[..], &["--approved-by", "Ann"]].concat());
            // An agent that follows the answer must not pass by what waits for a person.
            let over = waits.contains(&to) || to == "done";
            assert_eq!(answer["next"].is_null(), over, "{answer}");
            is_a_point(&sandbox, &answer);
            let value = sandbox.value(STATE);
            assert_eq!(
                (&value["pipeline_stage"], &value["previous_stage"]),
                (&to.into(), &from.into())
            );
        }
    }
    // The same stage again is no transition.
    at_stage(&sandbox, "planning");
    sandbox.recorded(&[STATE, "--step", "plan", "--stage", "planning"]);
    assert_eq!(sandbox.value(STATE)["previous_stage"], Value::Null);
}

#[test]
fn what_is_not_valid_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    for (code, args) in [
        (2, &["--step", "execute", "--context", "a=1"][..]),
        (2, &["--stage", "verifying"]),
        (2, &["--step", "execute", "--round", "1"]),
        (2, &["--step", "execute", "--artifact", "x"]),
        (2, &["--step", "execute", "--progress", "x"]),
        (2, &["--step", "execute", "surprise"]),
        (3, &["--step", "execute", "--progress", "x=NaN"]),
        (3, &["--step", "execute", "--progress", "x=1e400"]),
        (3, &["--step", "execute", "--progress", "x:=1e400"]),
        (3, &["--step", "ship"]),
        (3, &["--step", "execute", "--action", "dance"]),
        (3, &["--step", "execute", "--stage", "pr-pending"]),
        (3, &["--step", "execute", "--artifact", "x:song"]),
        (3, &["--step", "execute", "--route", "scenic"]),
        (3, &["--step", "plan"]),
        (3, &["--step", "pr"]),
        (3, &["--step", "execute", "--at", "2999-01-01T00:00:00Z"]),
        (3, &["--step", "execute", "--at", "2020-01-01T00:00:00Z"]),
    ] {
        sandbox.refused(code, &[&[STATE], args].concat());
    }
    let missing = "projects/notes/.mgw/active/999-new.json";
    for args in [
        &["--step", "plan"][..],
        &["complete"],
        &["retry", "--approved-by", "Ann"],
    ] {
        sandbox.refused(2, &[&[missing], args].concat());
    }
    let archived = "projects/notes/.mgw/completed/40-fix-typos.json";
    sandbox.refused(3, &[archived, "--step", "plan"]);
    sandbox.refused(
        5,
        &[
            "projects/notes/.mgw/active/64-export-as-pdf.json",
            "--step",
            "plan",
        ],
    );
    for (from, to) in [
        ("\"schema_version\": 1", "\"schema_version\": 2"),
        ("\"slug\"", "\"slug\""),
    ] {
        let text = sandbox.text(STATE).replace(from, to);
        fs::write(sandbox.path(STATE), text).unwrap();
    }
    sandbox.refused(3, &[STATE, "--step", "execute"]);
    let doubled = "{\"pipeline_stage\": \"executing\", \"a\": 1, \"a\": 2}";
    fs::write(sandbox.path(STATE), doubled).unwrap();
    sandbox.refused(3, &[STATE, "--step", "execute"]);
}

#[test]
fn an_issue_is_found_by_its_number_anywhere_in_the_repository() {
    let sandbox = Sandbox::new();
    let args = ["record", "999", "--step", "plan", "--json"];
    let output = sandbox.run_in(&sandbox.path("projects/notes"), &args);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = (output.status.code(), &answer["error"]["kind"]);
    assert_eq!(found, (Some(2), &"not_found".into()), "{answer}");
    for dir in [
        "projects/notes",
        "projects/notes/src",
        "projects/notes/.worktrees/issue/57-cache-lookups",
    ] {
        let dir = sandbox.path(dir);
        let output = sandbox.run_in(
            &dir,
            &["record", "57", "--step", "execute", "--dry-run", "--json"],
        );
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let file = answer["recorded"]["files"][0]["path"].as_str().unwrap();
        assert_eq!(Path::new(file), sandbox.path(STATE), "{}", dir.display());
    }
    let id = sandbox
        .ids()
        .into_iter()
        .find(|id| id.starts_with("mgw-57"))
        .unwrap();
    sandbox.recorded(&[&id, "--step", "execute"]);
}

#[test]
fn values_may_come_from_an_object() {
    let sandbox = Sandbox::new();
    let object = json!({"step": "execute", "progress": {"note": "a\nb", "{now}": true}, "action": "spawn-verifier"});
    fs::write(sandbox.path("values.json"), object.to_string()).unwrap();
    sandbox.recorded(&[STATE, "--from", "values.json"]);
    let progress = &sandbox.value(STATE)["checkpoint"]["step_progress"];
    assert_eq!(
        (&progress["note"], &progress["{now}"]),
        (&"a\nb".into(), &true.into())
    );
    fs::write(sandbox.path("values.json"), "[1]").unwrap();
    sandbox.refused(2, &[STATE, "--from", "values.json"]);
}

#[test]
fn an_issue_begins_fails_and_ends() {
    let sandbox = Sandbox::new();
    // Where no issue has begun, nothing says which system a number means.
    let elsewhere = sandbox.path("projects/trader");
    let output = sandbox.run_in(&elsewhere, &["record", "70", "init", "--title", "x"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("--system NAME"), "{said}");
    let notes = sandbox.path("projects/notes");
    let run = |args: &[&str]| {
        let output = sandbox.run_in(&notes, &[&["record"], args, &["--json"]].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code().unwrap(), answer)
    };
    let (code, answer) = run(&["70", "--step", "triage"]);
    assert_eq!(code, 2, "{answer}");
    assert!(answer["error"]["text"].as_str().unwrap().contains("#70"));
    let init = [
        "70",
        "init",
        "--title",
        "Fix: the Über-slow \"search\"!",
        "--label",
        "bug",
        "--label",
        "slow",
    ];
    let (code, answer) = run(&init);
    assert_eq!(
        (code, &answer["next"]["id"]),
        (0, &"step-triage".into()),
        "{answer}"
    );
    let file = "projects/notes/.mgw/active/70-fix-the-ber-slow-search.json";
    let text = sandbox.text(file);
    assert!(text.contains("Über") && !text.ends_with('\n'), "{text}");
    assert_eq!(
        sandbox.value(file)["issue"]["labels"],
        json!(["bug", "slow"])
    );
    assert_eq!(run(&init).0, 3);
    assert_eq!(sandbox.recommended("mgw-70"), "step-triage");
    assert_eq!(
        run(&[
            "70", "--step", "triage", "--stage", "triaged", "--route", "quick"
        ])
        .0,
        0
    );
    assert_eq!(run(&["70", "complete"]).0, 3);
    for number in 1..=3 {
        let once = format!("retry-{number}");
        let args = [
            "70",
            "retry",
            "--failure-class",
            "transient",
            "--once",
            &once,
        ];
        assert_eq!(run(&args).0, 0);
        assert_eq!(sandbox.value(file)["retry_count"], number);
    }
    assert_eq!(run(&["70", "retry", "--failure-class", "transient"]).0, 3);
    assert_eq!(run(&["70", "retry", "--failure-class", "permanent"]).0, 3);
    assert_eq!(run(&["70", "dead-letter"]).0, 2);
    assert_eq!(
        run(&["70", "dead-letter", "--failure-class", "permanent"]).0,
        0
    );
    let state = sandbox.value(file);
    assert_eq!(
        (&state["dead_letter"], &state["pipeline_stage"]),
        (&true.into(), &"failed".into())
    );
    assert_eq!(run(&["70", "retry"]).0, 3);
    assert_eq!(run(&["70", "retry", "--approved-by", "Ann"]).0, 0);
    let state = sandbox.value(file);
    assert_eq!(
        (
            &state["dead_letter"],
            &state["pipeline_stage"],
            &state["retry_count"]
        ),
        (&false.into(), &"triaged".into(), &0.into())
    );
    for (step, stage) in [
        ("plan", "planning"),
        ("execute", "executing"),
        ("verify", "verifying"),
        ("pr", "pr-created"),
    ] {
        let (code, answer) = run(&["70", "--step", step, "--stage", stage]);
        assert_eq!(code, 0, "{answer}");
    }
    let before = sandbox.text(file);
    assert_eq!(run(&["70", "complete"]).0, 0);
    assert_eq!(sandbox.text(&file.replace("active", "completed")), before);
    assert!(!sandbox.path(file).exists());
    let (_, list) = sandbox.json(&["show", "mgw-70"]);
    assert_eq!(list["pipeline"]["status"], "complete");
}

#[test]
fn an_artifact_that_is_not_there_is_noted() {
    let sandbox = Sandbox::new();
    let named = ["--artifact", "nowhere.md:plan"];
    let answer = sandbox.recorded(&[&[STATE, "--step", "execute"], &named[..]].concat());
    assert_eq!(
        answer["notes"],
        json!(["nowhere.md is missing or empty."]),
        "{answer}"
    );
}
