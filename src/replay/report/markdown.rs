//! The Markdown report. Its first five sections are crucible's, to the letter; the table of what comes after the
//! resume point, the repeats and the confounders are relight's own.

/// Adds a line, formatted like `format!`.
macro_rules! put_line {
    ($out:expr $(, $($text:tt)+)?) => {{
        use std::fmt::Write as _;
        // Writing into a String cannot fail.
        let _ = writeln!($out $(, $($text)+)?);
    }};
}

mod beside;
mod dispatches;
mod verdict;

use super::numbers::{UNKNOWN, cell, delta, value};
use crate::model::{Comparison, Foreign, Metric, MetricValue, Party, Run, RunKind, TestOutcome};
use crate::text::format::count;

/// The rows of crucible's outcome table: its labels and the figures behind them.
const ROWS: [(&str, &str); 4] = [
    ("Total dispatches", "dispatches"),
    ("Quality gate rounds", "gate rounds"),
    ("Wall clock time", "wall clock"),
    ("Acceptance tests", "acceptance tests"),
];

/// Files that are named because they were renamed or have another mode.
const REMARKS: usize = 20;

/// The Markdown report. Foreign text in it is presentable.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    // Whether it is the report that crucible describes.
    let replayed = comparison.has(RunKind::Replay);
    let title = if replayed {
        "Replay Diff"
    } else {
        "Comparison"
    };
    let (a, b) = (name(&comparison.a), name(&comparison.b));
    put_line!(out, "# {title}: {a} vs {b}\n");
    if replayed {
        mutations(&mut out, comparison);
    }
    outcome(&mut out, comparison, replayed);
    dispatches::section(&mut out, comparison, replayed);
    artifacts(&mut out, comparison);
    from_the_resume_point(&mut out, comparison, replayed);
    if replayed {
        beside::section(&mut out, &comparison.beside);
        verdict::section(&mut out, comparison);
    }
    list(&mut out, "Confounders", &comparison.confounders);
    list(&mut out, "Notes", &comparison.notes);
    list(&mut out, "Skipped", &comparison.skipped);
    out
}

/// The operand's word; crucible knows the original by its session.
fn name(party: &Party) -> String {
    let original = party.runs.iter().find(|run| is_original(run));
    let session = original.and_then(|run| run.session.as_ref());
    cell(session.map_or(party.name.as_str(), |id| &id.0))
}

fn is_original(run: &Run) -> bool {
    run.kind == RunKind::Original
}

fn mutations(out: &mut String, comparison: &Comparison) {
    put_line!(out, "## Template Mutations");
    let known = comparison.b.mutations();
    for mutation in &known {
        put_line!(out, "- {}", cell(*mutation));
    }
    if known.is_empty() {
        put_line!(out, "- none");
    }
    put_line!(out);
}

/// The words over the columns of the sides.
fn sides(comparison: &Comparison, replayed: bool) -> [String; 2] {
    if comparison.original.is_some() {
        ["Control", "Mutated"].map(str::to_owned)
    } else if replayed && comparison.a.runs.iter().any(is_original) {
        ["Original", "Replayed"].map(str::to_owned)
    } else {
        [name(&comparison.a), name(&comparison.b)]
    }
}

/// The heads of a table of figures.
fn columns(out: &mut String, what: &str, [a, b]: &[String; 2]) {
    put_line!(out, "| {what} | {a} | {b} | Delta |");
    put_line!(out, "|--------|----------|----------|-------|");
}

fn outcome(out: &mut String, comparison: &Comparison, replayed: bool) {
    put_line!(out, "## Outcome Comparison");
    columns(out, "Metric", &sides(comparison, replayed));
    if replayed {
        for (words, figure) in ROWS {
            row(out, words, metric(comparison, figure, false));
        }
    } else {
        let whole = comparison.metrics.iter();
        for metric in whole.filter(|one| !one.from_resume_point) {
            row(out, &cell(metric.name.as_str()), Some(metric));
        }
    }
    put_line!(out);
}

fn metric<'a>(comparison: &'a Comparison, name: &str, part: bool) -> Option<&'a Metric> {
    let mut metrics = comparison.metrics.iter();
    metrics.find(|one| one.name == name && one.from_resume_point == part)
}

fn row(out: &mut String, words: &str, metric: Option<&Metric>) {
    if let Some([a, b, change]) = metric.and_then(Metric::mixed_texts) {
        put_line!(out, "| {words} | {a} | {b} | {change} |");
        return;
    }
    let (a, b) = metric.map_or((None, None), |metric| (metric.a, metric.b));
    let change = delta(a, b, metric.and_then(|metric| metric.delta));
    // The note has a word of its own for tests that nothing is said of.
    let of = |side: Option<MetricValue>| match side {
        None if words == ROWS[3].0 => TestOutcome::Unknown.word().to_owned(),
        side => value(side),
    };
    put_line!(out, "| {words} | {} | {} | {change} |", of(a), of(b));
}

fn artifacts(out: &mut String, comparison: &Comparison) {
    put_line!(out, "## Artifact Diff");
    let Some(artifacts) = &comparison.artifacts else {
        put_line!(out, "- {UNKNOWN}\n");
        return;
    };
    for text in comparison.compared_files() {
        put_line!(out, "- {}", cell(text));
    }
    let (files, came, went) = (
        artifacts.files.iter(),
        artifacts.insertions,
        artifacts.deletions,
    );
    let changed = count(files.len(), "file");
    put_line!(out, "{changed} changed, +{came}/-{went} lines");
    let remarks = files.filter_map(|file| Some((file, file.remark()?)));
    for (file, remark) in remarks.take(REMARKS) {
        put_line!(out, "- {}: {}", cell(&file.path), cell(remark));
    }
    if artifacts.unmeasured > 0 {
        let files = count(artifacts.unmeasured, "file");
        put_line!(
            out,
            "The lines of {files} were not counted: binary, too large or too many."
        );
    }
    put_line!(out);
}

fn from_the_resume_point(out: &mut String, comparison: &Comparison, replayed: bool) {
    if !comparison.metrics.iter().any(|one| one.from_resume_point) {
        return;
    }
    put_line!(out, "## From the Resume Point On");
    columns(out, "Metric", &sides(comparison, replayed));
    for (words, figure) in ROWS {
        if let Some(found) = metric(comparison, figure, true) {
            row(out, words, Some(found));
        }
    }
    put_line!(out);
}

fn list(out: &mut String, heading: &str, texts: &[Foreign]) {
    if texts.is_empty() {
        return;
    }
    put_line!(out, "## {heading}");
    for text in texts {
        put_line!(out, "- {}", cell(text));
    }
    put_line!(out);
}
