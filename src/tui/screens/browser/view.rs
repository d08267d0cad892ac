//! The list of pipelines, with a preview of the selected one.

use ratatui::layout::Rect;

use super::preview;
use crate::clean;
use crate::model::filter::Column;
use crate::model::{Clean, Status};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::screens::browser::{Browser, Row, ShownRow};
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look, split_left, split_top};

/// From this width on the preview stands beside the list.
const SIDE: u16 = 150;

/// Widths of the columns for a width of the list.
struct Columns {
    system: usize,
    title: usize,
    place: usize,
    bar: usize,
    badges: usize,
}

const STATUS: usize = 13;
const AGE: usize = 7;

impl Columns {
    /// What is fixed first; then the goal and the place share what is left, three to two.
    fn of(width: u16) -> Self {
        let width = usize::from(width).saturating_sub(2);
        let wide = width >= 110;
        let (system, bar) = if width >= 90 { (15, 8) } else { (15, 4) };
        let badges = if wide { 18 } else { 2 };
        let fixed = STATUS + 1 + system + 1 + badges + bar + 1 + 5 + 1 + AGE;
        let left = width.saturating_sub(fixed + 2);
        let title = left * 3 / 5;
        Self {
            system,
            title,
            place: left - title,
            bar,
            badges,
        }
    }
}

/// Draws the list and the preview.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect) {
    if canvas.state.browser.ids.is_empty() {
        empty(canvas, area);
        return;
    }
    if area.width >= SIDE {
        let (left, right) = split_left(area, area.width * 13 / 20);
        table(canvas, left);
        preview::draw(canvas, right, true);
        return;
    }
    let card = if area.height >= 30 { 12 } else { 8 };
    let (above, below) = split_top(area, area.height.saturating_sub(card));
    table(canvas, above);
    preview::draw(canvas, below, false);
}

fn table(canvas: &mut Canvas<'_>, area: Rect) {
    let browser = &canvas.state.browser;
    let columns = Columns::of(area.width);
    let (head, rest) = split_top(area, 1);
    canvas.pen.line(head, &heading(&columns));
    let (body, note) = split_top(rest, rest.height.saturating_sub(1));
    let selected = browser.cursor.place(&browser.ids);
    let height = |row: usize| {
        let headed = browser
            .shown
            .get(row)
            .is_some_and(|row| row.heading.is_some());
        1 + usize::from(headed)
    };
    let list = List {
        id: ListId::Browser,
        len: browser.shown.len(),
        selected,
        focus: true,
        height: &height,
        lead: &|row| height(row) - 1,
    };
    list::rows(canvas, body, &list, &mut |place, line| {
        let Some(shown) = browser.shown.get(place) else {
            return Bits::new();
        };
        match &shown.heading {
            Some(heading) if line == 0 => Bits::new()
                .say(Role::Dim, "── ")
                .add(Role::Title, heading.clone())
                .say(Role::Dim, " ──"),
            _ => browser.rows.get(shown.row).map_or_else(Bits::new, |row| {
                line_of(canvas.state.now, row, shown, &columns)
            }),
        }
    });
    let bits = hidden(browser);
    canvas.pen.line(
        Rect::new(
            note.x + 1,
            note.y,
            note.width.saturating_sub(1),
            note.height,
        ),
        &bits,
    );
}

fn heading(columns: &Columns) -> Bits {
    let cell = |bits: Bits, word: &'static str, width: usize| {
        bits.cell(Role::Dim, word, width).say(Role::Text, " ")
    };
    let bits = Bits::new().say(Role::Text, " ");
    let bits = cell(bits, "STATUS", STATUS);
    let bits = cell(bits, "SYSTEM", columns.system);
    let bits = cell(bits, "TITLE", columns.title);
    let bits = cell(bits, "STOPPED AT", columns.place);
    let bits = bits.cell(
        Role::Dim,
        if columns.badges > 2 { "FLAGS" } else { "" },
        columns.badges,
    );
    let bits = cell(bits, "DONE", columns.bar + 6);
    bits.say(Role::Dim, " LAST")
}

fn line_of(
    now: chrono::DateTime<chrono::FixedOffset>,
    row: &Row,
    shown: &ShownRow,
    columns: &Columns,
) -> Bits {
    let pipeline = &row.pipeline;
    let (sign, role) = look::status(pipeline.standing.status);
    let word = Clean::new(pipeline.standing.status.word());
    let status = Bits::new()
        .say(role, sign)
        .say(role, " ")
        .lit(role, word, shown.hits.of(Column::Status))
        .pad(STATUS + 1);
    let system = Bits::new()
        .lit(
            Role::Text,
            Clean::new(pipeline.system.0),
            shown.hits.of(Column::System),
        )
        .pad(columns.system + 1);
    let title = Bits::new()
        .lit(Role::Text, row.title.clone(), shown.hits.of(Column::Title))
        .pad(columns.title)
        .say(Role::Text, " ");
    let place = Bits::new()
        .lit(Role::Dim, row.place.clone(), shown.hits.of(Column::Place))
        .pad(columns.place)
        .say(Role::Text, " ");
    let age = Clean::from(format::age(now, pipeline.last_activity_at.map(|at| at.at)));
    let lead = AGE.saturating_sub(age.width());
    status
        .join(system)
        .join(title)
        .join(place)
        .join(badges(row, shown, columns.badges))
        .join(look::bar(pipeline.progress, columns.bar))
        .say(Role::Text, " ")
        .cell(Role::Text, look::fraction(pipeline.progress), 5)
        .join(Bits::new().pad(lead + 1))
        .add(Role::Dim, age)
}

