//! The comparison screen: one difference, side by side or one below the other.

use std::sync::Arc;

use crate::diff::Diff;
use crate::diff::fold::{Layout, Shown, changes, shown};
use crate::model::{Compared, Comparison, Foreign, Plan};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;

/// From this width on both sides have room to be read.
pub(crate) const SPLIT_WIDTH: u16 = 100;

/// How many unchanged lines stay around a difference at first.
const CONTEXT: usize = 3;

/// What a difference is of.
#[derive(Debug, Clone, PartialEq)]
pub enum DiffSource {
    /// An action of a plan, or one of its paths.
    Plan {
        /// The plan.
        plan: Arc<Plan>,
        /// Which action.
        action: usize,
        /// Which of its paths.
        path: Option<usize>,
    },
    /// Two texts of a comparison.
    Comparison {
        /// The comparison.
        comparison: Arc<Comparison>,
        /// Which.
        what: Compared,
    },
}

/// The difference screen.
#[derive(Debug, Clone)]
pub struct DiffScreen {
    /// What it shows.
    pub source: DiffSource,
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
    /// Whether long lines are wrapped; else they are cut.
    pub wrap: bool,
    /// The lines of the screen.
    pub lines: Vec<Shown>,
    /// Where differences begin among them.
    pub changes: Vec<usize>,
    /// The difference that was jumped to last.
    pub current: usize,
    /// The first line that is seen.
    pub top: usize,
    /// Cells that are scrolled away on the left.
    pub pan: usize,
}

impl DiffScreen {
    /// A difference that is still to be made.
    pub fn new(source: DiffSource) -> Self {
        Self {
            source,
            diff: Load::Pending,
            ticket: None,
            chosen: None,
            layout: Layout::Unified,
            context: CONTEXT,
            folded: true,
            ignore_blanks: false,
            wrap: false,
            lines: Vec::new(),
            changes: Vec::new(),
            current: 0,
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
        self.current = self.current.min(self.changes.len().saturating_sub(1));
        if let Some(row) = row {
            let place = self.lines.iter().position(|line| first_row(line) >= row);
            self.top = place.unwrap_or(0);
        }
    }

    /// Goes to the next difference, or to the previous one. False if there is none on that side.
    pub fn seek(&mut self, forward: bool) -> bool {
        let next = if forward {
            Some(self.current + 1)
        } else {
            self.current.checked_sub(1)
        };
        let place = next.and_then(|next| self.changes.get(next));
        if let (Some(next), Some(place)) = (next, place) {
            self.current = next;
            self.top = place.saturating_sub(LEAD);
            return true;
        }
        false
    }

    /// Goes to the first difference.
    pub fn begin(&mut self) {
        self.current = 0;
        self.top = self
            .changes
            .first()
            .map_or(0, |place| place.saturating_sub(LEAD));
    }

    /// The line at which the current difference begins.
    pub fn current_line(&self) -> Option<usize> {
        self.changes.get(self.current).copied()
    }
}

/// Lines that stay above a difference that was jumped to.
const LEAD: usize = 4;

fn first_row(line: &Shown) -> usize {
    match line {
        Shown::Both(row) | Shown::Old(row) | Shown::New(row) => *row,
        Shown::Folded(rows) => rows.start,
    }
}
