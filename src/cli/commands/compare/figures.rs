//! The metrics of a comparison, and the blocks of an experiment. Unknown is `n/a`, never zero.

use crate::cli::prelude::*;
use crate::model::{Beside, Metric, MetricJudged, RoleFindings, STRIP_ROWS, Statistics, strip_fit};

const METRICS: [Column; 7] = [
    Column::narrowing("METRIC", [27, 14], 1),
    Column::right("A"),
    Column::right("B"),
    Column::right("Δ"),
    Column::right("A*"),
    Column::right("B*"),
    Column::right("Δ*"),
];

/// The metrics of the whole runs and, next to them, of the part after the resume point.
pub(super) fn metrics(metrics: &[Metric], page: &mut Page) {
    if metrics.is_empty() {
        return;
    }
    let since = |metric: &Metric| {
        let same = |other: &&Metric| other.from_resume_point && other.name == metric.name;
        metrics.iter().find(same)
    };
    let both = metrics.iter().any(|metric| metric.from_resume_point);
    let columns = METRICS.get(..if both { 7 } else { 4 }).unwrap_or_default();
    let row = |metric: &Metric| {
        let mut row = vec![Tone::Plain.of(&metric.name)];
        row.extend(cells(Some(metric)));
        if both {
            row.extend(cells(since(metric)));
        }
        row
    };
    let whole = metrics.iter().filter(|metric| !metric.from_resume_point);
    let rows: Vec<Vec<Span>> = whole.map(row).collect();
    page.heading("Metrics");
    page.table(columns, &rows);
    if both {
        page.line([Tone::Faint.of("  * from the resume point on")]);
    }
}

/// The figure of A, of B, and their difference.
fn cells(metric: Option<&Metric>) -> [Span; 3] {
    let texts = metric.map_or_else(|| ["n/a"; 3].map(str::to_owned), Metric::texts);
    let [a, b, delta] = texts.map(|text| Clean::new(&text));
    [Span::plain(a), Span::plain(b), Tone::Faint.of(delta)]
}

/// The blocks of an experiment as one strip, and their totals.
pub(super) fn statistics(statistics: Option<&Statistics>, page: &mut Page) {
    let Some(statistics) = statistics else {
        return;
    };
    page.heading("Blocks");
    let cells = statistics.strip();
    let (wide, most) = strip_fit(&cells, page.width);
    let totals = statistics.totals();
    let last = cells.chunks(most).count();
    if cells.is_empty() {
        page.indent(2, Tone::Faint, "none");
    }
    for (at, chunk) in cells.chunks(most).enumerate() {
        for ((row, name), total) in STRIP_ROWS.iter().enumerate().zip(&totals) {
            let texts = chunk.iter().filter_map(|block| block.get(row));
            let texts: Vec<String> = texts.map(|cell| format!("{cell:>wide$}")).collect();
            let total = if at + 1 == last { total.as_str() } else { "" };
            page.line([
                Tone::Faint.of(format!("  {name:<8} ")),
                Tone::Plain.of(texts.join(" ")),
                Tone::Strong.of(format!("    {total}").trim_end()),
            ]);
        }
    }
    for sentence in statistics.sentences() {
        page.indent(2, Tone::Plain, sentence);
    }
}

/// What the other metrics of the experiment show.
pub(super) fn others(others: &[MetricJudged], page: &mut Page) {
    if others.is_empty() {
        return;
    }
    page.heading("Other metrics");
    for one in others {
        let head = clean!("  {}: ", one.statistics.metric);
        let text = clean!("{}. {}", one.text.title(one.verdict), one.text.whole());
        page.under(Tone::Strong.of(head), Tone::Plain, text);
        for sentence in one.statistics.figures() {
            page.indent(4, Tone::Plain, sentence);
        }
    }
}

const FINDINGS: [Column; 3] = [
    Column::narrowing("REVIEWER", [27, 14], 1),
    Column::fixed("A"),
    Column::fixed("B"),
];

/// What the reviewers said in all runs, and what all runs used.
pub(super) fn beside(beside: &Beside, page: &mut Page) {
    if !beside.findings.is_empty() {
        page.heading("Verdicts of reviewers (not judged)");
        let row = |role: &RoleFindings| {
            let [a, b] = [role.a, role.b].map(|said| Tone::Plain.of(said.text()));
            vec![Tone::Plain.of(&role.role), a, b]
        };
        let rows: Vec<Vec<Span>> = beside.findings.iter().map(row).collect();
        page.table(&FINDINGS, &rows);
    }
    for (side, usage) in ["A", "B"].into_iter().zip(&beside.usage) {
        if let Some(usage) = usage {
            page.fact(side, clean!("all runs: {}", usage.text()));
        }
    }
}
