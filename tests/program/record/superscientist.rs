//! Workflows: each transition of the table with its line in the log, dependencies, sessions, a new workflow.

use std::fs;

use serde_json::{Value, json};

use crate::act_systems::part::is_tried;
use crate::cli_acting::sandbox::Sandbox;

pub(super) const WF: &str = "projects/science/polymer-ring";
pub(super) const STATE: &str = "projects/science/polymer-ring/workflow-state.json";
pub(super) const LOG: &str = "projects/science/polymer-ring/progress.log";

const NEXT: [(&str, &[&str]); 9] = [
    ("pending", &["ready"]),
    ("ready", &["preparing"]),
    ("preparing", &["running", "post_processing", "failed"]),
    ("running", &["post_processing", "failed"]),
    ("post_processing", &["completed", "failed"]),
    ("completed", &[]),
    ("failed", &["ready"]),
    ("invalidated", &["ready"]),
    ("skipped", &[]),
];

/// The second stage at a status, the first one completed.
pub(super) fn at_status(sandbox: &Sandbox, status: &str) {
    let text = format!(
        "{{\n  \"workflow_id\": \"w\",\n  \"version\": 1,\n  \"updated\": \"2026-01-01T00:00:00Z\",\n  \"amendments\": [],\n  \"stages\": [\n    {{\"id\": \"stage-1\", \"name\": \"A\", \"status\": \"completed\", \"depends_on\": []}},\n    {{\"id\": \"stage-2\", \"name\": \"\u{3ba}\", \"status\": \"{status}\", \"depends_on\": [\"stage-1\"], \"outputs\": [], \"parameters\": {{\"tol\": 1e-6}}, \"started_at\": null, \"completed_at\": null, \"retry_count\": 0, \"last_error\": null, \"running_process\": null}}\n  ]\n}}\n"
    );
    fs::write(sandbox.path(STATE), text).unwrap();
}

pub(super) fn stage(sandbox: &Sandbox, number: usize) -> Value {
    sandbox.value(STATE)["stages"][number - 1].clone()
}

fn last_line(sandbox: &Sandbox) -> String {
    let log = sandbox.text(LOG);
    let line = log.lines().last().unwrap();
    let (at, message) = line.split_once("] ").unwrap();
    chrono::DateTime::parse_from_rfc3339(at.trim_start_matches('[')).unwrap();
    message.to_owned()
}

