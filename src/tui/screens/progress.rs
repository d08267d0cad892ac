//! Something that is being written. Only its result closes it.

mod update;
mod view;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use update::{apply, cancel, end, explain, purge, recover, rehearse, run_outcome, take};
pub(crate) use view::rows;

use super::{Profile, Run, Screen};
use crate::model::{Cancel, Clean, PipelineId, Reach, Stage, StageProgress};
use crate::tui::msg::Ticket;
use crate::tui::screens::outcome::Operation;
use crate::tui::view::Canvas;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// What it is, for a person: `Resuming at wave-1`.
    pub(crate) title: Clean,
    /// The request.
    pub(crate) ticket: Ticket,
    /// What is written.
    pub(crate) operation: Operation,
    /// The pipeline it is about, if it is one.
    pub(crate) pipeline: Option<PipelineId>,
    /// The progress of each stage, as last reported.
    pub(crate) stages: Stages,
    /// Whether the console was asked to quit meanwhile; it does so with the result.
    pub(crate) leaving: bool,
    /// Cancels it as long as that is possible.
    pub(crate) cancel: Cancel,
    /// How far it was when it was cancelled, if it was.
    pub(crate) cancelled_at: Option<Reach>,
}

/// The progress of each stage. A stage that was never reported has not started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stages(Vec<StageProgress>);

impl Stages {
    /// Takes a report. A number never goes back.
    pub(crate) fn take(&mut self, told: StageProgress) {
        match self.0.iter_mut().find(|known| known.stage == told.stage) {
            Some(known) => {
                known.done = known.done.max(told.done);
                known.total = told.total;
            }
            None => self.0.push(told),
        }
    }

    /// The last report of a stage.
    pub(crate) fn of(&self, stage: Stage) -> Option<&StageProgress> {
        self.0.iter().find(|known| known.stage == stage)
    }

    /// True for a stage that is over: it said so, or a later one has started.
    pub(crate) fn is_over(&self, stage: Stage) -> bool {
        let later = self.0.iter().any(|known| known.stage > stage);
        let full = |known: &StageProgress| known.done >= known.total;
        later || self.of(stage).is_some_and(full)
    }
}

impl Screen for Progress {
    fn profile(&self) -> Profile {
        Profile::dialog("progress")
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        true
    }

    fn run(&self) -> Run {
        |_, _, _| {}
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[])
    }
}
