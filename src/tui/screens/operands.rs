//! What of a pipeline can be compared.

use super::comparison;
use super::replays::{Marks, request_operands, say_marks};
use crate::tui::prelude::*;

/// The screen.
#[derive(Debug, Clone, Default)]
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
    /// Takes what was found.
    pub(crate) fn take(&mut self, all: Result<Vec<Operand>>) {
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

fn run(state: &mut State, cmd: Cmd) {
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
            comparison::open(state, id, a, b);
        }
        _ => {}
    }
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("What to compare");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "operand-compare", CONTEXT, ["enter"], "compare", "Compare the two marked rows, or the selected one with its predecessor.", cli "relight compare PIPELINE A B", foot 1),
    row!(Side => "operand-mark", CONTEXT, ["space"], "mark A, B", "Mark the selected row as A, then another one as B, or remove the mark.", foot 2),
];

impl Screen for OperandsScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("what to compare", CONTEXT)
            .named_on_top()
            .runs(run)
            .awaits(self.ticket)
            .reloads(request_operands)
            .about(&self.id)
    }

    fn offers(&self, _: &State, _: Cmd) -> bool {
        self.rows().len() > 1
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(all) = loaded(canvas, area, &self.all, "Reading what can be compared …") else {
            return;
        };
        if all.len() < 2 {
            let why = "Nothing to compare in this pipeline yet: a replay, a second round or stage, or a recovery that \
                       changed files gives two sides.";
            return nothing(canvas, area, why);
        }
        let said = clean!(
            "{} marks A, then B; {} compares them, or the selected one with its predecessor.",
            canvas.state.key(Cmd::Side),
            canvas.state.key(Cmd::Enter)
        );
        let said = wrap(&said, usize::from(inset(area).width));
        let height = u16::try_from(said.len()).unwrap_or(1);
        let (head, body) = split_top(area, height + 1);
        let said = said
            .iter()
            .map(|line| Bits::new().sentence(Role::Dim, line));
        canvas.lines(inset(head), &said.collect::<Vec<Bits>>());
        let keys = self.keys();
        let widest = keys.iter().map(|key| Clean::new(key).width()).max();
        let columns = [
            Column::cells("", 1),
            Column::cells("", widest.unwrap_or(0).clamp(10, 28)),
            Column::share("", 1),
        ];
        let list = List::new(ListId::of::<Self>(), keys.len(), self.cursor.place(&keys));
        table::each(canvas, body, (list, &columns), self.rows(), &|row| {
            let mark = self.marks.letter(&row.name).unwrap_or("");
            vec![
                Bits::of(Role::Accent, mark),
                Bits::of(Role::Title, row.name.as_str()),
                Bits::of(Role::Text, row.title.clean()),
            ]
        });
    }

    fn position(&self, _: &State) -> Position {
        self.cursor.position(&self.keys())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.cursor.go(&self.keys(), to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let (a, b) = self.chosen();
        command_lines::comparing(&self.id, a.as_deref(), b.as_deref()).ok_or(UNSAFE)
    }
}