#[test]
fn a_retry_does_not_end_by_the_markers_of_the_failed_attempt() {
    let sandbox = Sandbox::new();
    at_status(&sandbox, "failed");
    let folder = sandbox.path(&format!("{WF}/stage-2"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("DPDISP_DONE"), "").unwrap();
    fs::write(folder.join("DPDISP_EXIT_CODE"), "1\n").unwrap();
    sandbox.recorded(&[WF, "stage-2", "ready"]);
    let there = |name: &str| folder.join(name).exists();
    assert!(!there("DPDISP_DONE") && !there("DPDISP_EXIT_CODE"));
    assert!(there("DPDISP_DONE.v1") && there("DPDISP_EXIT_CODE.v1"));
    assert_eq!(stage(&sandbox, 2)["status"], "ready");
}

#[test]
fn every_transition_of_the_table_and_no_other() {
    let sandbox = Sandbox::new();
    for (row, (from, own)) in NEXT.iter().enumerate() {
        for (column, (to, _)) in NEXT.iter().enumerate() {
            // All that is allowed, and some of what is not.
            let some = is_tried(row + column, 3) || own.contains(to);
            if to == from || !some {
                continue;
            }
            at_status(&sandbox, from);
            let mut args = vec![WF, "stage-2", to];
            if *to == "failed" {
                sandbox.refused(if own.contains(to) { 2 } else { 3 }, &args);
                args.extend(["--error", "exit 1"]);
            }
            if own.contains(to) {
                sandbox.recorded(&args);
                assert_eq!(stage(&sandbox, 2)["status"], *to, "{from}");
                assert!(
                    last_line(&sandbox).starts_with(&format!("stage-2 (\u{3ba}): status -> {to}")),
                    "{from} {to}"
                );
                assert!(
                    sandbox
                        .text(STATE)
                        .contains("\"parameters\": {\"tol\": 1e-6}")
                );
            } else {
                sandbox.refused(3, &args);
            }
        }
    }
}

#[test]
fn a_stage_goes_from_its_retry_to_its_end() {
    let sandbox = Sandbox::new();
    let next = |answer: &Value| {
        answer["next"]["id"]
            .as_str()
            .unwrap_or("nothing")
            .to_owned()
    };
    let answer = sandbox.recorded(&[WF, "2", "ready", "--note", "mesh 60"]);
    assert_eq!(next(&answer), "stage-2:rerun");
    assert_eq!(stage(&sandbox, 2)["retry_count"], 2);
    assert!(
        sandbox
            .text(LOG)
            .contains("stage-2: retry #2 after fix: mesh 60")
    );
    sandbox.recorded(&[WF, "2", "preparing"]);
    assert!(stage(&sandbox, 2)["started_at"].is_string());
    let answer = sandbox.recorded(&[WF, "2", "running"]);
    assert_eq!(next(&answer), "stage-2:monitor");
    let job = stage(&sandbox, 2)["running_process"].clone();
    assert_eq!(
        (
            &job["tmux_session"],
            &job["wrapper_script"],
            &job["recovery_attempted"]
        ),
        (
            &"dpdisp_stage-2".into(),
            &"stage-2/dpdisp-run.sh".into(),
            &false.into()
        )
    );
    assert_eq!(
        last_line(&sandbox),
        "stage-2 (Relax): status -> running (tmux: dpdisp_stage-2)"
    );
    sandbox.refused(3, &[WF, "2", "running"]);
    sandbox.recorded(&[WF, "2", "running", "--recovered", "--tmux", "again"]);
    let job = stage(&sandbox, 2)["running_process"].clone();
    assert_eq!(
        (&job["tmux_session"], &job["recovery_attempted"]),
        (&"again".into(), &true.into())
    );
    sandbox.refused(2, &[WF, "2", "post_processing", "--recovered"]);
    sandbox.recorded(&[WF, "2", "post_processing"]);
    // Its output is missing.
    let text = sandbox.refused(3, &[WF, "2", "completed"]);
    assert!(text.contains("relaxed.dat"), "{text}");
    fs::write(
        sandbox.path(&format!("{WF}/stage-2/relaxed.dat")),
        "energy -18.5\n",
    )
    .unwrap();
    let answer = sandbox.recorded(&[WF, "2", "completed"]);
    assert!(stage(&sandbox, 2)["completed_at"].is_string());
    assert_eq!(next(&answer), "stage-3:rerun");
    sandbox.recorded(&[WF, "3", "ready"]);
    let third = stage(&sandbox, 3);
    assert_eq!(
        (&third["started_at"], &third["completed_at"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn what_is_not_valid_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    for (code, args) in [
        (2, &["stage-2"][..]),
        (2, &["stage-2", "ready", "--error", "x"]),
        (2, &["stage-2", "ready", "--stage", "x"]),
        (2, &["session"]),
        (2, &["log"]),
        (3, &["session", "middle"]),
        (3, &["log", "stage-2: status -> completed"]),
        (3, &["stage-9", "ready"]),
        (3, &["stage-2", "done"]),
        (3, &["stage-2", "skipped"]),
        (3, &["stage-1", "invalidated"]),
        // Its dependency has failed.
        (3, &["stage-3", "ready"]),
    ] {
        sandbox.refused(code, &[&[WF], args].concat());
    }
    let text = sandbox
        .text(STATE)
        .replace("\"retry_count\": 1", "\"retry_count\": 3");
    fs::write(sandbox.path(STATE), text).unwrap();
    sandbox.refused(3, &[WF, "stage-2", "ready"]);
    sandbox.recorded(&[WF, "stage-2", "ready", "--approved-by", "Ann"]);
    fs::write(sandbox.path(STATE), "{\"workflow_id\": ").unwrap();
    sandbox.refused(5, &[WF, "stage-2", "preparing"]);
}

#[test]
fn a_skipped_dependency_needs_a_person() {
    let sandbox = Sandbox::new();
    at_status(&sandbox, "pending");
    let text = sandbox.text(STATE).replace(
        "\"completed\", \"depends_on\": []",
        "\"skipped\", \"depends_on\": []",
    );
    fs::write(sandbox.path(STATE), text).unwrap();
    sandbox.refused(3, &[WF, "stage-2", "ready"]);
    sandbox.recorded(&[WF, "stage-2", "ready", "--approved-by", "Ann"]);
}

#[test]
fn sessions_and_lines() {
    let sandbox = Sandbox::new();
    let before = sandbox.value(STATE)["session_config"]["session_count"]
        .as_u64()
        .unwrap();
    sandbox.recorded(&[WF, "session", "start", "--note", "On the big machine."]);
    let config = sandbox.value(STATE)["session_config"].clone();
    assert_eq!(
        (&config["session_count"], &config["session_cost"]),
        (&(before + 1).into(), &0.into())
    );
    assert_eq!(
        last_line(&sandbox),
        format!("Session {} started. On the big machine.", before + 1)
    );
    sandbox.recorded(&[WF, "log", "two\r\nlines", "{now}"]);
    assert_eq!(last_line(&sandbox), "two lines { now }");
    sandbox.recorded(&[WF, "session", "end"]);
    assert_eq!(
        last_line(&sandbox),
        format!("Session {} ended.", before + 1)
    );
}

#[test]
fn a_workflow_begins_from_a_plan() {
    let sandbox = Sandbox::new();
    let stage = |id: &str, needs: &[&str]| json!({"id": id, "name": "N", "depends_on": needs, "success_criteria": "it is there"});
    let init = |plan: &Value, dir: &str| {
        fs::write(sandbox.path("plan.json"), plan.to_string()).unwrap();
        sandbox.record(&[
            dir,
            "init",
            "--system",
            "superscientist",
            "--from",
            "plan.json",
        ])
    };
    let plan = |stages: Vec<Value>| json!({"workflow_id": "new-2026-11-22", "purpose": "See.", "experiment_design": "design.md", "workflow_plan": "plan.md", "stages": stages});
    for (stages, code) in [
        (vec![], 3),
        (vec![stage("stage-2", &[])], 3),
        (vec![stage("stage-1", &["stage-9"])], 3),
        (
            vec![
                stage("stage-1", &["stage-2"]),
                stage("stage-2", &["stage-1"]),
            ],
            3,
        ),
        (vec![stage("stage-1", &[]), stage("stage-1", &[])], 3),
        (
            vec![json!({"id": "stage-1", "name": "N", "success_criteria": ""})],
            3,
        ),
        (
            vec![json!({"id": "stage-1", "name": "N", "success_criteria": "x", "backend": "moon"})],
            3,
        ),
    ] {
        let (found, answer) = init(&plan(stages), "projects/science/new");
        assert_eq!(found, code, "{answer}");
        assert!(!sandbox.path("projects/science/new").exists());
    }
    // The refusal names what is missing, and only that.
    let odd = json!({"id": 1, "name": "N", "depends_on": [], "success_criteria": "x"});
    let (code, answer) = init(&plan(vec![odd]), "projects/science/new");
    let text = answer["error"]["text"].as_str().unwrap_or_default();
    assert_eq!(code, 3, "{answer}");
    assert!(text.ends_with("has no text `id`."), "{answer}");
    // It is no option of the command.
    let mut lacking = plan(vec![stage("stage-1", &[])]);
    lacking.as_object_mut().unwrap().remove("experiment_design");
    let (code, answer) = init(&lacking, "projects/science/new");
    let text = &answer["error"]["text"];
    assert_eq!(
        (code, text),
        (2, &"The plan has no experiment_design.".into())
    );
    // Ids may be left out.
    let unnumbered = |needs: &[&str]| json!({"name": "N", "depends_on": needs, "success_criteria": "it is there"});
    let (code, answer) = init(
        &plan(vec![unnumbered(&[]), unnumbered(&["stage-1"])]),
        "projects/science/new",
    );
    assert_eq!(
        (code, &answer["next"]["id"]),
        (0, &"stage-1:rerun".into()),
        "{answer}"
    );
    let dir = sandbox.path("projects/science/new");
    assert!(
        fs::read_to_string(dir.join("init.sh"))
            .unwrap()
            .ends_with("echo \"Environment ready.\"\n")
    );
    let log = fs::read_to_string(dir.join("progress.log")).unwrap();
    assert!(
        log.contains("] Workflow created: new-2026-11-22. 2 stages. Purpose: See."),
        "{log}"
    );
    let (_, show) = sandbox.json(&["show", "projects/science/new"]);
    assert_eq!(show["pipeline"]["title"], "See.");
    let (_, verify) = sandbox.json(&["verify", "projects/science/new"]);
    assert_ne!(verify["verdict"], "fail", "{verify}");
    for status in ["ready", "preparing", "post_processing", "completed"] {
        sandbox.recorded(&["projects/science/new", "1", status]);
    }
    let text = sandbox.refused(3, &["projects/science/new", "complete"]);
    assert!(text.contains("stage-2 is pending"), "{text}");
    for status in ["ready", "preparing", "post_processing", "completed"] {
        sandbox.recorded(&["projects/science/new", "2", status]);
    }
    assert_eq!(sandbox.recommended("projects/science/new"), "completion");
    sandbox.recorded(&["projects/science/new", "complete"]);
    let (_, show) = sandbox.json(&["show", "projects/science/new"]);
    assert_eq!(show["pipeline"]["status"], "complete");
    sandbox.a_second_later();
    let text = sandbox.refused(3, &["projects/science/new", "complete"]);
    assert!(text.contains("already"), "{text}");
    assert_eq!(
        init(&plan(vec![stage("stage-1", &[])]), "projects/science/new").0,
        3
    );
}

#[test]
fn a_state_file_that_is_a_link_is_named() {
    let sandbox = Sandbox::new();
    for (dir, args) in [
        ("projects/science/polymer-ring", &["stage-2", "ready"][..]),
        (
            "projects/trader/.worktree/price-alerts",
            &["--phase", "2", "--step", "3", "--status", "completed"],
        ),
    ] {
        let state = sandbox.path(dir).join("workflow-state.json");
        let away = state.with_file_name("elsewhere.json");
        std::fs::rename(&state, &away).unwrap();
        std::os::unix::fs::symlink("elsewhere.json", &state).unwrap();
        let (code, answer) = sandbox.json(&[&["record", dir], args].concat());
        let said = answer["error"]["text"].as_str().unwrap();
        assert_ne!(code, 0, "{answer}");
        assert!(
            said.contains("workflow-state.json") && said.contains("link"),
            "{said}"
        );
    }
}

#[test]
fn a_log_that_cannot_be_appended_to_is_named() {
    let sandbox = Sandbox::new();
    let dir = "projects/science/polymer-ring";
    let log = sandbox.path(dir).join("progress.log");
    let away = sandbox.path(dir).join("other.log");
    fs::hard_link(&log, &away).unwrap();
    let text = sandbox.refused(3, &[dir, "log", "x"]);
    assert!(text.contains("progress.log: it has another name"), "{text}");
    fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink("other.log", &log).unwrap();
    let text = sandbox.refused(3, &[dir, "log", "x"]);
    assert!(text.contains("progress.log"), "{text}");
}

#[test]
fn the_list_of_records_names_every_file() {
    let sandbox = Sandbox::new();
    let answer = sandbox.recorded(&["projects/science/polymer-ring", "stage-2", "ready"]);
    let files = answer["recorded"]["files"].as_array().unwrap();
    let output = sandbox.run(&["history", "--records"]);
    let said = String::from_utf8(output.stdout).unwrap();
    for file in files {
        let path = file["path"].as_str().unwrap();
        assert!(
            said.contains(path.rsplit('/').next().unwrap()),
            "{path}: {said}"
        );
    }
}
