//! The decision tables, row by row.

use crate::formats::json;
use crate::systems::mgw::facts::evidence::Docs;
use crate::systems::mgw::facts::lookup::Where;
use crate::systems::mgw::points::target::*;
use crate::systems::mgw::shape::documents::Verified;

fn state(text: &str) -> State {
    State::new(json::object(text.as_bytes()).unwrap())
}

/// `p`, `s`, `v`: a PLAN, a SUMMARY, a VERIFICATION.
fn docs(kinds: &str) -> Docs {
    let mut docs = Docs::default();
    for kind in kinds.chars() {
        let name = match kind {
            'p' => "PLAN",
            's' => "SUMMARY",
            _ => "VERIFICATION",
        };
        docs.add(format!("d/4-{name}.md"), Where::Worktree, None);
    }
    docs
}

fn evidence(kinds: &str) -> Evidence {
    Evidence {
        dir: Some("d".to_owned()),
        docs: docs(kinds),
        verified: kinds.contains('v').then_some(Verified::Passed),
        ..Evidence::default()
    }
}

fn checkpoint(step: &str, action: &str, context: &str, route: &str) -> State {
    state(&format!(
        r#"{{"pipeline_stage":"executing","gsd_route":"{route}","checkpoint":{{"pipeline_step":"{step}",
            "step_progress":{{"gsd_phase":2,"tasks_completed":1,"tasks_total":3}},
            "resume":{{"action":{action},"context":{{{context}}}}},"step_history":[{{"step":"{step}"}}]}}}}"#
    ))
}

fn goal(state: &State, evidence: &Evidence) -> (Goal, Basis) {
    let target = decide_from(state, evidence, Home::Active);
    (target.goal, target.basis)
}

