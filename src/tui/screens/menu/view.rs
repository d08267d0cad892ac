//! The help and the palette: the same table, once to be read, once to be run.

use crate::tui::screens::Screen as _;
use crate::tui::screens::menu::Menu;
use ratatui::layout::{Position, Rect};

use crate::model::Clean;
use crate::tui::commands::Command;
use crate::tui::screens::menu::equivalent;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;
use crate::tui::view::wrap;
use crate::tui::view::{Canvas, split_top};

/// Draws the dialog.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, menu: &Menu) {
    let place = if menu.full {
        canvas.centred(area, 110, area.height)
    } else {
        canvas.centred(area, 70, 20)
    };
    let title = if menu.full {
        "Keys of this screen"
    } else {
        "Commands"
    };
    canvas.pen.clear(place);
    let inside = canvas.pen.frame(place, &Bits::of(Role::Title, title), true);
    let (field, body) = split_top(inside, 2);
    write_field(canvas, field, menu);
    let wide = usize::from(body.width).saturating_sub(3);
    let rows: Vec<Vec<Bits>> = menu
        .rows
        .iter()
        .enumerate()
        .map(|(place, command)| lines(canvas, menu, place, command, wide, menu.full))
        .collect();
    let height = |row: usize| rows.get(row).map_or(1, Vec::len);
    let list = List {
        id: menu.list(),
        len: rows.len(),
        selected: (!rows.is_empty()).then_some(menu.place),
        focus: true,
        height: &height,
        lead: &|row| usize::from(menu.full && starts_context(menu, row)),
    };
    list::rows(canvas, body, &list, &mut |row, line| {
        let found = rows.get(row).and_then(|lines| lines.get(line));
        found.cloned().unwrap_or_default()
    });
}

fn write_field(canvas: &mut Canvas<'_>, area: Rect, menu: &Menu) {
    let bits = Bits::of(Role::Key, " › ")
        .say(Role::Title, Clean::new(menu.field.text()))
        .say(
            Role::Dim,
            if menu.field.is_empty() {
                "type to search; Enter runs the selected command, Esc closes"
            } else {
                ""
            },
        );
    canvas.pen.line(area, &bits);
    let column = u16::try_from(menu.field.column()).unwrap_or(u16::MAX);
    canvas.cursor = Some(Position {
        x: area
            .x
            .saturating_add(3)
            .saturating_add(column)
            .min(area.right()),
        y: area.y,
    });
}

/// True for the first command of a context.
fn starts_context(menu: &Menu, row: usize) -> bool {
    let context = |row: usize| menu.rows.get(row).map(|command| command.context);
    row.checked_sub(1).and_then(context) != context(row)
}

/// The lines of one command, under the heading of its context where that begins.
fn lines(
    canvas: &Canvas<'_>,
    menu: &Menu,
    place: usize,
    command: &'static Command,
    width: usize,
    full: bool,
) -> Vec<Bits> {
    let mut out = Vec::new();
    if full && starts_context(menu, place) {
        out.push(Bits::of(Role::Title, command.context.title()));
    }
    let keys: Vec<String> = canvas
        .state
        .keymap
        .keys(command)
        .map(|key| key.to_string())
        .collect();
    let lead = Bits::new()
        .gap(2)
        .cell(Role::Key, Clean::new(&keys.join(" ")), 16)
        .cell(Role::Text, command.label, 20);
    if !full {
        out.push(lead.say(Role::Dim, command.name));
        return out;
    }
    let room = width.saturating_sub(39).max(16);
    let help = wrap(&Clean::new(command.help), room);
    for (place, text) in help.into_iter().enumerate() {
        let bits = if place == 0 {
            lead.clone()
        } else {
            Bits::new().pad(38)
        };
        out.push(bits.say(Role::Dim, text));
    }
    if let Some(cli) = equivalent(canvas.state, command) {
        out.push(
            Bits::new()
                .pad(38)
                .say(Role::Dim, "$ ")
                .say(Role::Accent, cli),
        );
    }
    out
}
