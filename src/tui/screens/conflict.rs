//! One conflict: three texts wherever the template, the dispatch and the replacement differ.

mod view;

use ratatui::layout::Rect;

use super::{Profile, Run, Screen};
use crate::clean;
use crate::model::{Foreign, Merge, Resolved};
use crate::tui::commands::Context;
use crate::tui::msg::Ticket;
use crate::tui::screens::replay_plan;
use crate::tui::theme::Role;
use crate::tui::view::Canvas;
use crate::tui::view::pen::Bits;

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct ConflictScreen {
    /// The number of the dispatch.
    pub(crate) seq: u64,
    /// What the dispatch is.
    pub(crate) label: Foreign,
    /// The merge.
    pub(crate) merge: Merge,
    /// How it is resolved, if it is.
    pub(crate) resolution: Option<Resolved>,
    /// The edit under way.
    pub(crate) ticket: Option<Ticket>,
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Conflict");

impl Screen for ConflictScreen {
    fn profile(&self) -> Profile {
        Profile::screen("conflict", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn crumb(&self, _: bool) -> Option<Bits> {
        Some(Bits::of(Role::Text, clean!("conflict {}", self.seq)))
    }

    fn run(&self) -> Run {
        replay_plan::of_conflict
    }
}
