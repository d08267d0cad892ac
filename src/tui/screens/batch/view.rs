//! The results, the worst pipeline first, and how many are still to come.

use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Check, Clean, Verdict};
use crate::text::format;
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::screens::batch::state::BatchRow;
use crate::tui::screens::batch::{BatchScreen, Done, Task};
use crate::tui::screens::pipeline::check_lines;
use crate::tui::state::State;
use crate::tui::state::marks::{Marks, RowMark};
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::{Bits, ellipsis};
use crate::tui::view::{Canvas, indented, look, paragraph, split_top};

/// Cells of a title.
const TITLE: usize = 32;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &BatchScreen) {
    let (head, body) = split_top(area, 1);
    let so_far = so_far(screen, canvas.state.beat);
    canvas.pen.line(indented(head), &so_far);
    let (_, body) = split_top(body, 1);
    let width = usize::from(body.width).saturating_sub(3);
    let rows = screen.rows();
    let title = if canvas.pen.speaks() {
        usize::MAX
    } else {
        TITLE
    };
    let failed = failed(&screen.task);
    let texts = rows
        .iter()
        .map(|row| lines(canvas.state, row, (width, title), failed));
    let texts: Vec<Vec<Bits>> = texts.collect();
    let marks = rows.iter().enumerate();
    let marks = marks.filter_map(|(place, row)| Some((place, problem(row)?)));
    let marks = Marks::of(marks);
    let height = |row: usize| texts.get(row).map_or(1, Vec::len);
    let lead = |row: usize| {
        let row = rows.get(row);
        usize::from(row.is_some_and(|row| row.first && row.check.is_some()))
    };
    let list = List {
        id: ListId::of::<BatchScreen>(),
        len: rows.len(),
        selected: screen.cursor.place(&screen.keys()),
        focus: true,
        height: &height,
        lead: &lead,
    };
    list::marked(canvas, body, &list, &marks, &mut |row, line| {
        let found = texts.get(row).and_then(|lines| lines.get(line));
        found.cloned().unwrap_or_default()
    });
}

/// The progress and the results.
fn so_far(screen: &BatchScreen, beat: usize) -> Bits {
    let (all, waiting) = (screen.items.len(), screen.waiting());
    let mut bits = Bits::new();
    if waiting > 0 {
        bits = bits.say(Role::Accent, look::spinner(beat)).gap(1);
    }
    let number = format::count(all, "pipeline");
    let done = match waiting {
        0 => clean!("{}", number),
        _ => clean!("{} of {}", all - waiting, number),
    };
    match &screen.task {
        Task::Verify => {
            bits = bits.say(Role::Text, clean!("{} verified", done));
            let verdicts = [
                Verdict::Fail,
                Verdict::Warn,
                Verdict::Pass,
                Verdict::Skipped,
            ];
            for verdict in verdicts {
                let count = screen.count(verdict);
                if count > 0 {
                    let (sign, role) = look::verdict(verdict);
                    let text = clean!("{} {}", count, verdict.word());
                    bits = bits.gap(3).say(role, sign).gap(1).say(Role::Text, text);
                }
            }
        }
        Task::Export(dir) => {
            let exported = screen.count(Verdict::Pass);
            let text = clean!("{} of {} exported to ", exported, number);
            let dir_text = clean!("{}", dir);
            bits = bits.say(Role::Text, text);
            bits = bits.file(Role::Text, dir_text, &dir.as_path().into());
        }
    }
    match screen.failed() {
        0 => bits,
        count => {
            let text = clean!("{} {}", count, failed(&screen.task));
            bits.gap(3).say(Role::Bad, "✗ ").say(Role::Text, text)
        }
    }
}

/// What a pipeline is that has no result.
fn failed(task: &Task) -> &'static str {
    match task {
        Task::Verify => "not read",
        Task::Export(_) => "refused",
    }
}

fn problem(row: &BatchRow<'_>) -> Option<RowMark> {
    match (row.check.map(|check| check.verdict), &row.item.result) {
        (Some(Verdict::Fail), _) | (None, Load::Failed(_)) => Some(RowMark::Error),
        (Some(Verdict::Warn), _) => Some(RowMark::Warning),
        _ => None,
    }
}

/// The lines of a row.
fn lines(
    state: &State,
    row: &BatchRow<'_>,
    (width, title): (usize, usize),
    failed: &'static str,
) -> Vec<Bits> {
    let head = |sign: (&'static str, Role), said: Clean| {
        let known = state.browser.pipeline(&row.item.id);
        let named = known.map_or_else(Clean::empty, |known| known.reading.title.clean());
        let lead = Bits::of(sign.1, sign.0).gap(1);
        let lead = lead.say(Role::Title, ellipsis(&named, title)).gap(2);
        lead.say(Role::Text, said)
            .gap(2)
            .say(Role::Dim, clean!("{}", row.item.id.0))
    };
    match (row.check, &row.item.result) {
        (Some(check), Load::Ready(done)) => {
            let mut lines = Vec::new();
            if row.first {
                let worst = look::verdict(check.verdict);
                lines.push(head(worst, sum(done)));
            }
            let shown = check_lines(check, width.saturating_sub(2));
            lines.extend(shown.into_iter().map(|line| Bits::new().gap(2).join(line)));
            lines
        }
        (_, Load::Ready(done)) => {
            let mut lines = vec![head(look::verdict(Verdict::Pass), sum(done))];
            if let Done::Exported(exported) = done.as_ref() {
                for gap in &exported.gaps {
                    let lead = Bits::of(Role::Warn, "  ! ");
                    lines.extend(paragraph(&lead, Role::Text, &gap.clean(), width));
                }
            }
            lines
        }
        (_, Load::Pending) => {
            let wait = Clean::new("waiting");
            vec![head(("·", Role::Dim), wait)]
        }
        (_, Load::Failed(error)) => {
            let mut page = TextPage::new(width);
            page.line(head(("✗", Role::Bad), Clean::new(failed)));
            page.indented(2, Role::Text, &error.text);
            for hint in &error.hints {
                page.led(&Bits::of(Role::Accent, "  → "), Role::Text, hint);
            }
            page.lines
        }
    }
}

/// The result of a pipeline, in a few words.
fn sum(done: &Done) -> Clean {
    match done {
        Done::Exported(exported) => clean!("{}", format::count(exported.files.len(), "file")),
        Done::Verified(checks) => {
            let number = |of: Verdict| {
                checks
                    .iter()
                    .filter(|one: &&Check| one.verdict == of)
                    .count()
            };
            let parts = [
                Verdict::Fail,
                Verdict::Warn,
                Verdict::Pass,
                Verdict::Skipped,
            ];
            let parts = parts.into_iter().filter(|verdict| number(*verdict) > 0);
            let parts: Vec<String> = parts
                .map(|verdict| format!("{} {}", number(verdict), verdict.word()))
                .collect();
            if parts.is_empty() {
                Clean::new("no checks")
            } else {
                Clean::new(&parts.join(", "))
            }
        }
    }
}
