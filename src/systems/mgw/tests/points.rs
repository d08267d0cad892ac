use crate::model::PointKind;
use crate::systems::mgw::tests::*;
use crate::systems::testing::replaced;

fn ids(sandbox: &Sandbox) -> Vec<String> {
    sandbox.boundaries().into_iter().map(|b| b.id.0).collect()
}

fn text(intent: &Intent) -> String {
    let [step] = intent.steps.as_slice() else {
        panic!("one replacement, not {:?}", intent.steps);
    };
    let (_, _, content) = replaced(step).unwrap();
    String::from_utf8(content).unwrap()
}

#[test]
fn points_come_in_the_contracts_order_and_only_those_that_apply() {
    for (members, docs, expected, chosen) in [
        (after("plan", "spawn-executor"), "p", "step-triage step-plan step-execute fresh", "step-execute"),
        (after("execute", "create-pr"), "p", "step-triage step-plan step-execute step-verify step-pr fresh", "step-execute"),
        ("\"pipeline_stage\": \"triaged\", \"checkpoint\": null".into(), "", "step-triage step-plan", "step-plan"),
        ("\"pipeline_stage\": \"failed\", \"retry_count\": 2".into(), "", "step-plan step-execute fresh retry re-triage", "step-plan"),
        ("\"pipeline_stage\": \"pr-created\"".into(), "", "cleanup", "cleanup"),
        ("\"pipeline_stage\": \"needs-info\"".into(), "", "step-triage re-triage override", "step-triage"),
        ("\"pipeline_stage\": \"done\"".into(), "", "", ""),
        ("\"pipeline_stage\": \"executing\", \"gsd_route\": \"quick\", \"gsd_artifacts\": {\"path\": \".planning/quick/4-cache-lookups\"}".into(), "ps", "step-triage step-plan step-execute step-pr fresh", "step-pr"),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.git(1).state(&members);
        for (kind, name) in [('p', "4-PLAN.md"), ('s', "4-SUMMARY.md")] {
            if docs.contains(kind) {
                sandbox.doc(name, "x");
            }
        }
        assert_eq!(ids(&sandbox).join(" "), expected, "{members}");
        assert_eq!(sandbox.chosen().unwrap_or_default(), chosen, "{members}");
    }
}

#[test]
fn the_recommended_point_writes_nothing() {
    for members in [
        after("plan", "spawn-executor"),
        "\"pipeline_stage\": \"failed\", \"dead_letter\": true".to_owned(),
        "\"pipeline_stage\": \"pr-created\"".to_owned(),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.git(1).state(&members);
        sandbox.doc("4-PLAN.md", "x");
        let chosen = sandbox.chosen().unwrap();
        let intent = sandbox.intent(&chosen).unwrap();
        assert!(
            intent.steps.is_empty() && intent.guards.is_empty(),
            "{members}"
        );
        assert!(intent.tree.is_none());
    }
}

#[test]
fn a_step_point_splices_step_action_context_stage_and_its_own_entry_and_nothing_else() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1).state(&after("execute", "spawn-verifier"));
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    assert_eq!(sandbox.chosen().as_deref(), Some("step-verify"));
    let before = fs::read_to_string(sandbox.root.join(FILE)).unwrap();
    let intent = sandbox.intent("step-execute").unwrap();
    let expected = before
        .replace("\"pipeline_step\": \"execute\"", "\"pipeline_step\": \"plan\"")
        .replace(
            &format!("{{\"action\": \"spawn-verifier\", \"context\": {{\"quick_dir\": \"{DOCS}\", \"plan_num\": 4}}}}"),
            &format!("{{\"action\": \"spawn-executor\", \"context\": {{\"quick_dir\": \"{DOCS}\", \"plan_num\": 4}}}}"),
        )
        .replace("\"updated_at\": \"2026-05-02T09:00:00.000Z\"", "\"updated_at\": \"{now}\"")
        .replace(
            &format!("\"output_path\": \"{DOCS}/4-PLAN.md\"}}]"),
            &format!("\"output_path\": \"{DOCS}/4-PLAN.md\"}}, {{\"step\": \"plan\", \"completed_at\": \"{{now}}\", \"agent_type\": \"relight\", \"output_path\": null}}]"),
        );
    assert_eq!(text(&intent), expected);
    assert!(intent.guards.iter().all(|guard| guard.holds));
    let labels = |items: &[crate::model::WorkItem]| -> Vec<String> {
        items.iter().map(|i| i.id.lossy().into_owned()).collect()
    };
    assert_eq!(labels(&intent.kept), ["triage", "plan"]);
    assert_eq!(labels(&intent.redone), ["execute"]);
    let boundary = sandbox
        .boundaries()
        .into_iter()
        .find(|b| b.id.0 == "step-execute")
        .unwrap();
    assert_eq!(
        (boundary.kept, boundary.redone, boundary.kind),
        (Some(2), Some(1), PointKind::StateEdit)
    );
    assert_eq!(boundary.time_lost_s, Some(1_800));
    assert_eq!(
        sandbox.handoff("step-execute").prompt,
        "/mgw:run 57 Choose Resume when asked; it continues with executing. The earlier results do not count and are made again: SUMMARY in the worktree."
    );
}

