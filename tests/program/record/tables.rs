//! The tables of the systems, row by row: what may follow what, how values are merged, what a status sets.

use std::fs;

use serde_json::{Value, json};

use super::crucible::{all_ended, run};
use crate::act_systems::part::is_tried;
use crate::cli_acting::sandbox::Sandbox;

impl Sandbox {
    /// The exit code of a record that is only tried.
    pub(super) fn tried(&self, args: &[&str]) -> i32 {
        self.record(&[args, &["--dry-run"]].concat()).0
    }
}

const CONFERENCE: &str = "# Conference: T\n\n## Goal\nT\n\n## Mode\nmetric\n\n## Success Metric\n- **Metric:** MB/s\n\
    - **Direction:** maximize\n\n## Researchers\n- **Count:** 1\n- **Iterations per round:** 3\n- **Max rounds:** 3\n\n\
    ## Constraints\n- **Max total iterations:** 40\n\n## Shared Knowledge\n\n## Conference Log\n\
    | Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n";

const EVENTS: [&[&str]; 12] = [
    &["conference.started"],
    &["round.started"],
    &["researcher.stuck", "researcher=A", "stuck_level=2"],
    &["round.poster_session"],
    &["round.peer_review"],
    &["round.completed"],
    &["conference.converged"],
    &["conference.completed"],
    &["conference.resumed"],
    // Recorded by `iteration` alone; the payload of the last two is unknown.
    &["researcher.iteration"],
    &["conference.stalled"],
    &["conference.failed"],
];

const ITERATION: &[&str] = &[
    "iteration",
    "--researcher",
    "A",
    "--iteration",
    "0",
    "--value",
    "38",
    "--status",
    "baseline",
    "--description",
    "x",
];

/// The recovery point after each event, and the events that may follow it.
#[test]
fn conferences_each_event_at_each_point() {
    type Row<'a> = (
        &'a [&'a str],
        &'a [(&'a str, &'a str)],
        &'a str,
        &'a [&'a str],
    );
    let sandbox = Sandbox::new();
    let dir = "projects/lab/table";
    let document = |name: &str, text: &str| {
        fs::write(sandbox.path(&format!("{dir}/{name}")), text).unwrap();
    };
    fs::create_dir(sandbox.path(dir)).unwrap();
    document("conference.md", CONFERENCE);
    let poster = "# Poster Session — Round 1\n\n## Researcher A\nFound it.\n";
    let review = "# Peer Review — Round 1\n\n## Claim 1 (Researcher A)\n**Verdict:** validated\n";
    let rows: [Row<'_>; 9] = [
        (&[], &[], "round-1-phase-1", &["conference.started"]),
        (
            &["conference.started"],
            &[],
            "round-1-phase-1",
            &["round.started", "conference.resumed"],
        ),
        (
            &["round.started"],
            &[],
            "round-1-phase-1",
            &["researcher.stuck", "conference.resumed"],
        ),
        (
            ITERATION,
            &[("poster_session_round_1.md", poster)],
            "round-1-mid",
            &[
                "researcher.stuck",
                "round.poster_session",
                "conference.resumed",
            ],
        ),
        (
            &["round.poster_session"],
            &[("peer_review_round_1.md", review)],
            "round-1-phase-3",
            &["round.peer_review", "conference.resumed"],
        ),
        (
            &["round.peer_review"],
            &[],
            "round-1-phase-4",
            &["round.completed", "conference.resumed"],
        ),
        (
            &["round.completed"],
            &[],
            "round-2-phase-1",
            &[
                "round.started",
                "conference.converged",
                "conference.resumed",
            ],
        ),
        (
            &["conference.converged"],
            &[("synthesis.md", "# S\n"), ("final_report.md", "# R\n")],
            "synthesis",
            &["conference.completed", "conference.resumed"],
        ),
        (&["conference.completed"], &[], "", &[]),
    ];
    for (row, (event, documents, point, allowed)) in rows.into_iter().enumerate() {
        if !event.is_empty() {
            sandbox.recorded(&[&[dir], event].concat());
        }
        let (_, points) = sandbox.json(&["points", dir]);
        let points = points["points"].as_array().cloned().unwrap_or_default();
        let chosen = points.iter().find(|one| one["recommended"] == true);
        let chosen = chosen.map_or("", |one| one["id"].as_str().unwrap());
        assert_eq!(chosen, point, "after {event:?}");
        for (name, text) in documents {
            document(name, text);
        }
        for (nth, next) in EVENTS.iter().enumerate() {
            // All that are allowed, and some of the others.
            if !allowed.contains(&next[0]) && !is_tried(row + nth, 3) {
                continue;
            }
            let code = sandbox.tried(&[&[dir], *next].concat());
            let expected = if allowed.contains(&next[0]) { 0 } else { 3 };
            assert_eq!(code, expected, "{next:?} after {event:?}");
        }
    }
}

