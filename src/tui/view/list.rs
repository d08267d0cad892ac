//! Lists of rows of different heights: laid out, drawn and noted in the map.

use ratatui::layout::Rect;

use super::Canvas;
use super::pen::Bits;
use crate::clean;
use crate::model::Clean;
use crate::text::format;
use crate::tui::geometry::{ListId, Page, Target, window};
use crate::tui::theme::Role;

/// Lines of rows that are read aloud at a time.
const SPOKEN: usize = 60;

/// Lines of a text that are read aloud at a time.
const SPOKEN_LINES: usize = 200;

/// What a list needs to know of its rows.
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
    /// How many of them stand above the row itself: a heading, a silence.
    pub(crate) lead: &'a dyn Fn(usize) -> usize,
}

/// Draws the rows that are seen. `draw` is given a row, which of its lines, and must return that line; the
/// first cell is the selection's.
pub(crate) fn rows(
    canvas: &mut Canvas<'_>,
    area: Rect,
    list: &List<'_>,
    draw: &mut dyn FnMut(usize, usize) -> Bits,
) {
    let speaks = canvas.pen.speaks();
    let height = if speaks {
        SPOKEN
    } else {
        usize::from(area.height)
    };
    let before = canvas.state.geometry.page_of(list.id);
    let seen = window(list.len, before.first, list.selected, height, list.height);
    canvas.map.spot(area, Target::List(list.id));
    canvas.map.page(
        list.id,
        Page {
            first: seen.first,
            height,
            total: list.len,
        },
    );
    if speaks {
        return aloud(canvas, area, list, &seen.lines, draw);
    }
    for (y, (row, line)) in (area.y..).zip(&seen.lines) {
        let place = Rect::new(area.x, y, area.width, 1);
        let selected = list.selected == Some(*row) && *line >= (list.lead)(*row);
        let gutter = match (selected, list.focus) {
            (true, true) => Bits::of(Role::Focus, "▌"),
            (true, false) => Bits::of(Role::Dim, "▏"),
            (false, _) => Bits::new().gap(1),
        };
        canvas.pen.line(place, &gutter);
        // The last column is the scrollbar's.
        let beside = Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1);
        let bits = draw(*row, *line);
        canvas.pen.line(beside, &bits);
        if selected {
            let role = if list.focus {
                Role::Selected
            } else {
                Role::Resting
            };
            canvas.pen.look(beside, role);
        }
        canvas.map.spot(place, Target::Row(list.id, *row));
    }
    scrollbar(
        canvas,
        area,
        list.len,
        seen.first,
        seen.lines.last().map_or(0, |(row, _)| row + 1),
    );
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
                text = text.join(bits).say(Role::Dim, ";  ");
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
            "Rows {} to {} of {}; PgUp and PgDn read on.",
            first + 1,
            end,
            list.len
        );
        canvas.pen.line(area, &Bits::of(Role::Dim, part));
    }
}

/// A text of lines that is scrolled by its first line; returns the lines that are seen.
pub(crate) fn text(canvas: &mut Canvas<'_>, area: Rect, id: ListId, top: usize, lines: &[Bits]) {
    let height = if canvas.pen.speaks() {
        SPOKEN_LINES
    } else {
        usize::from(area.height)
    };
    let first = top.min((lines.len()).saturating_sub(height));
    canvas.map.spot(area, Target::List(id));
    canvas.map.page(
        id,
        Page {
            first,
            height,
            total: lines.len(),
        },
    );
    let seen = lines.iter().skip(first).take(height);
    for (y, line) in (area.y..).zip(seen) {
        let place = Rect::new(area.x, y, area.width.saturating_sub(1), 1);
        canvas.pen.line(place, line);
    }
    if canvas.pen.speaks() && first + height < lines.len() {
        let more = format::count(lines.len() - first - height, "more line");
        canvas.pen.line(
            area,
            &Bits::of(Role::Dim, clean!("{}; PgDn reads on.", more)),
        );
        return;
    }
    scrollbar(
        canvas,
        area,
        lines.len(),
        first,
        (first + height).min(lines.len()),
    );
}

/// A mark at the right edge, where a list is longer than its area.
pub(crate) fn scrollbar(canvas: &mut Canvas<'_>, area: Rect, len: usize, first: usize, end: usize) {
    if canvas.pen.speaks() || area.height < 3 || (first == 0 && end >= len) || len == 0 {
        return;
    }
    let height = usize::from(area.height);
    let thumb = ((end - first.min(end)) * height / len).clamp(1, height);
    let rest = height - thumb;
    let start = if len > end - first.min(end) {
        first * rest / (len - (end - first.min(end))).max(1)
    } else {
        0
    };
    let bits = Bits::of(Role::Dim, Clean::new("┃"));
    for line in start..(start + thumb).min(height) {
        let y = area.y + u16::try_from(line).unwrap_or(0);
        let place = Rect::new(area.right().saturating_sub(1), y, 1, 1);
        canvas.pen.line(place, &bits);
    }
}
