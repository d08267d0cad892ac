//! Work that a point keeps is neither reset nor disowned, and a verification with gaps is never passed over.

use super::rewinding::{losses, rewound};
use crate::recover::resume_points::climb;
use crate::systems::mgw::tests::*;

/// Two commits and a summary that the checkpoint, written after the plan, does not know.
fn worked(route: &str) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let members = after("plan", "spawn-executor").replace("quick --full", route);
    let members = members
        .replace("2026-05-01T09:00:00.000Z", "2026-04-01T09:00:00.000Z")
        .replace("2026-05-02T09:00:00.000Z", "2026-04-01T09:00:00.000Z");
    sandbox.git(2).state(&members);
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    sandbox
}

fn prompt(sandbox: &Sandbox, point: &str) -> String {
    sandbox.handoff(point).prompt.lossy().into_owned()
}

#[test]
fn commits_of_kept_steps_are_never_reset() {
    for (route, point) in [("quick", "step-pr"), ("quick --full", "step-verify")] {
        let sandbox = worked(route);
        assert_eq!(sandbox.chosen().as_deref(), Some(point));
        assert!(sandbox.intent(point).unwrap().losses.is_empty(), "{route}");
        let refused = rewound(&sandbox, point);
        assert!(refused.steps.is_empty(), "{route}");
        assert!(refused.guards.iter().any(|guard| !guard.holds), "{route}");
    }
    // The step runs again, and the steps before it are kept: where they ended is not on record.
    let mut sandbox = worked("quick --full");
    sandbox.doc("4-VERIFICATION.md", "## VERIFICATION PASSED\n");
    let plan = PathBuf::from(DOCS).join("4-PLAN.md");
    for n in 1..=2 {
        let id = commit(n, None).id;
        sandbox
            .repo()
            .blobs
            .insert((id, plan.clone()), b"x".to_vec());
    }
    assert_eq!(sandbox.chosen().as_deref(), Some("step-pr"));
    let said = losses(&sandbox.intent("step-verify").unwrap()).join(" ");
    assert!(!said.contains("--rewind-branch"), "{said}");
    assert!(rewound(&sandbox, "step-verify").tree.is_none());
}

#[test]
fn a_point_that_rewinds_nothing_disowns_no_result() {
    let sandbox = Sandbox::new();
    sandbox.state(&after("plan", "run-plan-checker"));
    sandbox.aged(
        &format!(".worktrees/{BRANCH}/{DOCS}/4-PLAN.md"),
        "x",
        90 * 86_400,
    );
    assert_eq!(sandbox.chosen().as_deref(), Some("step-plan"));
    let said = prompt(&sandbox, "step-plan");
    assert!(said.contains("check only"), "{said}");
    assert!(!said.contains("do not count"), "{said}");
}

#[test]
fn a_verification_with_gaps_is_asked_about_before_the_pull_request() {
    for text in ["---\nstatus: gaps_found\n---\n", "## ISSUES FOUND\n"] {
        let sandbox = worked("quick --full");
        sandbox.doc("4-VERIFICATION.md", text);
        assert_eq!(sandbox.chosen().as_deref(), Some("step-pr"));
        let intent = sandbox.intent("step-pr").unwrap();
        let asked = intent.guards.iter().find(|guard| !guard.holds).unwrap();
        assert_eq!(asked.id, "gate:verification");
        let warned = sandbox.boundaries().into_iter();
        let mut warned = warned.filter(|point| point.id.0 == "step-pr");
        let warned = warned.next().unwrap().warnings;
        assert!(
            warned
                .iter()
                .any(|w| w.lossy().contains("4-VERIFICATION.md says")),
            "{warned:?}"
        );
        let said = prompt(&sandbox, "step-pr");
        assert!(said.contains("4-VERIFICATION.md says"), "{said}");
        assert!(said.contains("ask me"), "{said}");
        // The check offers the other choice, and does not speak against the recommended point.
        let checks = sandbox.checks().into_iter();
        let mut checks = checks.filter(|check| check.id.0 == "M11");
        let remedy = checks.next().unwrap().remedy.unwrap();
        assert_eq!(
            remedy.lossy(),
            "Read the gaps. To close them before the pull request, resume at the point `step-execute`."
        );
        let said = prompt(&sandbox, "step-execute");
        assert!(said.contains("are made again: VERIFICATION"), "{said}");
    }
}

