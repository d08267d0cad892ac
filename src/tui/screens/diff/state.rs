//! The comparison screen: one difference, side by side, one below the other, or as words within lines.

use super::search::Search;
use super::text::Memo;
use crate::diff::Options;
use crate::diff::fold::{Folding, Layout, Shown, changes, shown};
use crate::diff::overview::Overview;
use crate::tui::prelude::*;

/// From this width on both sides have room to be read.
pub(crate) const SPLIT_WIDTH: u16 = 100;

/// How many unchanged lines stay around a difference at first.
const CONTEXT: usize = 3;

/// The difference screen.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a choice of the person's, made with a key of its own"
)]
pub(crate) struct DiffScreen {
    /// What it shows.
    pub(crate) source: DiffSource,
    /// Whether it is shown beside its list, where Enter opens it.
    pub(crate) is_pane: bool,
    /// Its place among those beside it, counted from 0, and their number.
    pub(crate) place: (usize, usize),
    /// What is compared, once it is there, with its title. Its sides are exchanged already where `swapped`.
    pub(crate) diff: Load<(Foreign, Diff)>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The layout the person chose; `None` lets the width decide.
    pub(crate) chosen: Option<Layout>,
    /// The layout of `lines`.
    pub(crate) layout: Layout,
    /// How many unchanged lines stay around a difference.
    pub(crate) context: usize,
    /// Whether the others are folded away.
    pub(crate) folded: bool,
    /// Rows in folds that were opened.
    pub(crate) opened: BTreeSet<usize>,
    /// The first row of the fold that was chosen to be opened next.
    pub(crate) fold: Option<usize>,
    /// Whether the sides are exchanged.
    pub(crate) swapped: bool,
    /// How it is compared: with blanks or without, JSON indented or as it is.
    pub(crate) asked: Options,
    /// Whether long lines are wrapped; else they are cut.
    pub(crate) wrap: bool,
    /// Whether the person chose that; else prose is wrapped and all else is cut.
    pub(crate) wrap_chosen: bool,
    /// Bytes of very long lines that are before what is shown of them.
    pub(crate) skip: usize,
    /// What is looked for.
    pub(crate) search: Search,
    /// The lines of the screen.
    pub(crate) lines: Vec<Shown>,
    /// Where differences begin among them.
    pub(crate) changes: Vec<usize>,
    /// Where something differs among them.
    pub(crate) overview: Overview,
    /// The difference that was jumped to last.
    pub(crate) current: usize,
    /// The first line that is seen.
    pub(crate) top: usize,
    /// How many rows of it are above the screen, where lines are wrapped.
    pub(crate) within: usize,
    /// Cells that are scrolled away on the left.
    pub(crate) pan: usize,
    /// Columns of the screen that the lines were laid out for.
    pub(crate) width: u16,
    /// The words of pairs that were looked at.
    pub(crate) pairs: Memo,
}

impl DiffScreen {
    /// A difference that is still to be made.
    pub(crate) fn new(source: DiffSource) -> Self {
        Self {
            place: source.place(),
            source,
            is_pane: false,
            diff: Load::Pending,
            ticket: None,
            chosen: None,
            layout: Layout::Unified,
            context: CONTEXT,
            folded: true,
            opened: BTreeSet::new(),
            fold: None,
            swapped: false,
            asked: Options {
                indent_json: true,
                ..Options::default()
            },
            wrap: false,
            wrap_chosen: false,
            skip: 0,
            search: Search::default(),
            lines: Vec::new(),
            changes: Vec::new(),
            overview: Overview::default(),
            current: 0,
            top: 0,
            within: 0,
            pan: 0,
            width: 0,
            pairs: Memo::default(),
        }
    }

    /// Goes this many differences forward in the list. False past its ends. The display options stay; the scroll
    /// position does not.
    pub(crate) fn move_by(&mut self, by: isize) -> bool {
        let Some(source) = self.source.step(by) else {
            return false;
        };
        self.place = source.place();
        self.source = source;
        self.diff = Load::Pending;
        self.forget_rows();
        self.pan = 0;
        self.lines.clear();
        true
    }

    /// Takes the answer to the request, for a screen of this width.
    pub(crate) fn take(&mut self, answer: Result<(Foreign, Diff)>, width: u16) {
        self.ticket = None;
        let swapped = self.swapped;
        let answer = answer.map(|(title, diff)| {
            let diff = if swapped { diff.swapped() } else { diff };
            (title, diff)
        });
        let place = self.place_in_text();
        if let (false, Ok((title, _))) = (self.wrap_chosen, &answer) {
            self.wrap = self.source.is_prose(title);
        }
        self.diff = answer.into();
        self.skip = 0;
        self.lines.clear();
        self.forget_rows();
        self.arrange(width);
        self.begin();
        if let Some((old, new)) = place {
            self.return_to(old, new);
        }
        self.find_again();
    }

    /// The lines of both sides at the top of the screen, unless it shows something else than the files.
    fn place_in_text(&self) -> Option<(Option<usize>, Option<usize>)> {
        let diff = &self.diff.ready()?.1;
        let row = self.lines.get(self.top)?.rows().start;
        let row = diff.rows.get(row).filter(|_| !diff.indented)?;
        Some((row.old(), row.new_line()))
    }

