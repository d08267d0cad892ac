//! The list of pipelines, with a preview of the selected one.

use ratatui::layout::Rect;

use super::preview;
use crate::clean;
use crate::model::filter::Column as Filtered;
use crate::model::{Clean, Status};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::screens::browser::{Browser, BrowserScreen, Row, ShownRow};
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, look, split_left, split_top};

/// From this width on the preview is beside the list.
const SIDE: u16 = 150;

/// From this width on flags are written out, instead of one mark for the alarming ones.
const FLAGS: usize = 110;

/// The columns, where flags are written out or only marked.
const fn columns(flags: Column) -> [Column; 7] {
    [
        Column::cells("STATUS", 13),
        Column::cells("SYSTEM", 14),
        Column::share("TITLE", 3),
        Column::share("STOPPED AT", 2),
        flags,
        Column::cells("DONE", 10),
        Column::cells("LAST WRITE", 10).right(),
    ]
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
    let state = canvas.state;
    let browser = &state.browser;
    let written = usize::from(area.width) >= FLAGS;
    let columns = columns(if written {
        Column::cells("FLAGS", 17)
    } else {
        Column::cells("", 1)
    });
    let (body, note) = split_top(area, area.height.saturating_sub(1));
    let table = Table {
        id: ListId::of::<BrowserScreen>(),
        columns: &columns,
        len: browser.shown.len(),
        selected: browser.cursor.place(&browser.ids),
        focus: true,
        above: &|row| {
            let heading = browser.shown.get(row)?.heading.clone()?;
            let line = Bits::of(Role::Dim, "── ").say(Role::Title, heading);
            Some(line.say(Role::Dim, " ──"))
        },
    };
    table::draw(canvas, body, &table, &|place| {
        let shown = browser.shown.get(place);
        let row = shown.and_then(|shown| Some((browser.rows.get(shown.row)?, shown)));
        let row = row.map(|(row, shown)| cells(state.now, row, shown, written));
        row.unwrap_or_default()
    });
    let note = crate::tui::view::indented(note);
    canvas.pen.line(note, &hidden(browser));
}

fn cells(
    now: chrono::DateTime<chrono::FixedOffset>,
    row: &Row,
    shown: &ShownRow,
    flags: bool,
) -> Vec<Bits> {
    let pipeline = &row.pipeline;
    let (sign, role) = look::status(pipeline.standing.status);
    let lit = |role, text: Clean, column| Bits::new().lit(role, text, shown.hits.of(column));
    let status = Clean::new(pipeline.standing.status.word());
    let age = format::age(now, pipeline.reading.last_activity_at.map(|at| at.at));
    vec![
        Bits::of(role, sign)
            .gap(1)
            .join(lit(role, status, Filtered::Status)),
        lit(
            Role::Text,
            Clean::new(pipeline.reading.system.0),
            Filtered::System,
        ),
        lit(Role::Text, row.title.clone(), Filtered::Title),
        lit(Role::Dim, row.place.clone(), Filtered::Place),
        badges(row, shown, flags),
        look::bar(pipeline.reading.progress, 4)
            .gap(1)
            .say(Role::Text, look::fraction(pipeline.reading.progress)),
        Bits::of(Role::Dim, age),
    ]
}

fn badges(row: &Row, shown: &ShownRow, written: bool) -> Bits {
    let hits = shown.hits.of(Filtered::Badges);
    let badges = &row.pipeline.reading.badges;
    match written {
        true if hits.is_empty() => look::badges(&row.pipeline),
        true => Bits::new().lit(Role::Dim, row.badges.clone(), hits),
        false if badges.iter().any(|badge| look::is_alarming(*badge)) => Bits::of(Role::Warn, "!"),
        false => Bits::new(),
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
            .say(Role::Dim, clean!("+{} complete ", browser.hidden_complete))
            .say(Role::Key, "c")
            .say(Role::Dim, "   ");
    }
    if browser.elsewhere > 0 {
        bits = bits
            .say(
                Role::Dim,
                clean!("+{} outside the scope ", browser.elsewhere),
            )
            .say(Role::Key, "a")
            .say(Role::Dim, "   ");
    }
    if !browser.skipped.is_empty() {
        let count = u64::try_from(browser.skipped.len()).unwrap_or(0);
        let files = format::count(count, "file");
        bits = bits.say(Role::Dim, clean!("{} skipped: not a pipeline", files));
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
    let plain = |text: Clean| Bits::of(Role::Text, text);
    let key = |key: &'static str, text: Clean| {
        Bits::new()
            .gap(2)
            .say(Role::Key, key)
            .pad(8)
            .say(Role::Text, text)
    };
    if let Some(trouble) = &browser.trouble {
        out.push(Bits::of(Role::Bad, "✗ ").say(Role::Title, trouble.text.clean()));
        out.extend(trouble.hints.iter().map(|hint| plain(hint.clean())));
        out.push(key("F5", Clean::new("try again")));
    } else if !browser.surveyed {
        out.push(
            Bits::of(Role::Accent, look::spinner(canvas.state.beat))
                .say(Role::Title, " Searching for pipelines …"),
        );
        out.push(Bits::of(Role::Dim, "Rows appear here as they are found."));
    } else if browser.hidden_filter > 0 {
        out.push(Bits::of(Role::Title, "No pipeline matches the filter."));
        out.push(plain(clean!(
            "{} pipelines do not match \"{}\".",
            browser.hidden_filter,
            browser.filter.text()
        )));
        out.push(key("Esc", Clean::new("clear the filter")));
    } else {
        out.push(Bits::of(Role::Title, "No interrupted pipeline found."));
        if !browser.searched.is_empty() {
            out.push(Bits::of(Role::Dim, "Searched:"));
            let width = usize::from(area.width).saturating_sub(8);
            for path in browser.searched.iter().take(6) {
                out.push(
                    Bits::new()
                        .gap(2)
                        .say(Role::Text, clean!("{}", path).clip_start(width)),
                );
            }
            if let Some(more @ 1..) = browser.searched.len().checked_sub(6) {
                out.push(Bits::of(Role::Dim, clean!("  (+{} more)", more)));
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
            out.push(Bits::of(
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