fn badges(row: &Row, shown: &ShownRow, width: usize) -> Bits {
    if width <= 2 {
        let alarming = row
            .pipeline
            .badges
            .iter()
            .any(|badge| look::is_alarming(*badge));
        let sign = if alarming { "!" } else { " " };
        return Bits::new().say(Role::Warn, sign).say(Role::Text, " ");
    }
    let hits = shown.hits.of(Column::Badges);
    if hits.is_empty() {
        look::badges(&row.pipeline)
            .pad(width - 1)
            .say(Role::Text, " ")
    } else {
        Bits::new()
            .lit(Role::Dim, row.badges.clone(), hits)
            .pad(width - 1)
            .say(Role::Text, " ")
    }
}

/// What is not shown, and the key that shows it.
fn hidden(browser: &Browser) -> Bits {
    let mut bits = Bits::new();
    let scope = browser.scope.or(browser.request.scope);
    if let Some(scope) = scope {
        bits = bits
            .say(Role::Dim, "scope ")
            .say(Role::Text, scope.word())
            .say(Role::Dim, "   ");
    }
    if browser.hidden_complete > 0 {
        bits = bits
            .add(Role::Dim, clean!("+{} complete ", browser.hidden_complete))
            .say(Role::Key, "c")
            .say(Role::Dim, "   ");
    }
    if browser.elsewhere > 0 {
        bits = bits
            .add(
                Role::Dim,
                clean!("+{} outside the scope ", browser.elsewhere),
            )
            .say(Role::Key, "a")
            .say(Role::Dim, "   ");
    }
    if !browser.skipped.is_empty() {
        let count = u64::try_from(browser.skipped.len()).unwrap_or(0);
        let files = format::count(count, "file");
        bits = bits.add(Role::Dim, clean!("{} skipped: not a pipeline", files));
    }
    if browser.ticket.is_some() {
        bits = bits.say(Role::Dim, "   searching …");
    }
    bits
}

/// Nothing to show: says what was searched, why nothing is there, and which key helps.
fn empty(canvas: &mut Canvas<'_>, area: Rect) {
    let browser = &canvas.state.browser;
    let mut out = Vec::new();
    let plain = |text: Clean| Bits::new().add(Role::Text, text);
    let key = |key: &'static str, text: Clean| {
        Bits::new()
            .say(Role::Text, "  ")
            .say(Role::Key, key)
            .pad(8)
            .add(Role::Text, text)
    };
    if let Some(trouble) = &browser.trouble {
        out.push(
            Bits::new()
                .say(Role::Bad, "✗ ")
                .add(Role::Title, trouble.text.clean()),
        );
        out.extend(trouble.hints.iter().map(|hint| plain(hint.clean())));
        out.push(key("F5", Clean::new("try again")));
    } else if !browser.surveyed {
        out.push(
            Bits::new()
                .say(Role::Accent, look::spinner(canvas.state.beat))
                .say(Role::Title, " Searching for pipelines …"),
        );
        out.push(Bits::new().say(Role::Dim, "Rows appear here as they are found."));
    } else if browser.hidden_filter > 0 {
        out.push(Bits::new().say(Role::Title, "No pipeline matches the filter."));
        out.push(plain(clean!(
            "{} pipelines do not match \"{}\".",
            browser.hidden_filter,
            browser.filter.text()
        )));
        out.push(key("Esc", Clean::new("clear the filter")));
    } else {
        out.push(Bits::new().say(Role::Title, "No interrupted pipeline found."));
        if !browser.searched.is_empty() {
            out.push(Bits::new().say(Role::Dim, "Searched:"));
            let width = usize::from(area.width).saturating_sub(8);
            for path in browser.searched.iter().take(6) {
                out.push(
                    Bits::new()
                        .say(Role::Text, "  ")
                        .add(Role::Text, clean!("{}", path).clip_start(width)),
                );
            }
            if let Some(more @ 1..) = browser.searched.len().checked_sub(6) {
                out.push(Bits::new().add(Role::Dim, clean!("  (+{} more)", more)));
            }
        }
        out.push(Bits::new());
        if browser.hidden_complete > 0 {
            out.push(key(
                "c",
                clean!("show {} complete pipelines", browser.hidden_complete),
            ));
        }
        let elsewhere = if browser.elsewhere > 0 {
            clean!("widen the scope: {} more outside", browser.elsewhere)
        } else {
            Clean::new("widen the scope: the repository, then the machine")
        };
        out.push(key("a", elsewhere));
        out.push(key("?", Clean::new("show every key")));
        if browser.count(Status::Complete) == 0 {
            out.push(Bits::new());
            out.push(Bits::new().say(
                Role::Dim,
                "relight demo builds a sandbox to try everything.",
            ));
        }
    }
    let top = area.y
        + area
            .height
            .saturating_sub(u16::try_from(out.len()).unwrap_or(0))
            / 3;
    let wide = out.iter().map(Bits::width).max().unwrap_or(0);
    let x = area.x + area.width.saturating_sub(u16::try_from(wide).unwrap_or(0)) / 2;
    let place = Rect::new(x, top, area.right() - x, area.bottom().saturating_sub(top));
    crate::tui::view::lines(canvas, place, &out);
}
