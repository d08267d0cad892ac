//! A question before anything is written. Its keys are its own, and it prints them itself.

mod plan;
mod replay;
mod state;
mod update;
mod view;

use ratatui::layout::Rect;

pub(crate) use state::{ACCEPT, Answer, Ask, NOT_RUNNING, PURGE, Question, YES};
pub(crate) use update::{paste, press};

use super::{Profile, Run, Screen};
use crate::tui::geometry::{ListId, Page};
use crate::tui::view::Canvas;

/// The most lines that are scrolled.
const MOST: usize = 10_000;

impl Screen for Question {
    fn profile(&self) -> Profile {
        Profile::dialog("question")
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn wheel(&mut self, _: ListId, rows: isize, _: u16, _: Page) -> bool {
        self.scrolled = self.scrolled.saturating_add_signed(-rows).min(MOST);
        true
    }

    fn run(&self) -> Run {
        |_, _, _| {}
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[])
    }
}
