//! A page for a person, built line by line and wrapped to the terminal.

use std::path::Path;
use std::sync::Arc;

use super::answer::{Line, Span, Tone};
use super::table::{Column, lay_out, lay_out_at};
use crate::model::{Clean, Foreign};
use crate::text::format::count;
use crate::text::{LongWords, Present, wrap};

/// Cells of the key of a fact.
const KEY: usize = 12;

/// Cells of a line of a text that is cut, where lines have no end.
const LINE: usize = 100;

/// Lines for a person.
pub(super) struct Page {
    lines: Vec<Line>,
    pub(super) width: usize,
    /// The most lines of a text: of a longer one the rest is only counted.
    pub(super) most: usize,
}

impl Page {
    pub(super) fn new(width: usize) -> Self {
        Self {
            lines: Vec::new(),
            width,
            most: usize::MAX,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn blank(&mut self) {
        self.lines.push(Vec::new());
    }

    /// A line that is never wrapped.
    pub(super) fn line(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.lines.push(spans.into_iter().collect());
    }

    pub(super) fn lines(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.lines.extend(lines);
    }

    /// A heading, with a blank line before it.
    pub(super) fn heading(&mut self, text: impl Present) {
        self.blank();
        self.line([Tone::Strong.of(text)]);
    }

    /// A paragraph.
    pub(super) fn say(&mut self, tone: Tone, text: impl Present) {
        self.under(Span::plain(Clean::empty()), tone, text);
    }

    /// A paragraph, indented.
    pub(super) fn indent(&mut self, cells: usize, tone: Tone, text: impl Present) {
        self.under(Tone::Plain.of(" ".repeat(cells)), tone, text);
    }

    /// A sentence that the reader should not miss.
    pub(super) fn warn(&mut self, text: impl Present) {
        self.under(Tone::Warn.of("  ! "), Tone::Plain, text);
    }

    /// Such sentences under a heading; nothing if there are none.
    pub(super) fn warnings<'a>(
        &mut self,
        heading: &str,
        texts: impl IntoIterator<Item = &'a Foreign>,
    ) {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_some() {
            self.heading(heading);
            texts.for_each(|text| self.warn(text));
        }
    }

    /// Text beside a head, wrapped under itself.
    pub(super) fn under(&mut self, head: Span, tone: Tone, text: impl Present) {
        let indent = head.1.width();
        let room = self.width.saturating_sub(indent).max(20);
        let mut head = Some(head);
        let file = text.file();
        let name = file.map(Path::present).unwrap_or_default();
        let text = text.present();
        let is_long = text.as_str().len() > self.longest();
        let room = if is_long { room.min(LINE) } else { room };
        let words = if is_long {
            LongWords::Break
        } else {
            LongWords::Keep
        };
        let mut lines = wrap(&text, room, words);
        let more = if is_long {
            lines.len().saturating_sub(self.most)
        } else {
            0
        };
        lines.truncate(lines.len() - more);
        let whole = lines.len() == 1;
        for line in lines {
            let head = head.take();
            let head = head.unwrap_or_else(|| Tone::Plain.of(" ".repeat(indent)));
            let file = file.filter(|_| whole || line.as_str().contains(name.as_str()));
            self.line([head, Span(tone, line, file.map(Arc::from))]);
        }
        if more > 0 {
            let more = format!("{:indent$}(+{})", "", count(more, "more line"));
            self.line([Tone::Faint.of(more)]);
        }
    }

    /// The bytes of a text from which on it is cut.
    fn longest(&self) -> usize {
        self.most.saturating_mul(LINE)
    }

    /// `key         value`, wrapped under the value.
    pub(super) fn fact(&mut self, key: &str, value: impl Present) {
        self.under(key_span(key), Tone::Plain, value);
    }

    /// The same in a tone.
    pub(super) fn fact_in(&mut self, key: &str, tone: Tone, value: impl Present) {
        self.under(key_span(key), tone, value);
    }

    /// `key         command`, whole however long it is, because it is copied.
    pub(super) fn command(&mut self, key: &str, line: impl Present) {
        self.line([key_span(key), Tone::Strong.of(line)]);
    }

    pub(super) fn table(&mut self, columns: &[Column], rows: &[Vec<Span>]) {
        self.lines.extend(lay_out(columns, rows, self.width));
    }

    /// A table whose widths are given.
    pub(super) fn table_at(&mut self, columns: &[Column], widths: &[usize], rows: &[Vec<Span>]) {
        self.lines.extend(lay_out_at(columns, widths, rows));
    }

    /// How many of so many rows a list with this cap leaves out.
    pub(super) fn rest(&mut self, indent: usize, count: usize, cap: usize) {
        if count > cap {
            let more = format!("{:indent$}(+{} more)", "", count - cap);
            self.line([Tone::Faint.of(more)]);
        }
    }

    /// A row that is cut at the end of the line.
    pub(super) fn row(&mut self, indent: usize, tone: Tone, text: &Clean) {
        let room = self.width.min(self.longest());
        let text = text.clip(room.saturating_sub(indent));
        self.line([Tone::Plain.of(" ".repeat(indent)), Span(tone, text, None)]);
    }
}

pub(super) fn key_span(key: &str) -> Span {
    Tone::Faint.of(format!("{key:<KEY$}"))
}

impl IntoIterator for Page {
    type Item = Line;
    type IntoIter = std::vec::IntoIter<Line>;

    fn into_iter(self) -> Self::IntoIter {
        self.lines.into_iter()
    }
}

/// The lines of a text, unwrapped.
pub(super) fn block(text: &Foreign) -> impl Iterator<Item = Line> + '_ {
    text.lines().map(|line| vec![Span::plain(&line)])
}

/// What tests need of a page.
#[cfg(test)]
pub(super) mod testing {
    use super::{Line, Page};

    /// Lines as plain text.
    pub(in crate::cli) fn text(lines: impl IntoIterator<Item = Line>) -> String {
        let mut text = String::new();
        for line in lines {
            text.extend(line.iter().map(|span| span.1.as_str()));
            text.push('\n');
        }
        text
    }

    /// The text of a page with this many cells.
    pub(in crate::cli) fn page(width: usize, fill: impl FnOnce(&mut Page)) -> String {
        let mut page = Page::new(width);
        fill(&mut page);
        text(page)
    }

    /// Each of these comes after the one before it.
    pub(in crate::cli) fn in_order(text: &str, order: &[&str]) {
        let mut from = 0;
        for part in order {
            let at = text.get(from..).unwrap().find(part);
            from += at.unwrap_or_else(|| panic!("{part:?} is not after the rest in:\n{text}"));
        }
    }
}