    /// Goes to these lines of the files, if the files are what is shown.
    fn return_to(&mut self, old: Option<usize>, new: Option<usize>) {
        let Some(ready) = self.diff.ready().filter(|ready| !ready.1.indented) else {
            return;
        };
        let from = |line: &Shown| {
            ready.1.rows.get(line.rows().start).is_some_and(|row| {
                let reached = |at: Option<usize>, wanted| at.is_some_and(|at| Some(at) >= wanted);
                (old.is_some() && reached(row.old(), old))
                    || (new.is_some() && reached(row.new_line(), new))
            })
        };
        if let Some(top) = self.lines.iter().position(from) {
            self.top = top;
            let next = self.changes.partition_point(|change| *change < top);
            self.current = next.min(self.changes.len().saturating_sub(1));
        }
    }

    /// Clears everything that is stored by row, because the rows have changed.
    fn forget_rows(&mut self) {
        self.pairs.clear();
        self.opened.clear();
        self.fold = None;
    }

    /// Exchanges the sides.
    pub(crate) fn swap(&mut self) {
        self.swapped = !self.swapped;
        self.pairs.clear();
        if let Load::Ready(ready) = &self.diff {
            let exchanged = (ready.0.clone(), ready.1.swapped());
            self.diff = Load::Ready(std::sync::Arc::new(exchanged));
        }
    }

    /// The difference with its title, once it is there.
    pub(crate) fn ready(&self) -> Option<Arc<(Foreign, Diff)>> {
        self.diff.ready().cloned()
    }

    /// What the left side and the right one are called.
    pub(crate) fn sides(&self) -> [Clean; 2] {
        let [old, new] = self.source.sides();
        if self.swapped { [new, old] } else { [old, new] }
    }

    /// Lays the lines out anew for a screen of this width, keeping the row at the top.
    pub(crate) fn arrange(&mut self, width: u16) {
        self.width = width;
        self.layout = self.chosen.unwrap_or(if width >= SPLIT_WIDTH {
            Layout::Split
        } else {
            Layout::Unified
        });
        let Some(ready) = self.diff.ready() else {
            self.lines.clear();
            self.changes.clear();
            self.overview = Overview::default();
            return;
        };
        let diff = &ready.1;
        let row = self.lines.get(self.top).map(|line| line.rows().start);
        let folding = Folding {
            context: self.folded.then_some(self.context),
            opened: self.opened.clone(),
        };
        self.lines = shown(diff, self.layout, &folding);
        self.changes = changes(diff, &self.lines);
        self.overview = Overview::new(diff, &self.lines);
        self.mark_hits();
        self.current = self.current.min(self.changes.len().saturating_sub(1));
        self.within = 0;
        if let Some(row) = row {
            let place = self.lines.iter().position(|line| line.rows().start >= row);
            self.top = place.unwrap_or(0);
        }
    }

    /// Goes to the next difference, or to the previous one, from the current one where that is seen and from
    /// what is seen where it is not. False if there is none on that side.
    pub(crate) fn seek(&mut self, forward: bool, seen: &Range<usize>) -> bool {
        let here = self.current_line();
        let away = !seen.is_empty() && !here.is_some_and(|line| seen.contains(&line));
        let before = || self.changes.partition_point(|line| *line < seen.start);
        let next = match (forward, away) {
            (true, false) => Some(self.current + 1),
            (true, true) => Some(before()),
            (false, false) => self.current.checked_sub(1),
            (false, true) => before().checked_sub(1),
        };
        let place = next.and_then(|next| self.changes.get(next));
        if let (Some(next), Some(place)) = (next, place) {
            self.current = next;
            self.go_to(*place);
            self.show_change();
            return true;
        }
        false
    }

    /// Goes to the first difference.
    pub(crate) fn begin(&mut self) {
        self.current = 0;
        self.go_to(self.changes.first().copied().unwrap_or(0));
        self.show_change();
    }

    /// The line at which the current difference begins.
    pub(crate) fn current_line(&self) -> Option<usize> {
        self.changes.get(self.current).copied()
    }

    /// Brings a line near the top of the screen, with what comes before it above.
    pub(crate) fn go_to(&mut self, line: usize) {
        self.top = line.saturating_sub(LEAD);
        self.within = 0;
        self.fold = None;
    }

    /// Brings a row onto the screen, out of its fold if it is in one.
    pub(crate) fn show_row(&mut self, row: usize) {
        let holds = |line: &Shown| line.rows().contains(&row);
        let line = self.lines.iter().position(holds);
        if let Some(Shown::Folded(_)) = line.and_then(|line| self.lines.get(line)) {
            self.opened.insert(row);
            self.arrange(self.width);
        }
        if let Some(line) = self.lines.iter().position(holds) {
            self.go_to(line);
        }
    }
}

/// Lines that stay above one that was jumped to.
const LEAD: usize = 4;

impl DiffScreen {
    /// The visible fold that is opened next: the chosen one, else the first one after the current difference, else the
    /// last one before it. If no difference is visible, it is the first one.
    pub(crate) fn next_fold(&self, seen: Range<usize>) -> Option<usize> {
        let is_fold = |at: &usize| matches!(self.lines.get(*at), Some(Shown::Folded(_)));
        let folds: Vec<usize> = seen.clone().filter(is_fold).collect();
        let chosen = |at: &&usize| {
            let row = self.lines.get(**at).map(|line| line.rows().start);
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
        self.fold = self.lines.get(next).map(|line| line.rows().start);
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
