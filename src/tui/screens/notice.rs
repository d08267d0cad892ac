//! Something that must be read.

use crate::tui::prelude::*;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Notice {
    /// The heading.
    pub(crate) title: Clean,
    /// What it says, a paragraph each.
    pub(crate) lines: Vec<Clean>,
}

impl Screen for Notice {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog("notice").ends_with_plan()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let width = canvas.at_most(area, 84);
        let mut page = TextPage::new(usize::from(width).saturating_sub(6));
        for text in &self.lines {
            page.text(text.clone());
            page.blank();
        }
        page.blank();
        let title = Bits::of(Role::Title, self.title.clone());
        let inside = inset(dialog(canvas, area, width, page.lines.len(), &title));
        canvas.lines(inside, &page.lines);
        let (_, last) = split_top(inside, inside.height.saturating_sub(1));
        let close = Bits::new().key(canvas.state.key(Cmd::Back));
        canvas.pen.line(last, &close.dim(" close"));
    }
}
