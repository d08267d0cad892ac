//! The lines that are seen, each with its number, its sign and its text.

use super::MINIMAP;
use super::scroll::{Extent, gutter};
use super::text::Cell;
use super::wrap::{columns, parts, text_width, window};
use crate::diff::fold::{Layout, Shown};
use crate::diff::overview::Mark;
use crate::tui::prelude::*;

/// Draws the lines and the map beside them.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen, diff: &Diff) {
    let extent = Extent {
        width: area.width.saturating_sub(2),
        height: usize::from(area.height),
    };
    let (first, above) = screen.origin(diff, extent);
    let id = ListId::of::<DiffScreen>();
    canvas.map.spot(area, Target::List(id));
    let total = screen.lines.len();
    canvas.map.page(id, first, extent.height, total);
    let change = screen.current_line();
    let hit = screen.hit_line(first..first + extent.height);
    let mut folds = Vec::new();
    let (mut y, mut end, mut above) = (area.top(), first, above);
    for (number, line) in (first..).zip(screen.lines.iter().skip(first)) {
        if y >= area.bottom() {
            break;
        }
        end = number + 1;
        let drawn = Line {
            screen,
            diff,
            gutter: gutter(diff),
            above,
        };
        let place = Rect::new(area.x + 1, y, extent.width, area.bottom() - y);
        let tall = match line {
            Shown::Folded(rows) => {
                folds.push((place, number, rows.clone()));
                1
            }
            _ => drawn.draw(canvas, place, line),
        };
        if hit == Some(number) {
            mark(canvas, area.x, y, &Bits::of(Role::Hit, "›"));
        } else if change == Some(number) && above == 0 {
            mark(canvas, area.x, y, &Bits::of(Role::Focus, "▌"));
        }
        let spot = Rect::new(area.x, y, area.width, tall);
        canvas.map.spot(spot, Target::Row(id, number));
        y += tall;
        above = 0;
    }
    let next = screen.next_fold(first..end).filter(|_| !screen.is_pane);
    for (place, number, rows) in folds {
        fold(canvas, place, &rows, next == Some(number));
    }
    let sign = |lines: Range<usize>| sign(screen, lines);
    list::scrollbar(canvas, area, total, first..end, &sign, MINIMAP);
}

/// What the scrollbar shows of some lines: what is looked for, else what differs.
fn sign(screen: &DiffScreen, lines: Range<usize>) -> Option<(&'static str, Role)> {
    if let Some(mark) = screen.search.marks.worst(&lines) {
        return Some(look::row_mark(mark));
    }
    Some(match screen.overview.within(lines)? {
        Mark::Added => ("+", Role::Good),
        Mark::Removed => ("-", Role::Bad),
        Mark::Changed => ("~", Role::Warn),
    })
}

fn mark(canvas: &mut Canvas<'_>, x: u16, y: u16, bits: &Bits) {
    canvas.pen.line(Rect::new(x, y, 1, 1), bits);
}

fn fold(canvas: &mut Canvas<'_>, place: Rect, rows: &Range<usize>, next: bool) {
    let number = u64::try_from(rows.len()).unwrap_or(0);
    let text = clean!("{} unchanged", format::count(number, "line"));
    let mut bits = Bits::of(Role::Dim, "  ⋯ ").dim(text);
    if next {
        let them = format::plural(number, "it", "them");
        bits = bits
            .gap(2)
            .key(canvas.state.key(Cmd::Enter))
            .dim(" shows ")
            .dim(them);
    }
    canvas.pen.line(place, &bits);
}

/// What drawing a line needs to know.
struct Line<'a> {
    screen: &'a DiffScreen,
    diff: &'a Diff,
    /// Cells before the text.
    gutter: usize,
    /// Rows of it that are above the screen.
    above: usize,
}

impl Line<'_> {
    /// Draws it into an area at its most; returns how many rows it takes of it.
    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect, line: &Shown) -> u16 {
        let cells = self.screen.seen_cells(self.diff, line, area.width);
        if self.screen.layout != Layout::Split {
            let [cell, _] = &cells;
            return self.column(canvas, area, cell.as_ref()).max(1);
        }
        let [left, right] = columns(area.width);
        let [old, new] = &cells;
        let (beside, _) = split_left(area, left);
        let tall = self.column(canvas, beside, old.as_ref());
        let (_, beside) = split_left(area, area.width.saturating_sub(right));
        let tall = tall.max(self.column(canvas, beside, new.as_ref())).max(1);
        let border = Bits::of(Role::Border, " │");
        for y in area.y..area.y + tall {
            canvas.pen.line(Rect::new(area.x + left, y, 2, 1), &border);
        }
        tall
    }

    /// One column of it: number, sign, text. A side that is not there stays empty.
    fn column(&self, canvas: &mut Canvas<'_>, area: Rect, cell: Option<&Cell>) -> u16 {
        let Some(cell) = cell else {
            return 0;
        };
        let wide = text_width(area.width, self.gutter);
        let rows = if self.screen.wrap {
            let parts = parts(&cell.text, wide).into_iter().enumerate();
            let seen = parts.skip(self.above).take(usize::from(area.height));
            seen.map(|(row, part)| (row == 0, 0, part)).collect()
        } else {
            let (blanks, part) = window(&cell.text, self.screen.pan, wide);
            vec![(true, blanks, part)]
        };
        for (y, (is_first, blanks, part)) in (area.y..area.bottom()).zip(&rows) {
            let place = Rect::new(area.x, y, area.width, 1);
            self.row(canvas, place, cell, *is_first, *blanks, part);
        }
        u16::try_from(rows.len()).unwrap_or(area.height)
    }

    fn row(
        &self,
        canvas: &mut Canvas<'_>,
        place: Rect,
        cell: &Cell,
        is_first: bool,
        blanks: usize,
        part: &Range<usize>,
    ) {
        let (sign, role) = cell.look;
        let digits = self.gutter.saturating_sub(3);
        let number = if is_first {
            format!("{:>digits$} ", cell.number)
        } else {
            format!("{:>digits$} ", "⋮")
        };
        let within = |range: &Range<usize>| range.end > part.start && range.start < part.end;
        let over = cell.over.iter().filter(|(range, _)| within(range));
        let over = over.map(|(range, role)| {
            let start = range.start.max(part.start) - part.start;
            (start..range.end.min(part.end) - part.start, *role)
        });
        let bits = Bits::of(Role::Dim, number)
            .say(role, if is_first { sign } else { "  " })
            .gap(blanks)
            .marked(role, cell.text.part(part.clone()), over.collect())
            .verbatim();
        canvas.pen.line(place, &bits);
        if role != Role::Text {
            let used = u16::try_from(bits.width()).unwrap_or(u16::MAX);
            let used = used.min(place.width);
            // The rest of the line belongs to it as well.
            let rest = Rect::new(place.x + used, place.y, place.width - used, 1);
            canvas.pen.look(rest, role);
        }
    }
}
