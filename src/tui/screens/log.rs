//! The log of the console, newest first.

use ratatui::layout::Rect;

use super::{Position, Profile, Screen, Scroll};
use crate::model::Clean;
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, centred, list};

/// The dialog.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    scroll: Scroll,
}

/// Shows the log.
pub(crate) fn open(state: &mut State) {
    if !state.layers.is_top::<Log>() {
        state.push(Log::default());
    }
}

impl Screen for Log {
    fn profile(&self) -> Profile {
        Profile::dialog("log")
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let place = centred(area, 100, area.height.saturating_sub(2));
        canvas.pen.clear(place);
        let title = Bits::of(Role::Title, "Log of this console").say(Role::Dim, "  newest first");
        let inside = canvas.pen.frame(place, &title, true);
        let inside = crate::tui::view::indented(inside);
        let line = |(at, text): &(_, Clean)| {
            Bits::new()
                .cell(Role::Dim, format::clock(*at), 10)
                .say(Role::Text, text.clone())
        };
        let mut lines: Vec<Bits> = canvas.state.log.iter().map(line).collect();
        if lines.is_empty() {
            lines.push(Bits::of(Role::Dim, "Nothing yet."));
        }
        list::text(
            canvas,
            inside,
            ListId::of::<Self>(),
            self.scroll.top,
            &lines,
        );
    }

    fn position(&self, _: &State) -> Position {
        Position::Text(self.scroll.top)
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.scroll.top = to;
    }
}
