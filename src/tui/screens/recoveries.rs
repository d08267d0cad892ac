//! The history: what has been applied, newest first.

mod state;
mod update;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use state::{RecoveriesScreen, as_plan, not_undoable};
pub(crate) use update::{export, found, look, of_record, open, record, redo, request, take, undo};
pub(crate) use view::state_of;

use super::{Follow, Position, Profile, Run, Screen};
use crate::clean;
use crate::model::{Clean, PipelineId, Recovery, RecoveryState};
use crate::tui::commands::{Cmd, Context};
use crate::tui::state::State;
use crate::tui::update::copying::NOTHING;
use crate::tui::view::Canvas;

/// Whether a command can do anything about a recovery now.
pub(crate) fn offers(recovery: &Recovery, cmd: Cmd) -> bool {
    let pending = recovery.state == RecoveryState::NeedsAttention;
    match cmd {
        Cmd::Recover | Cmd::Include => pending,
        Cmd::Undo => not_undoable(recovery).is_none(),
        Cmd::Redo => recovery.undo_to_redo().is_some(),
        Cmd::Purge => !pending && !recovery.purged,
        Cmd::Handoff => !recovery.handoff.argv.is_empty(),
        _ => true,
    }
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("History");

impl Screen for RecoveriesScreen {
    fn profile(&self) -> Profile {
        Profile::screen("history", CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        self.selected().map(|row| row.pipeline.clone())
    }

    // The list is of the scope, not of one pipeline.
    fn names_subject(&self) -> bool {
        false
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        self.selected()
            .is_some_and(|recovery| offers(recovery, cmd))
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
        Ok(clean!("{}", self.selected().ok_or(NOTHING)?.id.0))
    }

    fn reload(&self) -> Follow {
        request
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let selected = self.selected();
        selected
            .into_iter()
            .map(|one| ("RECOVERY", one.id.0.clone()))
            .collect()
    }
}
