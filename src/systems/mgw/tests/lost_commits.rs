//! Commits that the state file names: what is lost, what is elsewhere, and what nobody knows.

use crate::git::RealGit;
use crate::git::testing::{git, git_is_there, project};
use crate::systems::mgw::facts::{Facts, branch};
use crate::systems::mgw::tests::*;
use crate::world::World as _;
use crate::world::git::GitError;

/// An executed issue whose state file names these commits, which no branch has any more.
fn naming(commits: &[&str]) -> Sandbox {
    let listed: Vec<String> = commits.iter().map(|text| format!("\"{text}\"")).collect();
    let members = after("execute", "continue-execution").replace(
        "\"step_progress\": {",
        &format!(
            "\"step_progress\": {{\"commits\": [{}], ",
            listed.join(", ")
        ),
    );
    let mut sandbox = Sandbox::new();
    sandbox.git(2).state(&members);
    let kept = sandbox.repo().branches.remove(BRANCH).unwrap();
    let start = kept.last().cloned().into_iter().collect();
    sandbox.repo().branches.insert(BRANCH.to_owned(), start);
    sandbox
}

fn second() -> String {
    commit(2, None).id
}

/// The verdict, text and remedy about the commits.
fn said(sandbox: &Sandbox) -> Option<(Verdict, String, String)> {
    let checks = sandbox.checks().into_iter();
    let mut own = checks.filter(|check| {
        check.id.0 == "M13" && check.evidence.lossy().contains("the state file names")
            || check.evidence.lossy().starts_with("The state file names")
    });
    let check = own.next()?;
    let remedy = check.remedy.unwrap_or_default().lossy().into_owned();
    Some((check.verdict, check.evidence.lossy().into_owned(), remedy))
}

#[test]
fn a_commit_that_only_a_remote_has_is_brought_here() {
    for there in [true, false] {
        let mut sandbox = naming(&[&second()]);
        let theirs = [2, 1].map(|n| commit(n, Some(n - 1))).to_vec();
        let branches = &mut sandbox.repo().branches;
        branches.insert(format!("origin/{BRANCH}"), theirs);
        let mut command = format!("git merge --ff-only origin/{BRANCH}");
        if !there {
            branches.remove(BRANCH);
            command = format!("git branch --track {BRANCH} origin/{BRANCH}");
        }
        let (verdict, text, remedy) = said(&sandbox).unwrap();
        assert_eq!(verdict, Verdict::Fail, "{text}");
        assert!(
            text.ends_with(&format!("which only origin/{BRANCH} has.")),
            "{text}"
        );
        assert!(remedy.contains(&command), "{remedy}");
        for check in sandbox
            .checks()
            .into_iter()
            .filter(|check| check.id.0 == "M13")
        {
            let remedy = check.remedy.unwrap_or_default();
            assert!(!remedy.lossy().contains("reflog"), "{remedy:?}");
        }
        assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
    }
}

#[test]
fn a_commit_is_not_lost_while_a_branch_cannot_be_asked() {
    let unread: [fn(&mut Sandbox); 2] = [
        |sandbox| {
            let harm = GitError::Hostile("it is damaged".to_owned());
            sandbox
                .repo()
                .branches
                .insert("other".to_owned(), Vec::new());
            sandbox.repo().unread.insert("other".to_owned(), harm);
        },
        |sandbox| {
            let harm = GitError::Hostile("it is damaged".to_owned());
            sandbox.repo().unread.insert("packed-refs".to_owned(), harm);
        },
    ];
    for harm in unread {
        let mut sandbox = naming(&[&second()]);
        // Some reference still has it, so that git finds it.
        let own = [2, 1].map(|n| commit(n, Some(n - 1))).to_vec();
        sandbox.repo().branches.insert("tag".to_owned(), own);
        let gone = GitError::Missing("tag".to_owned());
        sandbox.repo().unread.insert("tag".to_owned(), gone);
        harm(&mut sandbox);
        let (verdict, text, _) = said(&sandbox).unwrap();
        assert_eq!(verdict, Verdict::Skipped, "{text}");
        assert!(text.contains("is unknown"), "{text}");
        assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
    }
}

