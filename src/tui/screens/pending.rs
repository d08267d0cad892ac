//! A recovery that a crash interrupted, with what can be done about it.

mod view;

use std::path::PathBuf;

use ratatui::layout::Rect;

use super::{Profile, Run, Screen};
use crate::clean;
use crate::model::{Clean, RecoverMode, Recovery};
use crate::tui::commands::{Cmd, Context};
use crate::tui::msg::Effect;
use crate::tui::screens::{progress, recoveries};
use crate::tui::state::State;
use crate::tui::view::Canvas;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct PendingScreen {
    /// The recovery.
    pub(crate) recovery: Recovery,
    /// Paths that stay as they are now.
    pub(crate) keep: Vec<PathBuf>,
    /// How many others are pending, too.
    pub(crate) others: usize,
}

fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(screen) = state.layers.top_as::<PendingScreen>() else {
        return;
    };
    let (recovery, keep) = (screen.recovery.clone(), screen.keep.clone());
    let (how, verb) = match cmd {
        Cmd::Recover => (RecoverMode::Auto, "Recovering"),
        Cmd::Finish => (RecoverMode::Finish, "Finishing"),
        Cmd::RollBack => (RecoverMode::RollBack, "Rolling back"),
        Cmd::Export => return recoveries::export(state, recovery),
        Cmd::Enter | Cmd::Include => return recoveries::record(state, recovery, &keep),
        _ => return,
    };
    let title = clean!("{} {}", verb, recovery.id.0);
    progress::recover(state, &recovery, how, keep, title, effects);
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Pending recovery");

impl Screen for PendingScreen {
    fn profile(&self) -> Profile {
        Profile::dialog("interrupted recovery").heard_in(CONTEXT)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn run(&self) -> Run {
        run
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        Ok(clean!("relight recover {}", self.recovery.id.0))
    }

    fn parting(&self) -> Option<Clean> {
        let text = "The recovery is still pending; nothing was changed. R lists it.";
        Some(Clean::new(text))
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        vec![("RECOVERY", self.recovery.id.0.clone())]
    }
}
