//! What was done, how it was verified, how it is taken back, and how the orchestrator goes on.

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::deeds::done_words;
use crate::cli::commands::handoff;
use crate::cli::commands::setup::Session;
use crate::cli::commands::words::{command, fact, size, under};
use crate::model::{Asked, Clean, Foreign, Handoff, Outcome, Plan, Recovery};

/// The outcome of a plan that was carried out.
pub(super) fn lines(session: &Session, plan: &Plan, outcome: &Outcome, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    match &outcome.recovery {
        Some(recovery) => {
            lines.extend(recovered(session, plan, recovery, width, &outcome.verified));
        }
        None => lines.push(vec![Span::plain(Clean::new("Nothing had to be changed."))]),
    }
    for note in &outcome.notes {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        lines.extend(under(head, Tone::Plain, &note.clean(), width));
    }
    if let Some(handoff) = &outcome.handoff {
        lines.extend(handoff::whole(handoff));
    }
    lines
}

fn recovered(
    session: &Session,
    plan: &Plan,
    recovery: &Recovery,
    width: usize,
    verified: &[Foreign],
) -> Vec<Line> {
    let done = done_words(&plan.actions);
    let what = match &plan.asked {
        Asked::Resume { .. } => clean!("Done: {}.", done),
        Asked::Undo { recovery: of, .. } => clean!("{} is taken back: {}.", of.0, done),
    };
    let mut lines = under(Span::plain(Clean::empty()), Tone::Strong, &what, width);
    for sentence in verified {
        let head = Span(Tone::Good, Clean::new("  ✓ "));
        lines.extend(under(head, Tone::Plain, &sentence.clean(), width));
    }
    let id = Clean::new(&recovery.id.0);
    lines.extend(fact("recovery", Tone::Plain, &id, width));
    lines.push(command("undo", &session.about("undo", &recovery.id)));
    let compare = session.compare(&plan.pipeline, &recovery.id);
    lines.push(command("compare", &compare));
    let bytes = size(recovery.kept_bytes);
    let kept = match recovery.kept_in.as_slice() {
        _ if recovery.kept_bytes == 0 => return lines,
        [] => bytes,
        [one] => clean!("{} in {}", bytes, one),
        [first, rest @ ..] => clean!("{} in {} and {} more", bytes, first, rest.len()),
    };
    lines.extend(fact("kept", Tone::Plain, &kept, width));
    lines
}

/// Nothing on disk had to change.
pub(super) fn handed_over(handoff: &Handoff) -> Vec<Line> {
    let said = Clean::new("Nothing to restore; the hand-off follows.");
    let mut lines = vec![vec![Span::plain(said)]];
    lines.extend(handoff::whole(handoff));
    lines
}
