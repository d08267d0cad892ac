//! The work of both sides: what regressed first, then all of it in order.

use crate::cli::prelude::*;
use crate::model::{Bucket, Pair, TestOutcome, Work, WorkStatus};
use crate::text::format::brief_duration;

/// Rows of the table before the rest is only counted.
const CAP: usize = 30;
/// The same of what regressed.
const REGRESSED: usize = 12;

const COLUMNS: [Column; 8] = [
    Column::fixed(""),
    Column::narrowing("WORK", [14, 8], 1),
    Column::fixed("PHASE"),
    Column::narrowing("ROLE", [16, 8], 2),
    Column::narrowing("A", [12, 9], 3),
    Column::narrowing("B", [12, 9], 3),
    Column::right("TIME"),
    Column::fixed("RESULT"),
];

/// What succeeded in A and fails in B, with the summaries of both.
pub(super) fn regressed(pairs: &[Pair], page: &mut Page) {
    let regressed = |pair: &&Pair| pair.bucket == Some(Bucket::Regressed);
    let regressed: Vec<&Pair> = pairs.iter().filter(regressed).collect();
    if regressed.is_empty() {
        return;
    }
    page.heading(format!("Regressed ({})", regressed.len()));
    for pair in regressed.iter().take(REGRESSED) {
        let title = clean!("{}  {}, phase {}", pair.key, pair.role, pair.phase);
        page.row(2, Tone::Bad, &title);
        for (side, works) in [("A", &pair.a), ("B", &pair.b)] {
            let mut summaries = works.iter().flatten();
            let summary = summaries.find_map(|work| work.summary.as_ref());
            let state = state(pair, works);
            let said = match summary {
                Some(text) if text.lossy().starts_with(state.as_str()) => clean!("{}", text),
                Some(text) => clean!("{}: {}", state, text),
                None => state,
            };
            page.indent(4, Tone::Plain, clean!("{}  {}", side, said));
        }
    }
    page.rest(2, regressed.len(), REGRESSED);
}

/// Every pair, in order; where there are many, only those that changed.
pub(super) fn table(comparison: &Comparison, page: &mut Page) {
    let pairs = &comparison.pairs;
    if pairs.is_empty() {
        return;
    }
    let quiet = |pair: &Pair| !pair.differs;
    let many = pairs.len() > CAP;
    let first_difference = |at: usize| comparison.divergence == Some(at);
    let shown = pairs.iter().enumerate();
    let shown = shown.filter(|(at, pair)| !many || first_difference(*at) || !quiet(pair));
    let shown: Vec<(usize, &Pair)> = shown.take(CAP).collect();
    page.heading(format!("Work ({})", pairs.len()));
    let rows = shown.iter();
    let rows = rows.map(|(at, pair)| row(comparison, pair, first_difference(*at)));
    page.table(&COLUMNS, &rows.collect::<Vec<_>>());
    if shown.len() < pairs.len() {
        let rest = pairs.len() - shown.len();
        let quiet = pairs.iter().filter(|pair| quiet(pair)).count();
        let text = format!("  (+{rest} more; {quiet} alike)");
        page.line([Tone::Faint.of(text)]);
    }
    if shown.iter().any(|(at, _)| first_difference(*at)) {
        let text = "  > first difference";
        page.line([Tone::Faint.of(match comparison.divergence_rule() {
            Some(rule) => clean!("{}: {}", text, rule),
            None => Clean::new(text),
        })]);
    }
    if shown.iter().any(|(_, pair)| pair.verdict_changed) {
        page.line([Tone::Faint.of("  ~ the verdict of its summary changed")]);
    }
}

fn row(comparison: &Comparison, pair: &Pair, divergence: bool) -> Vec<Span> {
    let tone = match pair.bucket {
        Some(Bucket::Regressed) => Tone::Bad,
        Some(Bucket::StillFailing | Bucket::NoAnswer) => Tone::Warn,
        Some(Bucket::Fixed) => Tone::Good,
        Some(Bucket::NotReplayed | Bucket::New) | None => Tone::Plain,
        Some(Bucket::Unchanged) => Tone::Faint,
    };
    let mark = match (divergence, pair.verdict_changed) {
        (true, true) => ">~",
        (true, false) => ">",
        (false, true) => "~",
        (false, false) => "",
    };
    vec![
        Tone::Warn.of(mark),
        Tone::Plain.of(&pair.key),
        Tone::Plain.of(&pair.phase),
        Tone::Plain.of(&pair.role),
        Tone::Plain.of(state(pair, &pair.a)),
        Tone::Plain.of(state(pair, &pair.b)),
        Tone::Faint.of(times(pair)),
        tone.of(comparison.said(pair)),
    ]
}

/// The state of a side: a word for one run, `4 of 5 ok` for several.
fn state(pair: &Pair, works: &[Option<Work>]) -> Clean {
    match works {
        [one] => Clean::new(one.as_ref().map_or("-", word)),
        _ if works.iter().all(Option::is_none) => Clean::new("-"),
        _ => match pair.counts(works) {
            Some(counts) => Clean::new(&counts),
            None if pair.is_open() => Clean::new("open"),
            None => Clean::new("no answer"),
        },
    }
}

fn word(work: &Work) -> &'static str {
    match (work.status, work.verdict) {
        (WorkStatus::Completed, TestOutcome::Fail) => "FAIL",
        (WorkStatus::Completed, TestOutcome::Pass) => "PASS",
        (status, _) => status.word(),
    }
}

/// `3 min → 2 min`, of the first run of either side that recorded it.
fn times(pair: &Pair) -> String {
    let first = |works: &[Option<Work>]| works.iter().flatten().find_map(|work| work.duration_s);
    let text = |seconds: Option<u64>| seconds.map_or_else(|| "n/a".to_owned(), brief_duration);
    match (first(&pair.a), first(&pair.b)) {
        (None, None) => text(None),
        (a, b) => format!("{} → {}", text(a), text(b)),
    }
}
