//! The worktree put back to the commit that a step began from.

use super::*;
use crate::model::Step;

fn rewound(sandbox: &Sandbox, point: &str) -> Intent {
    let options = PlanOptions {
        rewind_branch: true,
        ..PlanOptions::default()
    };
    sandbox.intent_with(point, &options).unwrap()
}

/// The usual issue with three commits, the step before ended right after so many of them.
fn issue(commits_then: usize) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let ended = commit(commits_then, None).time + chrono::TimeDelta::seconds(5);
    let ended = ended.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let members = after("plan", "spawn-executor").replace("2026-05-01T09:00:00.000Z", &ended);
    sandbox.git(3).state(&members);
    sandbox.doc("4-PLAN.md", "x");
    sandbox
}

fn losses(intent: &Intent) -> Vec<String> {
    let all = intent.losses.iter();
    all.map(|loss| loss.lossy().into_owned()).collect()
}

#[test]
fn a_step_goes_back_to_the_commit_that_stood_when_it_began() {
    for (then, point, expected, since) in [
        (1, "step-execute", 1, "2 commits leave"),
        (2, "step-execute", 2, "1 commit leaves"),
        (0, "step-execute", 0, "3 commits leave"),
        (2, "step-plan", 0, "3 commits leave"),
    ] {
        let sandbox = issue(then);
        let intent = rewound(&sandbox, point);
        let tree = sandbox.root.join(".worktrees").join(BRANCH);
        let reset = Step::ResetWorktree {
            worktree: tree.clone(),
            commit: commit(expected, None).id,
        };
        assert_eq!(intent.steps.first(), Some(&reset), "{then} {point}");
        let need = intent.tree.as_ref().unwrap();
        assert_eq!(
            (&need.work_tree, need.branch.as_ref().unwrap().as_str()),
            (&tree, Some(BRANCH))
        );
        assert!(
            losses(&intent)[0].starts_with(since),
            "{:?}",
            losses(&intent)
        );
        assert!(intent.guards.iter().all(|guard| guard.holds));
    }
}

#[test]
fn unasked_the_commits_stay_and_the_option_is_named() {
    let sandbox = issue(1);
    let intent = sandbox.intent("step-plan").unwrap();
    assert!(intent.tree.is_none());
    assert!(
        intent
            .steps
            .iter()
            .all(|step| matches!(step, Step::ReplaceFile { .. }))
    );
    let said = losses(&intent);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("3 commits of the steps done again stay")
            && said[0].contains("--rewind-branch")
    );
}

#[test]
fn what_is_not_on_record_is_refused_and_not_guessed() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2).state("\"pipeline_stage\": \"executing\"");
    sandbox.doc("4-PLAN.md", "x");
    let failing = |intent: &Intent| -> Vec<String> {
        let bad = intent.guards.iter().filter(|guard| !guard.holds);
        bad.map(|guard| guard.id.to_string()).collect()
    };
    assert_eq!(failing(&rewound(&sandbox, "step-execute")), ["rewind"]);
    assert_eq!(failing(&rewound(&sandbox, "step-plan")), [""; 0]);
    let mut gone = issue(1);
    gone.repo().worktrees.clear();
    assert_eq!(failing(&rewound(&gone, "step-execute")), ["rewind"]);
    let fresh = rewound(&issue(1), "fresh");
    assert!(fresh.tree.is_none() && fresh.steps.len() == 1);
}
