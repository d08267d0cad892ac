//! A plan that is tried in a scratch directory.

mod view;

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use view::verdict;

use super::{Profile, Screen};
use crate::model::{Clean, Foreign, Plan, Rehearsal};
use crate::tui::commands::EVERYWHERE;
use crate::tui::data::Load;
use crate::tui::msg::Ticket;
use crate::tui::screens::progress::Stages;
use crate::tui::state::State;
use crate::tui::update::copying::{NOTHING, true_text};
use crate::tui::view::Canvas;

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct RehearsalScreen {
    /// The plan.
    pub(crate) plan: Arc<Plan>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The progress of each stage.
    pub(crate) stages: Stages,
    /// The result.
    pub(crate) result: Load<Rehearsal>,
}

impl Screen for RehearsalScreen {
    fn profile(&self) -> Profile {
        Profile::screen("rehearsal", EVERYWHERE).ends_with_plan()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let rehearsal = self.result.ready().ok_or(NOTHING)?;
        true_text(&Foreign::from(&rehearsal.folder))
    }
}
