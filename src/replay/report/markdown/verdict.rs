//! The verdict, with the blocks that it was made from.

use super::super::numbers::cell;
use crate::model::{Comparison, STRIP_ROWS, Statistics, strip_fit};

/// Blocks in a row of the strip.
const BLOCKS: usize = 40;

pub(super) fn section(out: &mut String, comparison: &Comparison) {
    put_line!(out, "## Verdict");
    put_line!(
        out,
        "**{}**. {}\n",
        comparison.verdict_text.title(comparison.verdict),
        cell(comparison.verdict_text.whole())
    );
    let Some(statistics) = &comparison.statistics else {
        return;
    };
    strip(out, statistics);
    for sentence in statistics.sentences() {
        put_line!(out, "- {sentence}");
    }
    put_line!(out, "- {}", statistics.details());
    for other in &comparison.others {
        let metric = cell(other.statistics.metric.as_str());
        let (verdict, text) = (other.text.title(other.verdict), cell(other.text.whole()));
        put_line!(out, "- {metric}: {verdict}. {text}");
        for sentence in other.statistics.figures() {
            put_line!(out, "  - {sentence}");
        }
    }
    put_line!(out);
}

fn strip(out: &mut String, statistics: &Statistics) {
    let cells = statistics.strip();
    let (width, _) = strip_fit(&cells, 0);
    let totals = statistics.totals();
    put_line!(out, "```text");
    let rows = cells.chunks(BLOCKS).count();
    for (at, chunk) in cells.chunks(BLOCKS).enumerate() {
        for ((row, name), total) in STRIP_ROWS.iter().enumerate().zip(&totals) {
            let texts = chunk.iter().filter_map(|block| block.get(row));
            let texts = texts.map(|cell| format!("{cell:>width$}"));
            let texts = texts.collect::<Vec<_>>().join(" ");
            let total = if at + 1 == rows { total.as_str() } else { "" };
            put_line!(
                out,
                "{}",
                format!("{name:<8} {texts}    {total}").trim_end()
            );
        }
    }
    put_line!(out, "```");
}
