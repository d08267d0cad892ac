//! What is asked before a replay runs, goes on, stops, or is left behind.

use super::pen::Bits;
use super::{paragraph, replay_plan};
use crate::clean;
use crate::model::{Clean, ReplayPlan, ReplaySession};
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::words;

/// What running a plan means: how often, where, with what; the last lines stand next to the answer.
pub(super) fn run(plan: &ReplayPlan, command: Option<&Clean>, room: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    let mut say = |lead: Bits, role: Role, text: &Clean| {
        lines.extend(paragraph(&lead, role, text, room));
    };
    let steps = words::count_of(plan.steps.len(), "dispatch", "dispatches");
    let runs = words::count_of(plan.ask.repeat, "run", "independent runs");
    let starts = plan.steps.len().saturating_mul(plan.ask.repeat);
    let none = Bits::new;
    say(
        none(),
        Role::Text,
        &clean!("{} of {}, in {}.", runs, steps, plan.pipeline.0),
    );
    if plan.mutations.is_empty() {
        let text = Clean::new("Nothing is swapped: it is the same once more.");
        say(none(), Role::Text, &text);
    }
    for swap in &plan.mutations {
        say(
            none().say(Role::Accent, "⇄ "),
            Role::Text,
            &swap.mutation.text().clean(),
        );
    }
    let text = match &plan.runner {
        Some(_) => clean!(
            "Each dispatch is given to {}. {} in all may cost money.",
            replay_plan::runner(plan),
            words::count_of(
                starts,
                "program that is started",
                "programs that are started"
            )
        ),
        None => {
            Clean::new("Without a runner only the dispatch files are written; a person runs them.")
        }
    };
    say(none(), Role::Text, &text);
    let known = plan
        .steps
        .iter()
        .filter_map(|step| step.original.duration_s);
    let total = known.sum::<u64>().saturating_mul(plan.ask.repeat as u64);
    if total > 0 && plan.runner.is_some() {
        let text = clean!(
            "About {}, a guess by the original's times, one after the other.",
            words::duration(total)
        );
        say(none(), Role::Text, &text);
    }
    if let Some(command) = command {
        say(none().pad(2), Role::Dim, command);
    }
    let text = "Only relight's own state is written: the pipeline's files and your work tree are not touched. To replay \
                in your work tree instead, use relight replay with --in-place.";
    say(none(), Role::Text, &Clean::new(text));
    let number = plan.confounders.len();
    if number > 0 {
        let text = clean!(
            "{} a comparison less than fair; the plan lists {}.",
            words::count_of(number, "thing makes", "things make"),
            if number == 1 { "it" } else { "them" }
        );
        say(none().say(Role::Warn, "! "), Role::Text, &text);
    }
    lines
}

/// What going on with a session means.
pub(super) fn go_on(session: &ReplaySession, room: usize) -> Vec<Bits> {
    let counts = session.dispatches;
    let text = clean!(
        "Replay {} of {}: {} done, {} failed, {} without an answer; {} left.",
        session.id.0,
        session.pipeline.0,
        counts.done,
        counts.failed,
        counts.error,
        counts.left
    );
    let mut lines = paragraph(&Bits::new(), Role::Text, &text, room);
    let text = if session.runner.is_empty() {
        Clean::new("It has no runner: its files are written, and a person runs them.")
    } else {
        clean!(
            "Each of those left is given to {}: programs are started, and they may cost money.",
            session.runner
        )
    };
    lines.extend(paragraph(&Bits::new(), Role::Text, &text, room));
    let text = if session.in_place {
        Clean::new("It works in the pipeline's own work tree.")
    } else {
        Clean::new("Only relight's own state is written: the pipeline's files are not touched.")
    };
    lines.extend(paragraph(&Bits::new(), Role::Text, &text, room));
    lines
}

/// What stopping the replay that runs means; `leaving` where the console ends with it.
pub(super) fn stop(state: &State, leaving: bool, room: usize) -> Vec<Bits> {
    let Some(running) = &state.replaying else {
        return Vec::new();
    };
    let (done, total) = running.steps();
    let text = clean!(
        "{}: {} of {} dispatches have ended.",
        running.title,
        done,
        total
    );
    let mut lines = paragraph(&Bits::new(), Role::Text, &text, room);
    let text = "What has been done is kept and can be continued; what is under way is stopped and run anew then.";
    lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    if leaving {
        let text = "The console ends as soon as the programs that it started have stopped.";
        lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    }
    lines
}
