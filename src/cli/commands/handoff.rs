//! The hand-off: the directory, the command and the briefing.

use crate::cli::prelude::*;
use crate::model::Continuation;

/// The hand-off of a plan that was only shown: its briefing is counted, not printed.
pub(super) fn brief(handoff: &Handoff, limit: Option<String>, page: &mut Page) {
    page.heading("Hand-off");
    command(handoff, limit, page);
    if !handoff.briefing.is_empty() {
        let lines = count(handoff.briefing.lines().count(), "line");
        let text = format!("A briefing of {lines} is handed over with it (in full with --json).");
        page.indent(2, Tone::Faint, text);
    }
}

/// The hand-off of a plan that was applied: its briefing is printed in full and not wrapped, because it is copied.
pub(super) fn whole(handoff: &Handoff, limit: Option<String>, page: &mut Page) {
    page.heading("Hand-off");
    page.line([Tone::Faint.of("  directory "), Tone::Plain.of(&handoff.cwd)]);
    command(handoff, limit, page);
    if let Some(file) = &handoff.briefing_file {
        page.line([Tone::Faint.of("  briefing  "), Tone::Plain.of(file)]);
    }
    if !handoff.briefing.is_empty() {
        page.heading("Briefing");
        let lines = handoff.briefing.lines();
        page.lines(lines.map(|line| vec![Span::plain(line.verbatim())]));
    }
}

/// The alternative to the hand-off: resuming the conversation that stopped. Its content is neither shown nor handed
/// over.
pub(super) fn continuation(found: &Continuation, now: DateTime<FixedOffset>, page: &mut Page) {
    let Some(line) = found.resume.line() else {
        return;
    };
    page.heading("Or continue the conversation");
    page.line([Tone::Plain.of("  "), Tone::Strong.of(line)]);
    for sentence in found.sentences(now) {
        page.indent(2, Tone::Plain, sentence);
    }
}

/// The command line, what to type once it runs, and a limit that would stop it.
fn command(handoff: &Handoff, limit: Option<String>, page: &mut Page) {
    match handoff.command_line() {
        Some(command) => page.line([Tone::Plain.of("  "), Tone::Strong.of(command)]),
        None if handoff.argv.is_empty() => {}
        None => page.line([
            Tone::Warn.of("  The command has control or invisible characters; see --json.")
        ]),
    }
    // The prompt is the last argument of the command.
    if handoff.argv.last() != Some(&handoff.prompt) && !handoff.prompt.is_empty() {
        page.line([Tone::Faint.of("  prompt:")]);
        for line in handoff.prompt.lines() {
            page.line([Tone::Plain.of(clean!("  {}", line.verbatim()))]);
        }
    }
    if let Some(limit) = limit {
        page.warn(limit);
    }
}
