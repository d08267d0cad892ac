//! What git cannot read is unknown: no check calls it missing, and no work is done again for it.

use crate::systems::mgw::tests::*;
use crate::world::git::GitError;

/// An issue before its pull request whose documents are on the branch alone.
fn committed() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.git(2);
    let tree = sandbox.root.join(".worktrees");
    fs::remove_dir_all(tree).unwrap();
    let repo = sandbox.repo();
    repo.worktrees.clear();
    for name in ["4-PLAN.md", "4-SUMMARY.md"] {
        let path = PathBuf::from(DOCS).join(name);
        repo.blobs.insert((commit(2, None).id, path), b"x".to_vec());
    }
    let members = after("execute", "create-pr").replace("quick --full", "quick");
    sandbox.state(&members);
    sandbox
}

fn unread(sandbox: &mut Sandbox, what: &str, error: GitError) {
    sandbox.repo().unread.insert(what.to_owned(), error);
}

fn damaged() -> GitError {
    GitError::Hostile("it is damaged".to_owned())
}

fn not_fetched() -> GitError {
    GitError::NotFetched("the clone is partial".to_owned())
}

type Harm = fn(&mut Sandbox);

const HARMS: &[(&str, Harm)] = &[
    ("branch", |s| unread(s, BRANCH, damaged())),
    ("branch, with a worktree", |s| {
        let tree = s.root.join(".worktrees").join(BRANCH);
        s.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
        let branch = Some(BRANCH.into());
        s.repo().worktrees.push(Worktree {
            path: tree,
            branch,
            head: None,
            main: false,
            locked: false,
            prunable: false,
        });
        unread(s, BRANCH, damaged());
    }),
    ("tree", |s| {
        for path in [".planning", DOCS] {
            unread(s, path, damaged());
        }
        for name in ["4-PLAN.md", "4-SUMMARY.md"] {
            unread(s, &format!("{DOCS}/{name}"), damaged());
        }
    }),
    ("summary", |s| {
        unread(s, &format!("{DOCS}/4-SUMMARY.md"), damaged());
    }),
    ("contents that were not fetched", |s| {
        for name in ["4-PLAN.md", "4-SUMMARY.md"] {
            unread(s, &format!("{DOCS}/{name}"), not_fetched());
        }
    }),
];

#[test]
fn what_git_cannot_read_never_moves_the_recommendation_back() {
    assert_eq!(committed().chosen().as_deref(), Some("step-pr"));
    for (what, harm) in HARMS {
        let mut sandbox = committed();
        harm(&mut sandbox);
        assert_eq!(sandbox.chosen().as_deref(), Some("step-pr"), "{what}");
        let points = sandbox.boundaries();
        let chosen = points.iter().find(|point| point.id.0 == "step-pr").unwrap();
        assert!(
            chosen.verified < Verdict::Fail,
            "{what}: {:?}",
            chosen.failing
        );
        assert!(
            sandbox.intent("step-pr").unwrap().steps.is_empty(),
            "{what}"
        );
        for check in sandbox.checks() {
            let said = check.evidence.lossy();
            assert!(
                check.verdict < Verdict::Fail,
                "{what}: {} {said}",
                check.id.0
            );
            for word in [
                "missing",
                "There is no branch",
                "there is none",
                "no commits",
            ] {
                assert!(!said.contains(word), "{what}: {} {said}", check.id.0);
            }
        }
        let handoff = sandbox.handoff("step-pr");
        let said = format!("{} {}", handoff.prompt.lossy(), handoff.briefing.lossy());
        for word in ["missing", "again:", "no branch", "no commits"] {
            assert!(!said.contains(word), "{what}: {said}");
        }
    }
}

/// The stage is all that is known of an issue without a checkpoint.
#[test]
fn without_a_checkpoint_the_stage_decides_where_git_cannot_be_read() {
    for (stage, point) in [
        ("executing", "step-execute"),
        ("verifying", "step-verify"),
        ("pr-pending", "step-pr"),
    ] {
        let mut sandbox = committed();
        unread(&mut sandbox, BRANCH, damaged());
        sandbox.state(&format!(
            "\"pipeline_stage\": \"{stage}\", \"checkpoint\": null"
        ));
        assert_eq!(sandbox.chosen().as_deref(), Some(point), "{stage}");
    }
}

#[test]
fn what_git_knows_to_be_missing_is_still_missing() {
    let mut sandbox = committed();
    let summary = PathBuf::from(DOCS).join("4-SUMMARY.md");
    sandbox.repo().blobs.remove(&(commit(2, None).id, summary));
    assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
    assert_eq!(worst(&sandbox.checks(), "M15"), Some(Verdict::Fail));
    sandbox.repo().branches.remove(BRANCH);
    assert_eq!(worst(&sandbox.checks(), "M13"), Some(Verdict::Fail));
}

