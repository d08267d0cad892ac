//! Resetting the worktree to the commit at the start of a step.

use crate::model::Step;
use crate::systems::mgw::tests::*;
use crate::systems::testing::replaced;

pub(super) fn rewound(sandbox: &Sandbox, point: &str) -> Intent {
    let options = PlanOptions {
        rewind_branch: true,
        ..PlanOptions::default()
    };
    sandbox.intent_with(point, &options).unwrap()
}

/// The usual issue with three commits; the step before ended after `commits_then` of them.
pub(super) fn issue(commits_then: usize) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let ended = commit(commits_then, None).time + chrono::TimeDelta::seconds(5);
    let ended = ended.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let members = after("plan", "spawn-executor").replace("2026-05-01T09:00:00.000Z", &ended);
    sandbox.git(3).state(&members);
    sandbox.doc("4-PLAN.md", "x");
    sandbox
}

pub(super) fn losses(intent: &Intent) -> Vec<String> {
    let all = intent.losses.iter();
    all.map(|loss| loss.lossy().into_owned()).collect()
}

#[test]
fn a_step_rewinds_to_the_newest_commit_at_its_start() {
    for (then, point, expected, since) in [
        (1, "step-execute", 1, "2 commits are removed"),
        (2, "step-execute", 2, "1 commit is removed"),
        (0, "step-execute", 0, "3 commits are removed"),
        (2, "step-plan", 0, "3 commits are removed"),
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

/// A finished phase of a milestone is not repeated, and its commits are not removed.
#[test]
fn f10_the_plan_of_a_later_phase_starts_at_the_end_of_the_phase_before_it() {
    let ended = commit(2, None).time + chrono::TimeDelta::seconds(5);
    let ended = ended.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let members = after("verify", "next-phase")
        .replace("2026-05-01T09:00:00.000Z", &ended)
        .replace("quick --full", "gsd:new-milestone");
    // Which phase was completed: as the checkpoint says, or by the documents if it says nothing or nonsense.
    for said in [
        "\"completed_phase\": 1, ",
        "",
        "\"completed_phase\": \"x\", ",
    ] {
        begins_after_phase_1(&members.replace("\"quick_dir\"", &format!("{said}\"quick_dir\"")));
    }
}

fn begins_after_phase_1(members: &str) {
    let mut sandbox = Sandbox::new();
    sandbox.git(3).state(members);
    let file = |name: &str, text: &str| {
        sandbox.file(&format!(".worktrees/{BRANCH}/.planning/{name}"), text);
    };
    file(
        "ROADMAP.md",
        "# Roadmap v2.0\n\n- [x] **Phase 1: Store**\n- [ ] **Phase 2: Speed**\n\n### Phase 1: Store\n### Phase 2: Speed\n",
    );
    for name in ["01-01-PLAN.md", "01-01-SUMMARY.md"] {
        file(&format!("phases/01-store/{name}"), "# Done\n");
    }
    file(
        "phases/01-store/01-VERIFICATION.md",
        "---\nstatus: passed\n---\n",
    );
    assert_eq!(sandbox.chosen().as_deref(), Some("step-plan"));
    let progress = sandbox.open().reading().progress;
    assert_eq!((progress.done, progress.total), (Some(4), Some(8)));
    let intent = rewound(&sandbox, "step-plan");
    let reset = intent.steps.iter().find_map(|step| {
        let Step::ResetWorktree { commit, .. } = step else {
            return None;
        };
        Some(commit.clone())
    });
    assert_eq!(reset, Some(commit(2, None).id));
    let points = sandbox.boundaries();
    let plan = points.iter().find(|point| point.id.0 == "step-plan");
    assert_eq!(plan.map(|point| point.redone), Some(Some(0)));
}

/// A document that the chosen paths leave out stays, and so is neither a loss nor a reason to refuse.
#[test]
fn only_chosen_documents_are_removed_by_the_reset() {
    let mut sandbox = issue(1);
    sandbox.doc("4-SUMMARY.md", "x");
    let tip = commit(3, None).id;
    for name in ["4-PLAN.md", "4-SUMMARY.md"] {
        let path = PathBuf::from(DOCS).join(name);
        sandbox
            .repo()
            .blobs
            .insert((tip.clone(), path), b"x".to_vec());
    }
    let tree = sandbox.root.join(".worktrees").join(BRANCH);
    for (path, gone) in [
        (None, true),
        (Some(PathBuf::from("src")), false),
        (Some(PathBuf::from("./.planning")), true),
        (Some(tree.join(DOCS)), true),
    ] {
        let options = PlanOptions {
            rewind_branch: true,
            paths: path.clone().into_iter().collect(),
            ..PlanOptions::default()
        };
        let intent = sandbox.intent_with("step-execute", &options).unwrap();
        let said = losses(&intent).join(" ");
        assert_eq!(
            said.contains("removed by the reset"),
            gone,
            "{path:?}: {said}"
        );
        let refused = intent.guards.iter().any(|guard| !guard.holds);
        assert_eq!(refused, gone, "{path:?}: {:?}", intent.guards);
    }
}

#[test]
fn without_the_option_the_commits_stay_and_it_is_named() {
    let sandbox = issue(1);
    let intent = sandbox.intent("step-plan").unwrap();
    assert!(intent.tree.is_none());
    assert!(intent.steps.iter().all(|step| replaced(step).is_some()));
    let said = losses(&intent);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("3 commits of the steps that run again stay")
            && said[0].contains("--rewind-branch")
    );
}

#[test]
fn an_unrecorded_start_is_refused_and_not_guessed() {
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

/// Applies the one change of a point to the state file, with the current time.
fn apply(sandbox: &Sandbox, point: &str) -> bool {
    let intent = sandbox.intent(point).unwrap();
    let Some((path, _, content)) = intent.steps.iter().find_map(replaced) else {
        return false;
    };
    let path = path.strip_prefix(&sandbox.root).unwrap().to_owned();
    let text = String::from_utf8(content).unwrap();
    let text = text.replace("{now}", "2026-05-02T12:00:00.000Z");
    sandbox.aged(path.to_str().unwrap(), text, 0);
    true
}

/// `f9`: after relight rewound a checkpoint, the next reading recommends the step that it was rewound to, although
/// documents, commits and pushes of the discarded work still exist.
#[test]
fn f9_after_a_rewind_its_target_is_recommended() {
    let all = ["4-PLAN.md", "4-SUMMARY.md", "4-VERIFICATION.md"];
    let starts = [
        ("plan", "spawn-executor"),
        ("execute", "spawn-verifier"),
        ("execute", "create-pr"),
        ("verify", "create-pr"),
        ("triage", "begin-execution"),
    ];
    let mut seen = 0;
    for (step, action) in starts {
        for count in 0..=all.len() {
            let make = || {
                let mut sandbox = Sandbox::new();
                sandbox.git(2).state(&after(step, action));
                for name in all.iter().take(count) {
                    sandbox.doc(name, "---\nstatus: passed\n---\n");
                }
                sandbox
            };
            let points: Vec<String> = make().boundaries().into_iter().map(|b| b.id.0).collect();
            for point in points {
                let sandbox = make();
                if sandbox.chosen().as_deref() == Some(point.as_str()) || !apply(&sandbox, &point) {
                    continue;
                }
                let expected = if point == "fresh" {
                    "step-plan"
                } else {
                    &point
                };
                // A step without its document cannot be resumed: the step that creates the document is next.
                let lacks = match point.as_str() {
                    "step-execute" => count < 1,
                    "step-verify" | "step-pr" => count < 2,
                    _ => false,
                };
                let next = sandbox.chosen();
                if lacks {
                    assert!(
                        next.as_deref() < Some("step-pr"),
                        "{step} {action} {count} {point}"
                    );
                } else {
                    assert_eq!(
                        next.as_deref(),
                        Some(expected),
                        "{step} {action} {count} {point}"
                    );
                }
                let back = sandbox.boundaries();
                let chosen = back
                    .iter()
                    .find(|b| matches!(b.preference, Preference::Chosen(_)));
                assert_eq!(
                    chosen.unwrap().redone,
                    Some(0),
                    "{step} {action} {count} {point}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn f9_work_after_a_rewind_counts_again() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2).state(&after("execute", "spawn-verifier"));
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    assert!(apply(&sandbox, "step-execute"));
    assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
    let summary = format!(".worktrees/{BRANCH}/{DOCS}/4-SUMMARY.md");
    sandbox.aged(&summary, "again", 0);
    assert_eq!(sandbox.chosen().as_deref(), Some("step-verify"));
    // relight's own entry is not a step of the orchestrator's.
    let rows = sandbox.open().reading().phases.clone();
    let plan = rows.iter().find(|row| row.id == "plan").unwrap();
    assert_eq!(plan.attempts, 0, "the sandbox records execute, not plan");
    assert!(plan.ended_at.is_none());
}