#[test]
fn fresh_and_retry_are_the_minimal_writes() {
    let sandbox = Sandbox::new();
    let old = "{\"caf\\u00e9\": 1.10, \"pipeline_stage\": \"failed\", \"checkpoint\": {\"pipeline_step\": \"plan\"}, \"retry_count\": 3, \"last_failure_class\": \"permanent\", \"dead_letter\": true}\n";
    sandbox.file(FILE, old);
    assert_eq!(
        text(&sandbox.intent("fresh").unwrap()),
        old.replace("{\"pipeline_step\": \"plan\"}", "null")
            .replace("failed", "triaged")
            .replace("\"retry_count\": 3", "\"retry_count\": 0")
            .replace("\"permanent\"", "null")
            .replace("true", "false")
    );
    assert_eq!(
        text(&sandbox.intent("retry").unwrap()),
        old.replace("failed", "triaged")
            .replace("\"retry_count\": 3", "\"retry_count\": 0")
            .replace("\"permanent\"", "null")
            .replace("true", "false")
    );
    assert_eq!(sandbox.intent("fresh").unwrap().losses.len(), 1);
    assert!(sandbox.intent("cleanup").is_none() && sandbox.intent("odd").is_none());
}

#[test]
fn a_missing_checkpoint_is_added_in_the_files_own_style() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1);
    sandbox.file(
        FILE,
        "{\n  \"pipeline_stage\": \"executing\",\n  \"gsd_route\": \"quick\"\n}\n",
    );
    sandbox.doc("4-PLAN.md", "x");
    let text = text(&sandbox.intent("step-plan").unwrap());
    assert_eq!(
        text,
        "{\n  \"pipeline_stage\": \"triaged\",\n  \"gsd_route\": \"quick\",\n  \"checkpoint\": {\n    \"schema_version\": 1,\n    \"pipeline_step\": \"triage\",\n    \"step_progress\": {},\n    \"last_agent_output\": null,\n    \"artifacts\": [],\n    \"resume\": {\n      \"action\": \"begin-execution\",\n      \"context\": {\n        \"gsd_route\": \"quick\",\n        \"branch\": \"issue/57-cache-lookups\"\n      }\n    },\n    \"started_at\": \"{now}\",\n    \"updated_at\": \"{now}\",\n    \"step_history\": [\n      {\n        \"step\": \"triage\",\n        \"completed_at\": \"{now}\",\n        \"agent_type\": \"relight\",\n        \"output_path\": null\n      }\n    ]\n  }\n}\n"
    );
}

#[test]
fn a_file_that_is_not_understood_is_not_written() {
    for (members, guard) in [
        (
            "\"pipeline_stage\": \"executing\", \"x\": {\"a\": 1, \"a\": 2}, \"checkpoint\": {\"pipeline_step\": \"plan\"}",
            "duplicate_keys",
        ),
        (
            "\"pipeline_stage\": \"a\", \"pipeline_stage\": \"executing\", \"checkpoint\": {\"pipeline_step\": \"plan\"}",
            "duplicate_keys",
        ),
        (
            "\"pipeline_stage\": \"executing\", \"checkpoint\": {\"schema_version\": 2, \"pipeline_step\": \"plan\"}",
            "schema",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.state(members);
        let failing: Vec<_> = sandbox
            .intent("fresh")
            .unwrap()
            .guards
            .iter()
            .filter(|g| !g.holds && g.would_hold_if.is_some())
            .map(|g| g.id.to_string())
            .collect();
        assert_eq!(failing, [guard], "{members}");
    }
}

#[test]
fn a_gated_issue_that_was_rewound_to_triage_is_not_planned_next() {
    let sandbox = Sandbox::new();
    sandbox.state(&after("plan", "spawn-executor"));
    let rewound = text(&sandbox.intent("step-triage").unwrap());
    let gated = rewound.replace("\"new\"", "\"blocked\"");
    assert_ne!(gated, rewound);
    sandbox.file(FILE, gated.replace("{now}", "2026-05-02T10:00:00.000Z"));
    assert_eq!(sandbox.chosen().as_deref(), Some("step-triage"));
}

#[test]
fn the_command_fits_the_stage() {
    for (members, prompt) in [
        ("\"pipeline_stage\": \"failed\"", "/mgw:run 57 --retry"),
        (
            "\"pipeline_stage\": \"executing\", \"dead_letter\": true",
            "/mgw:run 57 --retry",
        ),
        ("\"pipeline_stage\": \"needs-info\"", "/mgw:run 57"),
        (
            "\"pipeline_stage\": \"needs-security-review\"",
            "/mgw:run 57",
        ),
        ("\"pipeline_stage\": \"discussing\"", "/mgw:run 57"),
        ("\"pipeline_stage\": \"blocked\"", "/mgw:run 57"),
        ("\"pipeline_stage\": \"new\"", "/mgw:issue 57"),
        (
            "\"pipeline_stage\": \"planning\", \"reconstructed_from_board\": true",
            "/mgw:issue 57",
        ),
        ("\"pipeline_stage\": \"triaged\"", "/mgw:run 57"),
        ("\"pipeline_stage\": \"pr-created\"", "/mgw:sync"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.state(members);
        let handoff = sandbox.handoff(&sandbox.chosen().unwrap());
        let said = handoff.prompt.lossy().into_owned();
        assert!(said.starts_with(&format!("{prompt} ")), "{members}: {said}");
        // `h7`: a gate is never overridden by the hand-off itself.
        assert!(
            !said.contains(" --force") && !said.contains("--security-ack"),
            "{members}: {said}"
        );
        assert_eq!(handoff.cwd, sandbox.root);
        assert_eq!(handoff.argv, ["claude"]);
    }
}

#[test]
fn the_briefing_is_complete() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1).state(&after("plan", "execute-phase"));
    sandbox.doc("4-PLAN.md", "x");
    sandbox.repo().worktrees.clear();
    fs::rename(
        sandbox
            .root
            .join(".worktrees")
            .join(BRANCH)
            .join(".planning"),
        sandbox.root.join(".planning"),
    )
    .unwrap();
    fs::remove_dir_all(sandbox.root.join(".worktrees")).unwrap();
    let briefing = sandbox
        .handoff("step-execute")
        .briefing
        .lossy()
        .into_owned();
    for part in [
        "Issue #57: Cache lookups".to_owned(),
        format!("Branch: {BRANCH}"),
        format!("git worktree add .worktrees/{BRANCH} {BRANCH}"),
        "Resume at: executing".to_owned(),
        "action execute-phase".to_owned(),
        format!("Context: {{\"quick_dir\":\"{DOCS}\",\"plan_num\":4}}"),
        format!("Document: {DOCS}/4-PLAN.md (found in ROOT)"),
        "but continue with executing, not with the step that Resume names".to_owned(),
    ] {
        assert!(briefing.contains(&part), "{part} in\n{briefing}");
    }
}

