//! A state file that is missing, is not a file, or has another content than a state.

use crate::systems::mgw::tests::*;

fn of<'a>(checks: &'a [Check], id: &str) -> &'a Check {
    checks.iter().find(|check| check.id.0 == id).unwrap()
}

fn remedy(check: &Check) -> String {
    check.remedy.as_ref().unwrap().lossy().into_owned()
}

#[test]
fn a_missing_state_file_invents_no_tmp_file() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2);
    sandbox
        .file(".mgw/active/.keep", "")
        .doc("4-SUMMARY.md", "x");
    let checks = sandbox.checks();
    let first = of(&checks, "M1");
    let said = format!("{} {}", first.evidence.lossy(), remedy(first));
    assert!(!said.contains(".tmp"), "{said}");
    let reason = sandbox.open().reading().claim.reason.clone();
    assert!(reason.lossy().contains("2 commits"), "{reason:?}");
}

#[test]
fn an_issue_with_other_records_never_vanishes_with_the_content_of_its_state_file() {
    for text in ["null", "[1]", "{}"] {
        let mut sandbox = Sandbox::new();
        sandbox.git(2);
        sandbox.file(FILE, text);
        sandbox.file(".mgw/active/9-other.json", text);
        let Sniffed::Ours(all) = sandbox.sniff(&sandbox.root.join(".mgw")) else {
            panic!("{text}");
        };
        let natives: Vec<_> = all.iter().map(|one| one.native.lossy()).collect();
        assert_eq!(natives, ["57"], "{text}");
    }
}

#[test]
fn what_is_in_the_place_of_a_state_file_is_named_with_its_cure() {
    let link = |path: &Path| std::os::unix::fs::symlink("../../x.json", path).unwrap();
    let dir = |path: &Path| fs::create_dir(path).unwrap();
    for (make, what, cure) in [
        (&link as &dyn Fn(&Path), "a symbolic link", "cp"),
        (&dir, "a directory", "mv"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("x.json", "{}").file(".mgw/active/.keep", "");
        make(&sandbox.root.join(FILE));
        let checks = sandbox.checks();
        let first = of(&checks, "M1");
        assert!(first.evidence.lossy().contains(what), "{first:?}");
        assert!(remedy(first).contains(&format!(": {cure} ")), "{first:?}");
    }
}

#[test]
fn a_misplaced_state_file_is_copied_into_a_folder_that_the_command_makes() {
    let mut sandbox = Sandbox::new();
    sandbox.git(0).state(&after("plan", "spawn-executor"));
    let tree = sandbox.root.join(".worktrees").join(BRANCH);
    fs::create_dir_all(tree.join(".mgw/active")).unwrap();
    fs::rename(sandbox.root.join(FILE), tree.join(FILE)).unwrap();
    fs::remove_dir_all(sandbox.root.join(".mgw")).unwrap();
    let intent = sandbox.intent("step-plan").unwrap();
    let guard = intent.guards.iter().find(|guard| !guard.holds).unwrap();
    let cure = guard.would_hold_if.as_ref().unwrap().lossy().into_owned();
    assert!(cure.contains("mkdir -p"), "{cure}");
}

#[test]
fn a_finished_issue_is_not_told_where_to_resume() {
    for stage in ["done", "pr-created"] {
        let mut sandbox = Sandbox::new();
        let members = after("verify", "create-pr").replace("executing", stage);
        sandbox.git(2).state(&members);
        sandbox.aged(
            FILE,
            fs::read(sandbox.root.join(FILE)).unwrap(),
            40 * 86_400,
        );
        for check in sandbox.checks() {
            let said = format!("{} {:?}", check.evidence.lossy(), check.remedy);
            assert!(!said.contains("step-"), "{stage}: {said}");
            assert!(!said.contains("abandoned"), "{stage}: {said}");
        }
    }
}

/// An interrupted write that was committed: its work is not done.
#[test]
fn an_empty_document_on_the_branch_is_none() {
    for (summary, chosen) in [("x", "step-verify"), ("", "step-execute")] {
        let mut sandbox = Sandbox::new();
        let members = after("plan", "spawn-executor").replace("2026-05-", "2026-03-");
        sandbox.git(1).state(&members);
        sandbox.repo().worktrees.clear();
        fs::remove_dir_all(sandbox.root.join(".worktrees")).unwrap();
        for (name, text) in [("4-PLAN.md", "x"), ("4-SUMMARY.md", summary)] {
            let place = (commit(1, None).id, PathBuf::from(DOCS).join(name));
            sandbox.repo().blobs.insert(place, text.into());
        }
        assert_eq!(sandbox.chosen().as_deref(), Some(chosen), "{summary}");
    }
}
