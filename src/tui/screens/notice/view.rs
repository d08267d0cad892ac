//! Small dialogs: the log, and what must be read.

use crate::tui::screens::notice::Notice;
use ratatui::layout::Rect;

use crate::tui::theme::Role;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, footer, split_top};

/// Something that must be read, with the keys that answer it.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, notice: &Notice) {
    let width = canvas.at_most(area, 84);
    let mut page = TextPage::new(usize::from(width).saturating_sub(6));
    for text in &notice.lines {
        page.text(text.clone());
        page.blank();
    }
    if let Some(command) = &notice.command {
        page.indented(2, Role::Accent, command.clone());
        page.blank();
    }
    page.blank();
    let height = u16::try_from(page.lines.len() + 2).unwrap_or(u16::MAX);
    let place = canvas.centred(area, width, height);
    canvas.pen.clear(place);
    let title = Bits::of(Role::Title, notice.title.clone());
    let inside = canvas.pen.frame(place, &title, true);
    let inside = Rect::new(
        inside.x + 2,
        inside.y,
        inside.width.saturating_sub(4),
        inside.height,
    );
    crate::tui::view::lines(canvas, inside, &page.lines);
    let (_, last) = split_top(inside, inside.height.saturating_sub(1));
    let keys = [("y", "copy the command"), ("Esc", "close")];
    let first = usize::from(notice.command.is_none());
    footer::choices(canvas, last, keys.get(first..).unwrap_or_default());
}