#[test]
fn nothing_is_looked_for_once_there_is_a_pull_request() {
    let lost = |sandbox: &Sandbox| {
        let facts = Facts::gather(&sandbox.world, &sandbox.root, "57");
        facts.evidence.lost.is_some()
    };
    let sandbox = naming(&["1111111111aaaaaaaaaa"]);
    assert!(lost(&sandbox));
    let text = fs::read_to_string(sandbox.root.join(FILE)).unwrap();
    for (from, to) in [
        ("\"executing\"", "\"done\""),
        ("\"executing\"", "\"pr-created\""),
        ("\"executing\"", "\"executing\", \"linked_pr\": 71"),
    ] {
        sandbox.file(FILE, text.replace(from, to));
        assert!(!lost(&sandbox), "{to}");
    }
    fs::remove_file(sandbox.root.join(FILE)).unwrap();
    sandbox.file(&FILE.replace("active", "completed"), text);
    assert!(!lost(&sandbox));
}

/// What relight's own rewind removed stays removed when the orchestrator goes on.
#[test]
fn a_commit_recorded_before_a_rewind_is_not_lost_after_it() {
    let entry = |step: &str, agent: &str| {
        format!(
            "{{\"step\": \"{step}\", \"completed_at\": \"2026-05-02T08:00:00.000Z\", \"agent_type\": \"{agent}\", \"output_path\": null}}"
        )
    };
    let rewind = entry("triage", "relight");
    for (step, since, lost) in [
        ("triage", vec![rewind.clone()], false),
        ("plan", vec![rewind.clone(), entry("plan", "gsd")], false),
        ("plan", vec![], true),
        (
            "execute",
            vec![
                rewind.clone(),
                entry("plan", "gsd"),
                entry("execute", "gsd"),
            ],
            true,
        ),
        ("execute", vec![rewind.clone(), entry("plan", "gsd")], true),
    ] {
        for artifact in [false, true] {
            let sandbox = naming(&[]);
            let id = "1111111111aaaaaaaaaa";
            let text = fs::read_to_string(sandbox.root.join(FILE)).unwrap();
            let text = text.replace(
                "\"pipeline_step\": \"execute\"",
                &format!("\"pipeline_step\": \"{step}\""),
            );
            let (from, to) = if artifact {
                let made = if lost {
                    "2026-05-02T08:30:00.000Z"
                } else {
                    "2026-05-01T08:00:00.000Z"
                };
                (
                    "\"artifacts\": [",
                    format!(
                        "\"artifacts\": [{{\"path\": \"{id}\", \"type\": \"commit\", \"created_at\": \"{made}\"}}, "
                    ),
                )
            } else {
                ("\"commits\": []", format!("\"commits\": [\"{id}\"]"))
            };
            let text = text.replace(from, &to);
            let past = "\"completed_at\": \"2026-05-01T09:00:00.000Z\", \"agent_type\": \"gsd\"";
            let end = text.rfind("}]").unwrap();
            assert!(text.contains(past) && text.contains(id));
            let (head, tail) = text.split_at(end + 1);
            let since: Vec<String> = since.iter().map(|entry| format!(", {entry}")).collect();
            let since = since.concat();
            sandbox.file(FILE, format!("{head}{since}{tail}"));
            assert_eq!(said(&sandbox).is_some(), lost, "{step} {since} {artifact}");
        }
    }
}

#[test]
fn a_subject_that_begins_like_an_id_names_no_lost_commit() {
    for (text, lost) in [
        ("20251109 update docs", false),
        ("deadbeef is gone", false),
        ("1a2b3c4 update docs", true),
        ("1111111111111111111111111111111111111111", true),
    ] {
        assert_eq!(said(&naming(&[text])).is_some(), lost, "{text}");
    }
}

#[test]
fn a_worktree_that_is_made_again_leaves_that_of_another_issue() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let root = scratch.work_tree().canonicalize().unwrap();
    for branch in ["issue/1-a", "issue/2-b"] {
        let path = format!(".worktrees/{branch}");
        git(&root, &["worktree", "add", "--quiet", "-b", branch, &path]);
    }
    fs::rename(root.join(".worktrees"), root.join("elsewhere")).unwrap();
    let fake = FakeWorld::from(NOW);
    let world = FakeWorld {
        clock: fake.clock,
        files: fake.files,
        git: RealGit,
        processes: fake.processes,
        places: fake.places,
    };
    let listed = world.git().worktrees(&root).unwrap();
    let facts = branch::gather(&world, &root, "1", "a", &[], &listed);
    let command = facts.recreate(&root).unwrap();
    let shell = std::process::Command::new("sh")
        .args(["-ec", &command])
        .current_dir(&root)
        .output()
        .unwrap();
    assert!(shell.status.success(), "{command}: {shell:?}");
    assert!(root.join(".worktrees/issue/1-a/README.md").exists());
    git(&root, &["worktree", "repair", "elsewhere/issue/2-b"]);
    git(&root.join("elsewhere/issue/2-b"), &["status"]);
}
