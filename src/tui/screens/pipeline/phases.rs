//! The phase table.

use crate::tui::screens::pipeline::{Pane, PipelineScreen};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Phase, Progress};
use crate::text::format;
use crate::tui::data::Dossier;
use crate::tui::theme::Role;
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, look};

/// Draws the table.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    focus: bool,
) {
    // Without headings: the pane names its rows.
    const COLUMNS: &[Column] = &[
        Column::share("", 1),
        Column::cells("", 11),
        Column::cells("", 6).from(64),
        Column::cells("", 6),
        Column::cells("", 7),
        Column::cells("", 3),
    ];
    let phases = &dossier.pipeline.reading.phases;
    if phases.is_empty() {
        nothing(canvas, area, "No phases recorded.");
        return;
    }
    let keys: Vec<_> = phases.iter().map(|phase| phase.id.clone()).collect();
    let table = Table {
        id: Pane::Phases.list(),
        columns: COLUMNS,
        len: phases.len(),
        selected: screen.phases.place(&keys),
        focus,
        above: &|_| None,
    };
    table::draw(canvas, area, &table, &|row| {
        phases.get(row).map(cells).unwrap_or_default()
    });
}

fn cells(phase: &Phase) -> Vec<Bits> {
    let (sign, role) = look::phase(phase.status);
    let progress = Progress {
        done: phase.done,
        total: phase.total,
        unit: "",
    };
    let took = phase.duration_s.map(format::brief_duration);
    let attempts = clean!("×{}", phase.attempts);
    vec![
        Bits::of(role, sign)
            .gap(1)
            .say(Role::Text, phase.name.clean()),
        Bits::of(role, phase.status.word()),
        look::bar(progress, 6),
        Bits::of(Role::Text, look::fraction(progress)),
        Bits::of(Role::Dim, took.unwrap_or_default()),
        Bits::of(
            Role::Warn,
            if phase.attempts > 1 {
                attempts
            } else {
                Clean::empty()
            },
        ),
    ]
}
