//! The phase table.

use crate::model::{Phase, Progress};
use crate::tui::prelude::*;

/// Draws the table.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, dossier: &Dossier) {
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
    table::each(canvas, area, (list, COLUMNS), phases, &cells);
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
        Bits::of(role, sign).gap(1).text(phase.name.clean()),
        Bits::of(role, phase.status.word()),
        look::bar(progress, 6),
        Bits::of(Role::Text, format::fraction(phase.done, phase.total)),
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
