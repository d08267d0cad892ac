//! The resume points of a pipeline.

mod view;

use ratatui::layout::Rect;

use super::{Position, Profile, Run, Screen};
use crate::clean;
use crate::model::{Clean, PipelineId, PointChoice, PointId};
use crate::tui::commands::{Cmd, Context};
use crate::tui::data::Dossier;
use crate::tui::msg::Effect;
use crate::tui::screens::{amendment, pipeline};
use crate::tui::state::State;
use crate::tui::state::cursor::Cursor;
use crate::tui::update::copying::NOTHING;
use crate::tui::view::Canvas;

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct Picker {
    /// Which pipeline.
    pub(crate) id: PipelineId,
    /// The selection; the recommended point at first.
    pub(crate) cursor: Cursor<PointId>,
}

impl Picker {
    pub(crate) fn new(id: PipelineId) -> Self {
        Self {
            id,
            cursor: Cursor::default(),
        }
    }

    /// Takes the points; selects the recommended one, unless the person selected one already.
    pub(crate) fn reselect(&mut self, dossier: &Dossier) {
        let keys = keys(dossier);
        if self.cursor.key().is_none() {
            let place = dossier.points.iter().position(|point| point.recommended);
            self.cursor.go(&keys, place.unwrap_or(0));
        }
        self.cursor.reselect(&keys);
    }
}

fn keys(dossier: &Dossier) -> Vec<PointId> {
    let points = dossier.points.iter();
    points.map(|point| point.boundary.id.clone()).collect()
}

fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(picker) = state.layers.top_as::<Picker>() else {
        return;
    };
    if cmd == Cmd::Amend {
        let id = picker.id.clone();
        return amendment::open(state, id);
    }
    if !matches!(cmd, Cmd::Enter | Cmd::Right) {
        return;
    }
    let id = picker.id.clone();
    match picker.cursor.key().cloned() {
        Some(point) => pipeline::plan(state, id, PointChoice::Id(point), effects),
        None => state.refuse("No resume point to plan for."),
    }
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Resume points");

impl Screen for Picker {
    fn profile(&self) -> Profile {
        Profile::screen("resume points", CONTEXT).ends_with_plan()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        Some(self.id.clone())
    }

    fn shows_dossier(&self) -> bool {
        true
    }

    fn run(&self) -> Run {
        run
    }

    fn position(&self, state: &State) -> Position {
        let keys = state.dossier(&self.id).map(|dossier| keys(dossier));
        let keys = keys.unwrap_or_default();
        Position::row(self.cursor.place(&keys), keys.len())
    }

    fn go(&mut self, to: usize, state: &mut State) {
        if let Some(dossier) = state.dossier(&self.id) {
            self.cursor.go(&keys(dossier), to);
        }
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let point = self.cursor.key().ok_or(NOTHING)?;
        Ok(clean!("relight plan {} --point {}", self.id.0, point.0))
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let point = self.cursor.key();
        point
            .into_iter()
            .map(|point| ("POINT", point.0.clone()))
            .collect()
    }
}
