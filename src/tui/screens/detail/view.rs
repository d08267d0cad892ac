//! Everything about one row, over the screen it belongs to.

use crate::tui::screens::detail::Detail;
use ratatui::layout::Rect;

use crate::clean;
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::facts::{self, Fact};
use crate::tui::view::list;
use crate::tui::view::pen::{Bits, ellipsis};
use crate::tui::view::wrap;
use crate::tui::view::{Canvas, look};

/// Draws the dialog: as large as the screen allows, with a margin where there is room for one.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, detail: &Detail) {
    let (margin_x, margin_y) = if area.width >= 110 { (8, 2) } else { (0, 0) };
    let place = Rect::new(
        area.x + margin_x,
        area.y + margin_y,
        area.width - 2 * margin_x,
        area.height - 2 * margin_y,
    );
    canvas.pen.clear(place);
    let wide = usize::from(place.width).saturating_sub(6);
    let title = Bits::of(Role::Title, ellipsis(&detail.title, wide));
    let inside = canvas.pen.frame(place, &title, true);
    let inside = crate::tui::view::indented(inside);
    let width = usize::from(inside.width).saturating_sub(2);
    let lines = content(canvas, detail, width);
    list::text(
        canvas,
        inside,
        ListId::of::<Detail>(),
        detail.scroll.top,
        &lines,
    );
}

fn content(canvas: &Canvas<'_>, detail: &Detail, width: usize) -> Vec<Bits> {
    let facts: Vec<Fact> = detail
        .facts
        .iter()
        .map(|(label, text)| Fact::new(label, Role::Text, text.clone()))
        .collect();
    let mut lines = facts::lines(&facts, width);
    if !detail.list.is_empty() {
        lines.push(Bits::new());
        lines.extend(
            detail
                .list
                .iter()
                .map(|text| Bits::of(Role::Text, text.clone())),
        );
    }
    let Some(origin) = &detail.origin else {
        return lines;
    };
    lines.push(Bits::new());
    let what = match origin.line {
        Some(line) => clean!("line {} of {}", line, origin.file),
        None => clean!("{}", origin.file),
    };
    lines.push(
        Bits::of(Role::Dim, "── ")
            .say(Role::Title, what.clip_start(width.saturating_sub(20)))
            .say(Role::Dim, "  o opens it ──"),
    );
    match &detail.raw {
        Load::Pending => lines.push(
            Bits::of(Role::Accent, look::spinner(canvas.state.beat)).say(Role::Dim, " reading …"),
        ),
        Load::Failed(trouble) => {
            lines.push(Bits::of(Role::Bad, "✗ ").say(Role::Text, trouble.text.clean()));
        }
        Load::Ready(raw) => {
            for text in raw.iter() {
                lines.extend(
                    wrap(text, width)
                        .into_iter()
                        .map(|text| Bits::of(Role::Text, text)),
                );
            }
        }
    }
    lines
}
