//! The work of both sides in pairs, phases aligned, and both sides of the selected pair in full.

use crate::tui::screens::comparison::{ComparisonScreen, Only, Tab};
use ratatui::layout::Rect;

use crate::tui::view::list::{self, List};
use crate::tui::view::pen::{Bits, ellipsis};
use crate::tui::view::{Canvas, split_top};

use super::figures;
use super::view::{bucket, buckets};
use crate::clean;
use crate::model::{Clean, Comparison, Foreign, Pair, TestOutcome, Work, WorkStatus};
use crate::text::format;
use crate::tui::theme::Role;

/// From this width on the summary of B has a column.
const SUMMARY: usize = 110;

/// Lines of the selected pair: what is to be known of it on a rule, then both sides.
const DETAIL: u16 = 3;

/// Draws the part.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
    let (top, area) = split_top(area, 1);
    let tally = Bits::new().say(Role::Text, " ").join(buckets(ready));
    canvas.pen.line(top, &tally);
    if screen.shown.is_empty() {
        let text = match screen.only {
            Only::All => "No dispatches to pair.",
            Only::Different => "Every pair has the same outcome.",
            Only::Regressed => "No pair regressed over all runs.",
            Only::Fixed => "No pair was fixed over all runs.",
        };
        let mut bits = Bits::new().say(Role::Text, " ").say(Role::Dim, text);
        if screen.only != Only::All {
            bits = bits
                .say(Role::Key, "  v")
                .say(Role::Dim, " shows other pairs");
        }
        let (_, below) = split_top(area, 1);
        canvas.pen.line(below, &bits);
        return;
    }
    let (table, below) = split_top(area, area.height.saturating_sub(DETAIL));
    rows(canvas, table, screen, ready);
    if let Some(place) = screen.pair()
        && let Some(pair) = ready.pairs.get(place)
    {
        let first = ready.divergence == Some(place);
        let lines = detail(screen, pair, usize::from(below.width).saturating_sub(2));
        canvas.pen.rule(Rect::new(below.x, below.y, below.width, 1));
        let said = note(pair, first);
        let wide = u16::try_from(said.width()).unwrap_or(u16::MAX);
        let over = Rect::new(
            below.x + 1,
            below.y,
            wide.min(below.width.saturating_sub(2)),
            1,
        );
        canvas.pen.line(over, &said);
        let (_, below) = split_top(below, 1);
        crate::tui::view::lines(canvas, below, &lines);
    }
}

fn rows(canvas: &mut Canvas<'_>, area: Rect, screen: &ComparisonScreen, ready: &Comparison) {
    let (head, body) = split_top(area, 1);
    let wide = usize::from(area.width).saturating_sub(2);
    let word = |word: &'static str, width: usize| Bits::new().say(Role::Dim, word).pad(width);
    let mut heading = Bits::new()
        .say(Role::Text, "   ")
        .join(word("OUTCOME", 16))
        .join(word("SEQ", 5))
        .join(word("ROLE", 15))
        .join(word("A", 12))
        .join(word("B", 12))
        .join(word("TIME", 7))
        .join(word("Δ", 8));
    if wide >= SUMMARY {
        heading = heading.say(Role::Dim, "  SUMMARY OF B");
    }
    canvas.pen.line(head, &heading);
    let pair_at = |row: usize| {
        let place = screen.shown.get(row)?;
        Some((*place, ready.pairs.get(*place)?))
    };
    let lead = |row: usize| {
        let phase = |row: usize| pair_at(row).map(|(_, pair)| &pair.phase);
        usize::from(row.checked_sub(1).and_then(phase) != phase(row))
    };
    let list = List {
        id: Tab::Work.list(),
        len: screen.shown.len(),
        selected: Some(screen.place(Tab::Work)),
        focus: screen.tab == Tab::Work,
        height: &|row| 1 + lead(row),
        lead: &lead,
    };
    list::rows(canvas, body, &list, &mut |row, line| {
        let Some((place, pair)) = pair_at(row) else {
            return Bits::new();
        };
        if line < lead(row) {
            return Bits::new().add(Role::Dim, clean!("phase {}", pair.phase));
        }
        let first = ready.divergence == Some(place);
        let bits = pair_row(screen, pair, first);
        if wide >= SUMMARY {
            bits.say(Role::Text, "  ")
                .add(Role::Dim, summary(of(&pair.b, screen.runs.1)))
        } else {
            bits
        }
    });
}

