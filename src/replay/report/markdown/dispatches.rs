//! The table of the dispatches.

use super::super::numbers::{UNKNOWN, cell, short};
use super::sides;
use crate::model::{Bucket, Comparison, Pair, Work};
use crate::text::distinct;

/// Cells that each summary may take in a row.
const SUMMARY: usize = 60;

pub(super) fn section(out: &mut String, comparison: &Comparison, replayed: bool) {
    put_line!(out, "## Per-Dispatch Comparison");
    let [a, b] = sides(comparison, replayed);
    put_line!(
        out,
        "| Seq | Role | {a} Status | {b} Status | Summary Delta |"
    );
    put_line!(
        out,
        "|-----|------|----------------|-----------------|---------------|"
    );
    for (at, pair) in comparison.pairs.iter().enumerate() {
        let mark = if comparison.divergence == Some(at) {
            "first divergence: "
        } else {
            ""
        };
        put_line!(
            out,
            "| {} | {} | {} | {} | {mark}{} |",
            cell(pair.key.as_str()),
            cell(&pair.role),
            statuses(&pair.a),
            statuses(&pair.b),
            summaries(pair)
        );
    }
    put_line!(out);
    if let Some(rule) = comparison.divergence_rule() {
        put_line!(out, "First divergence: {rule}.");
        put_line!(out);
    }
}

/// How a side ended; of several runs each status with its number.
fn statuses(side: &[Option<Work>]) -> String {
    let words = || side.iter().flatten().map(|work| work.status.word());
    if side.len() == 1 || words().next().is_none() {
        return words().next().unwrap_or("-").to_owned();
    }
    let counted = distinct(words()).into_iter().map(|word| {
        let number = words().filter(|one| *one == word).count();
        format!("{number} {word}")
    });
    counted.collect::<Vec<_>>().join(", ")
}

fn summaries(pair: &Pair) -> String {
    if let Some(bucket @ (Bucket::NotReplayed | Bucket::New)) = pair.bucket {
        return bucket.word().to_owned();
    }
    let ([Some(a)], [Some(b)]) = (pair.a.as_slice(), pair.b.as_slice()) else {
        let counts = |side| pair.counts(side).unwrap_or_else(|| "no answer".to_owned());
        return format!("{} -> {}", counts(&pair.a), counts(&pair.b));
    };
    if a.summary == b.summary {
        return "=".to_owned();
    }
    let of = |work: &Work| {
        let text = work.summary.as_ref();
        text.map_or_else(|| UNKNOWN.to_owned(), |text| short(text, SUMMARY))
    };
    let verdicts = if pair.verdict_changed {
        format!("{} -> {}: ", a.verdict.word(), b.verdict.word())
    } else {
        String::new()
    };
    format!("{verdicts}{} -> {}", of(a), of(b))
}
