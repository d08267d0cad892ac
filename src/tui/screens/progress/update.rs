//! Starts writing, follows the progress and shows the result. It can be canceled as long as nothing has changed.

use super::{Progress, Stages};
use crate::model::Reach;
use crate::tui::data::Fate;
use crate::tui::prelude::*;
use crate::tui::screens::outcome::{Operation, OutcomeScreen};
use crate::tui::screens::pending::PendingScreen;
use crate::tui::screens::plan::{self, Then};
use crate::tui::screens::rehearsal::RehearsalScreen;
use crate::tui::screens::{browser, handoff, recoveries, replaying, replays};

/// Applies a plan, after a yes.
pub(crate) fn apply(state: &mut State, plan: Arc<Plan>, typed: &str) {
    let title = match plan.asked.reversal() {
        None => match (plan.is_of_files(), plan.point.boundary.checkpoint.found()) {
            (true, Some(found)) => clean!("Restore of the files of checkpoint {}", found.reason),
            _ => clean!("Resume at {}", plan.point.boundary.id.0),
        },
        Some((Reversal::Undo, recovery)) => clean!("Undo of {}", recovery.0),
        Some((Reversal::Redo, recovery)) => clean!("Redo of {}", recovery.0),
    };
    let (pipeline, typed) = (plan.pipeline.clone(), typed.to_owned());
    begin(state, Operation::Plan, title, Some(pipeline), |cancel| {
        Query::Apply(plan, typed, cancel)
    });
}

/// Recovers an interrupted recovery.
pub(crate) fn recover(
    state: &mut State,
    recovery: &Recovery,
    how: RecoverMode,
    keep: Vec<PathBuf>,
    title: Clean,
) {
    let operation = match how {
        RecoverMode::Export(_) => Operation::Export,
        RecoverMode::Auto | RecoverMode::Finish | RecoverMode::RollBack => Operation::Recover,
    };
    let (id, request) = (recovery.id.clone(), state.browser.request.clone());
    let pipeline = recovery.pipeline.clone();
    begin(state, operation, title, Some(pipeline), |cancel| {
        Query::Recover {
            id,
            how,
            keep,
            request: request.into(),
            cancel,
        }
    });
}

/// Deletes backups, after a typed word.
pub(crate) fn purge(state: &mut State, title: Clean, query: impl FnOnce(Cancel) -> Query) {
    begin(state, Operation::Purge, title, None, query);
}

fn begin(
    state: &mut State,
    operation: Operation,
    title: Clean,
    pipeline: Option<PipelineId>,
    query: impl FnOnce(Cancel) -> Query,
) {
    let cancel = Cancel::new();
    let ticket = state.effects.ask(query(cancel.clone()));
    state.note(clean!("{}.", title));
    state.push(Progress {
        title,
        ticket,
        operation,
        pipeline,
        stages: Stages::default(),
        leaving: false,
        cancel,
        cancelled_at: None,
    });
}

/// Explains that nothing else can be started meanwhile.
pub(crate) fn explain(state: &mut State) {
    state.refuse_with(
        Cmd::Cancel,
        "Wait for the result. {} cancels while no file has changed.",
    );
}

/// Cancels what is being written, or says that it is too late.
pub(crate) fn cancel(state: &mut State) {
    match cancelled(state) {
        Some(Reach::Late) => {
            state.refuse("Too late to cancel: files have changed, so it finishes.");
        }
        Some(Reach::Idle | Reach::Open) => {
            state.say("Canceling: removing what was prepared.");
        }
        None => {}
    }
}

/// Sets the switch of what is being written; gives how far that is.
fn cancelled(state: &mut State) -> Option<Reach> {
    let progress = state.layers.find_mut::<Progress>()?;
    let reach = progress.cancel.cancel();
    progress.cancelled_at = Some(reach);
    Some(reach)
}

/// The console is asked to end: at once, or as soon as what is being written has its result.
pub(crate) fn end(state: &mut State) {
    let writing = cancelled(state).is_some();
    for progress in state.layers.all_mut::<Progress>() {
        progress.leaving = true;
    }
    if writing {
        state.refuse("The console quits as soon as this is done.");
    } else if !replaying::leave(state) {
        state.effects.push(Effect::Quit);
    }
}

/// Tries the plan on top in a scratch folder.
pub(crate) fn rehearse(state: &mut State) {
    let Some(screen) = plan::screen(state) else {
        return;
    };
    let Some(plan) = screen.plan.ready().cloned() else {
        return state.refuse("There is no plan to rehearse yet.");
    };
    let cancel = Cancel::new();
    let ticket = state
        .effects
        .ask(Query::Rehearse(Arc::clone(&plan), cancel.clone()));
    state.push(RehearsalScreen {
        plan,
        cancel,
        ticket: Some(ticket),
        stages: Stages::default(),
        result: Load::Pending,
    });
}

/// Handles the worker's messages about something that writes.
pub(crate) fn take(state: &mut State, ticket: Ticket, reply: Reply) {
    match reply {
        Reply::Progress(told) => {
            if let Some(progress) = state.layers.awaiting::<Progress>(ticket) {
                progress.stages.take(told.clone());
            }
            if let Some(screen) = state.layers.awaiting::<RehearsalScreen>(ticket) {
                screen.stages.take(told);
            }
        }
        Reply::Rehearsed(result) => rehearsed(state, ticket, result.into()),
        Reply::Ledger(result) => {
            if let Some(screen) = state.layers.awaiting::<OutcomeScreen>(ticket) {
                screen.ticket = None;
                screen.ledger = result.into();
            }
        }
        Reply::Applied(result) => finish(state, ticket, result, OutcomeScreen::applied),
        Reply::Recovered(result) => finish(state, ticket, result, OutcomeScreen::recovered),
        Reply::Purged(result) => finish(state, ticket, result, OutcomeScreen::purged),
        _ => {}
    }
}