/// How an update is merged into the checkpoint: scalars replaced, progress merged one level deep, lists appended, the
/// resume action replaced whole.
#[test]
fn mgw_each_rule_of_merging() {
    type Row<'a> = (&'a [&'a str], &'a str, Value);
    const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";
    const THEN: &str = "2026-01-01T00:00:00.000Z";
    let sandbox = Sandbox::new();
    let artifact = json!({"path": "p", "type": "plan", "created_at": THEN});
    let step = json!({"step": "plan", "completed_at": THEN, "agent_type": "x", "output_path": "p"});
    let resume = json!({"action": "continue-execution", "context": {"k": 1}});
    let state = json!({"issue": {"number": 57}, "pipeline_stage": "executing", "checkpoint": {
        "schema_version": 1, "pipeline_step": "execute", "step_progress": {"a": 1, "b": {"x": 1}},
        "last_agent_output": "old.md", "artifacts": [artifact], "resume": resume, "started_at": THEN,
        "updated_at": THEN, "step_history": [step],
    }});
    let rows: [Row<'_>; 12] = [
        (
            &["--agent-output", "new.md"],
            "/last_agent_output",
            json!("new.md"),
        ),
        (&[], "/last_agent_output", json!("old.md")),
        (&[], "/started_at", json!(THEN)),
        (
            &["--progress", "a=2"],
            "/step_progress",
            json!({"a": 2, "b": {"x": 1}}),
        ),
        (
            &["--progress", "c=3"],
            "/step_progress",
            json!({"a": 1, "b": {"x": 1}, "c": 3}),
        ),
        (
            &["--progress", "b.y=2"],
            "/step_progress",
            json!({"a": 1, "b": {"y": 2}}),
        ),
        (
            &["--artifact", "q:commit"],
            "/artifacts/0",
            artifact.clone(),
        ),
        (&["--artifact", "q:commit"], "/artifacts/1/path", json!("q")),
        (&["--history", "y:o"], "/step_history/0", step.clone()),
        (
            &["--action", "spawn-verifier"],
            "/resume",
            json!({"action": "spawn-verifier", "context": {}}),
        ),
        (
            &["--action", "spawn-verifier", "--context", "z=1"],
            "/resume",
            json!({"action": "spawn-verifier", "context": {"z": 1}}),
        ),
        (&["--progress", "a=3"], "/resume", resume.clone()),
    ];
    for (args, at, expected) in rows {
        fs::write(sandbox.path(STATE), state.to_string()).unwrap();
        sandbox.recorded(&[&[STATE, "--step", "execute"], args].concat());
        let checkpoint = sandbox.value(STATE)["checkpoint"].clone();
        assert_eq!(checkpoint.pointer(at), Some(&expected), "{args:?}");
        assert_ne!(checkpoint["updated_at"], THEN, "{args:?}");
        let grown = |list: &str, option: &str| {
            let expected = 1 + usize::from(args.contains(&option));
            assert_eq!(
                checkpoint[list].as_array().unwrap().len(),
                expected,
                "{args:?}"
            );
        };
        grown("artifacts", "--artifact");
        grown("step_history", "--history");
    }
    sandbox.refused(2, &[STATE, "--step", "execute", "--context", "z=1"]);
}

#[test]
fn mgw_each_step_at_each_stage() {
    const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";
    let sandbox = Sandbox::new();
    let all = [
        "new",
        "triaged",
        "approved",
        "planning",
        "diagnosing",
        "executing",
        "verifying",
        "pr-created",
        "done",
        "needs-info",
        "needs-security-review",
        "discussing",
        "failed",
        "blocked",
    ];
    let rows = [
        ("plan", &["planning", "executing"][..]),
        ("execute", &["executing", "verifying"]),
        ("verify", &["verifying"]),
        ("pr", &["pr-created", "done"]),
    ];
    for (row, (step, stages)) in rows.into_iter().enumerate() {
        for (nth, stage) in all.into_iter().enumerate() {
            let state =
                json!({"issue": {"number": 57}, "pipeline_stage": stage, "checkpoint": null});
            fs::write(sandbox.path(STATE), state.to_string()).unwrap();
            // An issue that waits for a person has not come further than its checkpoint.
            let fits = stages.contains(&stage);
            if !fits && !is_tried(row + nth, 3) {
                continue;
            }
            let code = sandbox.tried(&[STATE, "--step", step]);
            assert_eq!(code, if fits { 0 } else { 3 }, "{step} at {stage}");
            assert_eq!(sandbox.tried(&[STATE, "--step", "triage"]), 0, "{stage}");
        }
    }
}

const FEATURE: &str = "projects/trader/.worktree/price-alerts";