fn pair_row(screen: &ComparisonScreen, pair: &Pair, first: bool) -> Bits {
    let (a, b) = (of(&pair.a, screen.runs.0), of(&pair.b, screen.runs.1));
    let (sign, role) = bucket(pair.bucket);
    let time = |work: Option<&Work>| work.and_then(|work| work.duration_s);
    let shown = time(a).map_or_else(|| figures::UNKNOWN.to_owned(), format::brief_duration);
    Bits::new()
        .say(Role::Accent, if first { "◆ " } else { "  " })
        .badge(role, sign, pair.bucket.word(), 15)
        .say(Role::Text, " ")
        .cell(Role::Dim, Clean::new(&pair.key), 5)
        .cell(Role::Text, pair.role.clean(), 14)
        .say(Role::Text, " ")
        .join(side(&pair.a, a, pair.verdict_changed).pad(12))
        .join(side(&pair.b, b, pair.verdict_changed).pad(12))
        .cell(Role::Text, shown, 7)
        .cell(Role::Text, figures::longer(time(a), time(b)), 8)
}

/// The work of the run that is looked at.
fn of(works: &[Option<Work>], run: usize) -> Option<&Work> {
    works.get(run).and_then(Option::as_ref)
}

/// How a side ended: of several runs how many succeeded, as the outcome of the row is that of all of them.
fn side(works: &[Option<Work>], shown: Option<&Work>, verdict_changed: bool) -> Bits {
    if works.len() < 2 {
        return status(shown, verdict_changed);
    }
    let answers = works.iter().flatten().filter_map(|work| match work.status {
        WorkStatus::Completed => Some(work.verdict != TestOutcome::Fail),
        WorkStatus::Failed => Some(false),
        WorkStatus::Error | WorkStatus::Open | WorkStatus::Skipped => None,
    });
    let (ok, all) = answers.fold((0, 0), |(ok, all), one| (ok + usize::from(one), all + 1));
    match all {
        0 if works.iter().all(Option::is_none) => Bits::new().say(Role::Dim, "–"),
        0 => Bits::new().say(Role::Warn, "no result"),
        _ => Bits::new().add(Role::Text, clean!("{} of {} ok", ok, all)),
    }
}

/// How a side ended. What was run to its end and says FAIL did not succeed; a PASS is named where it is news.
fn status(work: Option<&Work>, verdict_changed: bool) -> Bits {
    let Some(work) = work else {
        return Bits::new().say(Role::Dim, "–");
    };
    let (sign, said, role) = match (work.status, work.verdict) {
        (WorkStatus::Completed, TestOutcome::Fail) => ("✗ ", "FAIL", Role::Bad),
        (WorkStatus::Completed, TestOutcome::Pass) if verdict_changed => ("✓ ", "PASS", Role::Good),
        (WorkStatus::Completed, _) => ("✓ ", "completed", Role::Good),
        (WorkStatus::Failed, _) => ("✗ ", "failed", Role::Bad),
        (WorkStatus::Error, _) => ("! ", "error", Role::Warn),
        (WorkStatus::Open, _) => ("· ", "open", Role::Dim),
        (WorkStatus::Skipped, _) => ("– ", "skipped", Role::Dim),
    };
    Bits::new().say(role, sign).say(role, said)
}

fn summary(work: Option<&Work>) -> Clean {
    let summary = work.and_then(|work| work.summary.as_ref());
    summary.map_or_else(|| Clean::new("no summary"), Foreign::clean)
}

/// What is to be known of a pair.
fn note(pair: &Pair, first: bool) -> Bits {
    let mut note = Bits::new();
    if first {
        note = note
            .say(Role::Accent, " ◆ ")
            .say(Role::Text, "first difference ");
    }
    if pair.verdict_changed {
        note = note
            .say(Role::Warn, " ! ")
            .say(Role::Text, "the verdict changed ");
    }
    match over_runs(pair) {
        Some(text) => note.add(Role::Text, clean!(" {} ", text)),
        None => note,
    }
}

/// Both sides of a pair in a line each.
fn detail(screen: &ComparisonScreen, pair: &Pair, width: usize) -> Vec<Bits> {
    let line = |letter: &'static str, works: &[Option<Work>], run: usize| {
        let work = of(works, run);
        let lead = Bits::new().say(Role::Accent, letter);
        let Some(work) = work else {
            return lead.say(Role::Dim, "nothing here");
        };
        let model = work
            .model
            .as_ref()
            .map_or_else(Clean::empty, |model| clean!("  {}", model));
        let text = summary(Some(work));
        let lead = lead
            .join(status(Some(work), false))
            .add(Role::Dim, model)
            .say(Role::Text, "  ");
        let room = width.saturating_sub(lead.width());
        lead.add(Role::Text, ellipsis(&text, room))
    };
    vec![
        line(" A ", &pair.a, screen.runs.0),
        line(" B ", &pair.b, screen.runs.1),
    ]
}

/// How the runs of B came out together, where there are several.
fn over_runs(pair: &Pair) -> Option<Clean> {
    let runs = pair.b.len();
    if runs < 2 {
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
