//! Runs that are missing, and blocks that are left out.

use super::*;

#[test]
fn a_missing_run_leaves_its_block_out_and_can_take_the_verdict_away() {
    // Six wins decide, but the missing mutated run may be a failure beside a control that passed.
    let (verdict, text, statistics) = verdict_of("oxxxxxx", "?oooooo");
    assert_eq!(verdict, Verdict::Undecided);
    assert_eq!(statistics.missing, [0, 1]);
    assert!(
        text.contains("depends on how it would have ended"),
        "{text}"
    );
    // Beside a control that failed it can only be a tie.
    assert_eq!(verdict_of("xxxxxxx", "?oooooo").0, Verdict::Better);
    // Enough wins hold whatever it was.
    assert_eq!(
        verdict_of("oxxxxxxxxxxxx", "?oooooooooooo").0,
        Verdict::Better
    );
}

#[test]
fn a_missing_run_is_run_again_before_anything_else() {
    let (verdict, text, _) = verdict_of("oxx", "?oo");
    assert_eq!(verdict, Verdict::Undecided);
    assert!(
        text.ends_with("1 run is missing. To run it: relight replay p --continue 7"),
        "{text}"
    );
    // Where the command is not shown, nothing announces it.
    let facts = facts(3);
    let (_, text) = judge(&statistics(strip("oxx", "?oo"), &facts), &facts);
    let alone = text.without_command().lossy().into_owned();
    assert!(alone.ends_with("1 run is missing."), "{alone}");
}

#[test]
fn what_is_being_run_is_not_missing_and_nothing_is_advised() {
    let table = [
        ("xx?", "oo?", "2 runs are running."),
        ("oxxxxxx", "?oooooo", "2 runs are running."),
        ("?", "?", "No block is complete yet. 2 runs are running."),
    ];
    for (control, mutated, expected) in table {
        let facts = ExperimentFacts {
            running: 2,
            ..facts(20)
        };
        let statistics = statistics(strip(control, mutated), &facts);
        let (_, text) = judge(&statistics, &facts);
        let said = text.without_command().lossy().into_owned();
        assert_eq!(statistics.missing, [0, 0], "{control} {mutated}");
        assert!(text.command.is_none(), "{said}");
        assert!(said.ends_with(expected), "{said}");
    }
}

#[test]
fn a_block_that_is_left_out_is_not_waited_for() {
    let out = |planned, disturbed| ExperimentFacts {
        disturbed,
        ..facts(planned)
    };
    let (verdict, text, statistics) = judged(Vec::new(), &out(8, 8));
    assert_eq!(
        (verdict, statistics.unreachable),
        (Verdict::Undecided, true)
    );
    assert!(
        text.ends_with(
            "No block counts: files of the original changed while they ran. \
             Add 10 blocks: relight replay p --continue 7 --repeat +10"
        ),
        "{text}"
    );
    // Two of eight are left out, and six have run.
    let (_, text, _) = judged(strip("oooooo", "oooooo"), &out(8, 2));
    assert!(!text.contains("not run yet"), "{text}");
    let (_, text, _) = judged(strip("xxxxx", "ooooo"), &out(8, 2));
    assert!(text.contains("1 block is not run yet"), "{text}");
}

#[test]
fn arms_that_were_sent_the_same_text_do_not_differ() {
    let same = ExperimentFacts {
        unswapped: 3,
        confounders: crate::model::unswapped(3).into_iter().collect(),
        ..facts(6)
    };
    let (verdict, text, _) = judged(strip("xxxxxx", "oooooo"), &same);
    assert_eq!(verdict, Verdict::Confounded);
    assert!(text.starts_with("The arms do not differ"), "{text}");
    let other = ExperimentFacts {
        confounders: vec!["Another runner.".into()],
        ..facts(6)
    };
    let (_, text, _) = judged(strip("xxxxxx", "oooooo"), &other);
    assert!(
        text.starts_with("The arms differ in more than the template"),
        "{text}"
    );
}

#[test]
fn a_block_that_was_deleted_counts_as_missing() {
    let deleted = ExperimentFacts {
        deleted: vec![(SessionId("7".to_owned()), 2)],
        ..facts(7)
    };
    let empty = testing::party("", Vec::new());
    let found = blocks(&empty, &empty, &deleted);
    assert_eq!((found.len(), found[0].number, found[0].sign), (1, 2, None));
    // Six wins decide, but what was deleted may have been a loss.
    let all = [found, strip("xxxxxx", "oooooo")].concat();
    let (verdict, text, statistics) = judged(all, &deleted);
    assert_eq!((verdict, statistics.missing), (Verdict::Undecided, [1, 1]));
    assert!(text.contains("2 runs are missing"), "{text}");
}
