use Verdict::{Fail, Pass, Skipped, Warn};

use crate::systems::mgw::tests::*;
use crate::world::git::{GitError, StatusPath};

/// A healthy issue between execution and verification, and one change to it.
fn healthy() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.git(2).state(&after("execute", "spawn-verifier"));
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    let tip = format!("{:040x}", 2);
    let pushed = sandbox.repo().branches[BRANCH].clone();
    assert_eq!(pushed[0].id, tip);
    sandbox
}

type Change = fn(&mut Sandbox);

/// Each check with the verdict and a change that leads to it.
const CASES: &[(&str, Verdict, Change)] = &[
    ("M1", Pass, |_| {}),
    ("M1", Fail, |s| {
        s.file(FILE, "{");
    }),
    ("M2", Pass, |_| {}),
    ("M2", Pass, |s| {
        s.state("\"pipeline_stage\": \"pr-pending\"");
    }),
    ("M2", Fail, |s| {
        s.state("\"pipeline_stage\": \"polishing\"");
    }),
    ("M2", Fail, |s| {
        s.state("\"checkpoint\": null");
    }),
    ("M2", Skipped, |s| {
        s.file(FILE, "{");
    }),
    ("M3", Pass, |_| {}),
    ("M3", Warn, |s| {
        s.file(FILE, r#"{"issue_number":58,"pipeline_stage":"new"}"#);
    }),
    ("M3", Skipped, |s| {
        s.file(FILE, r#"{"pipeline_stage":"new"}"#);
    }),
    ("M4", Pass, |_| {}),
    ("M4", Warn, |s| {
        s.file(".mgw/active/57-other.json", r#"{"pipeline_stage":"new"}"#);
    }),
    ("M4", Warn, |s| {
        s.file(".mgw/completed/57-x.json", r#"{"pipeline_stage":"done"}"#);
    }),
    ("M5", Pass, |_| {}),
    ("M5", Warn, |s| {
        s.file(&format!("{FILE}.tmp"), "{");
    }),
    ("M6", Pass, |_| {}),
    ("M6", Pass, |s| {
        s.state("\"pipeline_stage\": \"new\", \"checkpoint\": null");
    }),
    ("M6", Warn, |s| {
        s.state("\"pipeline_stage\": \"new\", \"checkpoint\": {\"schema_version\": 2}");
    }),
    ("M6", Fail, |s| {
        s.state("\"pipeline_stage\": \"new\", \"checkpoint\": []");
    }),
    ("M7", Pass, |_| {}),
    ("M7", Warn, |s| {
        s.state(&after("polish", "spawn-verifier"));
    }),
    ("M7", Warn, |s| {
        s.state(&after("plan", "polish"));
    }),
    ("M7", Skipped, |s| {
        s.state("\"pipeline_stage\": \"new\"");
    }),
    ("M8", Pass, |_| {}),
    ("M8", Warn, |s| {
        s.state(&after("verify", "create-pr"));
    }),
    ("M8", Warn, |s| {
        let text = after("plan", "spawn-executor").replacen("\"plan\"", "\"triage\"", 1);
        s.state(&text);
    }),
    ("M8", Skipped, |s| {
        s.state("\"pipeline_stage\": \"new\"");
    }),
    ("M9", Pass, |_| {}),
    ("M9", Warn, |s| {
        let text = after("plan", "spawn-executor").replace("2026-05-02T09", "2026-05-01T08");
        s.state(&text);
    }),
    ("M9", Warn, |s| {
        let text = after("plan", "spawn-executor").replace("2026-05-02T09", "2027-05-02T09");
        s.state(&text);
    }),
    ("M9", Skipped, |s| {
        s.state("\"pipeline_stage\": \"new\", \"checkpoint\": {}");
    }),
    ("M10", Pass, |_| {}),
    ("M10", Warn, |s| {
        let text = after("execute", "spawn-verifier").replacen("4-PLAN.md", "5-PLAN.md", 1);
        s.state(&text);
    }),
    ("M10", Fail, |s| {
        s.state(&after("plan", "continue-execution"));
        fs::remove_dir_all(s.root.join(".worktrees").join(BRANCH).join(".planning")).unwrap();
    }),
    ("M11", Pass, |_| {}),
    ("M11", Pass, |s| {
        s.doc("4-VERIFICATION.md", "## VERIFICATION SKIPPED");
    }),
    ("M11", Warn, |s| {
        s.doc("4-VERIFICATION.md", "## ISSUES FOUND");
    }),
    ("M11", Warn, |s| {
        s.doc("4-VERIFICATION.md", "half");
    }),
    ("M11", Warn, |s| {
        s.state(&after("verify", "create-pr"));
    }),
    ("M12", Pass, |_| {}),
    ("M12", Warn, |s| {
        s.doc(
            "4-PLAN.md",
            "---\nmust_haves:\n  artifacts:\n    - src/gone.rs\n---\n",
        );
    }),
    ("M12", Skipped, |s| {
        s.state("\"pipeline_stage\": \"triaged\", \"gsd_artifacts\": {\"path\": \".mgw\"}");
    }),
    ("M13", Pass, |_| {}),
    ("M13", Warn, |s| s.repo().worktrees.clear()),
    ("M13", Fail, |s| {
        s.repo().branches.remove(BRANCH);
    }),
    ("M13", Skipped, |s| {
        s.repo().broken = Some(GitError::OtherOwner);
    }),
    ("M14", Warn, |_| {}),
    ("M14", Pass, |s| {
        let commits = s.repo().branches[BRANCH].clone();
        s.repo()
            .branches
            .insert(format!("origin/{BRANCH}"), commits);
    }),
    ("M14", Warn, |s| {
        let commits = s.repo().branches[BRANCH].clone();
        s.repo()
            .branches
            .insert(format!("origin/{BRANCH}"), commits);
        s.tree().status.push(StatusPath {
            path: "a".into(),
            kind: crate::world::git::StatusKind::Untracked,
            on_disk: true,
        });
    }),
    ("M15", Skipped, |_| {}),
    ("M15", Pass, |s| {
        s.state(&after("verify", "create-pr"));
    }),
    ("M15", Fail, |s| {
        s.state(&after("verify", "create-pr"));
        fs::remove_file(
            s.root
                .join(".worktrees")
                .join(BRANCH)
                .join(DOCS)
                .join("4-SUMMARY.md"),
        )
        .unwrap();
    }),
    ("M16", Pass, |_| {}),
    ("M16", Warn, |s| {
        s.state("\"pipeline_stage\": \"failed\", \"retry_count\": 4");
    }),
    ("M16", Warn, |s| {
        s.state("\"pipeline_stage\": \"executing\", \"dead_letter\": true");
    }),
    ("M17", Pass, |_| {}),
    ("M17", Pass, |s| {
        s.state("\"pipeline_stage\": \"pr-created\", \"linked_pr\": 3");
    }),
    ("M17", Warn, |s| {
        s.state("\"pipeline_stage\": \"executing\", \"linked_pr\": 3");
    }),
    ("M18", Skipped, |_| {}),
    ("M18", Pass, |s| {
        s.state(
            "\"pipeline_stage\": \"new\", \"triage\": {\"gate_result\": {\"status\": \"passed\"}}",
        );
    }),
    ("M18", Pass, |s| {
        s.state("\"pipeline_stage\": \"new\", \"override_log\": [1], \"triage\": {\"gate_result\": {\"status\": \"blocked\"}}");
    }),
    ("M18", Warn, |s| {
        s.state("\"pipeline_stage\": \"new\", \"triage\": {\"gate_result\": {\"status\": \"blocked\", \"blockers\": [\"x\"]}}");
    }),
    ("M19", Skipped, |_| {}),
    ("M19", Pass, |s| {
        project(s, "executing", "\"current_milestone\": 1");
    }),
    ("M19", Warn, |s| {
        project(s, "new", "\"current_milestone\": 1");
    }),
    ("M19", Warn, |s| {
        project(s, "executing", "\"active_gsd_milestone\": \"gone\"");
    }),
    ("M19", Warn, |s| {
        project(
            s,
            "executing",
            "\"active_gsd_milestone\": \"v1\", \"current_milestone\": 2",
        );
    }),
    ("M19", Warn, |s| {
        s.file(".mgw/project.json", "{");
    }),
    ("M20", Skipped, |_| {}),
    ("M20", Pass, |s| {
        project(s, "executing", "\"current_milestone\": 1");
    }),
    ("M21", Skipped, |_| {}),
    ("M21", Pass, |s| {
        s.file(".mgw/cross-refs.json", "{\"links\":[]}\n");
    }),
    ("M21", Warn, |s| {
        s.file(".mgw/cross-refs.json", "{\"links\":[{\"a\":1}]}");
    }),
    ("M21", Warn, |s| {
        project(s, "executing", "\"current_milestone\": 1");
    }),
    ("M22", Skipped, |_| {}),
    ("M23", Pass, |_| {}),
    ("M23", Warn, |s| s.repo().ignored.clear()),
    ("M23", Skipped, |s| {
        s.repo().broken = Some(GitError::NotARepository);
    }),
    ("M24", Pass, |_| {}),
    ("M24", Warn, |s| {
        s.aged(FILE, r#"{"pipeline_stage":"new"}"#, 90_000);
    }),
];

fn project(sandbox: &Sandbox, stage: &str, pointer: &str) {
    sandbox.file(
        ".mgw/project.json",
        format!(
            r#"{{"milestones":[{{"name":"A","gsd_milestone_id":"v1","issues":[{{"github_number":57,
                "title":"Cache","pipeline_stage":"{stage}","depends_on_slugs":["add-store","gone"]}},
                {{"github_number":5,"title":"Add Store","pipeline_stage":"done"}}]}},{{"name":"B"}}],{pointer}}}"#
        ),
    );
}

