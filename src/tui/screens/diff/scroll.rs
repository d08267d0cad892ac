//! Where the difference is scrolled to, in lines and, where they are wrapped, in what of the first one.
//!
//! Only lines near the screen are measured.

use std::ops::Range;

use super::DiffScreen;
use super::text::{Cell, LINE};
use super::wrap::{columns, parts, text_width};
use crate::diff::fold::{Layout, Shown};
use crate::diff::{Diff, Row};
use crate::tui::theme::Role;

/// Bytes before a change that are shown of a very long line.
const BEFORE: usize = 256;

/// The cells that the lines have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Columns, without the marks left and right.
    pub(crate) width: u16,
    /// Rows.
    pub(crate) height: usize,
}

impl DiffScreen {
    /// How many rows of the screen a line takes.
    pub(crate) fn tall(&self, diff: &Diff, line: &Shown, width: u16) -> usize {
        if !self.wrap || matches!(line, Shown::Folded(_)) {
            return 1;
        }
        let widths = self.text_widths(diff, width);
        let cells = self.cells(diff, line);
        let rows = cells.iter().flatten().zip(widths);
        let rows = rows.map(|(cell, width)| parts(&cell.text, width).len());
        match (self.layout, &cells) {
            // The right side alone is in the right column.
            (Layout::Split, [None, Some(cell)]) => parts(&cell.text, widths[1]).len(),
            _ => rows.max().unwrap_or(1),
        }
    }

    /// The cells for the text of the left column and of the right one; the first serves for both where there
    /// is only one.
    pub(crate) fn text_widths(&self, diff: &Diff, width: u16) -> [usize; 2] {
        let gutter = gutter(diff);
        match self.layout {
            Layout::Split => columns(width).map(|width| text_width(width, gutter)),
            Layout::Unified | Layout::Word => [text_width(width, gutter); 2],
        }
    }

    /// The furthest that can be scrolled to: the last line on the last row. The line, and how many of its rows
    /// are above the screen.
    pub(crate) fn lowest(&self, diff: &Diff, extent: Extent) -> (usize, usize) {
        let total = self.lines.len();
        if !self.wrap {
            return (total.saturating_sub(extent.height), 0);
        }
        let mut room = extent.height;
        for (number, line) in self.lines.iter().enumerate().rev() {
            let tall = self.tall(diff, line, extent.width);
            if tall >= room {
                return (number, tall - room);
            }
            room -= tall;
        }
        (0, 0)
    }

    /// The place that is shown: where it was scrolled to, as far as that is possible.
    pub(crate) fn origin(&self, diff: &Diff, extent: Extent) -> (usize, usize) {
        (self.top, self.within).min(self.lowest(diff, extent))
    }

    /// Scrolls by so many rows.
    pub(crate) fn scroll(&mut self, rows: isize, extent: Extent) {
        let Some(ready) = self.ready() else { return };
        let diff = &ready.1;
        let lowest = self.lowest(diff, extent);
        let (mut top, mut within) = (self.top, self.within).min(lowest);
        if !self.wrap {
            (self.top, self.within) = (top.saturating_add_signed(rows).min(lowest.0), 0);
            return;
        }
        // A long line is laid out once, not for each of its rows.
        let tall = |line| self.tall_at(diff, line, extent.width);
        let mut here = tall(top);
        for _ in 0..rows.unsigned_abs() {
            match (within.checked_sub(1), top.checked_sub(1)) {
                _ if rows > 0 && within + 1 < here => within += 1,
                _ if rows > 0 => {
                    (top, within) = (top + 1, 0);
                    here = tall(top);
                }
                (Some(less), _) => within = less,
                (None, Some(above)) => {
                    here = tall(above);
                    (top, within) = (above, here - 1);
                }
                (None, None) => break,
            }
            if rows > 0 && (top, within) >= lowest {
                break;
            }
        }
        (self.top, self.within) = (top, within).min(lowest);
    }

    /// Scrolls to the very end.
    pub(crate) fn scroll_to_end(&mut self, extent: Extent) {
        if let Some(ready) = self.diff.ready().cloned() {
            (self.top, self.within) = self.lowest(&ready.1, extent);
        }
    }

    fn tall_at(&self, diff: &Diff, line: usize, width: u16) -> usize {
        let line = self.lines.get(line);
        line.map_or(1, |line| self.tall(diff, line, width))
    }

    /// Scrolls to the side, as far as one of these lines reaches.
    pub(crate) fn pan_right(&mut self, cells: usize, seen: Range<usize>, width: u16) {
        let Some(ready) = self.ready() else { return };
        let widths = self.text_widths(&ready.1, width);
        let lines = self.lines.get(seen).unwrap_or_default();
        let beyond = lines.iter().flat_map(|line| {
            let cells = self.cells(&ready.1, line);
            let over = |(cell, width): (Option<Cell>, usize)| {
                cell.map_or(0, |cell| cell.text.width().saturating_sub(width))
            };
            cells.into_iter().zip(widths).map(over)
        });
        let most = beyond.max().unwrap_or(0).max(self.pan);
        self.pan = (self.pan + cells).min(most);
    }

