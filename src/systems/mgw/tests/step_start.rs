//! Which commit of the branch is the start of a step.

use super::rewinding::{issue, losses, rewound};
use crate::model::Step;
use crate::systems::mgw::tests::*;

/// The commit that `--rewind-branch` resets to, or why it is refused; and what is said without the option.
fn chosen(sandbox: &Sandbox, point: &str) -> (Result<usize, String>, String) {
    let without = losses(&sandbox.intent(point).unwrap()).join(" ");
    let intent = rewound(sandbox, point);
    let refused = intent.guards.iter().find(|guard| !guard.holds);
    let commit = intent.steps.iter().find_map(|step| {
        let Step::ResetWorktree { commit, .. } = step else {
            return None;
        };
        usize::from_str_radix(commit, 16).ok()
    });
    let to = refused.map_or_else(
        || Ok(commit.unwrap()),
        |guard| Err(guard.text.lossy().into_owned()),
    );
    let by_time = losses(&intent)
        .iter()
        .any(|loss| loss.contains("by commit times"));
    assert_eq!(
        by_time,
        without.contains("by commit times") && to.is_ok(),
        "{point}: {without}"
    );
    (to, without)
}

/// Commits 1 to 4: the plan, two tasks, the results. All times say that everything was made before the plan ended.
fn records(named: &str, committed: &[(usize, &str)]) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let members = after("verify", "create-pr").replace(
        "\"step_progress\": {",
        &format!("\"step_progress\": {{\"commits\": [{named}], "),
    );
    sandbox.git(4).state(&members);
    for (from, name) in committed {
        sandbox.doc(name, "---\nstatus: passed\n---\n");
        for n in *from..=4 {
            let path = PathBuf::from(DOCS).join(name);
            let id = commit(n, None).id;
            sandbox.repo().blobs.insert((id, path), b"x".to_vec());
        }
    }
    sandbox
}

fn named(commits: &[usize]) -> String {
    let ids = commits
        .iter()
        .map(|n| format!("\"{}\"", commit(*n, None).id));
    ids.collect::<Vec<_>>().join(", ")
}

/// What is named, the ids, the documents by the commit that introduces them, the point, and where the step starts.
type Row<'a> = (
    &'a str,
    &'a [usize],
    &'a [(usize, &'a str)],
    &'a str,
    Result<usize, &'a str>,
);

#[test]
fn what_the_records_name_decides_and_not_the_times() {
    let results = &[(1, "4-PLAN.md"), (4, "4-SUMMARY.md")][..];
    let at_once = &[
        (4, "4-PLAN.md"),
        (4, "4-SUMMARY.md"),
        (4, "4-VERIFICATION.md"),
    ][..];
    let table: &[Row<'_>] = &[
        ("ids", &[2, 3], &[], "step-execute", Ok(1)),
        ("ids", &[2, 3], &[], "step-verify", Ok(3)),
        ("a document", &[], results, "step-execute", Ok(1)),
        ("documents", &[], results, "step-verify", Ok(4)),
        ("both", &[2, 3], results, "step-execute", Ok(1)),
        ("both", &[2, 3], results, "step-verify", Ok(4)),
        ("a gap", &[3], results, "step-execute", Err("both fit")),
        (
            "not on the branch",
            &[2, 9],
            &[],
            "step-execute",
            Err("not on the branch"),
        ),
        ("all at once", &[2, 3], at_once, "step-verify", Ok(3)),
    ];
    for (what, ids, committed, point, expected) in table {
        let sandbox = records(&named(ids), committed);
        let (found, without) = chosen(&sandbox, point);
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{what} {point}"),
            (Err(found), Err(expected)) => {
                assert!(found.contains(expected), "{what} {point}: {found}");
                assert!(without.contains("--rewind-branch is refused"), "{without}");
            }
            _ => panic!("{what} {point}: {found:?}"),
        }
    }
}

#[test]
fn a_commit_is_named_by_a_short_id_or_by_its_subject() {
    let mut sandbox = records("\"beef001 add the store\", \"commit 3\"", &[]);
    for repo in [&mut sandbox.world.git.repos] {
        for repo in repo.values_mut() {
            for commit in repo.branches.values_mut().flatten() {
                let rename = |id: &mut String| {
                    if id.ends_with("02") {
                        *id = format!("beef001{:033}", 0);
                    }
                };
                rename(&mut commit.id);
                commit.parents.iter_mut().for_each(rename);
            }
        }
    }
    assert_eq!(chosen(&sandbox, "step-execute").0, Ok(1));
    assert_eq!(chosen(&sandbox, "step-verify").0, Ok(3));
}

#[test]
fn a_name_that_fits_several_commits_names_none() {
    // All ids of the test begin so.
    let (found, _) = chosen(&records("\"0000\"", &[]), "step-execute");
    let why = found.unwrap_err();
    assert!(why.contains("several commits of the branch fit"), "{why}");
}

type Lie = fn(&mut Commit, chrono::TimeDelta);

#[test]
fn times_decide_only_where_they_can() {
    let minute = chrono::TimeDelta::seconds(60);
    let table: [(&str, usize, usize, Lie); 4] = [
        ("is newer than the end", 2, 1, |c, t| {
            (c.time, c.authored) = (c.time + t * 9, c.authored + t * 9);
        }),
        ("was rewritten", 1, 1, |c, t| c.time += t * 9),
        ("was rewritten", 1, 2, |c, t| c.authored -= t * 9),
        ("the second in which", 1, 2, |c, _| {
            c.time = commit(1, None).time + chrono::TimeDelta::seconds(5);
        }),
    ];
    assert_eq!(chosen(&issue(1), "step-execute").0, Ok(1));
    for (why, then, which, lie) in table {
        let mut sandbox = issue(then);
        for repo in sandbox.world.git.repos.values_mut() {
            let all = repo.branches.values_mut().flatten();
            for c in all.filter(|c| c.id == commit(which, None).id) {
                lie(c, minute);
            }
        }
        let (found, without) = chosen(&sandbox, "step-execute");
        let found = found.unwrap_err();
        assert!(found.contains(why), "{why}: {found}");
        assert!(without.contains("--rewind-branch is refused"), "{without}");
    }
}

/// The commit of a plan that is kept is no result of the steps that run again.
#[test]
fn the_prompt_counts_the_commits_that_the_losses_count() {
    let sandbox = records(&named(&[2, 3]), &[(1, "4-PLAN.md"), (4, "4-SUMMARY.md")]);
    for (point, commits, documents) in [
        ("step-execute", "3 commits", "SUMMARY in the worktree"),
        (
            "step-plan",
            "4 commits",
            "SUMMARY in the worktree, PLAN in the worktree",
        ),
    ] {
        let said = losses(&sandbox.intent(point).unwrap()).join(" ");
        assert!(said.starts_with(commits), "{point}: {said}");
        let again = format!("are made again: {documents}, {commits} on the branch.");
        let prompt = sandbox.handoff(point).prompt;
        assert!(prompt.lossy().contains(&again), "{}", prompt.lossy());
    }
}
