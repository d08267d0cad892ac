use super::*;

fn docs(names: &[&str]) -> Docs {
    let mut docs = Docs::default();
    for name in names {
        docs.add(format!("d/{name}"), Where::Worktree);
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
        assert_eq!(docs(names).finished(), finished, "{names:?}");
    }
    let two = docs(&["02-01-PLAN.md", "02-01-SUMMARY.md", "02-02-PLAN.md"]);
    let open: Vec<&str> = two.unpaired().iter().map(|d| d.path.as_str()).collect();
    assert_eq!(open, ["d/02-02-PLAN.md"]);
}

/// Documents, commits, whether pushed, the route, and where to go on.
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
            commits: *commits,
            pushed: *pushed,
            ..Evidence::default()
        };
        assert_eq!(
            evidence.next(*route),
            *expected,
            "{names:?} {commits} {pushed}"
        );
    }
}
