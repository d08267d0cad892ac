//! The positions of changes among the displayed lines, for a map next to them.

use std::ops::Range;

use super::fold::Shown;
use super::{Diff, Row};

/// The kind of change in a stretch of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Only added lines.
    Added,
    /// Only removed lines.
    Removed,
    /// Changed lines, or both added and removed ones.
    Changed,
}

/// Prefix sums of changed lines, so that any stretch can be queried without looking at its lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overview {
    /// Before each line, and after the last: how many are changed, added, removed.
    sums: Vec<[u32; 3]>,
}

impl Overview {
    /// The overview of the displayed lines.
    pub fn new(diff: &Diff, shown: &[Shown]) -> Self {
        let mut sums = Vec::with_capacity(shown.len() + 1);
        let mut sum = [0_u32; 3];
        sums.push(sum);
        for line in shown {
            let [changed, added, removed] = &mut sum;
            match line.row().and_then(|row| diff.rows.get(row)) {
                Some(Row::Changed { .. }) => *changed += 1,
                Some(Row::Added { .. }) => *added += 1,
                Some(Row::Removed { .. }) => *removed += 1,
                Some(Row::Same { .. }) | None => {}
            }
            sums.push(sum);
        }
        Self { sums }
    }

    /// The kind of change in a stretch of lines; `None` if nothing differs.
    pub fn within(&self, lines: Range<usize>) -> Option<Mark> {
        let last = self.sums.len().checked_sub(1)?;
        let before = self.sums.get(lines.start.min(last))?;
        let after = self.sums.get(lines.end.min(last))?;
        let [changed, added, removed] = [0, 1, 2].map(|kind: usize| {
            let at = |sums: &[u32; 3]| sums.get(kind).copied().unwrap_or(0);
            at(after) > at(before)
        });
        match (changed, added, removed) {
            (false, false, false) => None,
            (false, true, false) => Some(Mark::Added),
            (false, false, true) => Some(Mark::Removed),
            _ => Some(Mark::Changed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::fold::{Folding, Layout, shown};
    use crate::diff::{Options, rows};

    #[test]
    fn a_stretch_has_its_kind_of_change() {
        let diff = rows(
            Some(b"a\nb\nc\nd\ne\n".to_vec()),
            Some(b"a\nB\nc\ne\nf\n".to_vec()),
            Options::default(),
        );
        let lines = shown(&diff, Layout::Split, &Folding::default());
        let map = Overview::new(&diff, &lines);
        let table = [
            (0..1, None),
            (0..2, Some(Mark::Changed)),
            (2..4, Some(Mark::Removed)),
            (4..6, Some(Mark::Added)),
            (3..6, Some(Mark::Changed)),
            (6..99, None),
            (0..99, Some(Mark::Changed)),
        ];
        for (stretch, expected) in table {
            assert_eq!(map.within(stretch.clone()), expected, "{stretch:?}");
        }
        assert_eq!(Overview::default().within(0..4), None);
    }
}
