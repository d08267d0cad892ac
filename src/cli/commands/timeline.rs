//! `relight timeline`.

use std::cell::Cell;
use std::rc::Rc;

use crate::cli::prelude::*;
use crate::cli::report::TimelineReport;
use crate::engine::must_be_readable;
use crate::model::{Event, EventMark, Timeline, Zone, in_order};
use crate::text::{distinct, format};

pub(super) fn run(session: &Session, target: &Target) -> Result<Answer> {
    let id = super::plan::select(session, target)?;
    let (pipeline, timeline) = session.engine.timeline(&id)?;
    must_be_readable(&pipeline, &[])?;
    // Wide enough for the pipeline's own phases. An unknown phase is not truncated either.
    let ids = pipeline.reading.phases.iter();
    let ids = ids.map(|phase| phase.id.clean().width());
    let phase = ids.max().unwrap_or(0);
    // As wide as a time of now, with the mark of an assumed zone.
    let time = format::time_full(session.engine.now()).chars().count() + 1;
    let page = lines(timeline.clone(), (time, phase), session.width);
    Ok(Answer::new(TimelineReport(timeline), page))
}

/// One line for each event, built while it is printed, or one that says that there is none; at the end the meaning of
/// the mark of an assumed zone.
fn lines(timeline: Timeline, cells: (usize, usize), width: usize) -> impl Iterator<Item = Line> {
    let assumed = Rc::new(Cell::new(false));
    let seen = Rc::clone(&assumed);
    let none = timeline.is_empty();
    let none = none.then(|| vec![Tone::Plain.of("No events recorded.")]);
    let events = in_order(timeline).map(move |(_, event)| {
        let unknown = event.at.is_some_and(|at| at.zone == Zone::Assumed);
        seen.set(seen.get() || unknown);
        line(&event, cells, width)
    });
    let last = std::iter::once_with(move || {
        let text =
            "? zone assumed: the file states none for this time, so it is read as local time.";
        assumed.get().then(|| vec![Tone::Faint.of(text)])
    });
    none.into_iter().chain(events).chain(last.flatten())
}

/// `cells` are those of the time and of the phase.
fn line(event: &Event, (most, phase): (usize, usize), width: usize) -> Line {
    let time = match (event.at, &event.at_text) {
        (Some(at), _) => {
            let sign = if at.zone == Zone::Assumed { "?" } else { "" };
            clean!("{}{}", format::time_full(at.at), sign)
        }
        (None, Some(text)) => text.clean().clip(most),
        (None, None) => Clean::empty(),
    };
    let (sign, tone) = match event.mark {
        EventMark::Plain => (" ", Tone::Plain),
        EventMark::Warning => ("!", Tone::Warn),
        EventMark::Error => ("✗", Tone::Bad),
    };
    let of = event.phase.as_ref().map(Foreign::clean).unwrap_or_default();
    let head = clean!("{} {} {} ", pad(&time, most), sign, pad(&of, phase));
    let room = if width == usize::MAX {
        width
    } else {
        width.saturating_sub(head.width()).max(20)
    };
    vec![Tone::Faint.of(head), tone.of(what(event).clip(room))]
}

/// Kind, status and subject, without repetition, then the text.
fn what(event: &Event) -> Clean {
    let (kind, subject) = (Some(&event.kind), Some(&event.subject));
    let words = [kind, event.status.as_ref(), subject].into_iter().flatten();
    let words = distinct(words.filter(|word| !word.is_empty()));
    let words: Vec<String> = words.iter().map(|w| w.clean().into_string()).collect();
    let words = words.join(" ");
    if event.text.is_empty() {
        return Clean::from_clean_parts(format_args!("{words}"));
    }
    Clean::from_clean_parts(format_args!("{words}  {}", event.text.clean()))
}

fn pad(text: &Clean, cells: usize) -> Clean {
    let space = " ".repeat(cells.saturating_sub(text.width()));
    Clean::from_clean_parts(format_args!("{text}{space}"))
}
