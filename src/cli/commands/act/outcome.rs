//! What was done, how it was verified, how to undo it, and how the orchestrator resumes.

use crate::cli::commands::handoff;
use crate::cli::prelude::*;
use crate::model::actions_done;

/// The outcome of a plan that was applied.
pub(super) fn outcome(
    session: &Session,
    plan: &Plan,
    (outcome, can_undo): (&Outcome, bool),
    page: &mut Page,
) {
    match &outcome.recovery {
        Some(found) => recovered(session, plan, (found, can_undo), &outcome.verified, page),
        None => page.say(Tone::Plain, "No change was needed."),
    }
    outcome.notes.iter().for_each(|note| page.warn(note));
    if let Some(handoff) = &outcome.handoff {
        handoff::whole(handoff, handoff.limit(session.engine.now()), page);
        if let Some(found) = session.engine.continuation(plan, handoff) {
            handoff::continuation(&found, session.engine.now(), page);
        }
    }
}

fn recovered(
    session: &Session,
    plan: &Plan,
    (recovery, can_undo): (&Recovery, bool),
    verified: &[Foreign],
    page: &mut Page,
) {
    let done = actions_done(&plan.actions);
    let text = match plan.asked.reversal() {
        None => clean!("Done: {}.", done),
        Some((Reversal::Undo, recovery)) => clean!("Undone: {} ({}).", recovery.0, done),
        Some((Reversal::Redo, recovery)) => clean!("Redone: {} ({}).", recovery.0, done),
    };
    page.say(Tone::Strong, text);
    for sentence in verified {
        page.under(Tone::Good.of("  ✓ "), Tone::Plain, sentence);
    }
    page.fact("recovery", &recovery.id.0);
    if can_undo {
        let (reversal, named) = recovery.way_back();
        page.command(reversal.noun(), session.about(reversal.noun(), named));
    }
    page.command("compare", session.compare(&plan.pipeline, &recovery.id));
    if recovery.kept_bytes > 0 {
        let size = size(recovery.kept_bytes);
        match recovery.kept_in.first() {
            Some(folder) => {
                let folders = recovery.kept_in.iter().map(Present::present);
                let text = clean_list(&folders.collect::<Vec<_>>(), 1);
                let text = clean!("{} in {}", size, text);
                page.fact("backups", Naming(&text, folder));
            }
            None => page.fact("backups", size),
        }
    }
}
