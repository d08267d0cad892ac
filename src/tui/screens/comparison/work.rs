//! The work of both sides in pairs, phases aligned, and both sides of the selected pair in full.

use super::{ComparisonScreen, Only, UNKNOWN};
use super::{bucket, buckets};
use crate::model::{Pair, TestOutcome, WorkStatus};
use crate::tui::prelude::*;

/// Lines of the selected pair: what is to be known of it on a rule, then both sides.
const DETAIL: u16 = 3;

/// Draws the part.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    list: List<'_>,
    ready: &Comparison,
) {
    let (top, area) = split_top(area, 1);
    let tally = Bits::of(Role::Text, " ").join(buckets(ready));
    canvas.pen.line(top, &tally);
    if screen.shown.is_empty() {
        let text = match screen.only {
            Only::All => Clean::new("No dispatches to pair."),
            Only::Different => Clean::new("Every pair has the same outcome."),
            Only::Outcome(bucket) => clean!("No pair is {}.", ready.said_of(bucket)),
        };
        let mut bits = Bits::of(Role::Text, " ").dim(text);
        if screen.only != Only::All {
            bits = bits
                .gap(2)
                .key(canvas.state.key(Cmd::Only))
                .dim(" shows other pairs");
        }
        let (_, below) = split_top(area, 1);
        canvas.pen.line(below, &bits);
        return;
    }
    // Where there is little room, rows are worth more than both sides of one of them.
    let both = if area.height < DETAIL * 3 { 0 } else { DETAIL };
    let (table, below) = split_top(area, area.height - both);
    rows(canvas, table, screen, list, ready);
    if both > 0
        && let Some(place) = screen.pair()
        && let Some(pair) = ready.pairs.get(place)
    {
        let first = ready.divergence == Some(place);
        let lines = detail(screen, pair, usize::from(below.width).saturating_sub(2));
        let (rule, below) = split_top(below, 1);
        canvas.rule(rule, &note(pair, first));
        canvas.lines(below, &lines);
    }
}

/// Cells of an outcome and of a role.
const OUTCOME: usize = 15;
const ROLE: usize = 12;
/// The width from which a summary has room.
const SUMMARY: usize = 110;

/// The cells of the longest texts of all pairs, measured once: there may be thousands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Widest {
    outcome: usize,
    role: usize,
    key: usize,
}

impl Widest {
    pub(super) fn of(ready: &Comparison) -> Self {
        ready.pairs.iter().fold(Self::default(), |all, pair| Self {
            outcome: all.outcome.max(Clean::new(&ready.said(pair)).width()),
            role: all.role.max(pair.role.clean().width()),
            key: all.key.max(Clean::new(key_of(pair)).width()),
        })
    }
}

/// The cells of an outcome, a role and a side where both sides are several runs: `10 of 10 ok ✓ completed` needs the room
/// of what is not said beside it; where that is not enough, `10 of 10 ok ✓`.
fn beside_two_groups(widest: Widest, width: usize) -> (usize, usize, usize) {
    let outcome = match widest.outcome {
        0 => 0,
        // Its sign, and at least its heading.
        said => (said + 2).clamp(7, OUTCOME),
    };
    let role = widest.role.clamp(4, ROLE);
    // Both sides, the other columns, the blanks between them and the frame.
    let room = width.saturating_sub(2 * 23 + 12);
    if width >= 100 {
        // A column that says nothing in any row takes no room.
        (if outcome == 0 { 0 } else { OUTCOME }, ROLE, 23)
    } else if outcome + role <= room {
        (outcome, role, 23)
    } else {
        (outcome, role, 13)
    }
}

