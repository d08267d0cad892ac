//! A page: lines of text that wrap in a width, and are scrolled where they are too many.

use crate::tui::prelude::*;

/// The lines so far.
pub(crate) struct TextPage {
    /// The lines.
    pub(crate) lines: Vec<Bits>,
    /// The cells of a line.
    pub(crate) width: usize,
}

impl TextPage {
    pub(crate) fn new(width: usize) -> Self {
        let lines = Vec::new();
        Self { lines, width }
    }

    /// An empty page that fills an area, with room for the scrollbar.
    pub(crate) fn of(area: Rect) -> Self {
        Self::new(usize::from(area.width).saturating_sub(2))
    }

    /// Adds a line as it is; what does not fit is cut.
    pub(crate) fn line(&mut self, line: Bits) {
        self.lines.push(line);
    }

    pub(crate) fn blank(&mut self) {
        self.line(Bits::new());
    }

    /// Adds a heading, with a blank line above.
    pub(crate) fn heading(&mut self, text: impl Into<Clean>) {
        self.blank();
        self.line(Bits::of(Role::Title, text));
    }

    /// Adds a text that wraps, with something before its first line.
    pub(crate) fn led(&mut self, lead: &Bits, role: Role, text: impl Into<Clean>) {
        let lines = paragraph(lead, role, &text.into(), self.width);
        self.lines.extend(lines);
    }

    /// Adds a text with a sign before its first line.
    pub(crate) fn signed(&mut self, role: Role, sign: &'static str, text: impl Into<Clean>) {
        self.led(&Bits::of(role, sign), Role::Text, text);
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: impl Into<Clean>) {
        self.indented(0, Role::Text, text);
    }

    /// Adds a text, all of its lines indented.
    pub(crate) fn indented(&mut self, cells: usize, role: Role, text: impl Into<Clean>) {
        self.led(&Bits::new().pad(cells), role, text);
    }

    pub(crate) fn facts(&mut self, facts: &[Fact]) {
        self.lines.extend(facts::lines(facts, self.width));
    }

    /// Adds what went wrong, and what may help.
    pub(crate) fn problem(&mut self, role: Role, error: &EngineError) {
        self.led(&Bits::of(Role::Bad, "✗ "), role, &error.text);
        for hint in &error.hints {
            self.indented(2, Role::Text, hint);
        }
    }

    /// Says how many of `all` are left out of a list that shows `shown`, if any are.
    pub(crate) fn more(&mut self, indent: usize, all: usize, shown: usize) {
        if let Some(more @ 1..) = all.checked_sub(shown) {
            let text = clean!("(+{} more)", more);
            self.line(Bits::new().pad(indent).dim(text));
        }
    }

    /// Draws the page from the line that its list was scrolled to.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect, id: ListId) {
        let top = canvas.state.geometry.page_of(id).first;
        list::text(canvas, area, id, top, &self.lines);
    }
}
