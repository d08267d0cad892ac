//! Lists of rows of different heights: laid out, drawn and noted in the map.

use std::cell::RefCell;
use std::rc::Rc;

use crate::tui::geometry::{Window, window};
use crate::tui::prelude::*;

/// Lines of rows that are read aloud at a time.
const SPOKEN: usize = 60;

/// Lines of a text that are read aloud at a time.
const SPOKEN_LINES: usize = 200;

/// What a list needs to know of its rows.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    /// Which list.
    pub(crate) id: ListId,
    /// Number of rows.
    pub(crate) len: usize,
    /// The selected row.
    pub(crate) selected: Option<usize>,
    /// Whether keys go to it.
    pub(crate) focus: bool,
    /// How many lines a row takes.
    pub(crate) height: &'a dyn Fn(usize) -> usize,
    /// How many of them are above the row itself: a heading, a gap in time.
    pub(crate) lead: &'a dyn Fn(usize) -> usize,
    /// Marks of rows in the scrollbar.
    pub(crate) marks: Option<&'a Marks>,
}

impl List<'_> {
    /// A list of rows of one line each; keys go to it.
    pub(crate) fn new(id: ListId, len: usize, selected: Option<usize>) -> Self {
        Self {
            id,
            len,
            selected,
            focus: true,
            height: &|_| 1,
            lead: &|_| 0,
            marks: None,
        }
    }
}

/// Draws rows of several lines. Only rows near the screen are laid out, each once.
pub(crate) fn laid(
    canvas: &mut Canvas<'_>,
    area: Rect,
    list: List<'_>,
    lay: &dyn Fn(usize) -> Vec<Bits>,
) {
    let known: RefCell<BTreeMap<usize, Rc<[Bits]>>> = RefCell::default();
    let lines = |row: usize| -> Rc<[Bits]> {
        let mut known = known.borrow_mut();
        let lines = known.entry(row).or_insert_with(|| lay(row).into());
        Rc::clone(lines)
    };
    let list = List {
        height: &|row| lines(row).len(),
        ..list
    };
    rows(canvas, area, &list, &mut |row, line| {
        lines(row).get(line).cloned().unwrap_or_default()
    });
}

/// The sum of the heights of rows, where more than `most` is the same: the other rows are not laid out.
pub(crate) fn height_within(most: usize, heights: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0;
    for height in heights {
        sum += height;
        if sum >= most {
            return most;
        }
    }
    sum
}

/// Draws the visible rows. `draw` is given a row, which of its lines, and must return that line; the
/// first cell is the selection's.
pub(crate) fn rows(
    canvas: &mut Canvas<'_>,
    area: Rect,
    list: &List<'_>,
    draw: &mut dyn FnMut(usize, usize) -> Bits,
) {
    let seen = seen(canvas, area, list);
    canvas.map.spot(area, Target::List(list.id));
    let height = rows_at_once(canvas, area);
    canvas.map.page(list.id, seen.first, height, list.len);
    if canvas.pen.speaks() {
        return aloud(canvas, area, list, &seen.lines, draw);
    }
    for (y, (row, line)) in (area.y..).zip(&seen.lines) {
        let place = Rect::new(area.x, y, area.width, 1);
        let selected = list.selected == Some(*row) && *line >= (list.lead)(*row);
        let (gutter, look) = match (selected, list.focus) {
            (true, true) => (Bits::of(Role::Focus, "▌"), Some(Role::Selected)),
            (true, false) => (Bits::of(Role::Dim, "▏"), Some(Role::Resting)),
            (false, _) => (Bits::new().gap(1), None),
        };
        canvas.pen.line(place, &gutter);
        // The last column is the scrollbar's.
        let beside = Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1);
        let bits = draw(*row, *line);
        canvas.pen.line(beside, &bits);
        if let Some(look) = look {
            canvas.pen.look(beside, look);
        }
        canvas.map.spot(place, Target::Row(list.id, *row));
    }
    let end = seen.lines.last().map_or(0, |(row, _)| row + 1);
    let worst = |rows: Range<usize>| list.marks.and_then(|marks| marks.worst(&rows));
    let sign = |rows| worst(rows).map(look::row_mark);
    let seen = seen.first..end;
    scrollbar(canvas, area, list.len, seen, &sign, list.id);
}

/// The rows that [`rows`] will draw.
pub(crate) fn seen(canvas: &Canvas<'_>, area: Rect, list: &List<'_>) -> Window {
    let before = canvas.state.geometry.page_of(list.id);
    let height = rows_at_once(canvas, area);
    window(list.len, before.first, list.selected, height, list.height)
}

fn rows_at_once(canvas: &Canvas<'_>, area: Rect) -> usize {
    if canvas.pen.speaks() {
        SPOKEN
    } else {
        usize::from(area.height)
    }
}