fn rows(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    list: List<'_>,
    ready: &Comparison,
) {
    let several = |party: &Party| usize::from(party.runs.len() > 1);
    let [of_a, of_b] = [several(&ready.a), several(&ready.b)];
    // What several runs came to needs its room, and the times theirs.
    let times = if of_a + of_b > 0 { 100 } else { 0 };
    let (outcome, role, both) = match of_a + of_b {
        2 => beside_two_groups(screen.widest, usize::from(area.width)),
        _ => (OUTCOME, ROLE, 23),
    };
    // Names are whole before a summary has more room than it needs.
    let spare = usize::from(area.width).saturating_sub(SUMMARY) / 2;
    let key = screen.widest.key.clamp(4, 4 + spare);
    let role = screen.widest.role.clamp(role, role + spare);
    let side = |title, several| Column::cells(title, if several > 0 { both } else { 11 });
    let columns = [
        Column::cells("", 1),
        Column::cells("OUTCOME", outcome).from(if outcome > 0 { 0 } else { usize::MAX }),
        Column::cells("SEQ", key),
        Column::cells("ROLE", role),
        side("A", of_a),
        side("B", of_b),
        Column::cells("TIME", 7).from(times),
        Column::cells("Δ", 8).from(times),
        Column::share("SUMMARY OF B", 1).from(SUMMARY),
    ];
    let pair_at = |row: usize| {
        let place = screen.shown.get(row)?;
        Some((*place, ready.pairs.get(*place)?))
    };
    let table = Table {
        above: &|row| {
            let phase = |row: usize| pair_at(row).map(|(_, pair)| &pair.phase);
            let here = phase(row)?;
            let begins = row.checked_sub(1).and_then(phase) != Some(here);
            begins.then(|| Bits::of(Role::Dim, clean!("phase {}", here)))
        },
        ..Table::new(list, &columns)
    };
    table::draw(canvas, area, &table, &|row| {
        let cells = |(place, pair): (usize, &Pair)| {
            let said = ready.said(pair);
            cells(screen, pair, &said, ready.divergence == Some(place))
        };
        pair_at(row).map(cells).unwrap_or_default()
    });
}

fn cells(screen: &ComparisonScreen, pair: &Pair, said: &str, first: bool) -> Vec<Bits> {
    let (a, b) = (of(&pair.a, screen.runs.0), of(&pair.b, screen.runs.1));
    // Of several runs and of reviews there is no sign.
    let look = pair.bucket.map_or(("", Role::Text), bucket);
    let time = |work: Option<&Work>| work.and_then(|work| work.duration_s);
    let took = time(a).map_or_else(|| UNKNOWN.to_owned(), format::brief_duration);
    vec![
        Bits::of(Role::Accent, if first { "◆" } else { "" }),
        Bits::signed(look, said),
        Bits::of(Role::Dim, Clean::new(key_of(pair))),
        Bits::of(Role::Text, pair.role.clean()),
        side(pair, &pair.a, a),
        side(pair, &pair.b, b),
        Bits::of(Role::Text, took),
        Bits::of(Role::Text, longer(time(a), time(b))),
        Bits::of(Role::Dim, summary(b)),
    ]
}

/// What pairs them, unless the role says it.
fn key_of(pair: &Pair) -> &str {
    let is_role = pair.role.as_str() == Some(&pair.key);
    if is_role { "" } else { &pair.key }
}

/// The work of the run that is shown.
fn of(works: &[Option<Work>], run: usize) -> Option<&Work> {
    works.get(run).and_then(Option::as_ref)
}

/// How a side ended: of several runs how many succeeded, and beside it the run that is looked at.
fn side(pair: &Pair, works: &[Option<Work>], shown: Option<&Work>) -> Bits {
    let status = status(shown, pair.verdict_changed || pair.review);
    if works.len() < 2 {
        return status;
    }
    match pair.counts(works) {
        None if works.iter().all(Option::is_none) => Bits::of(Role::Dim, "–"),
        None => Bits::of(Role::Warn, "no result"),
        Some(counts) => Bits::of(Role::Text, clean!("{} ", counts)).join(status),
    }
}

