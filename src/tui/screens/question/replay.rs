//! What is asked before a replay runs, goes on, stops, or is left behind.

use crate::clean;
use crate::model::{Clean, ReplayPlan, ReplaySession};
use crate::text::format;
use crate::tui::screens::replay_plan;
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::view::paragraph;
use crate::tui::view::pen::Bits;

/// What running a plan means: how often, where, with what; the last lines stand next to the answer.
pub(crate) fn run(plan: &ReplayPlan, command: Option<&Clean>, room: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    let mut say = |lead: Bits, role: Role, text: &Clean| {
        lines.extend(paragraph(&lead, role, text, room));
    };
    let steps = format::count(plan.steps.len(), "dispatch");
    let runs = format::count_of(plan.ask.repeat, "run", "independent runs");
    let starts = plan.steps.len().saturating_mul(plan.ask.repeat);
    let none = Bits::new;
    say(
        none(),
        Role::Text,
        &clean!("{} of {}, in {}.", runs, steps, plan.pipeline.0),
    );
    if plan.mutations.is_empty() {
        let text = Clean::new("No template is replaced: the same dispatches run again.");
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
            "Each dispatch runs with {}. It starts {}, which may cost money.",
            replay_plan::runner(plan),
            format::count(starts, "program")
        ),
        None => Clean::new(
            "Without a runner, relight only writes the dispatch files; run them by hand.",
        ),
    };
    say(none(), Role::Text, &text);
    let known = plan
        .steps
        .iter()
        .filter_map(|step| step.original.duration_s);
    let total = known.sum::<u64>().saturating_mul(plan.ask.repeat as u64);
    if total > 0 && plan.runner.is_some() {
        let text = clean!(
            "Estimated time: {}, from the original's times, one after the other.",
            format::duration(total)
        );
        say(none(), Role::Text, &text);
    }
    if let Some(command) = command {
        say(none().pad(2), Role::Dim, command);
    }
    let text = "Only relight's own state is written; the pipeline's files and your work tree do not change. To replay \
                in your work tree, use relight replay --in-place.";
    say(none(), Role::Text, &Clean::new(text));
    let number = plan.confounders.len();
    if number > 0 {
        let text = clean!(
            "{} the comparison; the plan lists {}.",
            format::count_of(number, "confounder affects", "confounders affect"),
            format::plural(number, "it", "them")
        );
        say(none().say(Role::Warn, "! "), Role::Text, &text);
    }
    lines
}

/// What going on with a session means.
pub(crate) fn go_on(session: &ReplaySession, room: usize) -> Vec<Bits> {
    let counts = session.dispatches;
    let text = clean!(
        "Replay {} of {}: {} done, {} failed, {} without a result; {} left.",
        session.id.0,
        session.pipeline.0,
        counts.done,
        counts.failed,
        counts.error,
        counts.left
    );
    let mut lines = paragraph(&Bits::new(), Role::Text, &text, room);
    let text = if session.runner.is_empty() {
        Clean::new("It has no runner: relight writes its files; run them by hand.")
    } else {
        clean!(
            "Each remaining dispatch runs with {}: this starts programs and may cost money.",
            session.runner
        )
    };
    lines.extend(paragraph(&Bits::new(), Role::Text, &text, room));
    let text = if session.in_place {
        Clean::new("It runs in the pipeline's own work tree.")
    } else {
        Clean::new("Only relight's own state is written; the pipeline's files do not change.")
    };
    lines.extend(paragraph(&Bits::new(), Role::Text, &text, room));
    lines
}

/// What stopping the replay that runs means; `leaving` where the console ends with it.
pub(crate) fn stop(state: &State, leaving: bool, room: usize) -> Vec<Bits> {
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
    let text = "Finished dispatches are kept; the replay can be continued. Running dispatches stop and run again then.";
    lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    if leaving {
        let text = "The console quits as soon as its programs have stopped.";
        lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    }
    lines
}
