//! What is being written, a gauge a stage. A gauge is full only when its stage said so.

use super::Progress;
use crate::tui::screens::progress::Stages;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Reach, Stage};
use crate::tui::theme::Role;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look};

/// Cells of a gauge.
const CELLS: u16 = 24;

/// Draws the dialog.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, progress: &Progress) {
    let width = canvas.at_most(area, 76);
    let mut page = TextPage::new(usize::from(width).saturating_sub(4));
    page.blank();
    page.lines.extend(rows(canvas.state.beat, &progress.stages));
    page.blank();
    let text = match (progress.leaving, progress.cancelled_at) {
        (true, Some(Reach::Idle | Reach::Open)) => {
            "Canceling: removing what was prepared. The console quits as soon as this is done."
        }
        (true, Some(Reach::Late) | None) => {
            "The console quits as soon as this is done. It is too late to cancel."
        }
        (false, Some(Reach::Idle | Reach::Open)) => "Canceling: removing what was prepared.",
        (false, Some(Reach::Late)) => "Too late to cancel: it finishes. The result appears here.",
        (false, None) => "Ctrl-C cancels while no file has changed. The result appears here.",
    };
    page.indented(0, Role::Dim, text);
    let title = Bits::of(Role::Title, progress.title.clone());
    let inside = crate::tui::view::dialog(canvas, area, width, page.lines.len(), &title);
    crate::tui::view::lines(canvas, inside, &page.lines);
}

/// A line a stage.
pub(crate) fn rows(beat: usize, stages: &Stages) -> Vec<Bits> {
    let running = Stage::ALL.into_iter().find(|stage| !stages.is_over(*stage));
    Stage::ALL
        .into_iter()
        .map(|stage| row(beat, stages, stage, running == Some(stage)))
        .collect()
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
        .cell(Role::Text, stage.label(), 19)
        .say(
            if over { Role::Good } else { Role::Accent },
            Clean::new(&heavy),
        )
        .say(Role::Dim, Clean::new(&light))
        .gap(2)
        .say(Role::Dim, number)
}
