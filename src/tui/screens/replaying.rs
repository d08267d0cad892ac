//! The running replay, which continues on every screen.

mod state;
mod update;
mod view;

use ratatui::layout::Rect;

pub(crate) use state::{ReplayRun, Replaying, ReplayingScreen};
pub(crate) use update::{asks_before_leaving, go_on, is_here, leave, show, start, stop, take};

use super::{Position, Profile, Run, Screen};
use crate::model::{Clean, Foreign, Origin, PipelineId};
use crate::tui::commands::{Cmd, Context};
use crate::tui::state::State;
use crate::tui::update::copying::{NOTHING, true_text};
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Running replay");

impl Screen for ReplayingScreen {
    fn profile(&self) -> Profile {
        Profile::screen("progress", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, state: &State) -> Option<PipelineId> {
        state.replaying.as_ref().map(|one| one.id.clone())
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        let running = state.replaying.as_ref();
        let going = running.is_some_and(Replaying::is_going);
        let runs = running.map_or(0, |one| one.progress.sessions.len());
        match cmd {
            Cmd::StopReplay => going,
            Cmd::Enter => !going,
            Cmd::NextPane => runs > 1,
            _ => true,
        }
    }

    fn position(&self, state: &State) -> Position {
        let running = state.replaying.as_ref();
        match running.and_then(|one| Some((self.step(one)?, self.shown(one)?))) {
            Some((at, shown)) => Position::Row {
                at,
                of: shown.steps.len(),
            },
            None => Position::Fixed,
        }
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.place = Some(to);
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let origin = self.origin(state).ok_or(NOTHING)?;
        true_text(&Foreign::from(&origin.file))
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let running = state.replaying.as_ref()?;
        let steps = &self.shown(running)?.steps;
        let step = steps.get(self.step(running)?)?;
        step.output.as_ref().map(Origin::file)
    }
}
