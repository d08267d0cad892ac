//! Marked rows of a list: what is wrong in them, and what a search found.

use std::ops::Range;

/// The reasons to mark a row, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowMark {
    /// Something failed or refuses.
    Error,
    /// Something to look at.
    Warning,
    /// It contains the searched text.
    Hit,
}

/// The marked rows of a list, found once when the rows change, so that a drawing asks about any stretch of a million
/// rows without looking at them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// The rows of each mark, the worst first.
    levels: [Vec<usize>; 3],
}

impl Marks {
    /// The marks of rows in order, a row with several once for each.
    pub fn of(rows: impl IntoIterator<Item = (usize, RowMark)>) -> Self {
        let mut all = Self::default();
        for (row, mark) in rows {
            if let Some(level) = all.levels.get_mut(mark as usize) {
                level.push(row);
            }
        }
        all
    }

    fn levels(&self) -> impl Iterator<Item = (RowMark, &Vec<usize>)> {
        let marks = [RowMark::Error, RowMark::Warning, RowMark::Hit];
        marks.into_iter().zip(&self.levels)
    }

    /// The worst mark in a stretch of rows.
    pub fn worst(&self, rows: &Range<usize>) -> Option<RowMark> {
        let within = |(_, marked): &(RowMark, &Vec<usize>)| {
            let first = marked.partition_point(|row| *row < rows.start);
            marked.get(first).is_some_and(|row| *row < rows.end)
        };
        self.levels().find(within).map(|(mark, _)| mark)
    }

    /// The next row after this one, or the previous one before it, whose mark is at least this bad.
    pub fn next(&self, here: usize, forward: bool, least: RowMark) -> Option<usize> {
        let levels = self.levels().filter(|(mark, _)| *mark <= least);
        let near = levels.filter_map(|(_, marked)| {
            if forward {
                let next = marked.partition_point(|row| *row <= here);
                marked.get(next).copied()
            } else {
                let before = marked.partition_point(|row| *row < here);
                marked.get(before.checked_sub(1)?).copied()
            }
        });
        if forward { near.min() } else { near.max() }
    }
}

#[cfg(test)]
mod tests {
    use super::RowMark::{Error, Hit, Warning};
    use super::*;

    #[test]
    fn a_stretch_has_its_worst_mark() {
        let marks = Marks::of([(1, Hit), (2, Warning), (2, Hit), (5, Error), (6, Warning)]);
        let table = [
            (0..1, None),
            (0..2, Some(Hit)),
            (0..3, Some(Warning)),
            (3..5, None),
            (2..6, Some(Error)),
            (6..9, Some(Warning)),
            (7..9, None),
            (2..2, None),
        ];
        for (stretch, worst) in table {
            assert_eq!(marks.worst(&stretch), worst, "{stretch:?}");
        }
    }

    #[test]
    fn the_next_row_that_is_bad_enough_is_found_both_ways() {
        let marks = Marks::of([(1, Warning), (3, Hit), (5, Error), (6, Warning)]);
        let table = [
            (0, true, Warning, Some(1)),
            (1, true, Warning, Some(5)),
            (1, true, Error, Some(5)),
            (5, true, Error, None),
            (5, true, Warning, Some(6)),
            (6, false, Warning, Some(5)),
            (5, false, Warning, Some(1)),
            (5, false, Error, None),
            (5, false, Hit, Some(3)),
        ];
        for (here, forward, least, next) in table {
            assert_eq!(
                marks.next(here, forward, least),
                next,
                "{here} {forward} {least:?}"
            );
        }
    }
}
