//! Lines of a difference made presentable, for drawing them and for knowing how tall they are.

use std::cell::RefCell;

use crate::diff::fold::{Layout, Shown};
use crate::diff::inline::{Emphasis, Piece, pieces};
use crate::diff::{Ending, Row, Side};
use crate::model::text::Tabbed;
use crate::tui::prelude::*;

/// The most bytes of one line that are made presentable; the number of the others is said.
pub(crate) const LINE: usize = 32 * 1024;

/// The most bytes that one cell of the screen can come from: a character and the marks on it.
const CELL: usize = 20;

/// Cells from one tab stop to the next.
const STOP: usize = 8;

/// Pairs whose words are remembered: some screens full.
const REMEMBERED: usize = 1_000;

/// The sign of a line, and how it looks.
pub(crate) type Look = (&'static str, Role);

/// A line that is the same on both sides.
const SAME: Look = ("  ", Role::Text);

/// A line in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Its number, counted from 1.
    pub(crate) number: usize,
    /// Which side it is of.
    pub(crate) look: Look,
    /// Its text.
    pub(crate) text: Clean,
    /// Bytes of the text that look different; the first that holds a byte wins.
    pub(crate) over: Vec<(Range<usize>, Role)>,
}

/// The words of pairs that were looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memo(RefCell<BTreeMap<usize, Words>>);

/// The pieces of a pair; `None` for lines that have little in common.
type Words = Arc<Option<Vec<Piece>>>;

impl Memo {
    /// Forgets all, because the rows are others now.
    pub(crate) fn clear(&mut self) {
        self.0.get_mut().clear();
    }

    fn get(&self, row: usize, make: impl FnOnce() -> Option<Vec<Piece>>) -> Words {
        if let Some(known) = self.0.borrow().get(&row) {
            return Arc::clone(known);
        }
        let words = Arc::new(make());
        let mut all = self.0.borrow_mut();
        if all.len() >= REMEMBERED {
            all.clear();
        }
        all.insert(row, Arc::clone(&words));
        words
    }
}

impl DiffScreen {
    /// A line of the screen: its left column and its right one. Where there is one column only, it is the
    /// left. A fold has none.
    pub(crate) fn cells(&self, diff: &Diff, line: &Shown) -> [Option<Cell>; 2] {
        self.made(diff, LINE).cells(line)
    }

    /// The same, of which only as much is sure to be there as can be seen in columns of so many cells: lines
    /// that are cut need not be made presentable whole.
    pub(crate) fn seen_cells(&self, diff: &Diff, line: &Shown, width: u16) -> [Option<Cell>; 2] {
        let cells = self.pan + usize::from(width) + 2;
        let most = if self.wrap {
            LINE
        } else {
            LINE.min(cells * CELL)
        };
        self.made(diff, most).cells(line)
    }

    fn made<'a>(&'a self, diff: &'a Diff, most: usize) -> Maker<'a> {
        let screen = self;
        Maker { screen, diff, most }
    }
}

/// What is needed to make lines presentable.
struct Maker<'a> {
    screen: &'a DiffScreen,
    diff: &'a Diff,
    /// The most bytes of a line.
    most: usize,
}

