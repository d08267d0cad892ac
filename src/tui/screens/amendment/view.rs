//! The form of an amendment, a row each.

use ratatui::layout::{Position, Rect};

use super::{AmendForm, Row};
use crate::clean;
use crate::model::{AmendKind, Clean};
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::Canvas;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;

/// Width of the labels.
const LABEL: usize = 18;

/// Draws the screen.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, form: &AmendForm) {
    let rows = form.rows();
    let list = List {
        id: ListId::of::<AmendForm>(),
        len: rows.len(),
        selected: Some(form.place),
        focus: true,
        height: &|_| 1,
        lead: &|_| 0,
    };
    let room = usize::from(area.width).saturating_sub(LABEL + 3);
    list::rows(canvas, area, &list, &mut |row, _| {
        rows.get(row)
            .map_or_else(Bits::new, |row| line(form, *row, room))
    });
    let Some(field) = form.field_of(form.row()).filter(|field| field.open) else {
        return;
    };
    let column = LABEL + 1 + field.column().min(room);
    let x = area
        .x
        .saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
    let y = area
        .y
        .saturating_add(u16::try_from(form.place).unwrap_or(u16::MAX));
    if y < area.bottom() {
        canvas.cursor = Some(Position {
            x: x.min(area.right().saturating_sub(1)),
            y,
        });
    }
}

fn line(form: &AmendForm, row: Row, room: usize) -> Bits {
    let say = |label: &'static str| Bits::of(Role::Text, label).pad(LABEL);
    let choice = |text: Clean, note: &'static str| {
        Bits::of(Role::Dim, "‹ ")
            .say(Role::Title, text)
            .say(Role::Dim, " ›  ")
            .say(Role::Dim, note)
    };
    let kind = form.kind();
    let (label, empty) = match row {
        Row::Kind => return say("type").join(choice(Clean::new(kind.word()), meaning(kind))),
        Row::Stage => {
            let label = match kind {
                AmendKind::StageInsert => "after stage",
                _ => "stage",
            };
            let stage = form.stage().map_or("", String::as_str);
            return say(label).join(choice(clean!("{}", stage), ""));
        }
        Row::Change => match kind {
            AmendKind::StageInsert => ("new stage", "{\"name\": …}, or the path of a file with it"),
            AmendKind::CriteriaChange => ("criteria", "what the results must fulfill"),
            _ => (
                "change",
                "parameters.NAME=VALUE, inputs=[…] or backend=NAME",
            ),
        },
        Row::Reason => ("reason", "why the plan changes"),
        Row::ApprovedBy => ("approved by", "git's user.name"),
        Row::Go => {
            return Bits::of(Role::Key, "p")
                .say(Role::Title, " shows the plan")
                .say(Role::Dim, "  nothing is written");
        }
    };
    let Some(field) = form.field_of(row) else {
        return say(label);
    };
    let text = Clean::new(field.text());
    say(label).join(if field.open {
        Bits::of(Role::Title, text.clip_start(room)).say(Role::Dim, "▏")
    } else if field.is_empty() {
        Bits::of(Role::Dim, empty)
    } else {
        Bits::of(Role::Accent, text.clip_start(room))
    })
}

fn meaning(kind: AmendKind) -> &'static str {
    match kind {
        AmendKind::ParameterChange | AmendKind::StageRerun => {
            "this stage and what depends on it run again"
        }
        AmendKind::CriteriaChange => "this stage runs again",
        AmendKind::StageInsert => "what depends on the stage then needs the new one too",
        AmendKind::StageSkip => "this stage is not needed",
    }
}
