//! Rows that are marked or hidden, and saved views.

use super::Browser;
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

    /// Hides the marked rows, else the selected one, until the console ends.
    pub(crate) fn put_away(&mut self) {
        let ids = self.chosen_ids();
        self.put_away.extend(ids);
        self.marked.clear();
        self.arrange();
    }
}