    /// Scrolls to the side until what changed in the line of the current difference can be seen.
    pub(crate) fn show_change(&mut self) {
        let Some(ready) = self.ready() else { return };
        let diff = &ready.1;
        let line = self.current_line().and_then(|at| self.lines.get(at));
        let Some(line) = line.cloned() else { return };
        if let Some(Row::Changed { old, new }) = diff.rows.get(line.rows().start).copied() {
            let (was, is) = (diff.old.line(old), diff.new.line(new));
            let skip = if was.len().max(is.len()) > LINE {
                let alike = was.iter().zip(is).take_while(|(a, b)| a == b).count();
                if alike < LINE / 2 { 0 } else { alike - BEFORE }
            } else {
                0
            };
            self.set_skip(skip);
        }
        let words = |cell: &Cell, room: usize| {
            let of_words = |role: &Role| matches!(role, Role::RemovedWord | Role::AddedWord);
            let (place, _) = cell.over.iter().find(|(_, role)| of_words(role))?;
            Some((place.clone(), room / 2))
        };
        self.show_place(diff, &[line], words);
    }

    /// Shows another part of the very long lines among those that are seen. False where there is none.
    pub(crate) fn skip_by(&mut self, forward: bool, seen: &Range<usize>) -> bool {
        let Some(ready) = self.ready() else {
            return false;
        };
        let diff = &ready.1;
        let lines = self.lines.get(seen.clone()).unwrap_or_default();
        let length = |line: &Shown| {
            let row = diff.rows.get(line.rows().start);
            let old = row.and_then(|row| Some(diff.old.line(row.old()?)));
            let new = row.and_then(|row| Some(diff.new.line(row.new_line()?)));
            old.map_or(0, <[u8]>::len).max(new.map_or(0, <[u8]>::len))
        };
        let longest = lines.iter().map(length).max().unwrap_or(0);
        let most = longest.saturating_sub(LINE);
        let to = if forward {
            (self.skip + LINE / 2).min(most)
        } else {
            self.skip.saturating_sub(LINE / 2)
        };
        let moved = to != self.skip;
        if moved {
            self.pan = 0;
            self.set_skip(to);
        }
        moved
    }

    fn set_skip(&mut self, skip: usize) {
        if skip != self.skip {
            self.skip = skip;
            self.pairs.clear();
        }
    }

    /// Scrolls to the side until the text that is looked for can be seen in a row.
    pub(crate) fn show_columns(&mut self, row: usize) {
        let (Some(needle), Some(ready)) = (self.search.needle(), self.ready()) else {
            return;
        };
        let of_row = self.lines.iter().filter(|line| line.row() == Some(row));
        let lines: Vec<Shown> = of_row.cloned().collect();
        self.show_place(&ready.1, &lines, |cell, _| {
            let place = needle.places(&cell.text).into_iter().next()?;
            Some((place, usize::MAX))
        });
    }

    /// Scrolls to the side where a place in these lines cannot be seen: the first that `find` gives for a cell and its
    /// width, with the most cells of it that must be seen.
    fn show_place(
        &mut self,
        diff: &Diff,
        lines: &[Shown],
        find: impl Fn(&Cell, usize) -> Option<(Range<usize>, usize)>,
    ) {
        if self.wrap {
            return;
        }
        let widths = self.text_widths(diff, self.width.saturating_sub(2));
        let cells = lines
            .iter()
            .flat_map(|line| self.cells(diff, line).into_iter().zip(widths));
        let first = cells.into_iter().find_map(|(cell, room)| {
            let cell = cell?;
            let (place, most) = find(&cell, room)?;
            let before = cell.text.part(0..place.start).width();
            Some((before, cell.text.part(place).width().min(most), room))
        });
        // A cut line ends in a sign that says so.
        if let Some((before, wide, room)) = first
            && (before < self.pan || before + wide >= self.pan + room)
        {
            self.pan = if before + wide < room {
                0
            } else {
                (before + wide + room / 4).saturating_sub(room)
            };
        }
    }
}

/// Cells before the text: the number, a blank, the sign and a blank.
pub(crate) fn gutter(diff: &Diff) -> usize {
    let most = diff.old.len().max(diff.new.len());
    digits(most).max(5) + 3
}

fn digits(number: usize) -> usize {
    usize::try_from(number.checked_ilog10().unwrap_or(0)).unwrap_or(0) + 1
}