#[test]
fn every_action_leads_where_the_table_says() {
    use Goal::{Cleanup, Step as At};
    use Step::{Execute, Plan, Pr, Verify};
    let table: &[(&str, &str, &str, &str, Goal)] = &[
        // Step, action, context, documents.
        ("plan", "begin-execution", "", "", At(Plan)),
        ("plan", "run-plan-checker", "", "p", At(Plan)),
        ("plan", "run-plan-checker", "", "", At(Plan)),
        ("plan", "spawn-executor", "", "p", At(Execute)),
        ("plan", "spawn-executor", "", "", At(Plan)),
        ("execute", "continue-execution", "", "p", At(Execute)),
        ("plan", "execute-phase", "", "p", At(Execute)),
        ("plan", "execute-phase", "", "", At(Plan)),
        ("execute", "spawn-verifier", "", "ps", At(Verify)),
        ("execute", "spawn-verifier", "", "p", At(Execute)),
        ("execute", "retry-verifier", "", "ps", At(Verify)),
        ("execute", "retry-verifier", "", "p", At(Execute)),
        ("execute", "verify-phase", "", "ps", At(Verify)),
        ("execute", "verify-phase", "", "p", At(Execute)),
        ("execute", "create-pr", "", "ps", At(Pr)),
        ("verify", "create-pr", "", "psv", At(Pr)),
        ("verify", "create-pr", "", "p", At(Execute)),
        ("pr", "cleanup", r#""pr_number":15"#, "ps", Cleanup),
        ("pr", "cleanup", "", "ps", At(Pr)),
        // Unknown or no action: the step decides.
        ("plan", "new-thing", "", "p", At(Execute)),
        ("plan", "new-thing", "", "", At(Plan)),
        ("execute", "new-thing", "", "ps", At(Verify)),
        ("verify", "new-thing", "", "psv", At(Pr)),
        ("pr", "new-thing", r#""pr_number":15"#, "psv", Cleanup),
        ("pr", "new-thing", "", "psv", At(Pr)),
    ];
    for (step, action, context, kinds, expected) in table {
        let state = checkpoint(step, &format!("\"{action}\""), context, "quick --full");
        assert_eq!(
            goal(&state, &evidence(kinds)),
            (*expected, Basis::Checkpoint),
            "{step} {action} {context} {kinds}"
        );
    }
    let quick = checkpoint("execute", "null", "", "gsd:quick");
    assert_eq!(goal(&quick, &evidence("ps")).0, At(Pr));
}

#[test]
fn a_target_has_its_position_within_the_step() {
    for (action, context, kinds, detail) in [
        ("run-plan-checker", "", "p", "check only"),
        ("run-plan-checker", "", "", "plan again"),
        ("continue-execution", "", "p", "phase 2, after task 1 of 3"),
        ("execute-phase", r#""phase_number":"03""#, "p", "phase 3"),
    ] {
        let state = checkpoint("plan", &format!("\"{action}\""), context, "plan-phase");
        let target = decide_from(&state, &evidence(kinds), Home::Active);
        assert_eq!(target.detail, detail, "{action}");
    }
}

#[test]
fn the_next_phase_is_the_one_after_the_completed_one() {
    let phase = |number: &str| RoadmapPhase {
        number: number.to_owned(),
        name: "Name".to_owned(),
    };
    let folder = |number: &str, kinds: &str| PhaseDir {
        number: number.to_owned(),
        path: "x".to_owned(),
        docs: docs(kinds),
    };
    let roadmap = || Some(["1", "2", "2.1", "3"].map(phase).to_vec());
    for (completed, roadmap, folders, expected, detail) in [
        ("1", roadmap(), vec![], Step::Plan, "phase 2 Name"),
        (
            "01",
            roadmap(),
            vec![folder("2", "p")],
            Step::Execute,
            "phase 2 Name",
        ),
        ("2", roadmap(), vec![], Step::Plan, "phase 2.1 Name"),
        ("3", roadmap(), vec![], Step::Pr, ""),
        ("2.5", roadmap(), vec![], Step::Plan, "phase 3 Name"),
        ("1", None, vec![], Step::Pr, ""),
    ] {
        let context = format!(r#""completed_phase":"{completed}""#);
        let state = checkpoint("verify", "\"next-phase\"", &context, "new-milestone");
        let seen = Evidence {
            roadmap,
            phases: folders,
            ..evidence("psv")
        };
        let target = decide_from(&state, &seen, Home::Active);
        assert_eq!(
            (target.goal, target.detail.as_str()),
            (Goal::Step(expected), detail),
            "{completed}"
        );
    }
}

#[test]
fn actions_that_the_mapping_lacks_give_a_warning() {
    for (step, action, kinds, warned) in [
        ("plan", "execute-phase", "p", true),
        ("execute", "verify-phase", "ps", true),
        ("execute", "retry-verifier", "ps", true),
        ("execute", "spawn-verifier", "ps", false),
        ("execute", "spawn-verifier", "p", true),
        ("plan", "spawn-executor", "p", false),
        ("plan", "execute-phase", "", false),
    ] {
        let state = checkpoint(step, &format!("\"{action}\""), "", "plan-phase");
        let target = decide_from(&state, &evidence(kinds), Home::Active);
        let said = target
            .warnings
            .iter()
            .any(|w| w.contains("own Resume would treat"));
        assert_eq!(said, warned, "{action} {kinds}");
    }
}

#[test]
fn overrides_come_first() {
    use Goal::{Cleanup, Nothing, Step as At};
    let busy = r#""checkpoint":{"pipeline_step":"plan","resume":{"action":"spawn-executor"}}"#;
    for (text, expected) in [
        (r#""pipeline_stage":"done""#, Nothing),
        (r#""pipeline_stage":"pr-created""#, Cleanup),
        (r#""pipeline_stage":"executing","linked_pr":15"#, Cleanup),
        (r#""pipeline_stage":"executing","linked_prs":[15]"#, Cleanup),
        (
            r#""pipeline_stage":"executing","reconstructed_from_board":true"#,
            At(Step::Triage),
        ),
        (r#""pipeline_stage":"blocked""#, At(Step::Execute)),
        (
            r#""pipeline_stage":"failed","dead_letter":true"#,
            At(Step::Execute),
        ),
    ] {
        let state = state(&format!("{{{text},{busy}}}"));
        assert_eq!(goal(&state, &evidence("p")).0, expected, "{text}");
    }
    let archived = state(&format!(r#"{{"pipeline_stage":"executing",{busy}}}"#));
    let target = decide_from(&archived, &evidence("p"), Home::Completed);
    assert_eq!(target.goal, Nothing);
}

#[test]
fn without_a_checkpoint_the_evidence_decides() {
    let table: &[(&str, &str, &str, Step)] = &[
        ("triaged", "quick", "", Step::Plan),
        ("triaged", "quick", "ps", Step::Pr),
        ("planning", "quick", "", Step::Plan),
        ("planning", "quick", "p", Step::Execute),
        ("executing", "quick", "ps", Step::Pr),
        ("executing", "quick --full", "ps", Step::Verify),
        ("executing", "quick --full", "psv", Step::Pr),
        ("executing", "quick", "", Step::Plan),
        ("verifying", "quick --full", "ps", Step::Verify),
        ("diagnosing", "diagnose-issues", "p", Step::Execute),
        ("approved", "quick", "", Step::Plan),
        ("pr-pending", "quick", "ps", Step::Pr),
        ("new", "quick", "", Step::Triage),
        ("new", "quick", "p", Step::Execute),
        ("discussing", "quick", "", Step::Triage),
        ("needs-info", "quick", "p", Step::Triage),
        ("needs-security-review", "quick", "", Step::Triage),
        ("blocked", "quick", "p", Step::Execute),
        ("failed", "quick", "ps", Step::Pr),
        ("unheard-of", "quick", "", Step::Triage),
        ("unheard-of", "quick", "p", Step::Execute),
    ];
    for (stage, route, kinds, expected) in table {
        for checkpoint in [
            "null",
            r#"{"pipeline_step":"triage","resume":{"action":"begin-execution"}}"#,
        ] {
            let state = state(&format!(
                r#"{{"pipeline_stage":"{stage}","gsd_route":"{route}","checkpoint":{checkpoint}}}"#
            ));
            assert_eq!(
                goal(&state, &evidence(kinds)).0,
                Goal::Step(*expected),
                "{stage} {route} {kinds} {checkpoint}"
            );
        }
    }
}

#[test]
fn a_milestone_goes_phase_after_phase() {
    let roadmap = Some(vec![
        RoadmapPhase {
            number: "1".into(),
            name: "Base".into(),
        },
        RoadmapPhase {
            number: "2".into(),
            name: "Speed".into(),
        },
    ]);
    for (first, second, expected) in [
        ("", "", (Step::Plan, "phase 1 Base")),
        ("p", "", (Step::Execute, "phase 1 Base")),
        ("ps", "", (Step::Verify, "phase 1 Base")),
        ("psv", "", (Step::Plan, "phase 2 Speed")),
        ("psv", "ps", (Step::Verify, "phase 2 Speed")),
        ("psv", "psv", (Step::Pr, "")),
    ] {
        let folder = |number: &str, kinds: &str| PhaseDir {
            number: number.to_owned(),
            path: String::new(),
            docs: docs(kinds),
        };
        let seen = Evidence {
            roadmap: roadmap.clone(),
            phases: vec![folder("1", first), folder("2", second)],
            ..Evidence::default()
        };
        let state = state(r#"{"pipeline_stage":"executing","gsd_route":"gsd:new-milestone"}"#);
        let target = decide_from(&state, &seen, Home::Active);
        assert_eq!(
            (target.goal, target.detail.as_str()),
            (Goal::Step(expected.0), expected.1)
        );
        // Documents on disk say more than the stage, whatever git may hide.
        let hidden = Evidence {
            git_unread: true,
            ..seen
        };
        let target = decide_from(&state, &hidden, Home::Active);
        let expected = if first.is_empty() {
            (Step::Execute, "")
        } else {
            expected
        };
        assert_eq!(
            (target.goal, target.detail.as_str()),
            (Goal::Step(expected.0), expected.1)
        );
    }
}

#[test]
fn a_checkpoint_older_than_the_evidence_yields_and_a_later_one_does_not() {
    let state =
        |step: &str, action: &str| checkpoint(step, &format!("\"{action}\""), "", "quick --full");
    for (step, action, kinds, expected) in [
        // The example of section g: plan recorded, plan and summary exist.
        (
            "plan",
            "spawn-executor",
            "ps",
            (Goal::Step(Step::Verify), Basis::Evidence),
        ),
        (
            "plan",
            "run-plan-checker",
            "psv",
            (Goal::Step(Step::Pr), Basis::Evidence),
        ),
        (
            "execute",
            "spawn-verifier",
            "psv",
            (Goal::Step(Step::Pr), Basis::Evidence),
        ),
        // Documents of the step itself are not new evidence.
        (
            "plan",
            "run-plan-checker",
            "p",
            (Goal::Step(Step::Plan), Basis::Checkpoint),
        ),
        (
            "execute",
            "spawn-verifier",
            "ps",
            (Goal::Step(Step::Verify), Basis::Checkpoint),
        ),
        (
            "verify",
            "create-pr",
            "ps",
            (Goal::Step(Step::Pr), Basis::Checkpoint),
        ),
    ] {
        assert_eq!(
            goal(&state(step, action), &evidence(kinds)),
            expected,
            "{step} {action} {kinds}"
        );
    }
    let target = decide_from(
        &state("plan", "spawn-executor"),
        &evidence("ps"),
        Home::Active,
    );
    assert!(
        target
            .warnings
            .iter()
            .any(|w| w.contains("checkpoint is older than the evidence"))
    );
    assert_eq!(target.claimed, Some(Step::Execute));
}

#[test]
fn a_checkpoint_that_was_reset_counts_by_its_history() {
    let rewound = state(
        r#"{"pipeline_stage":"triaged","gsd_route":"quick --full","checkpoint":{"pipeline_step":"triage",
            "resume":{"action":"begin-execution","context":{}},
            "step_history":[{"step":"triage"},{"step":"plan"},{"step":"execute"}]}}"#,
    );
    let target = decide_from(&rewound, &evidence("ps"), Home::Active);
    assert_eq!(
        (target.goal, target.basis),
        (Goal::Step(Step::Verify), Basis::Checkpoint)
    );
    assert!(target.warnings.iter().any(|w| w.contains("was reset")));
}

#[test]
fn an_unknown_step_is_decided_by_its_action() {
    for (action, kinds, expected) in [
        ("\"spawn-executor\"", "p", Goal::Step(Step::Execute)),
        ("\"odd\"", "p", Goal::Step(Step::Execute)),
        ("null", "", Goal::Step(Step::Plan)),
    ] {
        let state = state(&format!(
            r#"{{"pipeline_stage":"executing","checkpoint":{{"pipeline_step":"polish","resume":{{"action":{action}}}}}}}"#
        ));
        assert_eq!(
            goal(&state, &evidence(kinds)).0,
            expected,
            "{action} {kinds}"
        );
    }
}

#[test]
fn a_completed_phase_that_is_not_named_has_no_empty_name() {
    let state = state(
        r#"{"checkpoint":{"pipeline_step":"verify","resume":{"action":"next-phase","context":{}}}}"#,
    );
    let why = decide_from(&state, &evidence("psv"), Home::Active).why;
    assert!(why.starts_with("A phase is completed"), "{why}");
}
