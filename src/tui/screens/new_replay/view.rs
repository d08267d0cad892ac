//! The form of a new replay.

use crate::tui::screens::new_replay::{FormRow, NewReplay, RUNNERS};
use crate::tui::view::loaded;
use ratatui::layout::{Position, Rect};

use crate::clean;
use crate::model::Clean;
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::state::field::Field;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, paragraph, split_top};

/// Width of the labels.
const LABEL: usize = 34;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &NewReplay) {
    if loaded(
        canvas,
        area,
        Some(&screen.base),
        "Reading the templates and resume points …",
    )
    .is_none()
    {
        return;
    }
    let width = usize::from(area.width).saturating_sub(3);
    let text = "Type a file to replace each template; an empty field keeps the template.";
    let lead = Bits::new().pad(1);
    let mut said = paragraph(&lead, Role::Dim, &Clean::new(text), width);
    said.push(Bits::new());
    let (head, body) = split_top(area, u16::try_from(said.len()).unwrap_or(0));
    crate::tui::view::lines(canvas, head, &said);
    let rows = screen.rows();
    let label = LABEL.min(width / 2);
    // A heading stands above the first row that is no template.
    let lead = |row: usize| usize::from(matches!(rows.get(row), Some(FormRow::From | FormRow::Go)));
    let list = List {
        id: ListId::of::<NewReplay>(),
        len: rows.len(),
        selected: Some(screen.place),
        focus: true,
        height: &|row| 1 + lead(row),
        lead: &lead,
    };
    list::rows(canvas, body, &list, &mut |row, line| match rows.get(row) {
        Some(kind) if line == lead(row) => form_row(screen, *kind, label),
        _ => Bits::new(),
    });
    cursor(canvas, body, screen, label, &lead);
}

/// Puts the cursor where a person writes.
fn cursor(
    canvas: &mut Canvas<'_>,
    body: Rect,
    screen: &NewReplay,
    label: usize,
    lead: &dyn Fn(usize) -> usize,
) {
    let mut form = screen.clone();
    let Some(field) = form.selected_field().filter(|field| field.open) else {
        return;
    };
    let first = canvas.map.page_of(ListId::of::<NewReplay>()).first;
    let lines: usize = (first..screen.place).map(|row| 1 + lead(row)).sum();
    let y = body.y + u16::try_from(lines + lead(screen.place)).unwrap_or(u16::MAX - body.y);
    let column = u16::try_from(label + 1 + field.column()).unwrap_or(u16::MAX);
    let x = body
        .x
        .saturating_add(column)
        .min(body.right().saturating_sub(1));
    if y < body.bottom() {
        canvas.cursor = Some(Position { x, y });
    }
}

fn form_row(screen: &NewReplay, row: FormRow, label: usize) -> Bits {
    let left = |bits: Bits| bits.pad(label);
    let choice = |text: Clean| {
        Bits::new()
            .say(Role::Dim, "‹ ")
            .add(Role::Title, text)
            .say(Role::Dim, " ›")
    };
    let number = |number: usize, note: &'static str| {
        choice(clean!("{}", number))
            .say(Role::Dim, "  ")
            .say(Role::Dim, note)
    };
    let say = |text: &'static str| left(Bits::new().say(Role::Text, text));
    match row {
        FormRow::Template(place) => {
            let Some(one) = screen.templates.get(place) else {
                return Bits::new();
            };
            let name = if one.original.is_empty() {
                Bits::new().say(Role::Text, "another: ORIGINAL=REPLACEMENT")
            } else {
                Bits::new()
                    .add(Role::Text, one.original.clean())
                    .add(Role::Dim, clean!("  ×{}", one.dispatches))
            };
            left(name).join(written(&one.field, "keep"))
        }
        FormRow::From => say("from").join(choice(from(screen))),
        FormRow::Repeat => {
            let note = if screen.repeat < 5 {
                "independent runs; differences between few runs are mostly noise"
            } else {
                "independent runs"
            };
            say("repeat").join(number(screen.repeat, note))
        }
        FormRow::Jobs => say("in parallel").join(number(screen.jobs, "within a wave")),
        FormRow::Runner => say("runner").join(choice(runner(screen))),
        FormRow::Folder => {
            say("templates in").join(written(&screen.folder, "the installed plugin"))
        }
        FormRow::Pin => say("templates pinned to").join(written(&screen.pin, "no commit")),
        FormRow::Go => Bits::new()
            .say(Role::Key, "p")
            .say(Role::Title, " shows the replay plan")
            .say(Role::Dim, "  nothing is written and nothing runs"),
    }
}

fn from(screen: &NewReplay) -> Clean {
    let Some(start) = screen.start() else {
        return Clean::new("the point before the first affected dispatch");
    };
    let number = format::count(start.redo.len(), "dispatch");
    match &start.unusable {
        Some(why) => clean!("{}: {} (not usable: {})", start.point.0, number, why),
        None => clean!("{}: {}, {}", start.point.0, start.label, number),
    }
}

fn runner(screen: &NewReplay) -> Clean {
    match RUNNERS.get(screen.runner) {
        None | Some(&"configured") => Clean::new("the configured one"),
        Some(&"none") => Clean::new("none: write the files, run them by hand"),
        Some(name) => Clean::new(name),
    }
}

fn written(field: &Field, empty: &'static str) -> Bits {
    let text = Clean::new(field.text());
    if field.open {
        return Bits::new().add(Role::Title, text).say(Role::Dim, "▏");
    }
    if field.is_empty() {
        return Bits::new().say(Role::Dim, empty);
    }
    Bits::new().add(Role::Accent, text)
}
