//! Which rows of a comparison are shown, in what order, and where unchanged ones are folded away.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Diff, Row};

/// How the two sides are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Side by side.
    Split,
    /// One below the other: what goes first, then what comes.
    Unified,
    /// One line for a changed pair, with the words that go and those that come in it.
    Word,
}

/// Which unchanged rows are folded away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folding {
    /// How many unchanged rows stay around a change; `None` folds nothing.
    pub context: Option<usize>,
    /// Rows whose whole unchanged stretch is shown all the same.
    pub opened: BTreeSet<usize>,
}

impl Folding {
    /// Folds with so many rows of context, or nothing at all.
    pub fn new(context: Option<usize>) -> Self {
        Self {
            context,
            opened: BTreeSet::new(),
        }
    }

    /// The context that a stretch of unchanged rows is folded with.
    fn of(&self, stretch: &Range<usize>) -> Option<usize> {
        let opened = self.opened.range(stretch.clone()).next().is_some();
        self.context.filter(|_| !opened)
    }
}

/// One line of a shown comparison. Numbers are places in [`Diff::rows`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Shown {
    /// A row with both its sides: every one when split, unchanged ones when unified, unchanged and changed ones
    /// when words are shown within the line.
    Both(usize),
    /// The old side of a row.
    Old(usize),
    /// The new side of a row.
    New(usize),
    /// Unchanged rows that are not shown.
    Folded(Range<usize>),
}

/// The lines to show.
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
    /// The first row that it shows, or folds away.
    pub fn first_row(&self) -> usize {
        match self {
            Self::Both(row) | Self::Old(row) | Self::New(row) => *row,
            Self::Folded(rows) => rows.start,
        }
    }
}

/// The places in `shown` at which a stretch of changes begins.
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
    // Nothing to keep at the very beginning and the very end: no change is next to it.
    let lead = if range.start == 0 { 0 } else { context };
    let tail = if range.end == len { 0 } else { context };
    let from = (range.start + lead).min(range.end);
    let to = range.end.saturating_sub(tail).max(from);
    // A fold of one row would take the line it saves.
    if to - from < 2 {
        out.extend(range.map(Shown::Both));
        return;
    }
    out.extend((range.start..from).map(Shown::Both));
    out.push(Shown::Folded(from..to));
    out.extend((to..range.end).map(Shown::Both));
}
