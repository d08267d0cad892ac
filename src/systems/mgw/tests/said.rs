//! What a person reads where records are missing, contradict each other or would be lost.

use super::rewinding::{issue, losses, rewound};
use crate::systems::mgw::tests::*;
use crate::systems::testing;
use crate::world::git::GitError;

type Change = fn(&mut Sandbox);

fn said(sandbox: &Sandbox, id: &str) -> String {
    let text = testing::said(&sandbox.checks(), id);
    text.replace(&sandbox.root.display().to_string(), "ROOT")
}

fn project(s: &Sandbox, issue: &str, pointer: &str) {
    let milestone = r#""name":"A","gsd_milestone_id":"v1""#;
    let text = format!(
        r#"{{"milestones":[{{{milestone},"issues":[{{"github_number":57,{issue}}}]}}],{pointer}}}"#
    );
    s.file(".mgw/project.json", text);
}

const LISTED: &str =
    r#""title":"Cache","pipeline_stage":"planning","phase_number":2,"phase_name":"Speed""#;

/// A document that is a link to a file with this text.
fn unread(s: &Sandbox, name: &str, text: &str) {
    s.doc("../kept.md", text);
    let folder = s.root.join(".worktrees").join(BRANCH).join(DOCS);
    fs::remove_file(folder.join(name)).ok();
    std::os::unix::fs::symlink("../kept.md", folder.join(name)).unwrap();
}

/// Makes a document larger than what is read.
fn huge(s: &Sandbox, name: &str) {
    let path = s.root.join(".worktrees").join(BRANCH).join(DOCS).join(name);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(crate::world::files::SMALL_CAP + 1).unwrap();
}

