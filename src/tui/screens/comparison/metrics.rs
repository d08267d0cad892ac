//! The figures of both sides: of the whole runs, then from the point on at which the replay began.

use crate::tui::screens::comparison::{ComparisonScreen, Tab};
use ratatui::layout::Rect;

use super::figures;
use crate::model::{Clean, Comparison, Metric};
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, split_top};

/// Width of a figure's column.
const FIGURE: usize = 11;

/// Draws the part.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
    if ready.metrics.is_empty() {
        return nothing(canvas, area, "No metrics.");
    }
    let (head, body) = split_top(area, 1);
    let wide = usize::from(area.width).saturating_sub(2);
    let name = wide.saturating_sub(FIGURE * 3).min(44);
    let heading = Bits::new()
        .say(Role::Text, " ")
        .cell(Role::Dim, "METRIC", name)
        .right(Role::Dim, Clean::new("A"), FIGURE)
        .right(Role::Dim, Clean::new("B"), FIGURE)
        .right(Role::Dim, Clean::new("Δ"), FIGURE);
    canvas.pen.line(head, &heading);
    let mut rows: Vec<&Metric> = ready.metrics.iter().collect();
    rows.sort_by_key(|metric| metric.from_resume_point);
    let lead = |row: usize| {
        let from = |row: usize| rows.get(row).map(|metric| metric.from_resume_point);
        let before = row.checked_sub(1).and_then(from);
        usize::from(from(row) == Some(true) && before != Some(true))
    };
    let list = List {
        id: Tab::Metrics.list(),
        len: rows.len(),
        selected: Some(screen.place(Tab::Metrics)),
        focus: screen.tab == Tab::Metrics,
        height: &|row| 1 + lead(row),
        lead: &lead,
    };
    list::rows(canvas, body, &list, &mut |row, line| {
        let Some(metric) = rows.get(row) else {
            return Bits::new();
        };
        if line < lead(row) {
            return Bits::new().say(Role::Dim, "from the resume point on");
        }
        let changed = figures::delta(metric);
        let role = match changed.as_str() {
            "=" | figures::UNKNOWN => Role::Dim,
            _ => Role::Title,
        };
        Bits::new()
            .cell(Role::Text, Clean::new(&metric.name), name)
            .right(Role::Text, figures::value(metric.a), FIGURE)
            .right(Role::Text, figures::value(metric.b), FIGURE)
            .right(role, changed, FIGURE)
    });
}
