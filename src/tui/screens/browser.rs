//! The list of pipelines, always at the bottom of the stack.

mod marks;
mod preview;
mod state;
mod update;
mod view;

use ratatui::layout::Rect;

pub(crate) use preview::branch;
pub(crate) use state::{Browser, Row, ShownRow};
pub(crate) use update::{changed, look, sort_by};

use super::{Follow, Position, Profile, Run, Screen};
use crate::model::{Clean, Origin, PipelineId};
use crate::tui::commands::{Cmd, Context};
use crate::tui::state::State;
use crate::tui::update::copying::NOTHING;
use crate::tui::view::Canvas;

/// The screen of [`State::browser`].
#[derive(Debug)]
pub(crate) struct BrowserScreen;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Pipelines");

impl Screen for BrowserScreen {
    fn profile(&self) -> Profile {
        Profile::screen("pipelines", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area);
    }

    fn subject(&self, state: &State) -> Option<PipelineId> {
        state.browser.selected().map(|row| row.pipeline.id.clone())
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        // What is done with several rows is offered once some are marked.
        let several = matches!(cmd, Cmd::Checks | Cmd::Export | Cmd::Hide);
        !several || !state.browser.marked.is_empty()
    }

    fn position(&self, state: &State) -> Position {
        let browser = &state.browser;
        Position::row(browser.cursor.place(&browser.ids), browser.ids.len())
    }

    fn go(&mut self, to: usize, state: &mut State) {
        let browser = &mut state.browser;
        browser.chosen = true;
        browser.cursor.go(&browser.ids, to);
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let ids = state.browser.chosen_ids();
        let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
        if ids.is_empty() {
            return Err(NOTHING);
        }
        Ok(Clean::new(&ids.join(" ")))
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let row = state.browser.selected()?;
        row.pipeline.reading.state_files.first().map(Origin::file)
    }

    fn field_changed(&self) -> Follow {
        |state, _| {
            state.browser.filtered();
        }
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[
            ("Enter", "keep the filter"),
            ("↑ ↓", "choose"),
            ("Esc", "clear it"),
        ])
    }
}
