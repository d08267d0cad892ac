//! What of a pipeline can be compared.

mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

use super::{Position, Profile, Run, Screen};
use crate::model::{Clean, EngineError, Operand, PipelineId};
use crate::tui::command_lines;
use crate::tui::commands::{Cmd, Context};
use crate::tui::data::Load;
use crate::tui::msg::{Effect, Ticket};
use crate::tui::screens::comparison;
use crate::tui::screens::replays::{Marks, say_marks};
use crate::tui::state::State;
use crate::tui::state::cursor::Cursor;
use crate::tui::update::copying::UNSAFE;
use crate::tui::view::Canvas;
use crate::tui::view::pen::Bits;

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct OperandsScreen {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// What there is.
    pub(crate) all: Load<Vec<Operand>>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The selection.
    pub(crate) cursor: Cursor<String>,
    /// What is to be compared.
    pub(crate) marks: Marks,
}

impl OperandsScreen {
    /// The screen of a pipeline whose operands are still to be read.
    pub(crate) fn new(id: PipelineId) -> Self {
        Self {
            id,
            all: Load::Pending,
            ticket: None,
            cursor: Cursor::default(),
            marks: Marks::default(),
        }
    }

    /// Takes what was found.
    pub(crate) fn take(&mut self, all: Result<Vec<Operand>, EngineError>) {
        self.all = all.into();
        let keys = self.keys();
        if self.cursor.key().is_some() {
            self.cursor.reselect(&keys);
        } else {
            // The newest: with its predecessor it is the likeliest question.
            self.cursor.go(&keys, keys.len());
        }
        self.marks
            .reselect(&|name| keys.iter().any(|key| key == name));
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &[Operand] {
        self.all.ready().map_or(&[], |all| all.as_slice())
    }

    /// The rows by their names.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.rows().iter().map(|row| row.name.clone()).collect()
    }

    /// What is compared now: what is marked, else the selected one with its predecessor.
    fn chosen(&self) -> (Option<String>, Option<String>) {
        match self.marks.pair() {
            Some((a, b)) => (Some(a), Some(b)),
            None => (self.cursor.key().cloned(), None),
        }
    }
}

fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(screen) = state.layers.top_mut::<OperandsScreen>() else {
        return;
    };
    let Some(name) = screen.cursor.key().cloned() else {
        return state.refuse("There is nothing to compare in this pipeline.");
    };
    match cmd {
        Cmd::Side => {
            screen.marks.toggle(&name);
            let marks = screen.marks.clone();
            say_marks(state, &marks);
        }
        Cmd::Enter | Cmd::Right => {
            let (id, (a, b)) = (screen.id.clone(), screen.chosen());
            comparison::open(state, id, a, b, effects);
        }
        _ => {}
    }
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("What to compare");

impl Screen for OperandsScreen {
    fn profile(&self) -> Profile {
        Profile::screen("what to compare", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        Some(self.id.clone())
    }

    fn crumb(&self, current: bool) -> Option<Bits> {
        super::only_current(self, current)
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        run
    }

    fn position(&self, _: &State) -> Position {
        let keys = self.keys();
        Position::row(self.cursor.place(&keys), keys.len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        let keys = self.keys();
        self.cursor.go(&keys, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let (a, b) = self.chosen();
        command_lines::comparing(&self.id, a.as_deref(), b.as_deref()).ok_or(UNSAFE)
    }
}