/// Shows the outcome in the place of the progress dialog.
fn finish<T>(
    state: &mut State,
    ticket: Ticket,
    result: Result<T>,
    done: fn(&Progress, T) -> OutcomeScreen,
) {
    let Some(progress) = state.layers.take(|one: &Progress| one.ticket == ticket) else {
        return;
    };
    // What a key was told meanwhile holds no longer.
    state.word = None;
    let outcome = match result {
        Ok(what) => done(&progress, what),
        Err(failure) => OutcomeScreen::failed(&progress, failure),
    };
    // Nothing had to be changed: the hand-off is all there is to see.
    if let (Fate::Done, None, Some(id), Some(handoff)) = (
        outcome.fate,
        &outcome.recovery,
        &outcome.pipeline,
        &outcome.handoff,
    ) {
        let text = if handoff.briefing_file.is_some() {
            "Nothing to restore; nothing was written but the briefing. This is the hand-off."
        } else {
            "Nothing to restore; nothing was written. This is the hand-off."
        };
        let notes = outcome.notes.iter().map(Foreign::clean);
        let before = std::iter::once(Clean::new(text)).chain(notes).collect();
        handoff::open(state, id.clone(), handoff.clone(), before);
        handoff::offer_conversation(state, false);
        return;
    }
    show(state, &progress, outcome);
}

/// Shows the outcome, and looks at everything again that it may have changed.
fn show(state: &mut State, progress: &Progress, mut outcome: OutcomeScreen) {
    let word = match outcome.fate {
        Fate::Done => "done",
        Fate::Untouched => "refused; nothing was changed",
        Fate::Cancelled => "canceled; nothing was changed",
        Fate::RolledBack => "failed and was rolled back; everything is as before",
        Fate::Unclear => "unclear; check the files",
    };
    let said = clean!("{}: {}.", progress.title, word);
    state.note(said.clone());
    if outcome.fate == Fate::Done && progress.cancelled_at.is_some() {
        let note = "Canceled too late: it was finished.";
        outcome.notes.push(note.into());
    }
    if progress.leaving {
        let words = last_words(&said, &outcome);
        state.left.words = Some(state.found_by.line(&words));
        state.effects.push(Effect::Quit);
        return;
    }
    // The screens that led here are outdated. After a refusal they stay, so that the plan can be computed again.
    let over = matches!(outcome.fate, Fate::Done | Fate::Unclear);
    let outdated = |screen: &dyn Screen| screen.profile().ends_with_plan;
    while over && state.layers.last().is_some_and(outdated) {
        pop(state);
    }
    if state.layers.top_as::<PendingScreen>().is_some() {
        pop(state);
    }
    if let (Fate::Done, Some(id), Some(_)) = (outcome.fate, &outcome.pipeline, &outcome.recovery) {
        outcome.ticket = Some(state.effects.ask(Query::Ledger(id.clone())));
    } else {
        outcome.ledger = Load::Ready(Arc::new(Vec::new()));
    }
    state.push(outcome);
    state.dossiers.clear();
    state.rehearsals.clear();
    browser::look(state);
    plan::request(state);
    recoveries::request(state);
    replays::request(state);
}

/// The message on the terminal after the console ended while something was being written.
fn last_words(said: &Clean, outcome: &OutcomeScreen) -> Clean {
    match (&outcome.fate, &outcome.recovery) {
        (Fate::Done, Some(recovery)) if recovery.state == RecoveryState::Committed => clean!(
            "{} Recovery {} was committed. To undo it: relight undo {}",
            said,
            recovery.id.0,
            recovery.id.0
        ),
        _ => said.clone(),
    }
}

fn rehearsed(state: &mut State, ticket: Ticket, result: Load<Rehearsal>) {
    let Some(screen) = state.layers.awaiting::<RehearsalScreen>(ticket) else {
        return;
    };
    screen.ticket = None;
    screen.result = result;
    if let Some(rehearsal) = screen.result.ready().cloned() {
        let plan = &screen.plan;
        let key = (plan.pipeline.clone(), plan.point.boundary.id.clone());
        let fingerprint = plan.fingerprint.clone();
        state.rehearsals.insert(key, (fingerprint, rehearsal));
    }
}

/// A command of the outcome.
pub(crate) fn run_outcome(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_as::<OutcomeScreen>() else {
        return;
    };
    let recovery = screen.recovery.clone();
    match (cmd, recovery) {
        (Cmd::Enter, _) => pop(state),
        (Cmd::Recoveries, _) => recoveries::open(state),
        (Cmd::Undo | Cmd::Redo, Some(recovery)) => {
            match cmd {
                Cmd::Undo => recoveries::undo(state, &recovery),
                _ => recoveries::redo(state, &recovery),
            }
            // The question shows all of the plan's losses, and the plan stays below it.
            if let Some(plan) = state.layers.top_mut::<PlanScreen>() {
                plan.then = Then::Ask;
            }
        }
        (Cmd::Undo | Cmd::Redo, None) => {
            state.refuse("Nothing was recorded: nothing to undo.");
        }
        (Cmd::Handoff, _) => match (screen.handoff.clone(), screen.pipeline.clone()) {
            (Some(handoff), Some(id)) => {
                let changes = screen.recovery.is_some();
                handoff::open(state, id, handoff, Vec::new());
                handoff::offer_conversation(state, changes);
            }
            _ => state.refuse(handoff::NONE),
        },
        _ => {}
    }
}
