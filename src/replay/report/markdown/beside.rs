//! The figures in addition to the outcome, which are never judged: tokens and money, sizes, what reviewers said.

use super::super::numbers::{cell, delta, value};
use super::push;
use crate::model::{Beside, Foreign};
use crate::text::format::capital;

pub(super) fn section(out: &mut String, beside: &Beside) {
    if beside.figures.is_empty() && beside.findings.is_empty() {
        return;
    }
    let [a, b] = beside
        .sides
        .each_ref()
        .map(|name| capital(&cell(&Foreign::from(name.as_str()))));
    push(out, format_args!("## Beside the Outcome"));
    push(out, format_args!("| Figure | {a} | {b} | Delta |"));
    push(
        out,
        format_args!("|--------|----------|----------|-------|"),
    );
    for metric in &beside.figures {
        let change = delta(metric.a, metric.b, metric.delta);
        let (a, b) = (value(metric.a), value(metric.b));
        push(
            out,
            format_args!("| {} | {a} | {b} | {change} |", metric.name),
        );
    }
    for role in &beside.findings {
        let name = cell(&role.role);
        let (a, b) = (role.a.text(), role.b.text());
        push(out, format_args!("| verdicts of {name} | {a} | {b} | |"));
    }
    push(out, format_args!(""));
    let used = [(a, beside.usage[0]), (b, beside.usage[1])];
    for (side, usage) in used
        .into_iter()
        .filter_map(|(side, usage)| Some((side, usage?)))
    {
        push(out, format_args!("- {side}, all runs: {}", usage.text()));
    }
    if beside.usage.iter().any(Option::is_some) {
        push(out, format_args!(""));
    }
}
