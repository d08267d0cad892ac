//! `relight timeline`.

use super::setup::Session;
use super::words::moment;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::Target;
use crate::cli::report::TimelineReport;
use crate::model::{Clean, Event, EventMark, Timeline};

pub(super) fn run(session: &Session, target: &Target, width: usize) -> Result<Answer, Failure> {
    let timeline = super::readable(session, target)?.timeline;
    let page = lines(timeline.clone(), width);
    Ok(Answer {
        exit: Exit::Done,
        wire: Box::new(TimelineReport(timeline)),
        page: Box::new(page),
        notes: vec![],
    })
}

/// One line an event, made as it is printed.
fn lines(timeline: Timeline, width: usize) -> impl Iterator<Item = Line> {
    (0..timeline.len())
        .filter_map(move |at| timeline.get(at))
        .map(move |event| line(&event, width))
}

fn line(event: &Event, width: usize) -> Line {
    let time = match (&event.at, &event.at_text) {
        (Some(_), _) => moment(event.at),
        (None, Some(text)) => text.clean(),
        (None, None) => Clean::empty(),
    };
    let (sign, tone) = match event.mark {
        EventMark::Plain => (" ", Tone::Plain),
        EventMark::Warning => ("!", Tone::Warn),
        EventMark::Error => ("✗", Tone::Bad),
    };
    let pad = |text: &Clean, cells: usize| {
        let text = text.clip(cells);
        Clean::from_clean_parts(format_args!(
            "{text}{}",
            " ".repeat(cells.saturating_sub(text.width()))
        ))
    };
    let phase = event
        .phase
        .as_ref()
        .map(crate::model::Foreign::clean)
        .unwrap_or_default();
    let head = clean!("{} {} {} ", pad(&time, 19), sign, pad(&phase, 5));
    let what = match &event.status {
        Some(status) if *status != event.kind => clean!(
            "{} {} {}  {}",
            event.kind,
            status,
            event.subject,
            event.text
        ),
        _ => clean!("{} {}  {}", event.kind, event.subject, event.text),
    };
    let room = if width == usize::MAX {
        width
    } else {
        width.saturating_sub(head.width()).max(20)
    };
    vec![Span(Tone::Faint, head), Span(tone, what.clip(room))]
}
