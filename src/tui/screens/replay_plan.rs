//! The plan of a replay.

mod cost;
mod state;
mod update;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use cost::cost;
pub(crate) use state::{Part, ReplayPlanScreen, TrialRow, is_marked, marked};
pub(crate) use update::{again, edited, of_conflict, open, request, take};
pub(crate) use view::runner;

use super::{Follow, Position, Profile, Run, Screen};
use crate::model::{Clean, Origin, PipelineId};
use crate::tui::command_lines;
use crate::tui::commands::{Cmd, Context};
use crate::tui::state::State;
use crate::tui::update::copying::UNSAFE;
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Replay plan");

impl Screen for ReplayPlanScreen {
    fn profile(&self) -> Profile {
        Profile::screen("replay plan", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        Some(self.id.clone())
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        let made = self.plan.ready().is_some();
        match cmd {
            Cmd::StartReplay => made && self.open() == 0,
            Cmd::Enter => made,
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
        command_lines::replaying(&self.id, &self.ask, true).ok_or(UNSAFE)
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        let plan = self.plan.ready()?;
        Some(Origin::file(&plan.experiment.manifest))
    }

    fn reload(&self) -> Follow {
        request
    }
}
