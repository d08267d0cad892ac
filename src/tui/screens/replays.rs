//! The replays of a pipeline.

mod state;
mod update;
mod view;

use crate::tui::prelude::*;

pub(crate) use state::{Entry, Marks, ReplayRow, ReplaysScreen, counts};
pub(crate) use update::{
    Continuation, Doomed, ORIGINAL, open, operands, request, request_operands, say_marks, take,
    take_details, take_operands,
};
pub(crate) use view::state_of;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Replays");

commands! {
    NewReplay, WatchReplay,
}

commands! { acting: ContinueReplay, AddBlocks }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "replay-compare", CONTEXT, ["enter"], "compare", "Compare the two marked replays, or the selected one with the original.", cli "relight compare PIPELINE A B", foot 1),
    row!(Side => "replay-mark", CONTEXT, ["space"], "mark A, B", "Mark the selected row as A, then another one as B, or remove the mark.", foot 2),
    row!(NewReplay => "replay-new", CONTEXT, ["n"], "new replay", "Choose templates to replace and a starting point; nothing runs before you confirm.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT --dry-run", foot 3),
    row!(ContinueReplay => "replay-continue", CONTEXT, ["c"], "continue", "Ask whether to continue an interrupted replay: it starts programs.", foot 0),
    row!(AddBlocks => "replay-add-blocks", CONTEXT, ["+"], "add blocks", "Ask whether to add blocks to the experiment, as many as its verdict advises, else five: it starts programs.", cli "relight replay PIPELINE --repeat +5", foot 7),
    row!(Purge => "replay-purge", CONTEXT, ["P"], "delete", "Ask whether to delete the replay, with work trees, outputs and records.", cli "relight purge REPLAY", foot 8),
    row!(WatchReplay => "replay-watch", CONTEXT, ["w"], "progress", "Show the progress of the running replay.", foot 4),
    row!(Handoff => "replay-hand-off", CONTEXT, ["H"], "hand-off", "Show how to run a replay without a runner by hand.", foot 6),
    row!(Compare => "replay-operands", CONTEXT, ["C"], "other sides", "List what else can be compared in this pipeline: rounds, stages, recoveries.", cli "relight compare PIPELINE A B", foot 5),
];

impl Screen for ReplaysScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("replays", CONTEXT)
            .named_on_top()
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
            .about(&self.id)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        let Some(entry) = self.selected() else {
            let starts = cmd == Cmd::NewReplay && self.unsupported().is_none();
            return starts || cmd == Cmd::Compare;
        };
        match cmd {
            Cmd::ContinueReplay => entry.can_continue() && !state.is_replaying(),
            Cmd::AddBlocks => entry.has_control() && !state.is_replaying(),
            Cmd::Handoff => entry.runs.iter().any(|one| one.handoff.is_some()),
            Cmd::WatchReplay => state.replaying.is_some(),
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        self.cursor.position(&self.rows)
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.cursor.go(&self.rows, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let (a, b) = match (self.marks.pair(), self.cursor.key()) {
            (Some(pair), _) => pair,
            (None, Some(row)) => (ORIGINAL.to_owned(), row.id().0.clone()),
            (None, None) => return Err(NOTHING),
        };
        command_lines::comparing(&self.id, Some(&a), Some(&b)).ok_or(UNSAFE)
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        let entry = self.selected()?;
        let run = entry.runs.first()?;
        Some(Origin::file(&run.manifest))
    }
}
