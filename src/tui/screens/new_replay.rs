//! The form of a new replay.

mod completion;
mod state;
mod update;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use state::{FormRow, NewReplay, runners};
pub(crate) use update::{open, request, take, take_paths};

use super::{Follow, Position, Profile, Run, Screen};
use crate::model::{Clean, PipelineId};
use crate::tui::command_lines;
use crate::tui::commands::Context;
use crate::tui::state::State;
use crate::tui::state::field::Field;
use crate::tui::update::copying::UNSAFE;
use crate::tui::view::Canvas;
use crate::tui::view::pen::Bits;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("New replay");

impl Screen for NewReplay {
    fn profile(&self) -> Profile {
        Profile::screen("new replay", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        Some(self.id.clone())
    }

    fn crumb(&self, current: bool) -> Option<Bits> {
        super::only_current(self, current)
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some() || self.completing.is_some()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn position(&self, _: &State) -> Position {
        Position::Row {
            at: self.place,
            of: self.rows().len(),
        }
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.select(to);
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let ask = self.ask(&state.browser.request.cwd);
        let ask = ask.map_err(|_shown| "The form has an error; p shows it.")?;
        command_lines::replaying(&self.id, &ask, true).ok_or(UNSAFE)
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.selected_field()
    }

    fn field_changed(&self) -> Follow {
        update::changed
    }

    fn tab(&self) -> Follow {
        update::complete
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        let open = self.clone().selected_field()?.open;
        open.then_some(&[
            ("Tab", "complete the path"),
            ("Enter", "keep it"),
            ("↑ ↓", "other rows"),
            ("Esc", "clear it"),
        ])
    }

    fn reload(&self) -> Follow {
        request
    }
}
