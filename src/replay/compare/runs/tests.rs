use super::super::testing::{dispatch, experiment, replayed};
use super::*;

fn begun(session: &str) -> Run {
    Run {
        session: Some(SessionId(session.to_owned())),
        title: "a replay".into(),
        ..Run::default()
    }
}

fn keys(run: &Run) -> Vec<(&str, u64)> {
    let work = run.work.iter();
    work.map(|one| (one.key.as_str(), one.seq.unwrap()))
        .collect()
}

#[test]
fn the_original_is_what_no_replay_session_wrote() {
    let all = vec![
        dispatch(1, "plan-writer", "2", "a plan"),
        dispatch(2, "implementer", "3", "a cache"),
        replayed(dispatch(3, "implementer", "3", "again"), Some(2), "R"),
    ];
    let run = original(&experiment(all), RunTree::None);
    assert_eq!(keys(&run), [("1", 1), ("2", 2)]);
    assert_eq!(run.session, Some(SessionId("1775430161".to_owned())));
    assert!(!run.unfinished);
}

#[test]
fn a_replay_pairs_by_the_original_at_the_end_of_its_chain() {
    let plain = |seq| dispatch(seq, "implementer", "3", "x");
    let all = vec![
        plain(1),
        plain(2),
        replayed(plain(3), Some(2), "first"),
        // A replay of a replay goes back to the original.
        replayed(plain(4), Some(3), "second"),
        // New work, and work on a number that has no lines any more.
        replayed(plain(5), None, "second"),
        replayed(plain(6), Some(99), "second"),
        // A replay of new work is new, too.
        replayed(plain(7), Some(5), "third"),
    ];
    let experiment = experiment(all.clone());
    let table: &[(&str, &[(&str, u64)])] = &[
        ("first", &[("2", 3)]),
        ("second", &[("2", 4), ("+5", 5), ("99", 6)]),
        ("third", &[("+7", 7)]),
        ("nobody", &[]),
    ];
    for (session, expected) in table {
        let run = replay(&experiment, &all, begun(session), Reported::default());
        assert_eq!(keys(&run), *expected, "{session}");
        assert!(
            run.work
                .iter()
                .all(|one| one.new == one.key.starts_with('+'))
        );
    }
}

#[test]
fn a_chain_that_leads_in_a_circle_comes_to_an_end() {
    let plain = |seq| dispatch(seq, "implementer", "3", "x");
    let all = vec![
        replayed(plain(1), Some(2), "R"),
        replayed(plain(2), Some(3), "R"),
        replayed(plain(3), Some(1), "R"),
        replayed(plain(4), Some(4), "R"),
    ];
    let run = replay(
        &experiment(all.clone()),
        &all,
        begun("R"),
        Reported::default(),
    );
    assert_eq!(run.work.len(), 4);
}

#[test]
fn of_several_replays_of_one_dispatch_the_newest_pairs() {
    let mut lost = dispatch(3, "implementer", "3", "");
    lost.status = DispatchStatus::Dispatched;
    let all = vec![
        dispatch(2, "implementer", "3", "x"),
        replayed(lost, Some(2), "R"),
        replayed(dispatch(4, "implementer", "3", "done"), Some(2), "R"),
    ];
    let run = replay(
        &experiment(all.clone()),
        &all,
        begun("R"),
        Reported::default(),
    );
    let pairing: Vec<_> = newest(&run.work).map(|one| one.seq).collect();
    assert_eq!(pairing, [Some(4)]);
    // Both are dispatches of the run, and the lost one leaves nothing open.
    assert_eq!(run.work.len(), 2);
    assert!(!run.unfinished);
}

#[test]
fn a_replay_says_from_where_it_ran_and_what_it_swapped() {
    let mut swapped = replayed(dispatch(9, "red-team", "4", "x"), Some(7), "R");
    swapped.mutation = Some("a.md -> b.md".into());
    let all = vec![dispatch(7, "red-team", "4", "x"), swapped];
    let run = replay(
        &experiment(all.clone()),
        &all,
        begun("R"),
        Reported::default(),
    );
    assert_eq!(run.mutations, [Foreign::from("a.md -> b.md")]);
    assert_eq!(run.start.map(|(_, first)| first), Some(7));
    assert_eq!(run.started_at, crate::model::Stamp::from_unix(540));
}

#[test]
fn acceptance_is_what_the_last_word_on_it_says() {
    use TestOutcome::{Fail, Pass, Unknown};
    let table: &[(&[(&str, &str)], TestOutcome)] = &[
        (&[], Unknown),
        (&[("implementer", "Task 1: cache, PASS")], Unknown),
        (
            &[("acceptance-tests", "FAIL"), ("acceptance-tests", "PASS")],
            Pass,
        ),
        (
            &[
                ("acceptance-tests", "PASS"),
                ("acceptance-tests", "ran out of time"),
            ],
            Pass,
        ),
        (&[("runner", "acceptance tests: 12 passed, 0 failed")], Pass),
        (&[("test-runner", "2 failed")], Fail),
        // A later word on other tests does not stand over acceptance.
        (
            &[
                ("acceptance-tests", "FAIL"),
                ("implementer", "unit tests passed"),
            ],
            Fail,
        ),
        (&[("reviewer", "the contest PASS")], Unknown),
    ];
    for (rows, expected) in table {
        let rows = rows.iter().enumerate();
        let all = rows.map(|(at, (role, summary))| dispatch(at as u64 + 1, role, "4", summary));
        let run = original(&experiment(all.collect()), RunTree::None);
        assert_eq!(run.outcome, *expected, "{:?}", run.work);
    }
}

#[test]
fn a_replay_whose_tests_do_not_say_that_they_passed_has_failed() {
    use TestOutcome::{Fail, Pass, Unknown};
    let table = [
        ("PASS", false, Pass),
        ("FAIL", false, Fail),
        ("I cannot run the tests", false, Fail),
        ("", false, Fail),
        // It may still say it.
        ("", true, Unknown),
        ("FAIL", true, Unknown),
    ];
    for (summary, unfinished, expected) in table {
        let one = replayed(dispatch(9, "test-runner", "4", summary), Some(7), "R");
        let all = vec![dispatch(7, "test-runner", "4", "PASS"), one];
        let begun = Run {
            unfinished,
            ..begun("R")
        };
        let run = replay(&experiment(all.clone()), &all, begun, Reported::default());
        assert_eq!(run.outcome, expected, "{summary} {unfinished}");
    }
}
