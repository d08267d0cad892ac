//! The blocks of an experiment as a strip: one column a block, one row an arm, and the sign below.

use crate::model::{STRIP_ROWS, Statistics, strip_fit};
use crate::tui::prelude::*;

/// The lines of the strip, with one column selected. Where not all blocks fit, those up to the selected one are shown,
/// else the newest.
pub(crate) fn strip(statistics: &Statistics, selected: Option<usize>, width: usize) -> Vec<Bits> {
    let cells = statistics.strip();
    let (wide, fit) = strip_fit(&cells, width);
    let wide = wide + 1;
    let last = cells.len().saturating_sub(fit);
    let first = selected.map_or(last, |at| (at + 1).saturating_sub(fit).min(last));
    let shown = cells.iter().enumerate().skip(first).take(fit);
    let totals = statistics.totals();
    let rows = STRIP_ROWS.iter().zip(&totals).enumerate();
    rows.map(|(row, (name, total))| {
        let before = if first > 0 { "… " } else { "" };
        let mut bits = Bits::new().gap(3).cell(Role::Dim, *name, 9).dim(before);
        for (at, cell) in shown
            .clone()
            .filter_map(|(at, block)| Some((at, block.get(row)?)))
        {
            let role = match cell.as_str() {
                "o" | "+" => Role::Good,
                "x" | "-" => Role::Bad,
                "?" => Role::Warn,
                _ => Role::Text,
            };
            let lit = (selected == Some(at)).then_some((0..cell.len(), Role::Selected));
            let text = Clean::new(&format!("{cell:<wide$}"));
            bits = bits.marked(role, text, lit.into_iter().collect());
        }
        let after = if first < last { "… " } else { "  " };
        bits.dim(after).text(clean!(" {}", total))
    })
    .collect()
}
