//! The positions of everything in a frame. Mouse and paging read this map, so that the layout is computed only once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::commands::Cmd;
use super::keys::Key;
use crate::model::ListKey;

/// A list of rows on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(&'static str);

impl ListId {
    /// The only list of a screen.
    pub fn of<S: ?Sized>() -> Self {
        Self(std::any::type_name::<S>())
    }

    /// One of several lists of a screen.
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }
}

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A row of a list, counted from 0 among all rows of it.
    Row(ListId, usize),
    /// A list, between its rows.
    List(ListId),
    /// A key of the footer or a tab: the same as the key.
    Button(Cmd),
    /// A key that is named on the screen.
    Key(Key),
    /// The heading of a column that the rows can be sorted by.
    Sort(ListKey),
    /// A cell of the scrollbar of a list, and the first row that it represents.
    Scroll(ListId, usize),
}

/// How much of a list is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// The first row that is drawn.
    pub first: usize,
    /// Lines that the list has.
    pub height: usize,
    /// Rows that it could show in all.
    pub total: usize,
}

/// The map of one frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Geometry {
    spots: Vec<(Rect, Target)>,
    pages: BTreeMap<ListId, Page>,
    /// Where files and folders are named.
    pub(super) files: Vec<(Rect, Arc<Path>)>,
}

impl Geometry {
    /// Records what is drawn at a place; later entries are on top.
    pub fn spot(&mut self, area: Rect, target: Target) {
        self.spots.push((area, target));
    }

    /// Records how much of a list is drawn.
    pub fn page(&mut self, list: ListId, first: usize, height: usize, total: usize) {
        let page = Page {
            first,
            height,
            total,
        };
        self.pages.insert(list, page);
    }

    /// Clears all places, because something will cover them. The pages of the lists stay.
    pub fn cover(&mut self) {
        self.spots.clear();
    }

    /// What is at a cell.
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        let here = Position { x, y };
        self.spots
            .iter()
            .rev()
            .find(|(area, _)| area.contains(here))
            .map(|(_, target)| *target)
    }

    /// The row of a list that a cell is in, whatever is on top of it.
    pub fn row_at(&self, x: u16, y: u16) -> Option<(ListId, usize)> {
        let here = Position { x, y };
        let mut spots = self.spots.iter().rev();
        spots.find_map(|(area, target)| match target {
            Target::Row(list, row) if area.contains(here) => Some((*list, *row)),
            _ => None,
        })
    }

    /// The row that the scrollbar of a list represents at a height, or at its nearest end.
    pub fn scroll_row(&self, list: ListId, y: u16) -> Option<usize> {
        let cells = self.spots.iter().filter_map(|(area, target)| match target {
            Target::Scroll(of, row) if *of == list => Some((area.y, *row)),
            _ => None,
        });
        let nearest = cells.min_by_key(|(at, _)| at.abs_diff(y));
        nearest.map(|(_, row)| row)
    }

    /// The rows of a list that are drawn, where each has a place of its own.
    pub fn rows_seen(&self, list: ListId) -> Range<usize> {
        let rows = self.spots.iter().filter_map(|(_, target)| match target {
            Target::Row(of, row) if *of == list => Some(*row),
            _ => None,
        });
        let (first, end) = rows.fold((usize::MAX, 0), |(first, end), row| {
            (first.min(row), end.max(row + 1))
        });
        first.min(end)..end
    }

    /// How much of a list was drawn; nothing of it if it never was.
    pub fn page_of(&self, list: ListId) -> Page {
        self.pages.get(&list).copied().unwrap_or_default()
    }

    /// Scrolls what was drawn to a first row.
    pub fn scroll(&mut self, list: ListId, first: usize) {
        if let Some(page) = self.pages.get_mut(&list) {
            page.first = first;
        }
    }

    /// Forgets how a list was scrolled, because another one takes its place.
    pub fn forget(&mut self, list: ListId) {
        self.pages.remove(&list);
    }
}

