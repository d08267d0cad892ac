//! The figures in addition to the outcome, which are never judged: tokens and money, sizes, what reviewers said.

use super::super::numbers::cell;
use super::{columns, row};
use crate::model::Beside;
use crate::text::format::capital;

pub(super) fn section(out: &mut String, beside: &Beside) {
    if beside.figures.is_empty() && beside.findings.is_empty() {
        return;
    }
    let name = |name: &String| capital(&cell(name.as_str()));
    let sides = beside.sides.each_ref().map(name);
    put_line!(out, "## Beside the Outcome");
    columns(out, "Figure", &sides);
    for metric in &beside.figures {
        row(out, &cell(metric.name.as_str()), Some(metric));
    }
    for role in &beside.findings {
        let name = cell(&role.role);
        let (a, b) = (role.a.text(), role.b.text());
        put_line!(out, "| verdicts of {name} | {a} | {b} | |");
    }
    put_line!(out);
    for (side, usage) in sides.iter().zip(beside.usage) {
        if let Some(usage) = usage {
            put_line!(out, "- {side}, all runs: {}", usage.text());
        }
    }
    if beside.usage.iter().any(Option::is_some) {
        put_line!(out);
    }
}