/// A file that shows no step hides no document.
#[test]
fn only_documents_and_the_roadmap_leave_the_work_unknown() {
    for (path, hides) in [
        (".planning/config.json", false),
        (".planning/quick/4-cache-lookups/notes.txt", false),
        (".planning/ROADMAP.md", true),
        (".planning/quick/4-cache-lookups/5-SUMMARY.md", true),
    ] {
        let mut sandbox = committed();
        let repo = sandbox.repo();
        let tip = commit(2, None).id;
        let summary = PathBuf::from(DOCS).join("4-SUMMARY.md");
        repo.blobs.remove(&(tip.clone(), summary));
        repo.blobs.insert((tip, path.into()), b"x".to_vec());
        unread(&mut sandbox, path, damaged());
        let point = if hides { "step-pr" } else { "step-execute" };
        assert_eq!(sandbox.chosen().as_deref(), Some(point), "{path}");
    }
}

/// Without the list of packed branches, a branch that can be read is the one that the records name.
#[test]
fn a_branch_that_can_be_read_goes_before_one_that_cannot() {
    let mut sandbox = committed();
    let repo = sandbox.repo();
    let own = repo.branches.remove(BRANCH).unwrap();
    repo.branches.insert("feature/y".to_owned(), own);
    for name in ["packed-refs", BRANCH] {
        unread(&mut sandbox, name, damaged());
    }
    let members = after("execute", "create-pr");
    sandbox.state(&format!("\"linked_branches\": [\"feature/y\"], {members}"));
    let of_branch = |sandbox: &Sandbox| worst(&sandbox.checks(), "M13");
    assert_eq!(of_branch(&sandbox), of_branch(&committed()));
    // What it does not have is known.
    let summary = PathBuf::from(DOCS).join("4-SUMMARY.md");
    sandbox.repo().blobs.remove(&(commit(2, None).id, summary));
    assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
}

/// What is advised can be done: a worktree that is there brings nothing back, and one that was moved is repaired.
#[test]
fn the_advice_for_a_lost_document_or_worktree_fits_what_is_there() {
    let remedies = |sandbox: &Sandbox, id: &str| {
        let checks = sandbox.checks().into_iter();
        let own = checks.filter(|check| check.id.0 == id);
        let said = own.filter_map(|check| Some(check.remedy?.lossy().into_owned()));
        said.collect::<Vec<_>>().join(" ")
    };
    let mut sandbox = committed();
    let repo = sandbox.repo();
    repo.blobs.clear();
    let tree = Worktree {
        path: PathBuf::new(),
        branch: Some(BRANCH.into()),
        head: None,
        main: false,
        locked: false,
        prunable: false,
    };
    assert!(remedies(&sandbox, "M10").contains("Recreate the worktree"));
    let path = sandbox.root.join(".worktrees").join(BRANCH);
    sandbox.repo().worktrees.push(Worktree {
        path: path.clone(),
        ..tree
    });
    let moved = remedies(&sandbox, "M13");
    assert!(moved.contains("git worktree repair"), "{moved}");
    fs::create_dir_all(path).unwrap();
    let lost = remedies(&sandbox, "M10");
    assert!(
        lost.contains("git reflog") && !lost.contains("worktree"),
        "{lost}"
    );
}

/// A worktree that was moved has work in it, so nothing makes git forget it before that was asked.
#[test]
fn a_worktree_that_may_have_been_moved_is_not_forced_aside() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1).state(&after("plan", "spawn-executor"));
    sandbox.file(&format!("{DOCS}/4-PLAN.md"), "x");
    fs::remove_dir_all(sandbox.root.join(".worktrees")).unwrap();
    let handoff = sandbox.handoff("step-execute");
    let prompt = handoff.prompt.lossy().into_owned();
    assert!(
        prompt.contains("may have been moved: ask me") && !prompt.contains("worktree add"),
        "{prompt}"
    );
    let briefing = handoff.briefing.lossy().into_owned();
    let points = sandbox.boundaries().into_iter();
    let warned = points
        .flat_map(|point| point.warnings)
        .filter(|said| said.lossy().contains("worktree add"));
    let checks = sandbox
        .checks()
        .into_iter()
        .filter(|check| check.id.0 == "M13");
    let all = warned
        .chain(checks.filter_map(|check| check.remedy))
        .map(|said| said.lossy().into_owned());
    for said in all.chain([briefing]) {
        assert!(
            said.contains("If it was moved: git worktree repair NEW-PATH."),
            "{said}"
        );
        assert!(!said.contains("--force"), "{said}");
    }
}
