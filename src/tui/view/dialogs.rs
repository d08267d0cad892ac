//! Small dialogs: the log, and what must be read.

use ratatui::layout::Rect;

use super::pen::Bits;
use super::{Canvas, centred, list};
use crate::model::{Clean, shown};
use crate::tui::geometry::ListId;
use crate::tui::state::layer::Notice;
use crate::tui::theme::Role;
use crate::tui::words::wrap;

/// What the console has done, newest first.
pub(super) fn log(canvas: &mut Canvas<'_>, area: Rect, top: usize) {
    let place = centred(area, 100, area.height.saturating_sub(2));
    canvas.pen.clear(place);
    let title = Bits::new()
        .say(Role::Title, "What the console has done")
        .say(Role::Dim, "  newest first");
    let inside = canvas.pen.frame(place, &title, true);
    let inside = Rect::new(
        inside.x + 1,
        inside.y,
        inside.width.saturating_sub(1),
        inside.height,
    );
    let mut lines: Vec<Bits> = canvas
        .state
        .log
        .iter()
        .map(|(at, text)| {
            Bits::new()
                .add(
                    Role::Dim,
                    Clean::new(&shown(*at).format("%H:%M:%S  ").to_string()),
                )
                .add(Role::Text, text.clone())
        })
        .collect();
    if lines.is_empty() {
        lines.push(Bits::new().say(Role::Dim, "Nothing yet."));
    }
    list::text(canvas, inside, ListId::Log, top, &lines);
}

/// Something that must be read, with the keys that answer it.
pub(super) fn notice(canvas: &mut Canvas<'_>, area: Rect, notice: &Notice) {
    let width = area.width.min(84);
    let room = usize::from(width).saturating_sub(6);
    let mut lines = Vec::new();
    for text in &notice.lines {
        lines.extend(
            wrap(text, room)
                .into_iter()
                .map(|text| Bits::new().add(Role::Text, text)),
        );
        lines.push(Bits::new());
    }
    if let Some(command) = &notice.command {
        lines.extend(
            wrap(command, room.saturating_sub(2))
                .into_iter()
                .map(|text| Bits::new().say(Role::Text, "  ").add(Role::Accent, text)),
        );
        lines.push(Bits::new());
    }
    let mut keys = Bits::new();
    if notice.command.is_some() {
        keys = keys
            .say(Role::Key, "y")
            .say(Role::Dim, " copies the command   ");
    }
    lines.push(keys.say(Role::Key, "Esc").say(Role::Dim, " closes"));
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let place = centred(area, width, height);
    canvas.pen.clear(place);
    let title = Bits::new().add(Role::Title, notice.title.clone());
    let inside = canvas.pen.frame(place, &title, true);
    let inside = Rect::new(
        inside.x + 2,
        inside.y,
        inside.width.saturating_sub(4),
        inside.height,
    );
    super::lines(canvas, inside, &lines);
}
