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
    /// Folds with `context` rows around changes; `None` folds nothing.
    pub fn new(context: Option<usize>) -> Self {
        Self {
            context,
            opened: BTreeSet::new(),
        }
    }

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
        match (differs, layout) {
            (true, Layout::Split) => out.extend(range.map(Shown::Both)),
            (true, Layout::Unified) => push_unified(&diff.rows, range, &mut out),
            (true, Layout::Word) => push_words(&diff.rows, range, &mut out),
            (false, _) => {
                let context = folding.of(&range);
                push_same(diff.rows.len(), range, context, &mut out);
            }
        }
    }
    out
}

impl Shown {
    /// The first row that it shows or folds.
    pub fn first_row(&self) -> usize {
        match self {
            Self::Both(row) | Self::Old(row) | Self::New(row) => *row,
            Self::Folded(rows) => rows.start,
        }
    }
}

/// The indexes in `shown` at which a stretch of changes starts.
pub fn changes(diff: &Diff, shown: &[Shown]) -> Vec<usize> {
    let differs = |line: &Shown| match line {
        Shown::Both(row) => diff.rows.get(*row).is_some_and(|row| row.differs()),
        Shown::Old(_) | Shown::New(_) => true,
        Shown::Folded(_) => false,
    };
    let mut out = Vec::new();
    let mut within = false;
    for (place, line) in shown.iter().enumerate() {
        let now = differs(line);
        if now && !within {
            out.push(place);
        }
        within = now;
    }
    out
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

fn push_unified(rows: &[Row], range: Range<usize>, out: &mut Vec<Shown>) {
    let has = |at: usize, side: fn(Row) -> Option<usize>| {
        rows.get(at).is_some_and(|row| side(*row).is_some())
    };
    out.extend(
        range
            .clone()
            .filter(|at| has(*at, Row::old))
            .map(Shown::Old),
    );
    out.extend(range.filter(|at| has(*at, Row::new_line)).map(Shown::New));
}

fn push_words(rows: &[Row], range: Range<usize>, out: &mut Vec<Shown>) {
    out.extend(range.map(|at| match rows.get(at) {
        Some(Row::Removed { .. }) => Shown::Old(at),
        Some(Row::Added { .. }) => Shown::New(at),
        _ => Shown::Both(at),
    }));
}

fn push_same(len: usize, range: Range<usize>, context: Option<usize>, out: &mut Vec<Shown>) {
    let Some(context) = context else {
        out.extend(range.map(Shown::Both));
        return;
    };
    // No context at the very start and the very end: no change is next to it.
    let lead = if range.start == 0 { 0 } else { context };
    let tail = if range.end == len { 0 } else { context };
    let from = (range.start + lead).min(range.end);
    let to = range.end.saturating_sub(tail).max(from);
    // Folding a single row would take as many lines as it saves.
    if to - from < 2 {
        out.extend(range.map(Shown::Both));
        return;
    }
    out.extend((range.start..from).map(Shown::Both));
    out.push(Shown::Folded(from..to));
    out.extend((to..range.end).map(Shown::Both));
}