impl Maker<'_> {
    fn cells(&self, line: &Shown) -> [Option<Cell>; 2] {
        let of = |at: &usize| self.diff.rows.get(*at).copied().map(|row| (*at, row));
        match line {
            Shown::Folded(_) => [None, None],
            Shown::Both(at) => match (of(at), self.screen.layout) {
                (Some((at, row)), Layout::Split) => self.split(at, row),
                (Some((at, row @ Row::Changed { old, new })), Layout::Word) => {
                    [Some(self.merged(at, row, old, new)), None]
                }
                (Some((_, row)), _) => {
                    let new = row.new_line();
                    let cell = new.map(|line| self.side(&self.diff.new, line, SAME, Vec::new()));
                    [cell, None]
                }
                (None, _) => [None, None],
            },
            Shown::Old(at) | Shown::New(at) => {
                let is_old = matches!(line, Shown::Old(_));
                let cell = of(at).and_then(|(at, row)| {
                    let [old, new] = self.split(at, row);
                    if is_old { old } else { new }
                });
                [cell, None]
            }
        }
    }

    fn split(&self, at: usize, row: Row) -> [Option<Cell>; 2] {
        let words = self.words(at, row);
        let marks = (*words).as_deref().map(Emphasis::of).unwrap_or_default();
        let of = |look| if row.differs() { look } else { SAME };
        let old = row.old().map(|line| {
            let marks = marks.old.iter().map(|at| (at.clone(), Role::RemovedWord));
            self.side(
                &self.diff.old,
                line,
                of(("- ", Role::Removed)),
                marks.collect(),
            )
        });
        let new = row.new_line().map(|line| {
            let marks = marks.new.iter().map(|at| (at.clone(), Role::AddedWord));
            self.side(
                &self.diff.new,
                line,
                of(("+ ", Role::Added)),
                marks.collect(),
            )
        });
        [old, new]
    }

    fn side(&self, side: &Side, line: usize, look: Look, marks: Vec<(Range<usize>, Role)>) -> Cell {
        let whole = self.most >= LINE || side.line(line).len() <= self.most;
        let skip = self.screen.skip;
        let note = whole.then(|| note(side, line, skip, None));
        let shown = text(side, line, (skip, self.most));
        self.cell(line, look, &shown, marks, &note.unwrap_or_default())
    }

    /// Both sides of a changed row in one line: `[-words that go-]{+words that come+}`.
    fn merged(&self, at: usize, row: Row, old: usize, new: usize) -> Cell {
        let diff = self.diff;
        let skip = self.screen.skip;
        let (was, is) = (
            text(&diff.old, old, (skip, LINE)),
            text(&diff.new, new, (skip, LINE)),
        );
        let words = self.words(at, row);
        let all = [
            Piece::Removed(0..was.as_str().len()),
            Piece::Added(0..is.as_str().len()),
        ];
        let mut over = Vec::new();
        let mut parts = Vec::new();
        let mut end = 0;
        for piece in (*words).as_deref().unwrap_or(&all) {
            let (part, look) = match piece {
                Piece::Same { new, .. } => (is.part(new.clone()), None),
                Piece::Removed(range) if range.is_empty() => continue,
                Piece::Removed(range) => {
                    let part = was.part(range.clone());
                    (clean!("[-{}-]", part), Some(Role::RemovedWord))
                }
                Piece::Added(range) if range.is_empty() => continue,
                Piece::Added(range) => {
                    let part = is.part(range.clone());
                    (clean!("{{+{}+}}", part), Some(Role::AddedWord))
                }
            };
            let place = end..end + part.as_str().len();
            end = place.end;
            over.extend(look.map(|look| (place, look)));
            parts.push(part);
        }
        let [one, other] = self.screen.sides();
        let on_both = note(&diff.new, new, skip, None);
        let note = if note(&diff.old, old, skip, None) == on_both {
            on_both
        } else {
            Clean::concat(&[
                note(&diff.old, old, skip, Some(&one)),
                note(&diff.new, new, skip, Some(&other)),
            ])
        };
        self.cell(new, ("~ ", Role::Text), &Clean::concat(&parts), over, &note)
    }

    /// Tabs, what is looked for, and what is to be said after the text.
    fn cell(
        &self,
        line: usize,
        look: Look,
        text: &Clean,
        over: Vec<(Range<usize>, Role)>,
        note: &Clean,
    ) -> Cell {
        let tabbed = Tabbed::new(text, STOP);
        let needle = self.screen.search.needle();
        let places = needle.map(|needle| needle.places(&tabbed.text));
        let hits = places.into_iter().flatten().map(|at| (at, Role::Hit));
        let words = over.into_iter().map(|(at, look)| (tabbed.range(&at), look));
        let mut over: Vec<_> = hits.chain(words).collect();
        let mut text = tabbed.text;
        if !note.as_str().is_empty() {
            let end = text.as_str().len();
            text = clean!("{}{}", text, note);
            over.push((end..text.as_str().len(), Role::Dim));
        }
        Cell {
            number: line + 1,
            look,
            text,
            over,
        }
    }

    fn words(&self, at: usize, row: Row) -> Words {
        let Row::Changed { old, new } = row else {
            return Arc::default();
        };
        self.screen.pairs.get(at, || {
            let sides = (&self.diff.old, &self.diff.new);
            let part = (self.screen.skip, LINE);
            pieces(&text(sides.0, old, part), &text(sides.1, new, part))
        })
    }
}

/// As much of a line as can be shown; of a very long one without so many bytes at its beginning.
fn text(side: &Side, line: usize, (skip, most): (usize, usize)) -> Clean {
    let bytes = rest(side, line, skip);
    let Some(mut head) = bytes.get(..most).filter(|head| head.len() < bytes.len()) else {
        return Clean::from_bytes(bytes);
    };
    // Not through the middle of a character.
    for _ in 0..3 {
        let next = bytes.get(head.len()).copied().unwrap_or(0);
        if next & 0xC0 != 0x80 {
            break;
        }
        head = head.split_last().map_or(head, |(_, rest)| rest);
    }
    Clean::from_bytes(head)
}

/// A line, or what of a very long one is not skipped. It begins with a whole character.
fn rest(side: &Side, line: usize, skip: usize) -> &[u8] {
    let bytes = side.line(line);
    if bytes.len() <= LINE {
        return bytes;
    }
    let rest = bytes.get(skip..).unwrap_or_default();
    let broken = rest.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80);
    rest.get(broken.count()..).unwrap_or_default()
}

/// What is to be said after a line: that part of it is not shown, that it has no newline.
fn note(side: &Side, line: usize, skip: usize, name: Option<&Clean>) -> Clean {
    let whose = name.map_or(Clean::empty(), |name| clean!(" ({})", name));
    let mut note = Clean::empty();
    let left = rest(side, line, skip).len();
    if let Some(more) = left.checked_sub(LINE).filter(|more| *more > 0) {
        note = clean!(" … {} more of this line{}", format::size(more), whose);
    }
    let before = side.line(line).len() - left;
    if before > 0 {
        note = clean!("{} ({} of it before this)", note, format::size(before));
    }
    if side.ending(line) == Ending::None {
        note = clean!("{} \\ no newline at the end{}", note, whose);
    }
    note
}
