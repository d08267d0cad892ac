//! Looking for a text in the outline of a plan, in what is folded away, too.

use super::outline::Section;
use super::{PlanRow, lines};
use crate::diff::find::Needle;
use crate::tui::commands;
use crate::tui::prelude::*;

/// Cells in which no row is cut or wrapped.
const ENDLESS: usize = 4_000;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    /// What was written.
    pub(crate) field: Field,
    /// The rows that hold it, in the order of the outline.
    pub(crate) hits: Vec<PlanRow>,
    /// The rows that hold it or are a problem, by their places.
    pub(crate) marks: Marks,
}

impl PlanScreen {
    /// What is looked for, if anything is.
    pub(super) fn needle(&self) -> Option<Needle> {
        Needle::new(self.search.field.text())
    }

    /// Finds the rows again after they or the text changed.
    pub(super) fn find(&mut self) {
        self.search.hits = match (self.needle(), self.listed().cloned()) {
            (Some(needle), Some(plan)) => {
                let holds = |row: &PlanRow| !needle.places(&self.text(*row)).is_empty();
                let rows = self.outline(&plan, false).into_iter();
                rows.filter(holds).collect()
            }
            _ => Vec::new(),
        };
        let hits: BTreeSet<&PlanRow> = self.search.hits.iter().collect();
        let rows = self.rows.iter().enumerate();
        let marks = rows.filter_map(|(place, row)| {
            let hit = hits.contains(row).then_some(RowMark::Hit);
            Some((place, self.problem(*row).or(hit)?))
        });
        self.search.marks = Marks::of(marks);
    }

    /// How bad a row is, where it is a problem.
    fn problem(&self, row: PlanRow) -> Option<RowMark> {
        match row {
            PlanRow::Guard(guard) => {
                let guard = self.current()?.guards.get(guard)?;
                let open = guard.is_open().then_some(RowMark::Warning);
                guard.refuses().then_some(RowMark::Error).or(open)
            }
            PlanRow::Sentence(Section::Warnings, _) => Some(RowMark::Warning),
            _ => None,
        }
    }

    /// A row as one text. What is looked for is no key, so it does not matter which keys it names.
    fn text(&self, row: PlanRow) -> Clean {
        let (Some(listed), Some(now)) = (self.listed(), self.current()) else {
            return Clean::empty();
        };
        let all = lines::lines(self, (listed, now, &commands::DEFAULT), row, ENDLESS).into_iter();
        all.fold(Bits::new(), Bits::join).written()
    }

    /// Goes to the next row that holds the text, or to the previous one, round the ends; from the selected row
    /// itself where `here`. Without a text these are the rows of changed files. False if there is none.
    pub(super) fn seek(&mut self, forward: bool, here: bool) -> bool {
        let Some(plan) = self.listed().cloned() else {
            return false;
        };
        let all = self.outline(&plan, false);
        let at = |row: &PlanRow| all.iter().position(|one| one == row);
        let from = self.cursor.key().and_then(at).unwrap_or(0);
        let hits: Vec<usize> = if self.search.field.is_empty() {
            let changed = |at: &usize| {
                let row = all.get(*at);
                let row = row.filter(|row| !matches!(row, PlanRow::Line(..)));
                row.is_some_and(|row| Self::source(&plan, *row).is_some())
            };
            (0..all.len()).filter(changed).collect()
        } else {
            self.search.hits.iter().filter_map(at).collect()
        };
        let next = if forward {
            let after = |hit: &&usize| **hit > from || (here && **hit == from);
            hits.iter().find(after).or_else(|| hits.first())
        } else {
            let before = |hit: &&usize| **hit < from;
            hits.iter().rev().find(before).or_else(|| hits.last())
        };
        let row = next.and_then(|next| all.get(*next)).copied();
        row.inspect(|row| self.reveal(*row)).is_some()
    }

    /// Selects a row, out of its folds.
    fn reveal(&mut self, row: PlanRow) {
        let mut outer = Some(row);
        while let Some(within) = outer.and_then(|row| self.parent(row)) {
            self.folded.remove(&within);
            outer = Some(within);
        }
        self.arrange();
        if let Some(place) = self.rows.iter().position(|one| *one == row) {
            self.cursor.go(&self.rows, place);
        }
    }
}

/// Finds the text that was written so far, and goes to the first row that holds it.
pub(super) fn changed(state: &mut State) {
    if let Some(screen) = state.layers.top_mut::<PlanScreen>() {
        screen.find();
        if !screen.search.field.is_empty() {
            screen.seek(true, true);
        }
    }
}
