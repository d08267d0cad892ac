//! Features whose state file does not exist: the first one is begun, and nothing that was done is begun again.

use std::fs;
use std::process::Command;

use crate::cli_acting::sandbox::Sandbox;

#[test]
fn a_feature_begins_in_its_worktree() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    let project = sandbox.path("projects/trader");
    let git = Command::new("git")
        .args([
            "worktree",
            "add",
            "-q",
            ".worktree/new-one",
            "-b",
            "feature/new-one",
        ])
        .current_dir(&project)
        .status()
        .unwrap();
    assert!(git.success());
    let tree = "projects/trader/.worktree/new-one";
    let init = [
        "init",
        "--system",
        "nine-step",
        "--feature",
        "new-one",
        "--plan",
        ".plan/new_one_plan.md",
        "--phases",
        "2",
    ];
    sandbox.refused(3, &[&["projects/trader"], &init[..]].concat());
    let answer = sandbox.recorded(&[&[tree], &init[..], &["--approved-by", "Ann"]].concat());
    assert_eq!(answer["next"]["id"], "phase-1-step-3");
    let state = sandbox.value(&format!("{tree}/workflow-state.json"));
    assert_eq!(
        (&state["branch_name"], &state["total_phases"]),
        (&"feature/new-one".into(), &2.into())
    );
    assert_eq!(state["last_execution"]["approved_by"], "Ann");
    assert_eq!(sandbox.recommended("new-one"), "phase-1-step-3");
    sandbox.refused(3, &[&[tree], &init[..]].concat());
    sandbox.recorded(&[tree, "--phase", "1", "--step", "3", "--status", "completed"]);
    assert_eq!(sandbox.recommended("new-one"), "phase-1-step-4");
}

/// A worktree that relight already lists as a pipeline needs no `--system`. What its branch has commits of stays done.
#[test]
fn a_feature_whose_state_file_is_lost_continues_after_its_commits() {
    let tree = "projects/trader/.worktree/csv-export";
    let plan = "projects/trader/.plan/csv_export_plan.md";
    let init = ["init", "--feature", "csv-export", "--plan", plan];
    let approved = ["--phases", "2", "--approved-by", "Ann"];
    for (operand, more) in [(tree, &approved[..2]), ("csv-export", &approved)] {
        let sandbox = Sandbox::new();
        let step = ["--phase", "2", "--step", "3", "--status", "completed"];
        let step = [&[operand], &step[..]].concat();
        let text = sandbox.refused(3, &step);
        assert!(
            text.contains("workflow-state.json does not exist"),
            "{text}"
        );
        let answer = sandbox.recorded(&[&[operand], &init[..], more].concat());
        assert_eq!(answer["recorded"]["form"], "nine-step init", "{operand}");
        assert_eq!(answer["next"]["id"], "phase-2-step-3", "{answer}");
        let said = "The branch has commits of 1 phase, which is recorded as completed.";
        assert_eq!(answer["notes"], serde_json::json!([said]), "{answer}");
        let state = sandbox.value(&format!("{tree}/workflow-state.json"));
        assert_eq!(state["feature_name"], "csv-export");
        let last = &state["last_execution"];
        assert_eq!((&last["phase"], &last["step"]), (&1.into(), &9.into()));
        let done = state["completed_steps"].as_array().unwrap();
        assert_eq!((done.len(), done.last()), (more.len() / 2, Some(last)));
        assert_eq!(sandbox.recommended("csv-export"), "phase-2-step-3");
        let (_, verified) = sandbox.json(&["verify", "csv-export"]);
        assert!(!verified.to_string().contains("\"fail\""), "{verified:#}");
        sandbox.recorded(&step);
    }
}

/// The records that are left, in the backup or beside the work, are used instead.
#[test]
fn no_feature_begins_while_its_records_are_elsewhere() {
    let tree = "projects/trader/.worktree/price-alerts";
    let init = [
        "init",
        "--system",
        "nine-step",
        "--feature",
        "price-alerts",
        "--plan",
        "p.md",
        "--phases",
        "3",
    ];
    let init = [&[tree], &init[..]].concat();
    for (name, said) in [
        (
            ".worktree/price-alerts/workflow-state.json.backup",
            "workflow-state.json.backup has the records",
        ),
        (
            "workflow-state.json",
            "trader/workflow-state.json has the records",
        ),
    ] {
        let sandbox = Sandbox::new();
        let state = sandbox.path(&format!("{tree}/workflow-state.json"));
        let text = fs::read(&state).unwrap();
        fs::remove_file(&state).unwrap();
        fs::write(sandbox.path(&format!("projects/trader/{name}")), text).unwrap();
        let why = sandbox.refused(3, &init);
        assert!(why.contains(said), "{why}");
    }
}
