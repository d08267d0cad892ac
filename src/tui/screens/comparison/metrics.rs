//! The figures of both sides: of the whole runs, then from the point on at which the replay began.

use super::UNKNOWN;
use crate::model::{Comparison, Metric};
use crate::tui::prelude::*;

/// Draws the part.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, ready: &Comparison) {
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
        above: &|row| (row == first).then(|| Bits::of(Role::Dim, "from the resume point on")),
        ..Table::new(list, COLUMNS)
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
