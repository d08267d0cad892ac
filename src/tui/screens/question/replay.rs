//! The questions before a replay runs, continues, stops, or is left running.

use crate::tui::prelude::*;
use crate::tui::screens::replay_plan;
use crate::tui::screens::replays::{Continuation, Doomed};

/// What running a plan means: how often, where, with what; the last lines are next to the answer.
pub(crate) fn run(plan: &ReplayPlan, command: Option<&Clean>, page: &mut TextPage) {
    page.text(clean!("In {}:", plan.pipeline.0));
    if plan.mutations.is_empty() {
        page.text("No template is replaced: the same dispatches run again.");
    }
    for swap in &plan.mutations {
        page.signed(Role::Accent, "⇄ ", &swap.mutation.text());
    }
    page.facts(&replay_plan::cost(plan));
    match &plan.runner {
        Some(_) => page.text(clean!(
            "Each dispatch starts programs and may cost money (runner: {}).",
            replay_plan::runner(plan)
        )),
        None => {
            page.text(
                "Without a runner, relight only writes the dispatch files; run them by hand.",
            );
        }
    }
    if let Some(command) = command {
        page.indented(2, Role::Dim, command.clone());
    }
    page.text(
        "relight writes only its own state; a change of the pipeline's files or your work tree stops the replay. To \
         replay in your work tree, use relight replay --in-place.",
    );
    let number = plan.confounders.len();
    if number > 0 {
        let text = clean!(
            "{} the comparison; the plan lists {}.",
            format::count_of(number, "confounder affects", "confounders affect"),
            format::plural(number, "it", "them")
        );
        page.signed(Role::Warn, "! ", text);
    }
}

/// What continuing a replay means.
pub(crate) fn go_on(one: &Continuation, page: &mut TextPage) {
    page.text(one.about.clone());
    page.text(match &one.runner {
        Some(none) if none.is_empty() => {
            Clean::new("It has no runner: relight writes its files; run them by hand.")
        }
        Some(runner) => clean!(
            "Each dispatch starts programs and may cost money (runner: {}).",
            crate::model::runner_title(runner)
        ),
        None => Clean::new("If it has a runner, each dispatch starts programs and may cost money."),
    });
    if one.is_hopeless {
        page.text("No verdict can be reached with these blocks, so all of them are run.");
    } else if one.blocks.is_some() {
        page.text("It stops as soon as there is a verdict, or none can be reached.");
    }
    page.text(if one.in_place {
        "It runs in the pipeline's own work tree."
    } else {
        "relight writes only its own state; a change of the pipeline's files stops the replay."
    });
}

/// What deleting a replay means; what is lost is last, next to the answer.
pub(crate) fn purge(one: &Doomed, page: &mut TextPage) {
    const MOST: usize = 6;
    page.indented(2, Role::Text, one.title.clone());
    for folder in one.folders.iter().take(MOST) {
        let folder = clean!("{}", folder).clip_start(page.width.saturating_sub(4));
        page.line(Bits::new().gap(4).dim(folder));
    }
    page.more(4, one.folders.len(), MOST);
    page.blank();
    let size = one.bytes.map(format::size);
    let text = clean!(
        "{} will be deleted: work trees, dispatch files, outputs and records. It can neither be compared nor \
         continued afterwards. The pipeline itself does not change.",
        size.unwrap_or_else(|| "All of it".to_owned())
    );
    page.signed(Role::Bad, "! ", text);
}

/// What stopping the replay that runs means; `leaving` where the console ends with it.
pub(crate) fn stop(state: &State, leaving: bool, page: &mut TextPage) {
    let Some(running) = &state.replaying else {
        return;
    };
    let (done, total) = running.steps();
    page.text(clean!(
        "{}: {} of {} dispatches have ended.",
        running.title,
        done,
        total
    ));
    page.text(
        "Finished dispatches are kept; the replay can be continued. Running dispatches stop and run again then.",
    );
    if leaving {
        page.text("The console quits as soon as its programs have stopped.");
    }
}
