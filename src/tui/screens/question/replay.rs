//! What is asked before a replay runs, goes on, stops, or is left behind.

use crate::clean;
use crate::model::{Clean, ReplayPlan};
use crate::text::format;
use crate::tui::screens::replay_plan;
use crate::tui::screens::replays::{Continuation, Doomed};
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::{facts, paragraph};

/// What running a plan means: how often, where, with what; the last lines stand next to the answer.
pub(crate) fn run(plan: &ReplayPlan, command: Option<&Clean>, room: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    let mut say = |lead: Bits, role: Role, text: &Clean| {
        lines.extend(paragraph(&lead, role, text, room));
    };
    let none = Bits::new;
    say(none(), Role::Text, &clean!("In {}:", plan.pipeline.0));
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
    lines.extend(facts::lines(&replay_plan::cost(plan), room));
    let mut say = |lead: Bits, role: Role, text: &Clean| {
        lines.extend(paragraph(&lead, role, text, room));
    };
    let text = match &plan.runner {
        Some(_) => clean!(
            "Each dispatch runs with {}. It starts programs, which may cost money.",
            replay_plan::runner(plan)
        ),
        None => Clean::new(
            "Without a runner, relight only writes the dispatch files; run them by hand.",
        ),
    };
    say(none(), Role::Text, &text);
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

/// What going on with a replay means.
pub(crate) fn go_on(one: &Continuation, room: usize) -> Vec<Bits> {
    let runs = if one.runner.is_empty() {
        Clean::new("It has no runner: relight writes its files; run them by hand.")
    } else {
        clean!(
            "Each dispatch runs with {}: this starts programs and may cost money.",
            one.runner
        )
    };
    let place = if one.in_place {
        "It runs in the pipeline's own work tree."
    } else {
        "Only relight's own state is written; the pipeline's files do not change."
    };
    let stops = "It stops as soon as a verdict stands, or none can be reached.";
    let stops = one.blocks.map(|_| Clean::new(stops));
    let texts = [one.about.clone(), runs].into_iter().chain(stops);
    let texts = texts.chain([Clean::new(place)]);
    texts
        .flat_map(|text| paragraph(&Bits::new(), Role::Text, &text, room))
        .collect()
}

/// What deleting a replay means; what is lost stands last, next to the answer.
pub(crate) fn purge(one: &Doomed, room: usize) -> Vec<Bits> {
    const MOST: usize = 6;
    let mut lines = paragraph(&Bits::new().gap(2), Role::Text, &one.title, room);
    for folder in one.folders.iter().take(MOST) {
        let folder = clean!("{}", folder).clip_start(room.saturating_sub(4));
        lines.push(Bits::new().gap(4).say(Role::Dim, folder));
    }
    if let Some(more @ 1..) = one.folders.len().checked_sub(MOST) {
        lines.push(Bits::of(Role::Dim, clean!("    (+{} more)", more)));
    }
    lines.push(Bits::new());
    let size = one
        .bytes
        .map_or_else(|| "All of it".to_owned(), format::size);
    let text = clean!(
        "{} will be deleted: work trees, dispatch files, outputs and records. It can neither be compared nor \
         continued afterwards. The pipeline itself does not change.",
        size
    );
    lines.extend(paragraph(
        &Bits::of(Role::Bad, "! "),
        Role::Text,
        &text,
        room,
    ));
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
