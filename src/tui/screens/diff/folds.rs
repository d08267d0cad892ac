//! Which of the unchanged lines are folded away, and which fold is opened next.

use std::ops::Range;

use super::DiffScreen;
use crate::diff::fold::Shown;

impl DiffScreen {
    /// The visible fold that is opened next: the chosen one, else the first one after the current difference, else the
    /// last one before it. If no difference is visible, it is the first one.
    pub(crate) fn next_fold(&self, seen: Range<usize>) -> Option<usize> {
        let is_fold = |at: &usize| matches!(self.lines.get(*at), Some(Shown::Folded(_)));
        let folds: Vec<usize> = seen.clone().filter(is_fold).collect();
        let chosen = |at: &&usize| {
            let row = self.lines.get(**at).map(Shown::first_row);
            row.is_some() && row == self.fold
        };
        if let Some(chosen) = folds.iter().find(chosen) {
            return Some(*chosen);
        }
        let mark = self.current_line().filter(|line| seen.contains(line));
        let Some(mark) = mark else {
            return folds.first().copied();
        };
        let after = folds.iter().find(|fold| **fold > mark);
        after.or_else(|| folds.last()).copied()
    }

    /// Chooses the fold after or before the one that would be opened now. False if there is none.
    pub(crate) fn choose_fold(&mut self, forward: bool, seen: Range<usize>) -> bool {
        let is_fold = |at: &usize| matches!(self.lines.get(*at), Some(Shown::Folded(_)));
        let here = self.next_fold(seen.clone());
        let next = match (here, forward) {
            (Some(here), true) => (here + 1..self.lines.len()).find(is_fold),
            (Some(here), false) => (0..here).rev().find(is_fold),
            (None, true) => (seen.end..self.lines.len()).find(is_fold),
            (None, false) => (0..seen.start).rev().find(is_fold),
        };
        let Some(next) = next else {
            return false;
        };
        if !seen.contains(&next) {
            self.go_to(next);
        }
        self.fold = self.lines.get(next).map(Shown::first_row);
        true
    }

    /// Opens a fold. False if that line is none.
    pub(crate) fn open_fold(&mut self, line: usize) -> bool {
        let Some(Shown::Folded(rows)) = self.lines.get(line) else {
            return false;
        };
        self.opened.insert(rows.start);
        self.fold = None;
        self.arrange(self.width);
        true
    }

    /// Folds all that was opened by itself.
    pub(crate) fn fold_all(&mut self) {
        self.folded = true;
        self.opened.clear();
    }
}
