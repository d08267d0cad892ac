//! One difference: side by side, one below the other, or as words within lines.

mod folds;
mod heading;
mod rows;
pub(crate) mod scroll;
mod search;
mod source;
mod state;
pub(crate) mod text;
mod update;
mod view;
pub(crate) mod wrap;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use source::{DiffSource, has_sides};
pub(crate) use state::{DiffScreen, SPLIT_WIDTH};
pub(crate) use update::{go, request};

use super::{Follow, Profile, Run, Screen};
use crate::clean;
use crate::model::Clean;
use crate::text::format;
use crate::tui::commands::{Cmd, Context};
use crate::tui::geometry::{ListId, Page};
use crate::tui::state::State;
use crate::tui::state::field::Field;
use crate::tui::update::copying::{NOTHING, true_text};
use crate::tui::update::motion::Motion;
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Difference");

/// The scrollbar beside the text, which marks where something differs.
pub(crate) const MINIMAP: ListId = ListId::named("minimap");

/// True for the lists of a difference, wherever it is drawn.
pub(crate) fn is_of(list: ListId) -> bool {
    list == ListId::of::<DiffScreen>() || list == MINIMAP
}

impl Screen for DiffScreen {
    fn profile(&self) -> Profile {
        Profile::screen("difference", CONTEXT).ends_with_plan()
    }

    fn press(&mut self, list: ListId, row: usize) -> bool {
        if list == MINIMAP {
            self.go_to(row);
        } else {
            self.open_fold(row);
        }
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        match cmd {
            Cmd::NextFile => self.place.1 > 1,
            Cmd::Enter | Cmd::FoldAll => !self.lines.is_empty() && self.folded,
            _ => true,
        }
    }

    fn travel(&mut self, motion: Motion, page: Page, state: &mut State) {
        update::go(self, motion, state.size.0, page.height);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        true_text(&self.diff.ready().ok_or(NOTHING)?.0)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.search.field)
    }

    fn field_changed(&self) -> Follow {
        |state, _| {
            if let Some(screen) = state.layers.top_mut::<Self>() {
                screen.find();
            }
        }
    }

    fn filter(&self) -> Option<(&Field, Clean)> {
        let search = &self.search;
        let note = match (search.field.is_empty(), search.hits.len(), search.at) {
            (true, ..) => Clean::empty(),
            (false, 0, _) => Clean::new("not found"),
            (false, of, Some(at)) => clean!("{} of {}", at + 1, of),
            (false, of, None) => format::count(of, "line").into(),
        };
        Some((&search.field, note))
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        self.search.field.open.then_some(&[
            ("Enter", "keep the search"),
            ("↑ ↓", "scroll"),
            ("Esc", "end it"),
        ])
    }

    fn step_back(&mut self) -> bool {
        let searched = !self.search.field.is_empty();
        self.search.field.clear();
        searched
    }
}
