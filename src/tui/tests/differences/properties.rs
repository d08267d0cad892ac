//! Whatever two texts hold: what the columns show of them is them, in every layout, wrapped or cut.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::{opened, screen};
use crate::diff::fold::{Layout, Shown};
use crate::diff::{Diff, Options, rows};
use crate::model::{Clean, Foreign};
use crate::tui::screens::diff::scroll::Extent;
use crate::tui::screens::diff::text::Cell;
use crate::tui::screens::diff::wrap::{parts, window};
use crate::tui::screens::diff::{DiffScreen, DiffSource};
use crate::tui::theme::Role;

const LAYOUTS: [Layout; 3] = [Layout::Split, Layout::Unified, Layout::Word];

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "[ab]{0,2}",
        3 => "[a-c \t日é\u{301}\u{200b}\u{202e}\u{1b}\\[{}+-]{0,30}",
        1 => Just("the same words in every one of these".to_owned()),
    ];
    let ending = prop_oneof![5 => Just("\n"), 1 => Just("\r\n")];
    (
        proptest::collection::vec((line, ending), 0..12),
        any::<bool>(),
    )
        .prop_map(|(lines, torn)| {
            let lines = lines.into_iter().map(|(line, ending)| line + ending);
            let text = lines.collect::<Vec<_>>().concat();
            let torn = torn.then(|| text.strip_suffix('\n').map(str::to_owned));
            torn.flatten().unwrap_or(text)
        })
}

fn screen_over(old: &str, new: &str) -> DiffScreen {
    static SOURCE: OnceLock<DiffSource> = OnceLock::new();
    let source = SOURCE.get_or_init(|| screen(&opened(120, 40)).source.clone());
    let mut screen = DiffScreen::new(source.clone());
    let sides = [old, new].map(|side| Some(side.as_bytes().to_vec()));
    let [old, new] = sides;
    screen.take(
        Ok((Foreign::from("a"), rows(old, new, Options::default()))),
        120,
    );
    screen.folded = false;
    screen
}

/// Without blanks: those of tab stops depend on what is before them.
fn bare(text: &str) -> String {
    text.replace(' ', "")
}

/// A column's text without what is said after it, and without the ranges that look so; brackets around the
/// others are taken off.
fn without(cell: &Cell, gone: Role) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (range, over) in &cell.over {
        out += cell.text.as_str().get(at..range.start).unwrap();
        at = range.end;
        let part = cell.text.as_str().get(range.clone()).unwrap();
        if *over == gone || *over == Role::Dim {
            continue;
        }
        let inner = part.strip_prefix("[-").or_else(|| part.strip_prefix("{+"));
        let inner = inner.and_then(|part| {
            let end = part.strip_suffix("-]");
            end.or_else(|| part.strip_suffix("+}"))
        });
        out += inner.filter(|_| cell.look.0 == "~ ").unwrap_or(part);
    }
    out + cell.text.as_str().get(at..).unwrap()
}

/// The presentable lines of both sides, as the columns give them.
fn read_back(screen: &DiffScreen, diff: &Diff) -> [Vec<String>; 2] {
    let mut out = [Vec::new(), Vec::new()];
    for line in &screen.lines {
        let [left, right] = screen.cells(diff, line);
        let [old, new] = &mut out;
        for cell in left.iter().chain(&right) {
            for (range, _) in &cell.over {
                assert!(cell.text.as_str().get(range.clone()).is_some());
            }
        }
        match (left, right, screen.layout, line) {
            (left, right, Layout::Split, _) => {
                old.extend(left.iter().map(|cell| bare(&without(cell, Role::Hit))));
                new.extend(right.iter().map(|cell| bare(&without(cell, Role::Hit))));
            }
            (Some(cell), _, _, Shown::Old(_)) => old.push(bare(&without(&cell, Role::Hit))),
            (Some(cell), _, _, Shown::New(_)) => new.push(bare(&without(&cell, Role::Hit))),
            (Some(cell), ..) => {
                old.push(bare(&without(&cell, Role::AddedWord)));
                new.push(bare(&without(&cell, Role::RemovedWord)));
            }
            (None, ..) => panic!("{line:?} shows nothing"),
        }
    }
    out
}

fn lines_of(text: &str) -> Vec<String> {
    let lines = text.split_inclusive('\n');
    let clean = |line: &str| Clean::new(line.strip_suffix('\n').unwrap_or(line));
    lines.map(|line| bare(clean(line).as_str())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_can_be_read_back_from_the_columns(old in text(), new in text()) {
        let mut screen = screen_over(&old, &new);
        for swapped in [false, true] {
            for layout in LAYOUTS {
                screen.chosen = Some(layout);
                screen.arrange(120);
                let diff = screen.diff.ready().unwrap().1.clone();
                let [before, after] = read_back(&screen, &diff);
                let (a, b) = if swapped { (&new, &old) } else { (&old, &new) };
                prop_assert_eq!(before, lines_of(a), "{:?}", layout);
                prop_assert_eq!(after, lines_of(b), "{:?}", layout);
            }
            screen.swap();
        }
    }

    #[test]
    fn wrapping_and_cutting_lose_nothing(text in "[a-c \t日é\u{301}\u{200b}\u{1b}]{0,60}", width in 1..20_usize) {
        let text = Clean::new(&text);
        let rows = parts(&text, width);
        prop_assert_eq!(rows.first().map(|row| row.start), Some(0));
        prop_assert_eq!(rows.last().map(|row| row.end), Some(text.as_str().len()));
        prop_assert!(rows.windows(2).all(|two| two[0].end == two[1].start));
        prop_assert!(rows.iter().all(|row| text.as_str().get(row.clone()).is_some()));
        let all = text.width();
        for pan in 0..all + 2 {
            let (blanks, seen) = window(&text, pan, width);
            let part = text.part(seen);
            // Every sign stays in its own column.
            prop_assert!(blanks + part.width() >= width.min(all.saturating_sub(pan)));
            prop_assert!(pan > all || text.as_str().contains(part.as_str()));
        }
    }

    #[test]
    fn scrolling_down_and_up_meets_every_row(old in text(), new in text(), wrap in any::<bool>(), height in 1..9_usize) {
        let mut screen = screen_over(&old, &new);
        screen.wrap = wrap;
        screen.arrange(60);
        let extent = Extent { width: 58, height };
        let diff = screen.diff.ready().unwrap().1.clone();
        (screen.top, screen.within) = (0, 0);
        let total: usize = screen.lines.iter().map(|line| screen.tall(&diff, line, extent.width)).sum();
        let mut steps = 0;
        let mut before = None;
        while before != Some((screen.top, screen.within)) {
            before = Some((screen.top, screen.within));
            screen.scroll(1, extent);
            steps += 1;
        }
        prop_assert_eq!(steps - 1, total.saturating_sub(height));
        prop_assert_eq!((screen.top, screen.within), screen.lowest(&diff, extent));
        screen.scroll(-isize::try_from(total).unwrap(), extent);
        prop_assert_eq!((screen.top, screen.within), (0, 0));
        screen.scroll(isize::try_from(total).unwrap(), extent);
        prop_assert_eq!((screen.top, screen.within), screen.lowest(&diff, extent));
    }
}