#[test]
fn every_check_has_its_verdicts() {
    for (at, (id, verdict, change)) in CASES.iter().enumerate() {
        let mut sandbox = healthy();
        change(&mut sandbox);
        let checks = sandbox.checks();
        let own: Vec<_> = checks.iter().filter(|c| c.id.0 == *id).collect();
        assert_eq!(
            worst(&checks, id),
            Some(*verdict),
            "case {at}: {id} {own:#?}"
        );
    }
}

#[test]
fn all_checks_come_in_order_and_each_problem_has_its_remedy() {
    for (_, _, change) in CASES {
        let mut sandbox = healthy();
        change(&mut sandbox);
        let checks = sandbox.checks();
        let mut rows: Vec<u32> = checks
            .iter()
            .map(|c| c.id.0.trim_start_matches('M').parse().unwrap())
            .collect();
        assert!(rows.is_sorted());
        rows.dedup();
        assert_eq!(rows, (1..=24).collect::<Vec<_>>());
        for check in &checks {
            let needs = matches!(check.verdict, Warn | Fail);
            assert!(check.remedy.is_some() || !needs, "{check:?}");
            assert!(!check.subject().is_empty() && !check.evidence.is_empty());
        }
    }
}

#[test]
fn a_target_without_its_document_is_blocked_and_an_earlier_point_is_offered() {
    let sandbox = healthy();
    sandbox.state(&after("plan", "continue-execution"));
    fs::remove_dir_all(
        sandbox
            .root
            .join(".worktrees")
            .join(BRANCH)
            .join(".planning"),
    )
    .unwrap();
    let points = crate::recover::resume_points::climb(sandbox.boundaries(), |_| None);
    let recommended: Vec<&str> = points
        .iter()
        .filter(|p| p.recommended)
        .map(|p| p.boundary.id.0.as_str())
        .collect();
    assert_eq!(recommended, ["step-plan"]);
    // It writes nothing: the run finds out itself that there is no plan.
    assert!(sandbox.intent("step-plan").unwrap().steps.is_empty());
    let points = sandbox.boundaries();
    let execute = points.iter().find(|point| point.id.0 == "step-execute");
    assert_eq!(execute.map(|point| point.verified), Some(Fail));
}

/// What M13 advises without a branch can be done: nothing can be checked out, and nothing was there before.
#[test]
fn without_a_branch_no_command_names_it() {
    for (step, said) in [
        ("triage", None),
        ("execute", Some("at execution, so it may have had commits")),
        ("verify", Some("past execution, so it had commits")),
    ] {
        let mut sandbox = healthy();
        sandbox.repo().branches.remove(BRANCH);
        sandbox.repo().worktrees.clear();
        fs::remove_dir_all(sandbox.root.join(".worktrees")).unwrap();
        sandbox.state(&after(step, "begin-execution"));
        let checks = sandbox.checks();
        let all = checks.iter().filter(|check| check.id.0 == "M13");
        let texts = all.map(|check| {
            let remedy = check.remedy.as_ref();
            let remedy = remedy.map_or_else(String::new, |text| text.lossy().into_owned());
            format!("{} {remedy}", check.evidence.lossy())
        });
        let text = texts.collect::<Vec<_>>().join(" ");
        assert!(!text.contains("git worktree add"), "{text}");
        assert!(!text.contains("again"), "{text}");
        assert!(
            said.is_none_or(|said| text.contains(said)),
            "{step}: {text}"
        );
    }
}