/// Which rows of a list fall on which lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// The first visible row.
    pub first: usize,
    /// For every line from the top: the row, and which of its lines this is.
    pub lines: Vec<(usize, usize)>,
}

/// Lays out rows of different heights in `height` lines, starting at `first` if the selected row is then fully visible.
/// Only rows near the screen are measured, so that the time does not depend on the number of rows.
pub fn window(
    len: usize,
    first: usize,
    selected: Option<usize>,
    height: usize,
    row_height: &dyn Fn(usize) -> usize,
) -> Window {
    if len == 0 || height == 0 {
        return Window::default();
    }
    let last_first = earliest_showing(len - 1, height, row_height);
    let mut first = first.min(last_first);
    if let Some(selected) = selected.map(|row| row.min(len - 1)) {
        let lowest = earliest_showing(selected, height, row_height);
        first = first.clamp(lowest, selected.max(lowest));
    }
    let mut lines = Vec::with_capacity(height);
    for row in first..len {
        let room = height - lines.len();
        lines.extend((0..row_height(row).max(1).min(room)).map(|line| (row, line)));
        if lines.len() == height {
            break;
        }
    }
    Window { first, lines }
}

/// The earliest first row with which this row ends on the screen.
fn earliest_showing(row: usize, height: usize, row_height: &dyn Fn(usize) -> usize) -> usize {
    let mut used = row_height(row).max(1);
    let mut first = row;
    while let Some(above) = first.checked_sub(1) {
        used += row_height(above).max(1);
        if used > height {
            break;
        }
        first = above;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(window: &Window) -> Vec<usize> {
        window.lines.iter().map(|(row, _)| *row).collect()
    }

    #[test]
    fn the_selected_row_is_always_whole() {
        let tall = |row: usize| if row.is_multiple_of(3) { 3 } else { 1 };
        for len in 0..12 {
            for height in 0..9 {
                for first in 0..14 {
                    for selected in 0..len {
                        let seen = window(len, first, Some(selected), height, &tall);
                        let wanted = tall(selected).min(height);
                        let found = seen.lines.iter().filter(|(row, _)| *row == selected);
                        assert_eq!(found.count(), wanted, "{len} {height} {first} {selected}");
                        assert!(seen.lines.len() <= height);
                    }
                }
            }
        }
    }

    #[test]
    fn the_place_is_kept_while_it_can_be() {
        let one = |_: usize| 1;
        assert_eq!(rows(&window(10, 3, Some(4), 4, &one)), [3, 4, 5, 6]);
        assert_eq!(rows(&window(10, 3, Some(9), 4, &one)), [6, 7, 8, 9]);
        assert_eq!(rows(&window(10, 3, Some(0), 4, &one)), [0, 1, 2, 3]);
        assert_eq!(rows(&window(10, 99, None, 4, &one)), [6, 7, 8, 9]);
    }

    #[test]
    fn only_rows_near_the_screen_are_measured() {
        let asked = std::cell::Cell::new(0);
        let counting = |_: usize| {
            asked.set(asked.get() + 1);
            1
        };
        window(1_000_000, 0, Some(999_999), 60, &counting);
        assert!(asked.get() < 400, "{}", asked.get());
    }

    #[test]
    fn what_lies_on_top_is_found() {
        let mut geometry = Geometry::default();
        geometry.spot(Rect::new(0, 0, 10, 10), Target::List(ListId::named("list")));
        geometry.spot(
            Rect::new(0, 2, 10, 1),
            Target::Row(ListId::named("list"), 7),
        );
        assert_eq!(
            geometry.at(3, 2),
            Some(Target::Row(ListId::named("list"), 7))
        );
        assert_eq!(geometry.at(3, 3), Some(Target::List(ListId::named("list"))));
        assert_eq!(geometry.at(30, 3), None);
    }
}