#[test]
fn other_providers_get_their_own_command() {
    let mut sandbox = Sandbox::new();
    sandbox.state("\"pipeline_stage\": \"triaged\"");
    for (provider, program) in [
        ("gemini", "gemini"),
        ("opencode", "opencode"),
        ("rm -rf", "claude"),
    ] {
        sandbox.file(
            "../home/.mgw-install-state.json",
            format!("{{\"provider\":\"{provider}\"}}"),
        );
        sandbox.world.places.home = Some(sandbox.root.parent().unwrap().join("home"));
        assert_eq!(sandbox.handoff("step-plan").argv, [program]);
    }
}

#[test]
fn checkpoints_are_the_recorded_steps_and_the_commits() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2).state(&after("plan", "spawn-executor"));
    let checkpoints = sandbox.open().checkpoints(&sandbox.world);
    let reasons: Vec<_> = checkpoints
        .iter()
        .map(|c| c.reason.lossy().into_owned())
        .collect();
    assert_eq!(
        reasons,
        ["commit 1", "commit 2", "end of triage", "end of plan"]
    );
}

/// What a point says of the checkpoint is in the checkpoint.
#[test]
fn a_sentence_about_the_checkpoint_has_its_fact() {
    for (members, docs) in [
        (after("plan", "spawn-executor"), true),
        (after("execute", "create-pr"), false),
        (
            "\"pipeline_stage\": \"triaged\", \"checkpoint\": null".into(),
            false,
        ),
        (
            "\"pipeline_stage\": \"failed\", \"retry_count\": 2".into(),
            false,
        ),
        ("\"pipeline_stage\": \"blocked\"".into(), false),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.git(1).state(&members);
        if docs {
            sandbox.doc("4-PLAN.md", "x");
        }
        let recorded = members.contains("step_history");
        for boundary in sandbox.boundaries() {
            let id = &boundary.id.0;
            let says = |text: &str| boundary.warnings.iter().any(|it| it.lossy().contains(text));
            let step = id.strip_prefix("step-").unwrap_or("none");
            let past = format!("\"step\": \"{step}\"");
            if says("The history keeps") {
                assert!(
                    members.contains(&past)
                        || step == "triage"
                        || members.contains("\"execute\"") && step == "plan",
                    "{id}: {members}"
                );
            }
            assert!(recorded || !says("old one"), "{id}: {members}");
            let losses = sandbox
                .intent(id)
                .map(|intent| intent.losses)
                .unwrap_or_default();
            let losses = losses.iter().map(|loss| loss.lossy());
            for text in losses.chain([boundary.reason.lossy()]) {
                assert!(!text.contains("documents are kept"), "{id}: {text}");
                assert!(!text.contains("themselves are kept"), "{id}: {text}");
            }
        }
    }
}
