//! The comparison screen: one difference, side by side or one below the other.

use std::sync::Arc;

use crate::diff::Diff;
use crate::diff::fold::{Layout, Shown, changes, shown};
use crate::model::{Foreign, Plan};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;

/// From this width on both sides have room to be read.
pub(crate) const SPLIT_WIDTH: u16 = 100;

/// How many unchanged lines stay around a difference at first.
const CONTEXT: usize = 3;

/// The comparison screen.
#[derive(Debug, Clone)]
pub struct DiffScreen {
    /// The plan it belongs to.
    pub plan: Arc<Plan>,
    /// Which action.
    pub action: usize,
    /// Which of its paths.
    pub path: Option<usize>,
    /// What is compared, once it is there, with its title.
    pub diff: Load<(Foreign, Diff)>,
    /// The request under way.
    pub ticket: Option<Ticket>,
    /// The layout the person chose; `None` lets the width decide.
    pub chosen: Option<Layout>,
    /// The layout of `lines`.
    pub layout: Layout,
    /// How many unchanged lines stay around a difference.
    pub context: usize,
    /// Whether the others are folded away.
    pub folded: bool,
    /// Whether blanks are ignored.
    pub ignore_blanks: bool,
    /// The lines of the screen.
    pub lines: Vec<Shown>,
    /// Where differences begin among them.
    pub changes: Vec<usize>,
    /// The first line that is seen.
    pub top: usize,
    /// Cells that are scrolled away on the left.
    pub pan: usize,
}

impl DiffScreen {
    /// The comparison of an action or of one of its paths, still to be made.
    pub fn new(plan: Arc<Plan>, action: usize, path: Option<usize>) -> Self {
        Self {
            plan,
            action,
            path,
            diff: Load::Pending,
            ticket: None,
            chosen: None,
            layout: Layout::Unified,
            context: CONTEXT,
            folded: true,
            ignore_blanks: false,
            lines: Vec::new(),
            changes: Vec::new(),
            top: 0,
            pan: 0,
        }
    }

    /// Lays the lines out anew for a screen of this width, keeping the row at the top.
    pub fn arrange(&mut self, width: u16) {
        self.layout = self.chosen.unwrap_or(if width >= SPLIT_WIDTH {
            Layout::Split
        } else {
            Layout::Unified
        });
        let Some(ready) = self.diff.ready() else {
            self.lines.clear();
            self.changes.clear();
            return;
        };
        let diff = &ready.1;
        let row = self.lines.get(self.top).map(first_row);
        self.lines = shown(diff, self.layout, self.folded.then_some(self.context));
        self.changes = changes(diff, &self.lines);
        if let Some(row) = row {
            let place = self.lines.iter().position(|line| first_row(line) >= row);
            self.top = place.unwrap_or(0);
        }
    }

    /// The place of the next difference below the top, or of the previous one above it.
    pub fn seek(&self, forward: bool) -> Option<usize> {
        // A difference is brought two lines below the top, so that its context is seen.
        let here = self.top + LEAD;
        if forward {
            self.changes.iter().copied().find(|place| *place > here)
        } else {
            self.changes
                .iter()
                .rev()
                .copied()
                .find(|place| *place < here)
        }
        .map(|place| place.saturating_sub(LEAD))
    }

    /// Which difference stands at the top, counted from 1, of how many.
    pub fn position(&self) -> (usize, usize) {
        let here = self.top + LEAD;
        let before = self.changes.partition_point(|place| *place <= here);
        (before, self.changes.len())
    }
}

/// Lines that stay above a difference that was jumped to.
const LEAD: usize = 2;

fn first_row(line: &Shown) -> usize {
    match line {
        Shown::Both(row) | Shown::Old(row) | Shown::New(row) => *row,
        Shown::Folded(rows) => rows.start,
    }
}
