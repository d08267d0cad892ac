//! After a rewind: what was done before it stays on disk and does not count.

use crate::systems::mgw::tests::*;
use crate::systems::testing::replaced;

/// An executed issue with two tasks, its documents and three commits.
fn executed() -> Sandbox {
    let mut sandbox = Sandbox::new();
    let tasks = "\"tasks_completed\": 2, \"tasks_total\": 2, \"plan_path\"";
    let members = after("execute", "spawn-verifier").replace("\"plan_path\"", tasks);
    // The commits are newer than the triage.
    let members = members.replace("2026-05-01T08:30", "2026-04-01T08:30");
    sandbox.git(3).state(&members);
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    sandbox
}

/// Writes the state file of an intent.
fn apply(sandbox: &Sandbox, point: &str) {
    for step in sandbox.intent(point).unwrap().steps {
        let (path, _, content) = replaced(&step).unwrap();
        let text = String::from_utf8(content).unwrap();
        fs::write(path, text.replace("{now}", "2026-05-02T11:00:00.000Z")).unwrap();
    }
}

fn line(sandbox: &Sandbox, point: &str, start: &str) -> String {
    let briefing = sandbox.handoff(point).briefing.lossy().into_owned();
    let found = briefing.lines().find_map(|line| line.strip_prefix(start));
    found.unwrap_or_else(|| panic!("{briefing}")).to_owned()
}

#[test]
fn only_commits_after_the_state_file_are_evidence_of_later_work() {
    let updated = |seconds: i64| {
        let at = commit(2, None).time + chrono::TimeDelta::seconds(seconds);
        at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    };
    for (seconds, evidence) in [
        (5, "1 new commit ahead of the main branch"),
        (500, "nothing newer than the state file"),
    ] {
        let mut sandbox = Sandbox::new();
        let members = after("plan", "spawn-executor");
        let members = members.replace("2026-05-02T09:00:00.000Z", &updated(seconds));
        sandbox.git(3).state(&members);
        for name in ["4-PLAN.md", "4-SUMMARY.md"] {
            let path = format!(".worktrees/{BRANCH}/{DOCS}/{name}");
            sandbox.aged(&path, "x", 86_400 * 90);
        }
        assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
        assert_eq!(line(&sandbox, "step-execute", "Evidence: "), evidence);
        // A commit of the plan is no later work, and which commits are is not known here.
        let words = "older evidence of later work (SUMMARY in the worktree).";
        let mut warnings = sandbox.boundaries().into_iter().flat_map(|b| b.warnings);
        assert!(warnings.any(|w| w.lossy().contains(words)), "{seconds}");
    }
}

#[test]
fn a_rewound_step_is_not_done_and_its_results_are_named() {
    let sandbox = executed();
    let results = "The earlier results do not count and are made again: SUMMARY in the worktree, 3 commits on the branch.";
    let prompt = |point: &str| sandbox.handoff(point).prompt.lossy().into_owned();
    assert!(
        prompt("step-execute").contains(results),
        "{}",
        prompt("step-execute")
    );
    assert!(!prompt("step-verify").contains("earlier results"));
    let nothing = "nothing newer than the state file";
    assert_eq!(line(&sandbox, "step-execute", "Evidence: "), nothing);
    let execute = |sandbox: &Sandbox| {
        let phases = sandbox.open().reading().phases.clone();
        (phases[2].done, phases[2].total)
    };
    assert_eq!(execute(&sandbox), (Some(2), Some(2)));
    apply(&sandbox, "step-execute");
    assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
    assert_eq!(execute(&sandbox), (Some(0), Some(1)));
    assert!(
        prompt("step-execute").contains(results),
        "{}",
        prompt("step-execute")
    );
}

#[test]
fn a_fresh_start_does_not_skip_the_triage_that_was_asked_for() {
    let sandbox = executed();
    let has_fresh = |sandbox: &Sandbox| {
        let points = sandbox.boundaries();
        points.iter().any(|point| point.id.0 == "fresh")
    };
    assert!(has_fresh(&sandbox));
    apply(&sandbox, "step-triage");
    assert_eq!(sandbox.chosen().as_deref(), Some("step-triage"));
    assert!(!has_fresh(&sandbox));
}

#[test]
fn a_fresh_start_removes_no_history_that_is_not_there() {
    let sandbox = Sandbox::new();
    sandbox.state("\"gsd_route\": \"quick\", \"pipeline_stage\": \"planning\"");
    let points = sandbox.boundaries();
    let fresh = points.iter().find(|point| point.id.0 == "fresh").unwrap();
    let removes = fresh.warnings.iter().any(|w| w.lossy().contains("removed"));
    assert!(!removes, "{:?}", fresh.warnings);
    assert!(
        !fresh.reason.lossy().contains("checkpoint"),
        "{}",
        fresh.reason.lossy()
    );
}
