//! Something that must be read.

mod view;

use ratatui::layout::Rect;

use super::{Profile, Screen};
use crate::model::Clean;
use crate::tui::state::State;
use crate::tui::update::copying::NOTHING;
use crate::tui::view::Canvas;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Notice {
    /// The heading.
    pub(crate) title: Clean,
    /// What it says, a paragraph each.
    pub(crate) lines: Vec<Clean>,
    /// A command to copy.
    pub(crate) command: Option<Clean>,
}

impl Screen for Notice {
    fn profile(&self) -> Profile {
        Profile::dialog("notice").ends_with_plan()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        self.command.clone().ok_or(NOTHING)
    }
}
