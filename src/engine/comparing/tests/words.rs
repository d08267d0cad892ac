use super::super::known::{Choice, Known};
use super::{names, run, session};
use crate::engine::ErrorKind;
use crate::engine::testing::Scene;
use crate::model::SessionState;

/// The sandbox's interrupted run with three replays of two experiments, and two recoveries' worth of rounds.
fn known(scene: &Scene) -> Known {
    let id = scene.id(&scene.dispatch().replace("dispatch-", "")).clone();
    let mut known = scene.engine.known(&id).unwrap();
    known.sessions = vec![
        session("1775430900", "1775430900", (1, 1)),
        session("1775431900-1", "1775431900", (1, 2)),
        session("1775431900-2", "1775431900", (2, 2)),
    ];
    known.runs = [
        "round-1",
        "round-2",
        "round-10",
        "stage-3.v1",
        "stage-3.v2",
        "stage-3",
        "stage-4",
    ]
    .map(run)
    .to_vec();
    known
}

/// A choice as its operand's word.
fn name(known: &Known, choice: &Choice) -> String {
    let choices = known.choices();
    let found = choices.iter().find(|(_, one)| one == choice);
    found.map_or_else(|| format!("{choice:?}"), |(name, _)| name.clone())
}

#[test]
fn everything_that_can_be_compared_has_a_word() {
    let scene = Scene::shared();
    let known = known(scene);
    assert_eq!(
        names(&known),
        [
            "original",
            "1775430900",
            "1775431900",
            "1775431900-1",
            "1775431900-2",
            "round-1",
            "round-2",
            "round-10",
            "stage-3.v1",
            "stage-3.v2",
            "stage-3",
            "stage-4"
        ]
    );
    let titles: Vec<_> = known
        .operands()
        .into_iter()
        .take(4)
        .map(|one| one.title.lossy().into_owned())
        .collect();
    assert!(titles[0].starts_with("the original run, "), "{titles:?}");
    assert_eq!(
        titles[1..],
        [
            "replay with a.md -> b.md",
            "2 repeats with a.md -> b.md",
            "replay 1 of 2 with a.md -> b.md"
        ]
    );
}

#[test]
fn words_mean_both_sides_and_what_is_left_out_follows() {
    type Row<'a> = (
        Option<&'a str>,
        Option<&'a str>,
        Result<(&'a str, &'a str), ErrorKind>,
    );
    let scene = Scene::shared();
    let known = known(scene);
    let table: &[Row<'_>] = &[
        (None, None, Ok(("original", "1775431900"))),
        (Some("original"), None, Ok(("original", "1775431900"))),
        (Some("1775430900"), None, Ok(("original", "1775430900"))),
        (Some("1775431900-2"), None, Ok(("original", "1775431900-2"))),
        // A word that repeats share is all of them.
        (Some("1775431900"), None, Ok(("original", "1775431900"))),
        (Some("177543190"), None, Ok(("original", "1775431900"))),
        (Some("17754"), None, Err(ErrorKind::Ambiguous)),
        (Some("o"), Some("1775430"), Ok(("original", "1775430900"))),
        (
            Some("1775430900"),
            Some("1775431900-1"),
            Ok(("1775430900", "1775431900-1")),
        ),
        (
            Some("1775431900"),
            Some("original"),
            Ok(("1775431900", "original")),
        ),
        (
            Some("round-1"),
            Some("round-10"),
            Ok(("round-1", "round-10")),
        ),
        (Some("round-2"), None, Ok(("round-1", "round-2"))),
        (Some("round-10"), None, Ok(("round-2", "round-10"))),
        (Some("round-1"), None, Err(ErrorKind::NothingToDo)),
        (Some("stage-3"), None, Ok(("stage-3.v2", "stage-3"))),
        (Some("stage-3.v2"), None, Ok(("stage-3.v1", "stage-3.v2"))),
        (Some("stage-3.v1"), None, Err(ErrorKind::NothingToDo)),
        (Some("stage-4"), None, Err(ErrorKind::NothingToDo)),
        (Some("round"), None, Err(ErrorKind::Ambiguous)),
        (Some("elsewhere"), None, Err(ErrorKind::NotFound)),
        (Some(""), None, Err(ErrorKind::NotFound)),
    ];
    for (a, b, expected) in table {
        let found = known.sides(*a, *b);
        let found = found.map(|(a, b)| (name(&known, &a), name(&known, &b)));
        let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(found.map_err(|why| why.kind), expected, "{a:?} {b:?}");
    }
}

#[test]
fn without_replays_the_newest_run_is_compared_with_the_one_before() {
    let scene = Scene::shared();
    let mut known = known(scene);
    known.sessions[0].state = SessionState::Unreadable;
    known.sessions.truncate(1);
    let (a, b) = known.sides(None, None).unwrap();
    assert_eq!(
        (name(&known, &a), name(&known, &b)),
        ("stage-3.v2".to_owned(), "stage-3".to_owned())
    );
    known.runs.truncate(2);
    let (a, b) = known.sides(None, None).unwrap();
    assert_eq!(
        (name(&known, &a), name(&known, &b)),
        ("round-1".to_owned(), "round-2".to_owned())
    );
    known.runs.truncate(1);
    let error = known.sides(None, None).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NothingToDo);
    assert!(
        error.hints[0]
            .lossy()
            .starts_with("relight replay crucible-"),
        "{:?}",
        error.hints
    );
}

#[test]
fn an_error_says_what_can_be_typed() {
    let scene = Scene::shared();
    let known = known(scene);
    let hints = |word: &str| -> Vec<String> {
        let error = known.sides(Some(word), None).unwrap_err();
        error
            .hints
            .iter()
            .map(|hint| hint.lossy().into_owned())
            .collect()
    };
    let all = hints("elsewhere");
    assert!(all[0].starts_with("original: the original run"), "{all:?}");
    assert_eq!(all.last().unwrap(), "(+4 more)");
    assert_eq!(
        hints("round"),
        ["round-1: round-1", "round-2: round-2", "round-10: round-10"]
    );
    let first = hints("round-1");
    assert!(
        first[0].starts_with("relight compare crucible-"),
        "{first:?}"
    );
}
