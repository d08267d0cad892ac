//! The work of both sides, row by row: what got worse by itself first, then all of it in order.

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::plan::actions::more;
use crate::cli::commands::words::{duration, heading, under};
use crate::cli::table::{Column, lay_out};
use crate::model::{Bucket, Clean, Comparison, Foreign, Pair, TestOutcome, Work, WorkStatus};

/// Rows of the table before the rest is only counted.
const CAP: usize = 30;
/// The same of what got worse.
const WORSE: usize = 12;

const COLUMNS: [Column; 8] = [
    Column::fixed(""),
    Column::gives("WORK", [14, 8], 1),
    Column::fixed("PHASE"),
    Column::gives("ROLE", [16, 8], 2),
    Column::gives("A", [12, 9], 3),
    Column::gives("B", [12, 9], 3),
    Column::right("TIME"),
    Column::fixed("RESULT"),
];

/// What succeeded in A and fails in B, with what either says.
pub(super) fn regressed(pairs: &[Pair], width: usize) -> Vec<Line> {
    let worse: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| pair.bucket == Bucket::Regressed)
        .collect();
    if worse.is_empty() {
        return Vec::new();
    }
    let mut lines = heading(&format!("Regressed ({})", worse.len())).to_vec();
    for pair in worse.iter().take(WORSE) {
        let title = clean!("{}  {}, phase {}", pair.key, pair.role, pair.phase);
        lines.push(vec![Span(
            Tone::Bad,
            clean!("  {}", title.clip(width.saturating_sub(2))),
        )]);
        for (side, works) in [("A", &pair.a), ("B", &pair.b)] {
            let said = said(works);
            let text = clean!("{}  {}{}", side, state(works), said);
            let head = Span::plain(Clean::new("    "));
            lines.extend(under(head, Tone::Plain, &text, width));
        }
    }
    lines.extend(more(worse.len(), WORSE));
    lines
}

/// The first summary of a side, behind its state.
fn said(works: &[Option<Work>]) -> Clean {
    let first = works
        .iter()
        .flatten()
        .find_map(|work| work.summary.as_ref());
    first.map_or_else(Clean::empty, |summary| clean!(": {}", summary))
}

/// Every pair, in order; of many only those of which something became.
pub(super) fn table(comparison: &Comparison, width: usize) -> Vec<Line> {
    let pairs = &comparison.pairs;
    if pairs.is_empty() {
        return Vec::new();
    }
    let quiet = |pair: &Pair| pair.bucket == Bucket::Unchanged && !pair.verdict_changed;
    let many = pairs.len() > CAP;
    let shown: Vec<(usize, &Pair)> = pairs
        .iter()
        .enumerate()
        .filter(|(at, pair)| !many || comparison.divergence == Some(*at) || !quiet(pair))
        .take(CAP)
        .collect();
    let left_out = pairs.len() - shown.len();
    let mut lines = heading(&format!("Work ({})", pairs.len())).to_vec();
    let rows: Vec<Vec<Span>> = shown
        .iter()
        .map(|(at, pair)| row(pair, comparison.divergence == Some(*at)))
        .collect();
    lines.extend(lay_out(&COLUMNS, &rows, width));
    if left_out > 0 {
        let unchanged = pairs.iter().filter(|pair| quiet(pair)).count();
        let text = clean!("  (+{} more; {} unchanged in all)", left_out, unchanged);
        lines.push(vec![Span(Tone::Faint, text)]);
    }
    let parted = |(at, _): &(usize, &Pair)| comparison.divergence == Some(*at);
    let legend = [
        (
            shown.iter().any(parted),
            "  > here the sides part for the first time",
        ),
        (
            shown.iter().any(|(_, pair)| pair.verdict_changed),
            "  ~ its summary comes to another verdict",
        ),
    ];
    for (_, text) in legend.iter().filter(|(needed, _)| *needed) {
        lines.push(vec![Span(Tone::Faint, Clean::new(text))]);
    }
    lines
}

fn row(pair: &Pair, divergence: bool) -> Vec<Span> {
    let tone = match pair.bucket {
        Bucket::Regressed => Tone::Bad,
        Bucket::StillFailing | Bucket::NoAnswer => Tone::Warn,
        Bucket::Fixed => Tone::Good,
        Bucket::NotReplayed | Bucket::New => Tone::Plain,
        Bucket::Unchanged => Tone::Faint,
    };
    let mark = match (divergence, pair.verdict_changed) {
        (true, true) => ">~",
        (true, false) => ">",
        (false, true) => "~",
        (false, false) => "",
    };
    vec![
        Span(Tone::Warn, Clean::new(mark)),
        Span::plain(Clean::new(&pair.key)),
        Span::plain(Foreign::clean(&pair.phase)),
        Span::plain(pair.role.clean()),
        Span::plain(state(&pair.a)),
        Span::plain(state(&pair.b)),
        Span(Tone::Faint, times(pair)),
        Span(tone, Clean::new(pair.bucket.word())),
    ]
}

/// How a side stands: a word for one run, `4 of 5 ok` for several.
fn state(works: &[Option<Work>]) -> Clean {
    match works {
        [] => Clean::new("-"),
        [one] => Clean::new(one.as_ref().map_or("-", word)),
        several if several.iter().all(Option::is_none) => Clean::new("-"),
        several => {
            let answered = several
                .iter()
                .flatten()
                .filter(|work| answers(work))
                .count();
            let good = several
                .iter()
                .flatten()
                .filter(|work| succeeds(work))
                .count();
            if answered == 0 {
                return Clean::new("no answer");
            }
            clean!("{} of {} ok", good, answered)
        }
    }
}

fn word(work: &Work) -> &'static str {
    match (work.status, work.verdict) {
        (WorkStatus::Completed, TestOutcome::Fail) => "FAIL",
        (WorkStatus::Completed, TestOutcome::Pass) => "PASS",
        (status, _) => status.word(),
    }
}

/// Errors of execution say nothing about the template.
fn answers(work: &Work) -> bool {
    matches!(work.status, WorkStatus::Completed | WorkStatus::Failed)
}

fn succeeds(work: &Work) -> bool {
    work.status == WorkStatus::Completed && work.verdict != TestOutcome::Fail
}

/// `3 min → 2 min`, of the first run of either side that says.
fn times(pair: &Pair) -> Clean {
    let first = |works: &[Option<Work>]| works.iter().flatten().find_map(|work| work.duration_s);
    match (first(&pair.a), first(&pair.b)) {
        (None, None) => Clean::new("n/a"),
        (a, b) => clean!("{} → {}", duration(a), duration(b)),
    }
}
