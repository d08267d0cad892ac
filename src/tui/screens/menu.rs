//! The help and the palette: the commands of the screen below, narrowed by what is typed.

mod update;
mod view;

use ratatui::layout::Rect;

pub(crate) use update::{choose, equivalent, help, palette};

use super::{Follow, Position, Profile, Run, Screen};
use crate::tui::commands::{Command, Context};
use crate::tui::state::State;
use crate::tui::state::field::Field;
use crate::tui::view::Canvas;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Menu {
    /// Whether it is the help, which shows every sentence and command line; else the palette.
    pub(crate) full: bool,
    /// What was typed.
    pub(crate) field: Field,
    /// The contexts of the commands.
    pub(crate) contexts: Vec<Context>,
    /// The commands that match.
    pub(crate) rows: Vec<&'static Command>,
    /// The selected one.
    pub(crate) place: usize,
}

impl Screen for Menu {
    fn profile(&self) -> Profile {
        Profile::dialog(if self.full { "help" } else { "commands" })
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn run(&self) -> Run {
        |_, _, _| {}
    }

    fn position(&self, _: &State) -> Position {
        Position::Row {
            at: self.place,
            of: self.rows.len(),
        }
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.place = to;
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn field_changed(&self) -> Follow {
        |state, _| {
            if let Some(menu) = state.layers.top_mut::<Self>() {
                menu.arrange();
            }
        }
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[("Enter", "run"), ("↑ ↓", "choose"), ("Esc", "close")])
    }
}