/// Reads the rows aloud, those with the focus by the numbers that choose them, and says which one is selected.
fn aloud(
    canvas: &mut Canvas<'_>,
    area: Rect,
    list: &List<'_>,
    seen: &[(usize, usize)],
    draw: &mut dyn FnMut(usize, usize) -> Bits,
) {
    for lines in seen.chunk_by(|(one, _), (other, _)| one == other) {
        let Some(row) = lines.first().map(|(row, _)| *row) else {
            continue;
        };
        let mut text = Bits::new();
        for (row, line) in lines {
            let bits = draw(*row, *line);
            if *line < (list.lead)(*row) {
                canvas.pen.line(area, &bits);
            } else {
                text = text.join(bits).dim(";  ");
            }
        }
        if list.focus {
            canvas.pen.row(row + 1, list.selected == Some(row), &text);
        } else {
            canvas.pen.line(area, &text);
        }
    }
    let first = seen.first().map_or(0, |(row, _)| *row);
    let end = seen.last().map_or(0, |(row, _)| row + 1);
    if first > 0 || end < list.len {
        let part = clean!(
            "Rows {} to {} of {}; {} and {} read on.",
            first + 1,
            end,
            list.len,
            canvas.state.key(Cmd::PageUp),
            canvas.state.key(Cmd::PageDown)
        );
        canvas.pen.line(area, &Bits::of(Role::Dim, part));
    }
}

/// A text of lines that is scrolled by its first line; returns the visible lines.
pub(crate) fn text(canvas: &mut Canvas<'_>, area: Rect, id: ListId, top: usize, lines: &[Bits]) {
    let height = if canvas.pen.speaks() {
        SPOKEN_LINES
    } else {
        usize::from(area.height)
    };
    let first = top.min(lines.len().saturating_sub(height));
    canvas.map.spot(area, Target::List(id));
    canvas.map.page(id, first, height, lines.len());
    let seen = lines.iter().skip(first).take(height);
    for (y, line) in (area.y..).zip(seen) {
        let place = Rect::new(area.x, y, area.width.saturating_sub(1), 1);
        canvas.pen.line(place, line);
    }
    if canvas.pen.speaks() && first + height < lines.len() {
        let more = format::count(lines.len() - first - height, "more line");
        let more = clean!("{}; {} reads on.", more, canvas.state.key(Cmd::PageDown));
        return canvas.pen.line(area, &Bits::of(Role::Dim, more));
    }
    let end = (first + height).min(lines.len());
    scrollbar(canvas, area, lines.len(), first..end, &|_| None, id);
}

/// The column at the right edge, where a list is longer than its area: which of its rows are visible, and what `sign` says
/// of the rows that each cell represents. A press on a cell goes to the first of
/// them, in the list.
pub(crate) fn scrollbar(
    canvas: &mut Canvas<'_>,
    area: Rect,
    len: usize,
    seen: Range<usize>,
    sign: &dyn Fn(Range<usize>) -> Option<(&'static str, Role)>,
    list: ListId,
) {
    if canvas.pen.speaks() || area.height < 3 || len == 0 || (seen.start == 0 && seen.end >= len) {
        return;
    }
    let height = usize::from(area.height);
    let thumb = thumb(len, &seen, height);
    for (cell, y) in (area.top()..area.bottom()).enumerate() {
        let rows = stretch(len, height, cell);
        let first = rows.start;
        let place = Rect::new(area.right().saturating_sub(1), y, 1, 1);
        let within = thumb.contains(&cell);
        match sign(rows) {
            Some((sign, role)) => {
                canvas.pen.line(place, &Bits::of(role, sign));
                if within {
                    canvas.pen.look(place, Role::Selected);
                }
            }
            None if within => canvas.pen.line(place, &Bits::of(Role::Dim, "┃")),
            None => {}
        }
        canvas.map.spot(place, Target::Scroll(list, first));
    }
}

/// The rows that a cell of the column represents: all of them, each in at least one cell.
fn stretch(len: usize, height: usize, cell: usize) -> Range<usize> {
    let start = cell * len / height;
    let end = ((cell + 1) * len).div_ceil(height);
    start..end.max(start + 1).min(len.max(start + 1))
}

/// The cells that represent the visible rows.
fn thumb(len: usize, seen: &Range<usize>, height: usize) -> Range<usize> {
    let start = seen.start * height / len.max(1);
    let end = (seen.end * height).div_ceil(len.max(1));
    start.min(height.saturating_sub(1))..end.clamp(start + 1, height.max(start + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_summed_as_far_as_they_matter() {
        let heights = (0..).inspect(|row| assert!(*row < 10)).map(|_| 2);
        assert_eq!(height_within(9, heights), 9);
        assert_eq!(height_within(9, [2, 3].into_iter()), 5);
    }

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
    fn the_visible_rows_are_within_the_column() {
        for (total, seen) in [(100, 0..10), (100, 90..100), (100, 50..51), (9, 8..9)] {
            let rows = thumb(total, &seen, 20);
            assert!(!rows.is_empty() && rows.end <= 20, "{seen:?}: {rows:?}");
            assert_eq!(rows.end == 20, seen.end == total, "{seen:?}: {rows:?}");
        }
    }
}