/// How a side ended. What was run to its end and says FAIL did not succeed; a PASS is named where it is news.
fn status(work: Option<&Work>, verdict_is_news: bool) -> Bits {
    let Some(work) = work else {
        return Bits::of(Role::Dim, "–");
    };
    let (sign, said, role) = match (work.status, work.verdict) {
        (WorkStatus::Completed, TestOutcome::Fail) => ("✗", "FAIL", Role::Bad),
        (WorkStatus::Completed, TestOutcome::Pass) if verdict_is_news => ("✓", "PASS", Role::Good),
        (WorkStatus::Completed, _) => ("✓", "completed", Role::Good),
        (WorkStatus::Failed, _) => ("✗", "failed", Role::Bad),
        (WorkStatus::Error, _) => ("!", "error", Role::Warn),
        (WorkStatus::Open, _) => ("·", "open", Role::Dim),
        (WorkStatus::Skipped, _) => ("–", "skipped", Role::Dim),
    };
    Bits::signed((sign, role), said)
}

fn summary(work: Option<&Work>) -> Clean {
    let summary = work.and_then(|work| work.summary.as_ref());
    summary.map_or_else(|| Clean::new("no summary"), Foreign::clean)
}

/// What is to be known of a pair.
fn note(pair: &Pair, first: bool) -> Bits {
    let mut note = Bits::new();
    if first {
        note = note.accent(" ◆ ").text(if pair.is_counted() {
            "first difference by majority "
        } else if pair.differs_in_summary() {
            "first difference, only in the summary "
        } else {
            "first difference "
        });
    }
    if pair.verdict_changed {
        note = note.warn(" ! ").aloud(", ").text("the verdict changed ");
    }
    match over_runs(pair) {
        Some(text) => note.text(clean!(" {} ", text)),
        None => note,
    }
}

/// Both sides of a pair in a line each.
fn detail(screen: &ComparisonScreen, pair: &Pair, width: usize) -> Vec<Bits> {
    let line = |letter: &'static str, works: &[Option<Work>], run: usize| {
        let work = of(works, run);
        let lead = Bits::of(Role::Accent, letter).aloud(clean!("side {}: ", letter.trim()));
        let Some(work) = work else {
            return lead.dim("nothing here");
        };
        let model = work.model.as_ref().map(|model| clean!("  {}", model));
        let text = summary(Some(work));
        let lead = lead.join(status(Some(work), false));
        let lead = lead.dim(model.unwrap_or_default()).text("  ");
        let room = width.saturating_sub(lead.width());
        lead.text(ellipsis(&text, room))
    };
    vec![
        line(" A ", &pair.a, screen.runs.0),
        line(" B ", &pair.b, screen.runs.1),
    ]
}

/// How the runs of B came out together, where there are several.
fn over_runs(pair: &Pair) -> Option<Clean> {
    let runs = pair.b.len();
    // What a review finds is neither success nor failure.
    if runs < 2 || pair.review {
        return None;
    }
    let count = |of: fn(&Work) -> bool| pair.b.iter().flatten().filter(|work| of(work)).count();
    let passed =
        count(|work| work.status == WorkStatus::Completed && work.verdict != TestOutcome::Fail);
    let failed = count(|work| {
        let ended = work.status == WorkStatus::Completed;
        work.status == WorkStatus::Failed || (ended && work.verdict == TestOutcome::Fail)
    });
    Some(clean!(
        "B in {} runs: {} succeeded, {} failed, {} without a result",
        runs,
        passed,
        failed,
        runs - passed - failed
    ))
}

/// Seconds of B less those of A.
fn longer(a: Option<u64>, b: Option<u64>) -> Clean {
    let (Some(a), Some(b)) = (a, b) else {
        return Clean::new(UNKNOWN);
    };
    match b.cmp(&a) {
        std::cmp::Ordering::Equal => Clean::new("="),
        std::cmp::Ordering::Greater => clean!("+{}", format::brief_duration(b - a)),
        std::cmp::Ordering::Less => clean!("-{}", format::brief_duration(a - b)),
    }
}
