//! What of a pipeline can be compared.

use crate::tui::screens::operands::OperandsScreen;
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::model::Clean;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, split_top};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &OperandsScreen) {
    let Some(all) = loaded(
        canvas,
        area,
        Some(&screen.all),
        "Reading what can be compared …",
    ) else {
        return;
    };
    if all.len() < 2 {
        return nothing(canvas, area, "Nothing to compare in this pipeline yet.");
    }
    let (head, body) = split_top(area, 2);
    let said = Bits::of(Role::Text, " ")
        .say(Role::Key, "Space")
        .say(Role::Dim, " marks A, then B; ")
        .say(Role::Key, "Enter")
        .say(
            Role::Dim,
            " compares them, or the selected one with its predecessor.",
        );
    canvas.pen.line(head, &said);
    let keys = screen.keys();
    let widest = keys.iter().map(|key| Clean::new(key).width()).max();
    let columns = [
        Column::cells("", 1),
        Column::cells("", widest.unwrap_or(0).clamp(10, 28)),
        Column::share("", 1),
    ];
    let table = Table {
        id: ListId::of::<OperandsScreen>(),
        columns: &columns,
        len: keys.len(),
        selected: screen.cursor.place(&keys),
        focus: true,
        above: &|_| None,
    };
    table::draw(canvas, body, &table, &|row| {
        let Some(row) = screen.rows().get(row) else {
            return Vec::new();
        };
        let mark = screen.marks.letter(&row.name).unwrap_or("");
        vec![
            Bits::of(Role::Accent, mark),
            Bits::of(Role::Title, row.name.as_str()),
            Bits::of(Role::Text, row.title.clean()),
        ]
    });
}
