//! The replays of a pipeline.

pub(crate) mod keys;
mod state;
mod update;
mod view;

use crate::tui::command_lines;
use crate::tui::prelude::*;

use keys::CONTEXT;
pub(crate) use state::{Entry, Marks, ReplayRow, ReplaysScreen, counts};
pub(crate) use update::{
    Continuation, Doomed, ORIGINAL, open, operands, request, say_marks, take, take_details,
    take_operands,
};
pub(crate) use view::state_of;

impl Screen for ReplaysScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("replays", CONTEXT)
            .named_on_top()
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
            .about(&self.id)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        let Some(entry) = self.selected() else {
            let starts = cmd == Cmd::NewReplay && self.unsupported().is_none();
            return starts || matches!(cmd, Cmd::Compare | Cmd::Help | Cmd::Quit);
        };
        match cmd {
            Cmd::ContinueReplay => entry.can_continue() && !state.is_replaying(),
            Cmd::AddBlocks => entry.has_control() && !state.is_replaying(),
            Cmd::Handoff => entry.runs.iter().any(|one| one.handoff.is_some()),
            Cmd::WatchReplay => state.replaying.is_some(),
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        Position::row(self.cursor.place(&self.rows), self.rows.len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.cursor.go(&self.rows, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let (a, b) = match (self.marks.pair(), self.cursor.key()) {
            (Some(pair), _) => pair,
            (None, Some(row)) => (ORIGINAL.to_owned(), row.id().0.clone()),
            (None, None) => return Err(NOTHING),
        };
        command_lines::comparing(&self.id, Some(&a), Some(&b)).ok_or(UNSAFE)
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        let entry = self.selected()?;
        let run = entry.runs.first()?;
        Some(Origin::file(&run.manifest))
    }
}
