//! What the repeats add up to.

use super::super::numbers::{UNKNOWN, cell, chance, counted, percent};
use super::push;
use crate::model::{Comparison, Effect, Statistics};

pub(super) fn section(out: &mut String, comparison: &Comparison, statistics: &Statistics) {
    push(out, format_args!("## Repeats"));
    let (a, b) = statistics.runs;
    push(
        out,
        format_args!(
            "{} of A, {} of B.",
            counted(a as u64, "run", "runs"),
            counted(b as u64, "run", "runs")
        ),
    );
    push(
        out,
        format_args!("\n| Pairs | Number |\n|-------|--------|"),
    );
    for (bucket, number) in &statistics.buckets {
        push(out, format_args!("| {} | {number} |", bucket.word()));
    }
    push(
        out,
        format_args!(
            "\n| Effect | Pairs | Mean | 95 % | p | Runs needed |\n|--------|-------|------|------|---|-------------|"
        ),
    );
    effect(out, "Success", statistics.success.as_ref());
    effect(out, "Duration", statistics.duration.as_ref());
    let passed = |(passed, of): (u64, u64)| match of {
        0 => UNKNOWN.to_owned(),
        of => format!("{passed} of {of}"),
    };
    let [a, b] = statistics.passed;
    push(
        out,
        format_args!(
            "\nAcceptance tests passed: {} of A, {} of B.",
            passed(a),
            passed(b)
        ),
    );
    push(
        out,
        format_args!(
            "\n**Verdict:** {}. {}\n",
            comparison.verdict.words(),
            cell(&comparison.verdict_text)
        ),
    );
}

fn effect(out: &mut String, words: &str, effect: Option<&Effect>) {
    let Some(effect) = effect else {
        push(
            out,
            format_args!("| {words} | 0 | {UNKNOWN} | {UNKNOWN} | {UNKNOWN} | {UNKNOWN} |"),
        );
        return;
    };
    let needed = effect.runs_needed;
    push(
        out,
        format_args!(
            "| {words} | {} | {} % | {} to {} % | {} | {} |",
            effect.pairs,
            percent(effect.mean),
            percent(effect.interval.0),
            percent(effect.interval.1),
            chance(effect.p),
            needed.map_or_else(|| UNKNOWN.to_owned(), |runs| runs.to_string())
        ),
    );
}