#[test]
#[rustfmt::skip]
fn a_check_says_what_is_wrong_and_what_to_do() {
    let table: &[(&str, Change, &str)] = &[
        ("M4", |s| { s.aged(".mgw/active/57-other.json", r#"{"pipeline_stage":"new"}"#, 60); }, "warn It has the same number, and was written later; the orchestrator uses ROOT/.mgw/active/57-cache-lookups.json. - Compare the two and move the wrong one away."),
        ("M5", |s| { s.aged(&format!("{FILE}.tmp"), "{", 60); }, "warn It does not parse and is newer than the state file. - Compare it with the state file, keep the right one, and remove the .tmp file."),
        ("M11", |s| { s.state(&after("verify", "create-pr")); }, "warn The route verifies, and there is no VERIFICATION document. - Resume at the point `step-verify` to have one written."),
        // What cannot be read is there.
        ("M10", |s| unread(s, "4-SUMMARY.md", "x"), "pass It is found in the worktree.\npass It is found in the worktree.\nfail The step needs a summary, and .planning/quick/4-cache-lookups/4-SUMMARY.md is a symbolic link, and links are not followed. - Replace the link "),
        ("M11", |s| { s.state(&after("verify", "create-pr")); unread(s, "4-VERIFICATION.md", "## VERIFICATION PASSED"); }, "warn .planning/quick/4-cache-lookups/4-VERIFICATION.md is a symbolic link, and links are not followed. - Replace the link "),
        ("M11", |s| { s.state(&after("verify", "create-pr")); s.doc("4-VERIFICATION.md", "x"); huge(s, "4-VERIFICATION.md"); }, "warn .planning/quick/4-cache-lookups/4-VERIFICATION.md cannot be read: 16777217 bytes, more than the 16777216 that are read. - Move "),
        ("M12", |s| unread(s, "4-PLAN.md", "x"), "warn What the plan requires is not known: .planning/quick/4-cache-lookups/4-PLAN.md is a symbolic link, and links are not followed. - Replace the link "),
        ("M12", |s| huge(s, "4-PLAN.md"), "warn What the plan requires is not known: .planning/quick/4-cache-lookups/4-PLAN.md cannot be read: "),
        ("M13", |s| { s.repo().branches.remove(BRANCH); s.state("\"pipeline_stage\": \"triaged\""); s.repo().worktrees.clear(); }, "warn There is no branch issue/57-cache-lookups. - /mgw:run creates it.\nwarn ROOT/.worktrees/issue/57-cache-lookups exists, and git does not list it. - Copy what you need out of it, then let /mgw:run create it again."),
        ("M13", |s| { s.repo().worktrees[0].branch = Some("elsewhere".into()); s.tree().branch = Some("elsewhere".into()); }, "pass issue/57-cache-lookups is at 00000000, 2 commits ahead of the main branch.\nwarn ROOT/.worktrees/issue/57-cache-lookups is on elsewhere, expected issue/57-cache-lookups. - Switch it to issue/57-cache-lookups before you continue."),
        ("M14", |_| {}, "pass There are none.\nwarn 2 commits; the branch has no known upstream. - They exist nowhere else: do not remove the branch before they are pushed."),
        ("M14", |s| { s.repo().default_branch = None; s.repo().branches.remove("main"); }, "pass There are none.\nwarn An unknown number of commits; the branch has no known upstream. - They exist nowhere else: do not remove the branch before they are pushed."),
        ("M19", |s| project(s, LISTED, "\"current_milestone\":1"), "warn project.json says planning (milestone A, phase 2, Speed), and the state file says executing; the state file counts. - This is expected: only /mgw:milestone writes project.json. Run /mgw:sync to reconcile.\npass Milestone 1 is active; this issue belongs to it."),
        // Without a state file nothing is compared.
        ("M19", |s| { project(s, LISTED, "\"current_milestone\":1"); fs::remove_file(s.root.join(FILE)).unwrap(); }, "skipped project.json says planning (milestone A, phase 2, Speed), and no state file can be read. - Repair the state file first (M1).\npass Milestone 1 is active; this issue belongs to it."),
        ("M19", |s| project(s, "\"title\":\"x\"", "\"x\":1"), "warn project.json says missing (milestone A), and the state file says executing; the state file counts. - This is expected: only /mgw:milestone writes project.json. Run /mgw:sync to reconcile.\nwarn No milestone is active. - Set it with /mgw:project, if the project is run by milestones."),
        ("M21", |s| { project(s, LISTED, "\"current_milestone\":1"); s.file(".planning/ROADMAP.md", "# Roadmap v2\n"); }, "skipped There is no cross-refs.json. - Nothing to do, unless the project is run by milestones.\nwarn ROADMAP.md in ROOT does not name the milestone v1. - Correct gsd_milestone_id in .mgw/project.json, or the roadmap."),
        ("M23", |s| s.repo().broken = Some(GitError::OtherOwner), "skipped git cannot answer: "),
    ];
    let mut wrong = Vec::new();
    for (id, change, want) in table {
        let mut sandbox = Sandbox::new();
        sandbox.git(2).state(&after("execute", "spawn-verifier"));
        sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
        change(&mut sandbox);
        let found = said(&sandbox, id);
        if !found.starts_with(want) {
            wrong.push(format!("{id}\n  {want}\n  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A state file that can be read is replaced by its .tmp file only by a person who knows which one is newer.
#[test]
fn the_tmp_file_of_a_readable_state_file_is_compared_with_it() {
    for (age_s, text) in [
        (
            60,
            "The state file can be read, and is older than its .tmp file.",
        ),
        (
            9_000,
            "The state file can be read, and its .tmp file is not newer.",
        ),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.git(1).state(&after("plan", "spawn-executor"));
        sandbox.doc("4-PLAN.md", "x");
        let tmp = r#"{"issue": {"number": 57}, "pipeline_stage": "triaged"}"#;
        sandbox.aged(&format!("{FILE}.tmp"), tmp, age_s);
        let points = sandbox.boundaries();
        let point = points
            .iter()
            .find(|point| point.id.0 == "from-tmp")
            .unwrap();
        let warned = point.warnings.iter().any(|it| it.lossy() == text);
        assert!(warned, "{:?}", point.warnings);
        assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
    }
}

/// The guard that fails, and its text.
fn refusal(intent: &Intent) -> (String, String) {
    let guard = intent.guards.iter().find(|guard| !guard.holds).unwrap();
    (guard.id.to_string(), guard.text.lossy().into_owned())
}

/// A document of another kind, committed with the work: it is no sign of the end of the plan, so times decide.
#[test]
fn a_reset_removes_no_document_that_its_point_keeps() {
    let mut sandbox = issue(1);
    let text = fs::read_to_string(sandbox.root.join(FILE)).unwrap();
    sandbox.file(FILE, text.replace("4-PLAN.md", "4-NOTES.md"));
    let notes = format!("{DOCS}/4-NOTES.md");
    for n in 2..=3 {
        let blobs = &mut sandbox.repo().blobs;
        blobs.insert((commit(n, None).id, notes.clone().into()), b"x".to_vec());
    }
    let (id, said) = refusal(&rewound(&sandbox, "step-execute"));
    let want = format!("The reset would remove {notes}, which this point keeps.");
    assert_eq!((id.as_str(), said), ("rewind", want));
}

#[test]
fn pushed_commits_that_a_reset_removes_are_named() {
    let text = "Commits that were pushed are removed: pushing again rewrites published history.";
    for pushed in [false, true] {
        let mut sandbox = issue(1);
        if pushed {
            let commits = sandbox.repo().branches[BRANCH].clone();
            let theirs = format!("origin/{BRANCH}");
            sandbox.repo().branches.insert(theirs, commits);
        }
        let said = losses(&rewound(&sandbox, "step-execute"));
        assert_eq!(said.iter().any(|loss| loss == text), pushed, "{said:?}");
    }
}

/// A long branch is not searched: which commit is the start is not known.
#[test]
fn a_branch_with_too_many_commits_is_not_reset() {
    let mut sandbox = Sandbox::new();
    sandbox.git(200).state(&after("plan", "spawn-executor"));
    sandbox.doc("4-PLAN.md", "x");
    let (id, text) = refusal(&rewound(&sandbox, "step-execute"));
    let why = "the branch has too many commits to find the right one";
    let want = format!("The worktree cannot be reset: {why}.");
    assert_eq!((id.as_str(), text), ("rewind", want));
}

/// relight's placeholder of the time in the file itself would be replaced with it.
#[test]
fn a_file_with_the_placeholder_of_the_time_is_not_written() {
    let mut sandbox = Sandbox::new();
    let members = after("execute", "spawn-verifier");
    sandbox
        .git(1)
        .state(&format!("{members},\n  \"note\": \"{{now}}\""));
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    let (id, text) = refusal(&sandbox.intent("step-execute").unwrap());
    let want = "The state file contains the text {now} itself.";
    assert_eq!((id.as_str(), text.as_str()), ("placeholder", want));
}
