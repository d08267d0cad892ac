//! For any two texts: both can be rebuilt from the displayed lines, and nothing is shown twice.

use proptest::prelude::*;

use super::fold::{Folding, Layout, Shown, changes, shown};
use super::inline::{Piece, pieces};
use super::tests::folded;
use super::*;
use crate::model::Clean;

const LAYOUTS: [Layout; 3] = [Layout::Split, Layout::Unified, Layout::Word];

/// Texts with repeated lines, every kind of ending, tabs, wide and invisible characters, and bytes that are not text.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => "[ab]{0,2}",
        2 => "[a-c \t日é\u{301}\u{200b}\u{202e}\u{1b}\u{2409}\\\\<]{0,12}",
        1 => Just("the same words in every one of these".to_owned()),
    ];
    let ending = prop_oneof![
        6 => Just("\n"),
        1 => Just("\r\n"),
        1 => Just("\r\r\n"),
        1 => Just("\r"),
    ];
    let lines = proptest::collection::vec((line, ending), 0..24);
    (
        lines,
        any::<bool>(),
        proptest::collection::vec(1..=255_u8, 0..3),
    )
        .prop_map(|(lines, torn, noise)| {
            let mut text: Vec<u8> = lines
                .iter()
                .flat_map(|(line, ending)| line.bytes().chain(ending.bytes()))
                .collect();
            text.extend(noise);
            if torn && text.last() == Some(&b'\n') {
                text.pop();
            }
            text
        })
}

fn sides() -> impl Strategy<Value = (Option<Vec<u8>>, Option<Vec<u8>>)> {
    let side = || proptest::option::weighted(0.9, text());
    prop_oneof![
        3 => (side(), side()),
        // A text with one line changed.
        2 => (text(), "[ab]{0,3}", any::<proptest::sample::Index>()).prop_map(|(old, word, at)| {
            let mut new = old.clone();
            let at = at.index(old.len() + 1);
            new.splice(at..at, word.bytes());
            (Some(old), Some(new))
        }),
    ]
}

/// The bytes of both sides, rebuilt from the displayed lines.
fn read_back(diff: &Diff, lines: &[Shown]) -> [Vec<u8>; 2] {
    let mut out = [Vec::new(), Vec::new()];
    let mut take = |row: usize, old: bool, new: bool| {
        let row = diff.rows[row];
        let [before, after] = &mut out;
        if let Some(line) = row.old().filter(|_| old) {
            before.push(line);
        }
        if let Some(line) = row.new_line().filter(|_| new) {
            after.push(line);
        }
    };
    for line in lines {
        match line {
            Shown::Both(row) => take(*row, true, true),
            Shown::Old(row) => take(*row, true, false),
            Shown::New(row) => take(*row, false, true),
            Shown::Folded(rows) => rows.clone().for_each(|row| take(row, true, true)),
        }
    }
    let [old, new] = out;
    let bytes = |side: &Side, lines: Vec<usize>| -> Vec<u8> {
        let whole: Vec<_> = side.whole_lines().collect();
        lines
            .into_iter()
            .flat_map(|line| whole[line].to_vec())
            .collect()
    };
    [bytes(&diff.old, old), bytes(&diff.new, new)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_can_be_rebuilt(
        (old, new) in sides(),
        ignore_blanks in any::<bool>(),
        context in proptest::option::of(0..5_usize),
        opened in proptest::collection::btree_set(0..30_usize, 0..4),
    ) {
        let options = Options { ignore_blanks, ..Options::default() };
        let diff = rows(old.clone(), new.clone(), options);
        let folding = Folding { context, opened };
        for layout in LAYOUTS {
            let lines = shown(&diff, layout, &folding);
            let [before, after] = read_back(&diff, &lines);
            prop_assert_eq!(Some(before), old.clone().or(Some(Vec::new())), "{:?}", layout);
            prop_assert_eq!(Some(after), new.clone().or(Some(Vec::new())), "{:?}", layout);
            prop_assert!(changes(&diff, &lines).iter().all(|at| *at < lines.len()));
        }
    }

    #[test]
    fn opening_every_fold_shows_every_line_once((old, new) in sides(), context in 0..4_usize) {
        let diff = rows(old, new, Options::default());
        for layout in LAYOUTS {
            let all = shown(&diff, layout, &Folding::default());
            let mut folding = folded(context);
            let folds = |lines: &[Shown]| -> Vec<usize> {
                let starts = lines.iter().filter_map(|line| match line {
                    Shown::Folded(rows) => Some(rows.start),
                    Shown::Both(_) | Shown::Old(_) | Shown::New(_) => None,
                });
                starts.collect()
            };
            let mut lines = shown(&diff, layout, &folding);
            let mut before = lines.len() + 1;
            while let Some(first) = folds(&lines).first() {
                prop_assert_ne!(lines.len(), before, "a fold did not open");
                before = lines.len();
                folding.opened.insert(*first);
                lines = shown(&diff, layout, &folding);
            }
            prop_assert_eq!(lines, all);
        }
    }

    #[test]
    fn swapping_twice_is_the_identity((old, new) in sides()) {
        let diff = rows(old.clone(), new.clone(), Options::default());
        let swapped = diff.swapped();
        prop_assert_eq!(swapped.old.bytes(), diff.new.bytes());
        prop_assert_eq!(swapped.new.is_present(), diff.old.is_present());
        prop_assert_eq!(swapped.stats.added, diff.stats.removed);
        for layout in LAYOUTS {
            let lines = shown(&swapped, layout, &folded(1));
            let [before, after] = read_back(&swapped, &lines);
            prop_assert_eq!(Some(before), new.clone().or(Some(Vec::new())));
            prop_assert_eq!(Some(after), old.clone().or(Some(Vec::new())));
        }
        prop_assert_eq!(swapped.swapped(), diff);
    }

    #[test]
    fn pieces_rebuild_both_lines_on_character_boundaries(old in text(), new in text()) {
        let (old, new) = (Clean::from_bytes(&old), Clean::from_bytes(&new));
        let Some(pieces) = pieces(&old, &new) else {
            return Ok(());
        };
        let (mut before, mut after) = (String::new(), String::new());
        for piece in &pieces {
            let get = |text: &Clean, range: &std::ops::Range<usize>| {
                text.as_str().get(range.clone()).map(str::to_owned)
            };
            match piece {
                Piece::Same { old: was, new: is } => {
                    let both = (get(&old, was), get(&new, is));
                    prop_assert!(both.0.is_some() && both.0 == both.1);
                    before += &both.0.unwrap();
                    after += &both.1.unwrap();
                }
                Piece::Removed(was) => before += &get(&old, was).unwrap(),
                Piece::Added(is) => after += &get(&new, is).unwrap(),
            }
        }
        prop_assert_eq!(before, old.into_string());
        prop_assert_eq!(after, new.into_string());
    }

    #[test]
    fn only_endings_differ_where_the_lines_are_the_same(old in text(), crlf in any::<bool>()) {
        let bare: Vec<u8> = old.iter().copied().filter(|byte| *byte != b'\r').collect();
        let mut new = Vec::new();
        for byte in &bare {
            if *byte == b'\n' && crlf {
                new.push(b'\r');
            }
            new.push(*byte);
        }
        let diff = rows(Some(bare.clone()), Some(new.clone()), Options::default());
        prop_assert_eq!(diff.likeness == Likeness::ButForEndings, bare != new);
    }
}
