//! What a crash left pending: what was found, what can be done, and the keys that do it. Nothing is done
//! before one of them.

use ratatui::layout::Rect;

use crate::clean;
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::screens::pending::PendingScreen;
use crate::tui::theme::Role;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, dialog, lines, split_top};

/// Draws the dialog.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &PendingScreen) {
    let width = canvas.at_most(area, 88);
    let page = said(screen, usize::from(width).saturating_sub(5));
    let keys = keys();
    let title = Bits::of(Role::Bad, "! ").say(Role::Title, "A recovery was interrupted");
    let whole = page.lines.len() + keys.len() + 1;
    let inside = dialog(canvas, area, width, whole, &title);
    let below = u16::try_from(keys.len() + 1).unwrap_or(u16::MAX);
    let (body, rest) = split_top(inside, inside.height.saturating_sub(below));
    page.draw(canvas, body, ListId::of::<PendingScreen>());
    let (_, rest) = split_top(rest, 1);
    lines(canvas, rest, &keys);
}

fn said(screen: &PendingScreen, room: usize) -> TextPage {
    let mut page = TextPage::new(room);
    let recovery = &screen.recovery;
    page.text(clean!(
        "{} of {} started at {} and did not end. Nothing was done about it yet.",
        recovery.label,
        recovery.pipeline.0,
        format::time_full(recovery.started_at)
    ));
    page.blank();
    if recovery.trouble.is_empty() {
        page.text("Recovering rolls back what was not committed and finishes what was.");
    }
    for text in &recovery.trouble {
        page.signed(Role::Warn, "! ", text);
    }
    let kept = format::size(recovery.kept_bytes);
    for folder in &recovery.kept_in {
        page.indented(0, Role::Dim, clean!("{} of backups in {}", kept, folder));
    }
    if !screen.keep.is_empty() {
        let paths = format::count(screen.keep.len(), "path");
        let text = clean!("{} will stay as now: Enter shows them.", paths);
        page.line(Bits::of(Role::Accent, text));
    }
    if screen.others > 0 {
        let others = format::count_of(screen.others, "other recovery is", "other recoveries are");
        page.line(Bits::of(Role::Dim, clean!("{} also pending.", others)));
    }
    page
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
