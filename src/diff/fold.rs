//! Which rows of a comparison are shown, in what order, and where unchanged ones are folded.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Diff, Row};

/// The layout of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Side by side.
    Split,
    /// One below the other: removed lines, then added ones.
    Unified,
    /// One line for a changed pair, with the removed and the added words in it.
    Word,
}

/// Which unchanged rows are folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folding {
    /// How many unchanged rows are shown around a change; `None` folds nothing.
    pub context: Option<usize>,
    /// Rows whose unchanged stretch was expanded.
    pub opened: BTreeSet<usize>,
}

impl Folding {
    /// The context for a stretch of unchanged rows.
    fn of(&self, stretch: &Range<usize>) -> Option<usize> {
        let opened = self.opened.range(stretch.clone()).next().is_some();
        self.context.filter(|_| !opened)
    }
}

/// One displayed line of a comparison. Numbers are indexes into [`Diff::rows`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Shown {
    /// A row with both its sides: every row in the split layout, unchanged ones in the unified layout, unchanged and
    /// changed ones in the word layout.
    Both(usize),
    /// The old side of a row.
    Old(usize),
    /// The new side of a row.
    New(usize),
    /// Unchanged rows that are folded.
    Folded(Range<usize>),
}

/// The lines to display.
pub fn shown(diff: &Diff, layout: Layout, folding: &Folding) -> Vec<Shown> {
    let mut out = Vec::new();
    for (range, differs) in runs(&diff.rows) {
        let rows = range
            .clone()
            .zip(diff.rows.get(range.clone()).unwrap_or_default());
        match (differs, layout) {
            (true, Layout::Split) => out.extend(range.map(Shown::Both)),
            (true, Layout::Unified) => {
                let with = |side: fn(Row) -> Option<usize>| {
                    let rows = rows.clone();
                    rows.filter_map(move |(at, row)| side(*row).map(|_| at))
                };
                out.extend(with(Row::old).map(Shown::Old));
                out.extend(with(Row::new_line).map(Shown::New));
            }
            (true, Layout::Word) => out.extend(rows.map(|(at, row)| match row {
                Row::Removed { .. } => Shown::Old(at),
                Row::Added { .. } => Shown::New(at),
                Row::Same { .. } | Row::Changed { .. } => Shown::Both(at),
            })),
            (false, _) => {
                let context = folding.of(&range);
                push_same(diff.rows.len(), range, context, &mut out);
            }
        }
    }
    out
}

impl Shown {
    /// The row that it shows; none for a fold.
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Both(row) | Self::Old(row) | Self::New(row) => Some(*row),
            Self::Folded(_) => None,
        }
    }

    /// The rows that it shows or folds.
    pub fn rows(&self) -> Range<usize> {
        match self {
            Self::Both(row) | Self::Old(row) | Self::New(row) => *row..row + 1,
            Self::Folded(rows) => rows.clone(),
        }
    }
}

/// The indexes in `shown` at which a stretch of changes starts.
pub fn changes(diff: &Diff, shown: &[Shown]) -> Vec<usize> {
    let differs = |place: usize| {
        let row = shown.get(place).and_then(Shown::row);
        let row = row.and_then(|row| diff.rows.get(row));
        row.is_some_and(|row| row.differs())
    };
    let begins = |place: &usize| differs(*place) && !place.checked_sub(1).is_some_and(differs);
    (0..shown.len()).filter(begins).collect()
}

/// Stretches of rows that all differ or are all the same.
fn runs(rows: &[Row]) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
    let mut at = 0;
    rows.chunk_by(|a, b| a.differs() == b.differs())
        .map(move |chunk| {
            let start = at;
            at += chunk.len();
            (start..at, chunk.first().is_some_and(|row| row.differs()))
        })
}

fn push_same(len: usize, range: Range<usize>, context: Option<usize>, out: &mut Vec<Shown>) {
    let folded = context.map(|context| {
        // No context at the very start and the very end: no change is next to it.
        let lead = if range.start == 0 { 0 } else { context };
        let tail = if range.end == len { 0 } else { context };
        let from = (range.start + lead).min(range.end);
        from..range.end.saturating_sub(tail).max(from)
    });
    // Folding a single row would take as many lines as it saves.
    let Some(folded) = folded.filter(|folded| folded.len() > 1) else {
        return out.extend(range.map(Shown::Both));
    };
    out.extend((range.start..folded.start).map(Shown::Both));
    out.push(Shown::Folded(folded.clone()));
    out.extend((folded.end..range.end).map(Shown::Both));
}
