//! Everything about one row, over the screen it belongs to.

use ratatui::layout::Rect;

use crate::clean;
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::screens::detail::Detail;
use crate::tui::theme::Role;
use crate::tui::view::facts::Fact;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::{Bits, ellipsis};
use crate::tui::view::{Canvas, indented, look};

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
    let inside = indented(inside);
    let mut page = TextPage::of(inside);
    content(canvas.state.beat, detail, &mut page);
    page.draw(canvas, inside, ListId::of::<Detail>());
}

fn content(beat: usize, detail: &Detail, page: &mut TextPage) {
    // What was said has the whole dialog.
    let quoted = detail.quotable.as_ref().is_some_and(|one| one.asked);
    if !quoted {
        fields(detail, page);
    }
    let heading = match (&detail.origin, &detail.quotable) {
        (Some(origin), _) => {
            let what = match origin.line {
                Some(line) => clean!("line {} of {}", line, origin.file),
                None => clean!("{}", origin.file),
            };
            let what = what.clip_start(page.width.saturating_sub(20));
            let file = origin.file.as_path().into();
            let what = Bits::new().file(Role::Title, what, &file);
            what.say(Role::Dim, "  o opens it ──")
        }
        (None, _) if quoted => {
            let what = "From the conversation (not verified, secrets removed)";
            Bits::of(Role::Title, what).say(Role::Dim, "  s hides it ──")
        }
        (None, _) => return,
    };
    if !quoted {
        page.blank();
    }
    page.line(Bits::of(Role::Dim, "── ").join(heading));
    match &detail.raw {
        Load::Pending => {
            page.line(Bits::of(Role::Accent, look::spinner(beat)).say(Role::Dim, " reading …"));
        }
        Load::Failed(trouble) => {
            page.line(Bits::of(Role::Bad, "✗ ").say(Role::Text, trouble.text.clean()));
        }
        Load::Ready(raw) => {
            for text in raw.iter() {
                page.text(text.clone());
            }
        }
    }
}

/// Its fields, and what is listed of it.
fn fields(detail: &Detail, page: &mut TextPage) {
    let facts = detail.facts.iter();
    let facts = facts.map(|(label, text)| Fact::new(label, Role::Text, text.clone()));
    page.facts(&facts.collect::<Vec<Fact>>());
    if !detail.list.is_empty() {
        page.blank();
        for text in &detail.list {
            page.line(Bits::of(Role::Text, text.clone()));
        }
    }
}
