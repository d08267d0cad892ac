//! Tables for the line diff, the folding and the emphasis.

use super::fold::{Folding, Layout, Shown, changes, shown};
use super::*;
use crate::model::Clean;

fn of(before: &str, after: &str) -> Diff {
    rows(
        Some(before.as_bytes().to_vec()),
        Some(after.as_bytes().to_vec()),
        Options::default(),
    )
}

/// Folds with so many rows around changes.
pub(super) fn folded(context: usize) -> Folding {
    Folding {
        context: Some(context),
        ..Folding::default()
    }
}

fn emphasis(old: &Clean, new: &Clean) -> inline::Emphasis {
    let pieces = inline::pieces(old, new).unwrap_or_default();
    inline::Emphasis::of(&pieces)
}

#[test]
fn rows_pair_both_sides() {
    use Row::{Added, Changed, Removed, Same};
    let table: &[(&str, &str, &[Row])] = &[
        ("", "", &[]),
        ("a\n", "a\n", &[Same { old: 0, new: 0 }]),
        ("a\n", "b\n", &[Changed { old: 0, new: 0 }]),
        ("a\n", "", &[Removed { old: 0 }]),
        ("", "a\n", &[Added { new: 0 }]),
        (
            "a\nb\nc\n",
            "a\nx\nc\nd\n",
            &[
                Same { old: 0, new: 0 },
                Changed { old: 1, new: 1 },
                Same { old: 2, new: 2 },
                Added { new: 3 },
            ],
        ),
        (
            "a\nb\n",
            "x\n",
            &[Changed { old: 0, new: 0 }, Removed { old: 1 }],
        ),
        ("a", "a\n", &[Changed { old: 0, new: 0 }]),
        ("a\r\n", "a\n", &[Changed { old: 0, new: 0 }]),
    ];
    for (before, after, expected) in table {
        assert_eq!(of(before, after).rows, *expected, "{before:?} {after:?}");
    }
}

#[test]
fn endings_are_distinguished() {
    let diff = of("a\r\nb\nc", "");
    let endings: Vec<_> = (0..3).map(|line| diff.old.ending(line)).collect();
    assert_eq!(endings, [Ending::CrLf, Ending::Lf, Ending::None]);
    assert_eq!(diff.old.line(0), b"a\r");
    assert_eq!(diff.old.line(2), b"c");
    assert_eq!(diff.old.line(3), b"");
}

#[test]
fn an_absent_file_is_not_an_empty_one() {
    let diff = rows(None, Some(Vec::new()), Options::default());
    assert!(!diff.old.is_present());
    assert!(diff.new.is_present());
    assert!(diff.is_same());
}

#[test]
fn binary_and_huge_sides_are_not_compared_by_lines() {
    let binary = rows(Some(vec![0, 1]), Some(b"x".to_vec()), Options::default());
    assert_eq!((binary.kind, binary.rows.len()), (Kind::Binary, 0));
    let huge = rows(Some(vec![b'x'; LARGEST + 1]), None, Options::default());
    assert_eq!(huge.kind, Kind::Huge);
}

#[test]
fn blanks_can_be_ignored() {
    let options = Options {
        ignore_blanks: true,
        ..Options::default()
    };
    let diff = rows(
        Some(b"a  b \n".to_vec()),
        Some(b"a b\r\n".to_vec()),
        options,
    );
    assert_eq!(diff.stats, Stats::default());
}

#[test]
fn the_deadline_makes_the_rows_coarse_and_says_so() {
    let line = |seed: usize| format!("line {}\n", seed * 7919 % 50);
    let before: String = (0..40_000).map(line).collect();
    let after: String = (0..40_000).map(|i| line(i * 31 + 7)).collect();
    let options = Options {
        deadline: Duration::from_millis(5),
        ..Options::default()
    };
    let diff = rows(Some(before.into_bytes()), Some(after.into_bytes()), options);
    assert!(diff.coarse);
    assert_eq!(
        diff.rows.iter().filter(|row| row.old().is_some()).count(),
        40_000
    );
}

#[test]
fn unchanged_rows_fold_around_their_context() {
    let before: String = (0..20).fold(String::new(), |text, i| text + &format!("{i}\n"));
    let after = before.replace("10\n", "ten\n");
    let diff = of(&before, &after);
    let split = shown(&diff, Layout::Split, &folded(2));
    assert_eq!(split.first(), Some(&Shown::Folded(0..8)));
    assert_eq!(split.get(3), Some(&Shown::Both(10)));
    assert_eq!(split.last(), Some(&Shown::Folded(13..20)));
    assert_eq!(changes(&diff, &split), [3]);
    let unified = shown(&diff, Layout::Unified, &folded(1));
    assert_eq!(
        unified,
        [
            Shown::Folded(0..9),
            Shown::Both(9),
            Shown::Old(10),
            Shown::New(10),
            Shown::Both(11),
            Shown::Folded(12..20),
        ]
    );
    assert_eq!(shown(&diff, Layout::Split, &Folding::default()).len(), 20);
}

#[test]
fn emphasis_marks_the_words_that_differ() {
    type Marks = &'static [(usize, usize)];
    let table: &[(&str, &str, Marks, Marks)] = &[
        ("let a = 1;", "let b = 1;", &[(4, 5)], &[(4, 5)]),
        ("same", "same", &[], &[]),
        ("one two three", "four five six", &[], &[]),
        ("日本 は", "日本 も", &[(7, 10)], &[(7, 10)]),
        ("text\r", "text", &[(4, 7)], &[]),
    ];
    for (old, new, marked_old, marked_new) in table {
        let found = emphasis(&Clean::new(old), &Clean::new(new));
        let pairs = |ranges: &[std::ops::Range<usize>]| -> Vec<(usize, usize)> {
            ranges.iter().map(|r| (r.start, r.end)).collect()
        };
        assert_eq!(pairs(&found.old), *marked_old, "{old}");
        assert_eq!(pairs(&found.new), *marked_new, "{new}");
    }
}

#[test]
fn lines_too_long_for_words_are_compared_at_their_ends() {
    let many = "x ".repeat(inline::LONGEST);
    let old = Clean::new(&format!("{many}é{many}"));
    let new = Clean::new(&format!("{many}è{many}"));
    let place = many.len()..many.len() + 2;
    let found = emphasis(&old, &new);
    assert_eq!([found.old, found.new], [vec![place.clone()], vec![place]]);
    assert_eq!(emphasis(&old, &old), inline::Emphasis::default());
}