/// The worktree is gone, and with it the documents that git ignored.
#[test]
fn lost_documents_are_made_again_without_a_state_edit() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2).state(&after("execute", "spawn-verifier"));
    sandbox.repo().worktrees.clear();
    fs::remove_dir_all(sandbox.root.join(".worktrees")).unwrap();
    assert_eq!(sandbox.chosen().as_deref(), Some("step-plan"));
    let intent = sandbox.intent("step-plan").unwrap();
    assert!(intent.steps.is_empty(), "{:?}", intent.steps);
    let said = prompt(&sandbox, "step-plan");
    let command = format!("git worktree add .worktrees/{BRANCH} {BRANCH}");
    assert!(said.contains(&command), "{said}");
}

#[test]
fn files_that_the_plan_requires_count_on_the_branch_though_root_has_them_too() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1).state(&after("execute", "spawn-verifier"));
    let plan = "---\nmust_haves:\n  artifacts:\n    - src/search.ts\n---\n";
    sandbox.file("src/search.ts", "x");
    let id = commit(1, None).id;
    let blobs = &mut sandbox.repo().blobs;
    let docs = PathBuf::from(DOCS);
    blobs.insert((id.clone(), docs.join("4-PLAN.md")), plan.into());
    blobs.insert((id.clone(), docs.join("4-SUMMARY.md")), b"x".to_vec());
    blobs.insert((id, PathBuf::from("src/search.ts")), b"x".to_vec());
    sandbox.file(&format!("{DOCS}/4-PLAN.md"), plan);
    sandbox.repo().worktrees.clear();
    fs::remove_dir_all(sandbox.root.join(".worktrees")).unwrap();
    assert_eq!(worst(&sandbox.checks(), "M12"), Some(Verdict::Pass));
}

/// A state file that names commits was written after work. Where they are gone, that work is looked for first.
#[test]
fn commits_that_no_branch_has_are_not_planned_again() {
    let ids = [1, 2]
        .map(|n| format!("\"{}\"", commit(n, None).id))
        .join(", ");
    let stage = "\"pipeline_stage\": \"executing\"";
    let listed = format!("\"step_progress\": {{\"commits\": [{ids}]}}");
    let without = format!("{stage}, \"checkpoint\": {{\"pipeline_step\": \"triage\", {listed}}}");
    let at = |step, action| {
        let members = after(step, action);
        members.replace(
            "\"step_progress\": {",
            &format!("\"step_progress\": {{\"commits\": [{ids}], "),
        )
    };
    for (members, point) in [
        (at("execute", "continue-execution"), "step-execute"),
        (at("execute", "spawn-verifier"), "step-verify"),
        (at("verify", "create-pr"), "step-pr"),
        (without, "step-execute"),
    ] {
        for gone in [true, false] {
            let mut sandbox = Sandbox::new();
            sandbox.git(2).state(&members);
            // Another branch that does not have them either keeps git from knowing nothing of a branch.
            let branch = sandbox.repo().branches.remove(BRANCH).unwrap();
            if !gone {
                let start = branch.into_iter().skip(2).collect();
                sandbox.repo().branches.insert(BRANCH.to_owned(), start);
            }
            let points = climb(sandbox.boundaries(), |_| None);
            let best = points.iter().find(|point| point.recommended).unwrap();
            assert_eq!(best.boundary.id.0, point, "{members} {gone}");
            assert_eq!(best.boundary.verified, Verdict::Fail, "{members} {gone}");
            let checks = sandbox.checks();
            let said = checks
                .iter()
                .find(|check| check.evidence.lossy().contains("no branch has"));
            assert_eq!(
                said.map(|check| check.id.0.as_str()),
                Some("M13"),
                "{members} {gone}"
            );
        }
    }
}

/// A rebase, relight's own rewind and a merge that deleted the branch leave nothing to look for.
#[test]
fn commits_that_were_written_again_or_are_elsewhere_are_not_lost() {
    let ids = format!("\"{}\"", commit(2, None).id);
    let members = after("execute", "continue-execution");
    let members = members.replace(
        "\"step_progress\": {",
        &format!("\"step_progress\": {{\"commits\": [{ids}], "),
    );
    let moved = |sandbox: &mut Sandbox| {
        let own = sandbox.repo().branches.remove(BRANCH).unwrap();
        sandbox.repo().branches.insert("main".to_owned(), own);
    };
    let rebased = |sandbox: &mut Sandbox| {
        let own = sandbox.repo().branches.get_mut(BRANCH).unwrap();
        own[0].id = format!("{:040x}", 77);
    };
    for change in [&moved as &dyn Fn(&mut Sandbox), &rebased] {
        let mut sandbox = Sandbox::new();
        sandbox.git(2).state(&members);
        change(&mut sandbox);
        let checks = sandbox.checks();
        let mut said = checks.iter().map(|check| check.evidence.lossy());
        assert!(
            said.all(|said| !said.contains("no branch has")),
            "{checks:?}"
        );
    }
}
