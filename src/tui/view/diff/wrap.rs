//! How many lines of the screen a line of the comparison takes, and what of its text stands on each.

use std::ops::Range;

use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::diff::fold::{Layout, Shown};
use crate::diff::inline::LONGEST;
use crate::diff::{Diff, Row};
use crate::model::Clean;
use crate::tui::state::compare::DiffScreen;

/// Cells before the text: the number, a blank, the sign and a blank.
const BEFORE: u16 = 8;

/// The cells that are left for text.
pub(super) fn text_width(width: u16) -> usize {
    usize::from(width.saturating_sub(BEFORE)).max(1)
}

/// The left half, what divides them, and the right half.
pub(super) fn halves(area: Rect) -> [Rect; 3] {
    let half = area.width / 2;
    let rest = area.width.saturating_sub(half + 1);
    let before = half.saturating_sub(1);
    [
        Rect::new(area.x, area.y, before, area.height),
        Rect::new(area.x + before, area.y, 2, area.height),
        Rect::new(area.x + half + 1, area.y, rest, area.height),
    ]
}

/// The first line of the last screen.
pub(super) fn lowest(screen: &DiffScreen, diff: &Diff, width: u16, height: usize) -> usize {
    let total = screen.lines.len();
    if !screen.wrap {
        return total.saturating_sub(height);
    }
    let mut room = height;
    let mut first = total;
    for (number, line) in screen.lines.iter().enumerate().rev() {
        let tall = self::height(screen, diff, line, width, height);
        if tall > room {
            break;
        }
        room -= tall;
        first = number;
    }
    // A line taller than the screen is the last one all the same.
    first.min(total.saturating_sub(1))
}

/// How many lines of the screen a line takes, `most` at the most.
pub(super) fn height(
    screen: &DiffScreen,
    diff: &Diff,
    line: &Shown,
    width: u16,
    most: usize,
) -> usize {
    if !screen.wrap {
        return 1;
    }
    let row = |row: &usize| diff.rows.get(*row).copied();
    let old = |row: Row| row.old().map(|line| diff.old.line(line));
    let new = |row: Row| row.new_line().map(|line| diff.new.line(line));
    let of = |text: Option<&[u8]>, width: u16| {
        text.map_or(1, |text| {
            let text = Clean::from_bytes(text.get(..LONGEST).unwrap_or(text));
            parts(&text, text_width(width), most).len()
        })
    };
    match (line, screen.layout) {
        (Shown::Folded(_), _) => 1,
        (Shown::Both(at), Layout::Split) => {
            let [left, _, right] = halves(Rect::new(0, 0, width, 1));
            row(at).map_or(1, |row| {
                of(old(row), left.width).max(of(new(row), right.width))
            })
        }
        (Shown::Old(at), _) => of(row(at).and_then(old), width),
        (Shown::Both(at) | Shown::New(at), _) => of(row(at).and_then(new), width),
    }
}

/// What of a text stands on each line, `most` lines at the most. At least one.
pub(super) fn parts(text: &Clean, width: usize, most: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (byte, sign) in text.as_str().grapheme_indices(true) {
        let wide = sign.width();
        if used + wide > width && byte > start {
            out.push(start..byte);
            if out.len() == most {
                return out;
            }
            (start, used) = (byte, 0);
        }
        used += wide;
    }
    out.push(start..text.as_str().len());
    out
}

/// The byte at which a text begins without its first cells.
pub(super) fn skipped(text: &Clean, cells: usize) -> usize {
    let mut gone = 0;
    for (byte, sign) in text.as_str().grapheme_indices(true) {
        if gone >= cells {
            return byte;
        }
        gone += sign.width();
    }
    text.as_str().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_between_signs_and_nothing_is_lost() {
        let table: &[(&str, usize, &[&str])] = &[
            ("", 4, &[""]),
            ("abcd", 4, &["abcd"]),
            ("abcde", 4, &["abcd", "e"]),
            ("日本語", 4, &["日本", "語"]),
            ("a日本", 4, &["a日", "本"]),
            ("日", 1, &["日"]),
        ];
        for (text, width, expected) in table {
            let text = Clean::new(text);
            let got: Vec<_> = parts(&text, *width, 9)
                .into_iter()
                .map(|part| text.part(part).as_str().to_owned())
                .collect();
            assert_eq!(got, *expected);
        }
        assert_eq!(parts(&Clean::new("abcdef"), 1, 3), [0..1, 1..2, 2..3]);
    }
}
