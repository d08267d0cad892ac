//! The hand-off: how to resume the orchestrator, here or elsewhere.

mod state;
mod update;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use state::{HandoffScreen, Watching};
pub(crate) use update::{
    changed, launch, look, look_ahead, offer_conversation, open, planned, take,
};

use super::{Profile, Run, Screen};
use crate::model::{Clean, Next, PipelineId};
use crate::tui::commands::{Cmd, Context};
use crate::tui::state::State;
use crate::tui::update::copying::UNSAFE;
use crate::tui::view::Canvas;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Hand-off");

impl Screen for HandoffScreen {
    fn profile(&self) -> Profile {
        Profile::screen("hand-off", CONTEXT).ends_with_plan()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        Some(self.pipeline.clone())
    }

    fn is_waiting(&self, now: DateTime<FixedOffset>) -> bool {
        let eager = |watching: &Watching| watching.is_eager(now);
        self.ticket.is_some() || self.watching.as_ref().is_some_and(eager)
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        match cmd {
            Cmd::NextStep | Cmd::AllSteps => self.next() == Some(Next::Ask) && self.ended.is_some(),
            Cmd::Launch => !self.premature && self.handoff.command_line().is_some(),
            Cmd::WatchRecords => !self.premature,
            Cmd::CopyPrompt => !self.handoff.prompt.is_empty(),
            Cmd::CopyContinue => self.other.is_some(),
            Cmd::CopyBriefing => !self.handoff.briefing.is_empty(),
            _ => true,
        }
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        self.handoff.command_line().ok_or(UNSAFE)
    }
}
