//! One column at the right edge: where something differs in the whole, and which of it is on the screen.
//!
//! What was counted when the lines were laid out is looked up here, so that its cost is the screen's height.

use crate::tui::screens::diff::DiffScreen;
use std::ops::Range;

use ratatui::layout::Rect;

use crate::diff::overview::Mark;
use crate::tui::geometry::Target;
use crate::tui::theme::Role;
use crate::tui::view::Canvas;
use crate::tui::view::pen::Bits;

/// Draws the column, where there is more than the screen shows.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen, seen: Range<usize>) {
    let total = screen.lines.len();
    if area.height < 3 || total == 0 || (seen.start == 0 && seen.end >= total && screen.within == 0)
    {
        return;
    }
    let height = usize::from(area.height);
    let thumb = thumb(total, &seen, height);
    for (row, y) in (area.top()..area.bottom()).enumerate() {
        let lines = stretch(total, height, row);
        let first = lines.start;
        let (sign, role) = match screen.overview.within(lines) {
            Some(Mark::Added) => ("+", Role::Good),
            Some(Mark::Removed) => ("-", Role::Bad),
            Some(Mark::Changed) => ("~", Role::Warn),
            None if thumb.contains(&row) => ("┃", Role::Dim),
            None => (" ", Role::Dim),
        };
        let place = Rect::new(area.right().saturating_sub(1), y, 1, 1);
        canvas.pen.line(place, &Bits::of(role, sign));
        if thumb.contains(&row) && sign != "┃" {
            canvas.pen.look(place, Role::Selected);
        }
        canvas.map.spot(place, Target::Row(super::MINIMAP, first));
    }
}

/// The lines that a row of the column stands for: all of them, each in at least one row.
fn stretch(total: usize, height: usize, row: usize) -> Range<usize> {
    let start = row * total / height;
    let end = ((row + 1) * total).div_ceil(height);
    start..end.max(start + 1).min(total.max(start + 1))
}

/// The rows that stand for what is seen.
fn thumb(total: usize, seen: &Range<usize>, height: usize) -> Range<usize> {
    let start = seen.start * height / total.max(1);
    let end = (seen.end * height).div_ceil(total.max(1));
    start.min(height.saturating_sub(1))..end.clamp(start + 1, height.max(start + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_row_and_rows_stay_in_order() {
        for total in [1, 2, 7, 40, 41, 1_000, 99_999] {
            for height in [3, 16, 53] {
                let rows: Vec<_> = (0..height).map(|row| stretch(total, height, row)).collect();
                assert_eq!(rows.first().map(|row| row.start), Some(0));
                assert_eq!(rows.last().map(|row| row.end), Some(total));
                assert!(rows.windows(2).all(|two| two[1].start <= two[0].end));
                assert!(rows.iter().all(|row| !row.is_empty()));
            }
        }
    }

    #[test]
    fn what_is_seen_lies_within_the_column() {
        for (total, seen) in [(100, 0..10), (100, 90..100), (100, 50..51), (9, 8..9)] {
            let rows = thumb(total, &seen, 20);
            assert!(!rows.is_empty() && rows.end <= 20, "{seen:?}: {rows:?}");
            assert_eq!(rows.end == 20, seen.end == total, "{seen:?}: {rows:?}");
        }
    }
}
