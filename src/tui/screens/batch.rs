//! One thing that is done with each of the marked pipelines, in the background, and its results: their checks, or
//! an export of each.

mod state;
mod update;
mod view;

use ratatui::layout::Rect;

pub(crate) use state::{BatchScreen, Done, Task};
pub(crate) use update::{ask, export, export_to, take, verify};

use super::{Follow, Position, Profile, Run, Screen};
use crate::clean;
use crate::model::{Clean, Origin, PipelineId};
use crate::tui::commands::Context;
use crate::tui::state::State;
use crate::tui::update::copying::NOTHING;
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Marked pipelines");

impl Screen for BatchScreen {
    fn profile(&self) -> Profile {
        let name = match self.task {
            Task::Verify => "verification",
            Task::Export(_) => "export",
        };
        Profile::screen(name, CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        self.selected().map(|row| row.item.id.clone())
    }

    fn names_subject(&self) -> bool {
        false
    }

    fn is_waiting(&self, _: chrono::DateTime<chrono::FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn position(&self, _: &State) -> Position {
        let keys = self.keys();
        Position::row(self.cursor.place(&keys), keys.len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        let keys = self.keys();
        self.chosen = true;
        self.cursor.go(&keys, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        match (&self.task, self.selected()) {
            (Task::Export(dir), _) => Ok(clean!("{}", dir)),
            (Task::Verify, Some(row)) => Ok(clean!("{}", row.item.id.0)),
            (Task::Verify, None) => Err(NOTHING),
        }
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let pipeline = state.browser.pipeline(&self.selected()?.item.id)?;
        pipeline.reading.state_files.first().map(Origin::file)
    }

    fn reload(&self) -> Follow {
        update::again
    }

    fn parting(&self) -> Option<Clean> {
        let left = self.waiting();
        let exports = matches!(self.task, Task::Export(_)) && left > 0;
        exports.then(|| clean!("Stopped: {} of {} not exported.", left, self.items.len()))
    }
}
