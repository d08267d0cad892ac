//! Rows that are marked or hidden, and saved views.

use super::{Browser, Row};
use crate::tui::prelude::*;

/// Why nothing acts on the row that stands for a folded group.
pub(super) const FOLDED: &str = "This group is folded; open it to see its rows.";

impl Browser {
    /// Shows the next saved view, after the last one the list as it is without any. Gives its name.
    pub(crate) fn view_next(&mut self) -> Option<String> {
        let next = self.view.map_or(0, |at| at + 1);
        self.view = Some(next).filter(|at| *at < self.views.len());
        let view = self.view.and_then(|at| self.views.get(at)).cloned();
        let view = view.unwrap_or_default();
        self.filter.set(&view.filter);
        self.sort = view.sort.unwrap_or_default();
        (self.group, self.complete) = (view.group, view.complete);
        (self.reverse, self.ranked) = (false, view.sort.is_none());
        self.arrange();
        (!view.name.is_empty()).then_some(view.name)
    }

    /// Marks the selected row, or removes its mark, and moves to the next row.
    pub(crate) fn mark(&mut self) {
        let Some(id) = self.selected().map(|row| row.pipeline.id.clone()) else {
            return;
        };
        let marks = !self.marked.contains(&id);
        switch(&mut self.marked, id, marks);
        self.chosen = true;
        let next = self.cursor.place(&self.ids).map_or(0, |at| at + 1);
        self.cursor.go(&self.ids, next);
    }

    /// The marked pipelines that are shown; where none is marked, the selected one. In the order of the screen. A mark
    /// outside the filter stays, and what it marks is left alone.
    pub(crate) fn chosen_ids(&self) -> Vec<PipelineId> {
        let (all, marked) = self.marks();
        if all == 0 {
            let selected = self.selected().map(|row| row.pipeline.id.clone());
            return selected.into_iter().collect();
        }
        marked
    }

    /// How many rows are marked, shown or not, and the pipelines of those that are shown.
    pub(crate) fn marks(&self) -> (usize, Vec<PipelineId>) {
        let is_marked = |row: &&Row| self.marked.contains(&row.pipeline.id);
        // A mark of a pipeline that is gone or outside the scope could not be removed, so it does not count.
        let all = self.rows.iter().filter(is_marked).count();
        let shown = self.shown.iter().filter(|shown| shown.folded.is_none());
        let rows = shown.filter_map(|shown| self.rows.get(shown.row));
        let ids = rows.filter(is_marked).map(|row| row.pipeline.id.clone());
        (all, ids.collect())
    }

    /// How many marked rows are left out because they are not shown.
    pub(crate) fn left_out(&self) -> Option<Clean> {
        let (all, shown) = self.marks();
        let left = Some(all - shown.len()).filter(|left| *left > 0)?;
        let rows = format::count(left, "marked row");
        let verb = format::plural(left, "is", "are");
        Some(clean!("{} {} not shown and left out", rows, verb))
    }

    /// Why there is nothing to act on.
    pub(crate) fn none_chosen(&self) -> &'static str {
        if self.marks().0 > 0 {
            "None of the marked rows is shown; nothing was done."
        } else if self.is_folded() {
            FOLDED
        } else {
            "No pipeline is shown."
        }
    }

    /// Whether a sign stands before some rows: marked, or hidden and shown nevertheless.
    pub(crate) fn has_signs(&self) -> bool {
        !self.marked.is_empty() || self.show_put_away && !self.put_away.is_empty()
    }

    /// Whether the person has hidden a row.
    pub(crate) fn is_put_away(&self, row: &Row) -> bool {
        self.put_away.contains(&row.pipeline.id)
    }

    /// Hides the marked rows, else the selected one, until the console ends; where all of them are hidden and shown
    /// nevertheless, brings them back. True if they are hidden now.
    pub(crate) fn put_away(&mut self) -> bool {
        let ids = self.chosen_ids();
        let back = ids.iter().all(|id| self.put_away.contains(id));
        self.marked.retain(|id| !ids.contains(id));
        if back {
            self.put_away.retain(|id| !ids.contains(id));
        } else {
            self.put_away.extend(ids);
        }
        self.arrange();
        !back
    }
}