fn feature(sandbox: &Sandbox, step: &str, without: &str) {
    let number: Value = serde_json::from_str(step).unwrap();
    let mut state = json!({"feature_name": "price-alerts", "current_phase": 2, "current_step": number, "total_phases": 3,
        "last_execution": {"phase": 2, "step": number, "agent": "x", "status": "in_progress",
            "timestamp": "2025-11-09T15:12:44"}, "completed_steps": []});
    state.as_object_mut().unwrap().remove(without);
    let path = sandbox.path(&format!("{FEATURE}/workflow-state.json"));
    fs::write(path, state.to_string()).unwrap();
}

/// Where a step leads with each status: the next step on success, back to what a reviewer rejected, else again.
#[test]
fn nine_step_each_status_of_each_step() {
    let sandbox = Sandbox::new();
    let steps = ["1", "2", "2.5", "3", "4", "5", "6", "7", "8", "9"];
    let after = ["2", "2.5", "3", "4", "5", "6", "7", "8", "9", ""];
    let back = ["1", "1", "1", "3", "3", "5", "5", "7", "7", "9"];
    for (at, step) in steps.into_iter().enumerate() {
        let next = match after[at] {
            "" => "phase-3-step-3".to_owned(),
            next => format!("phase-2-step-{next}"),
        };
        let again = format!("phase-2-step-{step}");
        let returns = format!("phase-2-step-{}", back[at]);
        for (status, expected) in [
            ("completed", Some(&next)),
            ("approved", Some(&next)),
            ("failed", Some(&returns)),
            ("in_progress", Some(&again)),
            ("rejected", None),
        ] {
            feature(&sandbox, step, "");
            let mut args = vec![FEATURE, "--phase", "2", "--step", step, "--status", status];
            if step == "2.5" {
                args.extend(["--approved-by", "Ann"]);
            }
            let answer = sandbox.recorded(&args);
            let id = answer["next"]["id"].as_str();
            assert_eq!(id, expected.map(String::as_str), "{step} {status}");
            let state = sandbox.value(&format!("{FEATURE}/workflow-state.json"));
            let done = usize::from(["completed", "approved"].contains(&status));
            assert_eq!(
                state["completed_steps"].as_array().unwrap().len(),
                done,
                "{step} {status}"
            );
        }
    }
}

#[test]
fn nine_step_each_required_field() {
    let sandbox = Sandbox::new();
    let args = [
        FEATURE,
        "--phase",
        "2",
        "--step",
        "3",
        "--status",
        "completed",
    ];
    for (without, code) in [
        ("", 0),
        ("feature_name", 5),
        ("current_phase", 5),
        ("current_step", 5),
        ("last_execution", 5),
    ] {
        feature(&sandbox, "3", without);
        assert_eq!(sandbox.tried(&args), code, "{without}");
    }
}

#[test]
fn crucible_each_outcome_of_a_dispatch() {
    let sandbox = Sandbox::new();
    let (session, folder) = run(&sandbox);
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let outcomes = ["completed", "failed", "error", "skipped"];
    for status in outcomes {
        let begun = "dispatch r --phase 3 --template t --body body.md".split(' ');
        let begun: Vec<&str> = [session.as_str()].into_iter().chain(begun).collect();
        let begun = sandbox.recorded(&begun);
        let seq = begun["recorded"]["seq"].to_string();
        let done = |status: &str| {
            sandbox.tried(&[&session, "done", &seq, "--status", status, "--summary", "x"])
        };
        for wrong in ["dispatched", "running", "COMPLETED"] {
            assert_eq!(done(wrong), 3, "{wrong}");
        }
        sandbox.recorded(&[&session, "done", &seq, "--status", status, "--summary", "x"]);
        let manifest = sandbox.text(&format!("{folder}/manifest.jsonl"));
        let line: Value = serde_json::from_str(manifest.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&line["seq"].to_string(), &line["status"]),
            (&seq, &status.into())
        );
        // The run continues without a failed one.
        let dropped = ["failed", "error"].contains(&status);
        for again in outcomes {
            let code = if dropped && again == "skipped" { 0 } else { 3 };
            assert_eq!(done(again), code, "{status}, then {again}");
        }
    }
}

#[test]
fn crucible_each_phase_after_each_phase() {
    let sandbox = Sandbox::new();
    let (session, _) = run(&sandbox);
    all_ended(&sandbox, &session);
    let answer = sandbox.recorded(&[&session, "phase", "4"]);
    let marker = answer["recorded"]["files"][0]["path"]
        .as_str()
        .unwrap()
        .to_owned();
    for from in 1..=4 {
        let text = fs::read_to_string(&marker).unwrap();
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value["phase"] = from.to_string().into();
        fs::write(&marker, value.to_string()).unwrap();
        for to in 0..=5 {
            let code = sandbox.tried(&[&session, "phase", &to.to_string()]);
            let allowed = to <= 4 && to <= from + 1;
            assert_eq!(code, if allowed { 0 } else { 3 }, "{from} to {to}");
        }
    }
}
