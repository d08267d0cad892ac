//! What a crash left pending: what was found, what can be done, and the keys that do it. Nothing is done
//! before one of them.

use crate::tui::screens::pending::PendingScreen;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::Clean;
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, list, paragraph, split_top};

/// Draws the dialog.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &PendingScreen) {
    let width = area.width.min(88);
    let room = usize::from(width).saturating_sub(5);
    let lines = said(screen, room);
    let keys = keys();
    let title = Bits::of(Role::Bad, "! ").say(Role::Title, "A recovery was interrupted");
    let whole = lines.len() + keys.len() + 1;
    let inside = crate::tui::view::dialog(canvas, area, width, whole, &title);
    let below = u16::try_from(keys.len() + 1).unwrap_or(u16::MAX);
    let (body, rest) = split_top(inside, inside.height.saturating_sub(below));
    list::text(
        canvas,
        body,
        ListId::of::<PendingScreen>(),
        screen.scroll.top,
        &lines,
    );
    let (_, rest) = split_top(rest, 1);
    crate::tui::view::lines(canvas, rest, &keys);
}

fn said(screen: &PendingScreen, room: usize) -> Vec<Bits> {
    let recovery = &screen.recovery;
    let at = format::time_full(recovery.started_at);
    let mut lines = paragraph(
        &Bits::new(),
        Role::Text,
        &clean!(
            "{} of {} started at {} and did not end. Nothing was done about it yet.",
            recovery.label,
            recovery.pipeline.0,
            at
        ),
        room,
    );
    lines.push(Bits::new());
    if recovery.trouble.is_empty() {
        let text = "Recovering rolls back what was not committed and finishes what was.";
        lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    }
    for text in &recovery.trouble {
        let lead = Bits::of(Role::Warn, "! ");
        lines.extend(paragraph(&lead, Role::Text, &text.clean(), room));
    }
    let kept = format::size(recovery.kept_bytes);
    for folder in &recovery.kept_in {
        let text = clean!("{} of backups in {}", kept, folder);
        lines.extend(paragraph(&Bits::new(), Role::Dim, &text, room));
    }
    if !screen.keep.is_empty() {
        let text = clean!(
            "{} will stay as now: Enter shows them.",
            format::count(screen.keep.len(), "path")
        );
        lines.push(Bits::of(Role::Accent, text));
    }
    if screen.others > 0 {
        let others = format::count_of(screen.others, "other recovery is", "other recoveries are");
        lines.push(Bits::of(Role::Dim, clean!("{} also pending.", others)));
    }
    lines
}

fn keys() -> Vec<Bits> {
    let key = |key: &'static str, what: &'static str| {
        Bits::new().cell(Role::Key, key, 7).say(Role::Text, what)
    };
    vec![
        key(
            "S",
            "recover: roll back what was not committed, finish what was",
        ),
        key(
            "B  F",
            "only roll back  ·  only finish (refused if not possible)",
        ),
        key("e", "copy the backups to a directory, recover nothing"),
        key(
            "Enter",
            "show what it did so far; Space there keeps a path as it is now",
        ),
        key("Esc", "later: nothing is changed"),
    ]
}
