//! The timeline. Only the rows that are seen are ever made, so that a million of them cost nothing.

use crate::tui::screens::pipeline::{Pane, PipelineScreen, TimelineView};
use std::cell::RefCell;
use std::collections::HashMap;

use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Event, Stamp, Timeline};
use crate::text::format;
use crate::tui::data::Dossier;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look};

/// A silence of so many seconds is drawn.
const GAP: i64 = 600;

/// The rows of one frame, each made once.
struct Made<'a> {
    timeline: &'a Timeline,
    view: &'a TimelineView,
    events: RefCell<HashMap<usize, Option<Event>>>,
}

impl Made<'_> {
    fn with<T>(&self, row: usize, read: impl FnOnce(Option<&Event>) -> T) -> T {
        let event = self.view.event_at(row);
        let mut events = self.events.borrow_mut();
        let made = events
            .entry(event)
            .or_insert_with(|| self.timeline.get(event));
        read(made.as_ref())
    }

    fn stamp(&self, row: usize) -> Option<Stamp> {
        self.with(row, |event| event.and_then(|event| event.at))
    }

    /// What is said above a row: the date where it changes, the silence before it.
    fn above(&self, row: usize) -> Option<Clean> {
        let now = self.stamp(row)?;
        let date = || Clean::from(format::date(now.at));
        let Some(before) = row.checked_sub(1).and_then(|row| self.stamp(row)) else {
            return (row == 0).then(date);
        };
        let silence = now.unix() - before.unix();
        let same_day = format::date(now.at) == format::date(before.at);
        match (silence >= GAP, same_day) {
            (true, true) => Some(clean!("{} later", format::duration(silence.unsigned_abs()))),
            (true, false) => Some(clean!(
                "{} later · {}",
                format::duration(silence.unsigned_abs()),
                date()
            )),
            (false, false) => Some(date()),
            (false, true) => None,
        }
    }
}

/// Draws the events.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    focus: bool,
) {
    let view = &screen.timeline;
    let len = view.len(&dossier.timeline);
    if len == 0 {
        let why = if view.hits.is_some() {
            "No event matches the filter; Esc clears it."
        } else {
            "No events recorded."
        };
        nothing(canvas, area, why);
        return;
    }
    let made = Made {
        timeline: &dossier.timeline,
        view,
        events: RefCell::default(),
    };
    let height = |row: usize| 1 + usize::from(made.above(row).is_some());
    let kind = (usize::from(area.width) / 4).clamp(12, 30);
    let list = List {
        id: Pane::Timeline.list(),
        len,
        selected: view.row(&dossier.timeline),
        focus,
        height: &height,
        lead: &|row| usize::from(made.above(row).is_some()),
    };
    list::rows(
        canvas,
        area,
        &list,
        &mut |row, line| match made.above(row) {
            Some(above) if line == 0 => Bits::of(Role::Dim, "  ⋯ ").say(Role::Dim, above),
            _ => {
                let marked = view.marks.contains(&view.event_at(row));
                made.with(row, |event| match event {
                    Some(event) => line_of(event, marked, kind),
                    None => Bits::of(Role::Dim, "(the file is gone)"),
                })
            }
        },
    );
}

fn line_of(event: &Event, marked: bool, kind: usize) -> Bits {
    let (sign, role) = look::mark(event.mark);
    let time = match (&event.at, &event.at_text) {
        (Some(at), _) => format::clock(at.at).into(),
        (None, Some(text)) => text.clean(),
        (None, None) => Clean::new("–"),
    };
    let mut bits = Bits::new()
        .cell(Role::Dim, time, 8)
        .say(Role::Accent, if marked { "•" } else { " " })
        .say(role, sign)
        .gap(1)
        .cell(Role::Text, event.kind.clean(), kind)
        .gap(1);
    if !event.subject.is_empty() {
        bits = bits.say(Role::Accent, event.subject.clean()).gap(1);
    }
    if let Some(status) = event
        .status
        .as_ref()
        .filter(|status| **status != event.kind)
    {
        bits = bits.say(role, status.clean()).gap(1);
    }
    bits.say(Role::Text, event.text.clean())
}
