//! Looking for a text inside a difference.

use std::ops::Range;

use super::DiffScreen;
use crate::diff::find::Needle;
use crate::diff::fold::Shown;
use crate::tui::state::field::Field;
use crate::tui::state::marks::{Marks, RowMark};

/// What is looked for, and where it was found. Found once when the text changes, never while drawing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    /// What was written.
    pub(crate) field: Field,
    /// The rows that hold it, in order.
    pub(crate) hits: Vec<usize>,
    /// The hit that was gone to last: a place in `hits`.
    pub(crate) at: Option<usize>,
    /// The lines that show them, or hold them in a fold.
    pub(crate) marks: Marks,
}

impl Search {
    /// What is looked for, if anything is.
    pub(crate) fn needle(&self) -> Option<Needle> {
        Needle::new(self.field.text())
    }

    /// The row of the hit that was gone to last.
    pub(crate) fn row(&self) -> Option<usize> {
        self.at.and_then(|at| self.hits.get(at)).copied()
    }
}

impl DiffScreen {
    /// Looks for what is written, and goes to the first hit from the top of the screen on, else to the first.
    pub(crate) fn find(&mut self) {
        self.find_again();
        let next = self
            .search
            .hits
            .partition_point(|row| *row < self.top_row());
        let last = self.search.hits.len().checked_sub(1);
        self.search.at = last.map(|last| if next > last { 0 } else { next });
        self.show_hit();
    }

    /// Searches again after the difference was replaced by another, without scrolling.
    pub(crate) fn find_again(&mut self) {
        let needle = self.search.needle();
        self.search.hits = match (needle, self.diff.ready()) {
            (Some(needle), Some(ready)) => needle.rows(&ready.1),
            _ => Vec::new(),
        };
        self.search.at = None;
        self.mark_hits();
    }

    /// Marks the lines with hits, after either changed.
    pub(super) fn mark_hits(&mut self) {
        let hits = &self.search.hits;
        let holds = |line: &Shown| {
            let rows = line.rows();
            let next = hits.partition_point(|hit| *hit < rows.start);
            hits.get(next).is_some_and(|hit| *hit < rows.end)
        };
        let lines = self.lines.iter().enumerate();
        let lines = lines.filter(|(_, line)| !hits.is_empty() && holds(line));
        self.search.marks = Marks::of(lines.map(|(line, _)| (line, RowMark::Hit)));
    }

    /// The row at the top of the screen.
    fn top_row(&self) -> usize {
        self.lines.get(self.top).map_or(0, |line| line.rows().start)
    }

    /// Goes to the next hit or the previous one, round the ends: from the one that was gone to last where that
    /// is seen, else from the top of the screen. False if there is none at all.
    pub(crate) fn seek_hit(&mut self, forward: bool, seen: &Range<usize>) -> bool {
        if !seen.is_empty() && self.hit_line(seen.clone()).is_none() {
            self.search.at = None;
        }
        let Some(last) = self.search.hits.len().checked_sub(1) else {
            return false;
        };
        let from = || {
            self.search
                .hits
                .partition_point(|row| *row < self.top_row())
        };
        let next = match (self.search.at, forward) {
            (at, true) => at.map_or_else(from, |at| at + 1) % (last + 1),
            (at, false) => at.unwrap_or_else(from).checked_sub(1).unwrap_or(last),
        };
        self.search.at = Some(next);
        self.show_hit();
        true
    }

    /// Brings the hit onto the screen, out of its fold if it is in one.
    fn show_hit(&mut self) {
        if let Some(row) = self.search.row() {
            self.show_row(row);
            self.show_columns(row);
        }
    }

    /// Of the lines that are seen, the one with the hit that was gone to last.
    pub(crate) fn hit_line(&self, seen: Range<usize>) -> Option<usize> {
        let row = self.search.row()?;
        let needle = self.search.needle()?;
        let diff = &self.diff.ready()?.1;
        let lines = self.lines.iter().enumerate();
        let lines = lines.skip(seen.start).take(seen.len());
        let mut holding = lines.filter(|(_, line)| line.row() == Some(row)).peekable();
        let (first, _) = *holding.peek()?;
        // Of the two lines of a changed row, the one that holds the text.
        let has = |line: &Shown| {
            let mut cells = self.cells(diff, line).into_iter().flatten();
            cells.any(|cell| !needle.places(&cell.text).is_empty())
        };
        let found = holding.find(|(_, line)| has(line));
        Some(found.map_or(first, |(at, _)| at))
    }
}
