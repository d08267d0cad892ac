//! The log of the console, newest first.

use crate::tui::commands::EVERYWHERE;
use crate::tui::prelude::*;

commands! {
    Log,
}

/// The key that opens it.
pub(crate) const KEYS: &[Command] = &[
    row!(Log => "log", EVERYWHERE, ["@"], "log", "Show the log of this console, newest first.", does open),
];

/// The dialog.
#[derive(Debug)]
pub(crate) struct Log;

/// Shows the log.
fn open(state: &mut State) {
    if !state.layers.is_top::<Log>() {
        state.push(Log);
    }
}

impl Screen for Log {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog("log")
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let place = canvas.centered(area, 100, area.height.saturating_sub(2));
        canvas.pen.clear(place);
        let title = Bits::of(Role::Title, "Log of this console").dim("  newest first");
        let inside = canvas.pen.frame(place, &title, true);
        let inside = indented(inside);
        let mut page = TextPage::of(inside);
        for (at, text) in &canvas.state.log {
            let time = Bits::new().cell(Role::Dim, format::clock(*at), 10);
            page.led(&time, Role::Text, text.clone());
        }
        if page.lines.is_empty() {
            page.line(Bits::of(Role::Dim, "Nothing yet."));
        }
        page.draw(canvas, inside, self.list());
    }
}
