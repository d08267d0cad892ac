//! What of a pipeline can be compared.

use ratatui::layout::Rect;

use super::list::{self, List};
use super::pen::Bits;
use super::pipeline::{nothing, waiting};
use super::replays::failed;
use super::{Canvas, split_top};
use crate::model::Clean;
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::state::replays::OperandsScreen;
use crate::tui::theme::Role;

/// Draws the screen.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &OperandsScreen) {
    match &screen.all {
        Load::Pending => return waiting(canvas, area, "Reading what can be compared …"),
        Load::Failed(trouble) => return failed(canvas, area, trouble),
        Load::Ready(all) if all.len() < 2 => {
            let text = "There is nothing of this pipeline that could be compared yet.";
            return nothing(canvas, area, text);
        }
        Load::Ready(_) => {}
    }
    let (head, body) = split_top(area, 2);
    let said = Bits::new()
        .say(Role::Text, " ")
        .say(Role::Key, "Space")
        .say(Role::Dim, " marks A, then B; ")
        .say(Role::Key, "Enter")
        .say(
            Role::Dim,
            " compares them, or the selected one with what it follows.",
        );
    canvas.pen.line(head, &said);
    let keys = screen.keys();
    let widest = keys.iter().map(|key| Clean::new(key).width()).max();
    let name = widest.unwrap_or(0).clamp(10, 28);
    let list = List {
        id: ListId::Operands,
        len: keys.len(),
        selected: screen.cursor.place(&keys),
        focus: true,
        height: &|_| 1,
        lead: &|_| 0,
    };
    list::rows(canvas, body, &list, &mut |row, _| {
        let Some(row) = screen.rows().get(row) else {
            return Bits::new();
        };
        let mark = screen.marks.letter(&row.name).unwrap_or("");
        Bits::new()
            .join(Bits::new().say(Role::Accent, mark).pad(2))
            .join(
                Bits::new()
                    .add(Role::Title, Clean::new(&row.name))
                    .pad(name),
            )
            .say(Role::Text, "  ")
            .add(Role::Text, row.title.clean())
    });
}
