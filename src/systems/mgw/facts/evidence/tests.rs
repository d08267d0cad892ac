use crate::systems::mgw::facts::evidence::*;
use crate::systems::mgw::facts::lookup::Where;

fn docs(names: &[&str]) -> Docs {
    let mut docs = Docs::default();
    for name in names {
        docs.add(format!("d/{name}"), Where::Worktree, None);
    }
    docs
}

#[test]
fn documents_show_the_last_step_that_is_done() {
    for (names, finished) in [
        (&[][..], None),
        (&["4-CONTEXT.md"][..], None),
        (&["4-PLAN.md"][..], Some(Step::Plan)),
        (&["4-PLAN.md", "4-SUMMARY.md"][..], Some(Step::Execute)),
        (&["4-SUMMARY.md"][..], Some(Step::Execute)),
        (
            &["4-PLAN.md", "4-SUMMARY.md", "4-VERIFICATION.md"][..],
            Some(Step::Verify),
        ),
        (
            &["02-01-PLAN.md", "02-01-SUMMARY.md", "02-02-PLAN.md"][..],
            Some(Step::Plan),
        ),
        (
            &[
                "02-01-PLAN.md",
                "02-01-SUMMARY.md",
                "02-02-PLAN.md",
                "02-VERIFICATION.md",
            ][..],
            Some(Step::Plan),
        ),
    ] {
        assert_eq!(docs(names).finished(None, None), finished, "{names:?}");
    }
}

/// Documents, commits, whether pushed, the route, and the step to resume at.
type Case<'a> = (&'a [&'a str], u64, bool, Route, Option<Step>);

#[test]
fn the_evidence_is_ranked() {
    let all = &["4-PLAN.md", "4-SUMMARY.md", "4-VERIFICATION.md"];
    let table: &[Case<'_>] = &[
        (&[], 0, false, Route::Full, None),
        (&[], 2, false, Route::Full, Some(Step::Execute)),
        (&all[..1], 0, false, Route::Quick, Some(Step::Execute)),
        (&all[..2], 2, false, Route::Full, Some(Step::Verify)),
        (&all[..2], 2, false, Route::Unknown, Some(Step::Verify)),
        (&all[..2], 2, false, Route::Quick, Some(Step::Pr)),
        (&all[..2], 2, true, Route::Full, Some(Step::Pr)),
        (&all[..1], 2, true, Route::Full, Some(Step::Execute)),
        (&all[..], 0, false, Route::Full, Some(Step::Pr)),
    ];
    for (names, commits, pushed, route, expected) in table {
        let evidence = Evidence {
            docs: docs(names),
            commits: Some(*commits),
            pushed: *pushed,
            ..Evidence::default()
        };
        assert_eq!(
            evidence.next(*route, None),
            *expected,
            "{names:?} {commits} {pushed}"
        );
    }
}

/// Hours of plan, summary and verification, the recorded step, and the step that the documents then show.
type Row = (i64, i64, i64, Option<Step>, Option<Step>);

/// `f9`: a document older than the record shows nothing; equal and unknown times still count.
#[test]
fn f9_documents_older_than_the_record_show_nothing() {
    let at = |hour: i64| DateTime::from_timestamp(1_777_000_000 + hour * 3_600, 0);
    // Hours of plan, summary, verification (0 for none, 99 for an unknown time), the step recorded at hour 5, and the
    // step that the documents then show.
    let table: &[Row] = &[
        (4, 0, 0, None, None),
        (5, 0, 0, None, Some(Step::Plan)),
        (6, 0, 0, None, Some(Step::Plan)),
        (99, 0, 0, None, Some(Step::Plan)),
        (4, 4, 4, Some(Step::Plan), None),
        (4, 6, 0, Some(Step::Plan), Some(Step::Execute)),
        (4, 5, 0, Some(Step::Plan), Some(Step::Execute)),
        (4, 99, 0, Some(Step::Plan), Some(Step::Execute)),
        (4, 4, 6, Some(Step::Execute), Some(Step::Verify)),
        // A new verification of old work says nothing about the work that must be repeated.
        (4, 4, 6, Some(Step::Plan), None),
        (4, 6, 7, Some(Step::Plan), Some(Step::Verify)),
    ];
    for (plan, summary, verification, recorded, expected) in table {
        let mut docs = Docs::default();
        for (hour, name) in [
            (*plan, "4-PLAN.md"),
            (*summary, "4-SUMMARY.md"),
            (*verification, "4-VERIFICATION.md"),
        ] {
            if hour != 0 {
                let written = if hour == 99 { None } else { at(hour) };
                docs.add(name.to_owned(), Where::Worktree, written);
            }
        }
        let shown = docs.finished(at(5), *recorded);
        assert_eq!(
            shown, *expected,
            "{plan} {summary} {verification} {recorded:?}"
        );
    }
    // One of two summaries is rewritten: the other plan must still be executed.
    let mut two = Docs::default();
    for (hour, name) in [
        (4, "01-PLAN.md"),
        (4, "02-PLAN.md"),
        (6, "01-SUMMARY.md"),
        (4, "02-SUMMARY.md"),
    ] {
        two.add(name.to_owned(), Where::Worktree, at(hour));
    }
    assert_eq!(two.finished(at(5), Some(Step::Plan)), Some(Step::Plan));
}

#[test]
fn f9_a_push_and_commits_before_the_record_show_nothing() {
    let at = |hour: i64| DateTime::from_timestamp(1_777_000_000 + hour * 3_600, 0);
    for (commit, expected) in [(4, Some(Step::Verify)), (6, Some(Step::Pr))] {
        let mut docs = Docs::default();
        docs.add("4-SUMMARY.md".to_owned(), Where::Worktree, at(7));
        let evidence = Evidence {
            docs,
            commits: Some(3),
            commit_times: at(commit).into_iter().collect(),
            pushed: true,
            since: at(5),
            ..Evidence::default()
        };
        assert_eq!(
            evidence.next(Route::Full, Some(Step::Plan)),
            expected,
            "{commit}"
        );
    }
    let only_commits = Evidence {
        commits: Some(3),
        commit_times: at(4).into_iter().collect(),
        since: at(5),
        ..Evidence::default()
    };
    assert_eq!(only_commits.finished(None), None);
}
