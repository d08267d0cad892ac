//! The phase table.

use crate::tui::screens::pipeline::PipelineScreen;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Phase, Progress};
use crate::text::format;
use crate::tui::data::Dossier;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look};

/// Draws the table.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    focus: bool,
) {
    let phases = &dossier.pipeline.phases;
    if phases.is_empty() {
        nothing(canvas, area, "No phases recorded.");
        return;
    }
    let keys: Vec<_> = phases.iter().map(|phase| phase.id.clone()).collect();
    let list = List {
        id: ListId::Phases,
        len: phases.len(),
        selected: screen.phases.place(&keys),
        focus,
        height: &|_| 1,
        lead: &|_| 0,
    };
    let width = usize::from(area.width).saturating_sub(2);
    list::rows(canvas, area, &list, &mut |row, _| {
        phases
            .get(row)
            .map_or_else(Bits::new, |phase| line(phase, width))
    });
}

fn line(phase: &Phase, width: usize) -> Bits {
    let (sign, role) = look::phase(phase.status);
    let bar = if width >= 64 { 6 } else { 0 };
    let fixed = 2 + 12 + bar + 1 + 6 + 8 + 4;
    let name = width.saturating_sub(fixed).max(8);
    let progress = Progress {
        done: phase.done,
        total: phase.total,
        unit: "",
    };
    let took = phase
        .duration_s
        .map(format::brief_duration)
        .unwrap_or_default();
    let attempts = if phase.attempts > 1 {
        clean!("×{}", phase.attempts)
    } else {
        Clean::empty()
    };
    Bits::new()
        .say(role, sign)
        .say(Role::Text, " ")
        .cell(Role::Text, phase.name.clean(), name)
        .say(Role::Text, " ")
        .cell(role, phase.status.word(), 12)
        .join(look::bar(progress, bar))
        .say(Role::Text, " ")
        .cell(Role::Text, look::fraction(progress), 6)
        .cell(Role::Dim, took, 8)
        .add(Role::Warn, attempts)
}
