//! Enter is answered on every row: something opens or folds, or a sentence says why not.

use std::collections::BTreeSet;

use super::harness::Console;
use super::made_up::MadeUp;
use crate::tui::theme::Palette;

/// Screens of rows: the keys that lead there.
const SCREENS: [&str; 6] = [
    "/ p r i c e enter p",
    "/ p r i c e enter r j j enter",
    "/ p r i c e enter enter 5",
    "/ u n r e a d enter enter",
    "R enter",
    "R u",
];

/// As many rows as any of them has.
const ROWS: usize = 40;

#[test]
fn enter_is_answered_on_every_row() {
    let at = |keys: &str, row: usize| {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 120, 60);
        console.press(keys).press(&"j ".repeat(row));
        console
    };
    for keys in SCREENS {
        let mut seen = BTreeSet::new();
        for row in 0..ROWS {
            let mut console = at(keys, row);
            let before = console.text();
            if !seen.insert(before.clone()) {
                break;
            }
            console.press("enter");
            assert_ne!(console.text(), before, "{keys}, row {row}");
        }
    }
}
