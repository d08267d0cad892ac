//! The outcome of something that was written.

mod state;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use state::{Operation, OutcomeScreen};

use super::{Profile, Run, Screen};
use crate::clean;
use crate::model::{Clean, PipelineId};
use crate::tui::commands::{Cmd, Context};
use crate::tui::screens::progress;
use crate::tui::screens::recoveries::not_undoable;
use crate::tui::state::State;
use crate::tui::update::copying::NOTHING;
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Outcome");

impl Screen for OutcomeScreen {
    fn profile(&self) -> Profile {
        Profile::screen("outcome", CONTEXT).ends_with_plan()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        self.pipeline.clone()
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        progress::run_outcome
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        let recovery = self.recovery.as_ref();
        match cmd {
            Cmd::Undo => recovery.is_some_and(|one| not_undoable(one).is_none()),
            Cmd::Handoff => self.handoff.is_some(),
            _ => true,
        }
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let recovery = self.recovery.as_ref().ok_or(NOTHING)?;
        Ok(clean!("relight undo {}", recovery.id.0))
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let recovery = self.recovery.iter();
        recovery.map(|one| ("RECOVERY", one.id.0.clone())).collect()
    }
}
