//! Rows that are marked or hidden, and saved views.

use super::{Browser, Row};
use crate::model::PipelineId;

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
        if !self.marked.remove(&id) {
            self.marked.insert(id);
        }
        self.chosen = true;
        let next = self.cursor.place(&self.ids).map_or(0, |at| at + 1);
        self.cursor.go(&self.ids, next);
    }

    /// The marked pipelines, else the selected one, in the order of the screen.
    pub(crate) fn chosen_ids(&self) -> Vec<PipelineId> {
        let marked = self.ids.iter().filter(|id| self.marked.contains(id));
        let marked: Vec<PipelineId> = marked.cloned().collect();
        if marked.is_empty() {
            let selected = self.selected().map(|row| row.pipeline.id.clone());
            return selected.into_iter().collect();
        }
        marked
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
        if back {
            self.put_away.retain(|id| !ids.contains(id));
        } else {
            self.put_away.extend(ids);
        }
        self.marked.clear();
        self.arrange();
        !back
    }
}
