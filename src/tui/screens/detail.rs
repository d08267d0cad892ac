//! Everything about one row: every field, and the raw line or file it was read from.

mod update;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use update::{open, open_plan_row};

use super::{Profile, Run, Screen};
use crate::model::{Clean, Foreign, Origin, PipelineId};
use crate::tui::commands::{Cmd, Context};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;
use crate::tui::state::State;
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Detail");

/// A conversation whose passages may be asked for. They are gone when the dialog closes.
#[derive(Debug, Clone)]
pub(crate) struct Quotable {
    /// The pipeline that it worked on.
    pub(crate) pipeline: PipelineId,
    /// Its id.
    pub(crate) conversation: Foreign,
    /// Whether its passages were asked for.
    pub(crate) asked: bool,
}

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Detail {
    /// What it is about.
    pub(crate) title: Clean,
    /// Its fields.
    pub(crate) facts: Vec<(&'static str, Clean)>,
    /// More lines, such as paths.
    pub(crate) list: Vec<Clean>,
    /// Where it was read.
    pub(crate) origin: Option<Origin>,
    /// The conversation that it is about.
    pub(crate) quotable: Option<Quotable>,
    /// The raw line or file, or the passages of the conversation, once they are there.
    pub(crate) raw: Load<Vec<Clean>>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// What `y` copies.
    pub(crate) copy: Clean,
}

impl Screen for Detail {
    fn profile(&self) -> Profile {
        Profile::dialog("detail").heard_in(CONTEXT).ends_with_plan()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        cmd != Cmd::Passages || self.quotable.is_some()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        Ok(self.copy.clone())
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        self.origin.clone()
    }
}
