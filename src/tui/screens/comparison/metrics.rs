//! The figures of both sides: of the whole runs, then from the point on at which the replay began.

use crate::tui::screens::comparison::{ComparisonScreen, Tab};
use ratatui::layout::Rect;

use super::UNKNOWN;
use crate::model::{Clean, Comparison, Metric};
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, nothing};

/// Draws the part.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
    const COLUMNS: &[Column] = &[
        Column::share("METRIC", 1),
        Column::cells("A", 11).right(),
        Column::cells("B", 11).right(),
        Column::cells("Δ", 11).right(),
    ];
    if ready.metrics.is_empty() {
        return nothing(canvas, area, "No metrics.");
    }
    let mut rows: Vec<&Metric> = ready.metrics.iter().collect();
    rows.sort_by_key(|metric| metric.from_resume_point);
    let first = rows.partition_point(|metric| !metric.from_resume_point);
    let table = Table {
        id: Tab::Metrics.list(),
        columns: COLUMNS,
        len: rows.len(),
        selected: Some(screen.place(Tab::Metrics)),
        focus: screen.tab == Tab::Metrics,
        above: &|row| (row == first).then(|| Bits::of(Role::Dim, "from the resume point on")),
    };
    table::draw(canvas, area, &table, &|row| {
        let Some(metric) = rows.get(row) else {
            return Vec::new();
        };
        let [a, b, changed] = metric.texts().map(|text| Clean::new(&text));
        let role = match changed.as_str() {
            "=" | "0" | "0 s" | UNKNOWN => Role::Dim,
            _ => Role::Title,
        };
        vec![
            Bits::of(Role::Text, metric.name.as_str()),
            Bits::of(Role::Text, a),
            Bits::of(Role::Text, b),
            Bits::of(role, changed),
        ]
    });
}
