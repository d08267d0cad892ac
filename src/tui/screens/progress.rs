//! Something that is being written, a gauge a stage. A gauge is full only when its stage said so; only the result closes
//! it.

mod update;

use super::outcome::Operation;
use crate::model::{Reach, Stage};
use crate::tui::prelude::*;

pub(crate) use update::{apply, cancel, end, explain, purge, recover, rehearse, run_outcome, take};

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

/// Cells of a gauge.
const CELLS: u16 = 24;

impl Screen for Progress {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog("progress")
            .runs(|_, _| {})
            .awaits(Some(self.ticket))
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let width = canvas.at_most(area, 76);
        let mut page = TextPage::new(usize::from(width).saturating_sub(4));
        page.blank();
        page.lines.extend(rows(canvas.state.beat, &self.stages));
        page.blank();
        let text = match (self.leaving, self.cancelled_at) {
            (true, Some(Reach::Idle | Reach::Open)) => {
                "Canceling: removing what was prepared. The console quits as soon as this is done."
            }
            (true, Some(Reach::Late) | None) => {
                "The console quits as soon as this is done. It is too late to cancel."
            }
            (false, Some(Reach::Idle | Reach::Open)) => "Canceling: removing what was prepared.",
            (false, Some(Reach::Late)) => {
                "Too late to cancel: it finishes. The result appears here."
            }
            (false, None) => "cancels while no file has changed. The result appears here.",
        };
        // What begins with a verb begins with the key.
        let text = match (self.leaving, self.cancelled_at) {
            (false, None) => clean!("{} {}", canvas.state.key(Cmd::Cancel), text),
            _ => Clean::new(text),
        };
        page.indented(0, Role::Dim, text);
        let title = Bits::of(Role::Title, self.title.clone());
        let inside = dialog(canvas, area, width, page.lines.len(), &title);
        canvas.lines(inside, &page.lines);
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[])
    }
}

/// A line a stage.
pub(crate) fn rows(beat: usize, stages: &Stages) -> Vec<Bits> {
    let running = Stage::ALL.into_iter().find(|stage| !stages.is_over(*stage));
    let row = |stage| row(beat, stages, stage, running == Some(stage));
    Stage::ALL.into_iter().map(row).collect()
}

fn row(beat: usize, stages: &Stages, stage: Stage, running: bool) -> Bits {
    let told = stages.of(stage);
    let over = stages.is_over(stage);
    let (done, total) = told.map_or((0, 0), |told| (told.done.min(told.total), told.total));
    let (sign, role) = match (over, told.is_some(), running) {
        (true, true, _) => ("✓", Role::Good),
        (true, false, _) => ("–", Role::Dim),
        (false, _, true) => (look::spinner(beat), Role::Accent),
        (false, ..) => ("·", Role::Dim),
    };
    // Rounded down: a gauge never shows more than was done.
    let share = u64::from(CELLS).saturating_mul(done).checked_div(total);
    let empty = if over && told.is_some() { CELLS } else { 0 };
    let filled = share.map_or(empty, |share| u16::try_from(share).unwrap_or(CELLS));
    let number = match (total, over, told.is_some()) {
        (0, true, false) => Clean::new("nothing to do"),
        (0, ..) => Clean::empty(),
        (total, ..) => clean!("{} of {}", done, total),
    };
    let heavy = "━".repeat(usize::from(filled));
    let light = "─".repeat(usize::from(CELLS - filled));
    Bits::of(role, sign)
        .gap(1)
        .cell(Role::Text, stage.word(), 19)
        .say(
            if over { Role::Good } else { Role::Accent },
            Clean::new(&heavy),
        )
        .dim(Clean::new(&light))
        .gap(2)
        .dim(number)
}
