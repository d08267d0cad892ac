//! The timeline. Only the rows that are seen are ever made, so that a million of them cost nothing.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{Pane, TimelineView};
use crate::model::Event;
use crate::tui::geometry::Window;
use crate::tui::prelude::*;

/// A silence of so many seconds is drawn.
const GAP: i64 = 600;

/// So many rows back the latest time is looked for.
const NEAR: usize = 8;

/// The rows of one frame, each made once.
struct Made<'a> {
    timeline: &'a Timeline,
    view: &'a TimelineView,
    events: RefCell<HashMap<usize, Option<Event>>>,
}

impl<'a> Made<'a> {
    fn of(screen: &'a PipelineScreen, dossier: &'a Dossier) -> Self {
        Self {
            timeline: &dossier.timeline,
            view: &screen.timeline,
            events: RefCell::default(),
        }
    }

    fn with<T>(&self, row: usize, read: impl FnOnce(Option<&Event>) -> T) -> T {
        let event = self.view.event_at(row);
        let mut events = self.events.borrow_mut();
        let made = events.entry(event);
        read(made.or_insert_with(|| self.timeline.get(event)).as_ref())
    }

    fn stamp(&self, row: usize) -> Option<Stamp> {
        self.with(row, |event| event.and_then(|event| event.at))
    }

    fn lead(&self, row: usize) -> usize {
        usize::from(self.above(row).is_some())
    }

    /// What is said above a row: the date where it changes, the silence before it.
    fn above(&self, row: usize) -> Option<Clean> {
        let now = self.stamp(row)?;
        let date = || Clean::from(format::date(now.at));
        let Some(before) = row.checked_sub(1).and_then(|row| self.stamp(row)) else {
            return (row == 0).then(date);
        };
        let same_day = format::date(now.at) == format::date(before.at);
        let back = before.unix() - now.unix();
        if back >= GAP {
            let back = format::duration(back.unsigned_abs());
            return Some(clean!("the times in the records go back {}", back));
        }
        // After a time that went back, the silence is counted from the latest one before it.
        let near = (1..=NEAR).filter_map(|far| self.stamp(row.checked_sub(far)?));
        let latest = near.map(|stamp| stamp.unix()).max();
        let silence = now.unix() - latest.unwrap_or_else(|| before.unix());
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

/// How many of `most` lines the events have.
pub(super) fn height(screen: &PipelineScreen, dossier: &Dossier, most: usize) -> usize {
    let made = Made::of(screen, dossier);
    let (len, _) = screen.extent(Pane::Timeline, dossier);
    list::height_within(most, (0..len).map(|row| 1 + made.lead(row)))
}

/// Draws the events.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    list: List<'_>,
    dossier: &Dossier,
) {
    let view = &screen.timeline;
    let made = Made::of(screen, dossier);
    let list = List {
        height: &|row| 1 + made.lead(row),
        lead: &|row| made.lead(row),
        marks: Some(&view.problems),
        ..list
    };
    let seen = list::seen(canvas, area, &list);
    let columns = Columns::of(&made, &seen, usize::from(area.width));
    let mut line = |row: usize, line: usize| match made.above(row) {
        Some(above) if line == 0 => Bits::of(Role::Dim, "  ⋯ ").dim(above),
        _ => {
            let marked = view.marks.contains(&view.event_at(row));
            made.with(row, |event| match event {
                Some(event) => columns.line(event, marked),
                None => Bits::of(Role::Dim, "(the file is gone)"),
            })
        }
    };
    list::rows(canvas, area, &list, &mut line);
}

/// Cells of the bar of a duration.
const BAR: usize = 6;

/// From this width on there is room for it.
const WITH_BARS: usize = 96;

/// The cells of the columns, so that the texts of all rows that are seen begin below one another.
struct Columns {
    kind: usize,
    subject: usize,
    status: usize,
    /// The duration of a full bar; without it there is no column of bars.
    longest: Option<u64>,
}

impl Columns {
    fn of(made: &Made<'_>, seen: &Window, width: usize) -> Self {
        let most = (width / 4).clamp(12, 30);
        let mut all = Self {
            kind: 0,
            subject: 0,
            status: 0,
            longest: made.view.longest_s.filter(|_| width >= WITH_BARS),
        };
        for (row, _) in &seen.lines {
            made.with(*row, |event| {
                let Some(event) = event else { return };
                let status = status(event).map_or(0, |status| status.clean().width());
                all.kind = all.kind.max(event.kind.clean().width()).min(most);
                all.subject = all.subject.max(event.subject.clean().width()).min(most);
                all.status = all.status.max(status).min(most);
            });
        }
        all
    }

    fn line(&self, event: &Event, marked: bool) -> Bits {
        let (sign, role) = look::mark(event.mark);
        let time = match (&event.at, &event.at_text) {
            (Some(at), _) => format::clock(at.at).into(),
            (None, Some(text)) => text.clean(),
            (None, None) => Clean::new("–"),
        };
        let mut bits = Bits::new()
            .cell(Role::Dim, time, 8)
            .accent(if marked { "•" } else { " " })
            .say(role, sign)
            .gap(1);
        if let Some(longest) = self.longest {
            // Without a duration nothing is drawn: a short bar would state one.
            let took = event.duration_s;
            let bar = took.map(|took| look::duration_bar(took, longest, BAR));
            bits = bits.join(bar.unwrap_or_default().pad(BAR)).gap(1);
        }
        let status = status(event).map(Foreign::clean).unwrap_or_default();
        let cells = [
            (Role::Text, event.kind.clean(), self.kind),
            (Role::Accent, event.subject.clean(), self.subject),
            (role, status, self.status),
        ];
        for (role, text, width) in cells {
            if width > 0 {
                // Its end tells one task from another.
                let cell = Bits::of(role, text.clip(width)).aloud(text);
                bits = bits.join(cell.pad(width)).gap(1);
            }
        }
        bits.text(event.text.clean())
    }
}

/// The status, where it says more than the kind.
fn status(event: &Event) -> Option<&Foreign> {
    let status = event.status.as_ref();
    status.filter(|status| **status != event.kind)
}
