//! The hand-off: where to stand, what to type, what to hand over.

use super::words::{block, heading, under};
use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::model::{Clean, Handoff};

/// The hand-off of something that was only shown: its briefing is counted.
pub(super) fn brief(handoff: &Handoff, width: usize) -> Vec<Line> {
    let mut lines = heading("Hand-off").to_vec();
    lines.extend(command(handoff));
    if !handoff.briefing.is_empty() {
        let count = handoff.briefing.lines().count();
        let text = clean!(
            "  A briefing of {} lines goes with it; --json has it whole.",
            count
        );
        lines.extend(under(
            Span::plain(Clean::empty()),
            Tone::Faint,
            &text,
            width,
        ));
    }
    lines
}

/// The hand-off of something that was done: its briefing is whole and unwrapped, because it is copied.
pub(super) fn whole(handoff: &Handoff) -> Vec<Line> {
    let mut lines = heading("Hand-off").to_vec();
    lines.push(vec![
        Span(Tone::Faint, Clean::new("  in      ")),
        Span::plain(clean!("{}", handoff.cwd)),
    ]);
    lines.extend(command(handoff));
    if let Some(file) = &handoff.briefing_file {
        lines.push(vec![
            Span(Tone::Faint, Clean::new("  briefing ")),
            Span::plain(clean!("{}", file)),
        ]);
    }
    if !handoff.briefing.is_empty() {
        lines.extend(heading("Briefing"));
        lines.extend(block(&handoff.briefing));
    }
    lines
}

/// The command line and what to type once it runs.
fn command(handoff: &Handoff) -> Vec<Line> {
    let mut lines = Vec::new();
    match handoff.command_line() {
        Some(command) => lines.push(vec![
            Span::plain(Clean::new("  ")),
            Span(Tone::Strong, Clean::new(&command)),
        ]),
        None if handoff.argv.is_empty() => {}
        None => lines.push(vec![Span(
            Tone::Warn,
            Clean::new("  The command holds characters that must not be copied; see --json."),
        )]),
    }
    // The command carries the prompt as its last word.
    if handoff.argv.last() != Some(&handoff.prompt) && !handoff.prompt.is_empty() {
        lines.push(vec![Span(Tone::Faint, Clean::new("  prompt:"))]);
        lines.extend(
            handoff
                .prompt
                .lines()
                .map(|l| vec![Span::plain(Clean::new("  ")), Span::plain(&l)]),
        );
    }
    lines
}
