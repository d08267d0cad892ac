//! A running replay: started after a confirmation, shown, stopped after another. Leaving its screen does not
//! stop it.

use super::state::{ReplayRun, Replaying, ReplayingScreen};
use crate::tui::prelude::*;
use crate::tui::screens::comparison;
use crate::tui::screens::new_replay::NewReplay;
use crate::tui::screens::replay_plan::ReplayPlanScreen;
use crate::tui::screens::replays::{self, Continuation};

/// Runs a plan, after a yes.
pub(crate) fn start(state: &mut State, plan: Arc<ReplayPlan>) {
    let runs = format::count(plan.cost.runs, "run");
    let steps = format::count(plan.steps.len(), "dispatch");
    let title = clean!("Replay of {}: {} of {}", plan.pipeline.0, runs, steps);
    let (id, cancel) = (plan.pipeline.clone(), Cancel::new());
    let query = Query::Replay(plan, cancel.clone());
    begin(state, id, title, cancel, query);
}

/// Continues an interrupted replay, after a confirmation.
pub(crate) fn go_on(state: &mut State, one: Continuation) {
    let how = if one.measures {
        "measured again"
    } else {
        "continued"
    };
    let title = clean!("Replay {} of {}, {}", one.id.0, one.pipeline.0, how);
    let (id, cancel) = (one.pipeline.clone(), Cancel::new());
    let switch = cancel.clone();
    let query = match one.blocks {
        None => Query::ReplayContinue(one.pipeline, one.id, cancel),
        Some(blocks) => Query::ReplayExtend(one.pipeline, one.id, blocks, cancel),
    };
    begin(state, id, title, switch, query);
    if let Some(running) = &mut state.replaying {
        running.measures = one.measures;
    }
}

fn begin(state: &mut State, id: PipelineId, title: Clean, cancel: Cancel, query: Query) {
    state.note(clean!("{}.", title));
    let ticket = state.effects.ask(query);
    state.replaying = Some(Replaying::new(ticket, id, title, cancel));
    // The question that led here is answered; going back to it would only start another replay.
    while state.layers.is_top::<ReplayPlanScreen>()
        || state.layers.is_top::<NewReplay>()
        || state.layers.is_top::<ReplayingScreen>()
    {
        crate::tui::update::pop(state);
    }
    state.push(ReplayingScreen::default());
}

/// Whether a session is run by this console.
pub(crate) fn is_here(state: &State, session: &SessionId) -> bool {
    let running = state.replaying.as_ref().filter(|one| one.is_going());
    running.is_some_and(|one| one.progress.sessions.iter().any(|of| of.id == *session))
}

/// Shows how far it is.
pub(crate) fn show(state: &mut State) {
    let Some(running) = &mut state.replaying else {
        return state.refuse("No replay was started from this console.");
    };
    running.seen = !running.is_going();
    state.push(ReplayingScreen::default());
}

/// Handles the worker's messages about it.
pub(crate) fn take(state: &mut State, ticket: Ticket, reply: Reply) {
    let Some(running) = state.replaying.as_mut() else {
        return;
    };
    if running.ticket != ticket {
        return;
    }
    match reply {
        Reply::Replaying(progress) => running.progress = progress,
        Reply::Replayed(result) => ended(state, result),
        _ => {}
    }
}

fn ended(state: &mut State, result: Result<Vec<ReplaySession>>) {
    let watched = state.layers.is_top::<ReplayingScreen>();
    let Some(running) = state.replaying.as_mut() else {
        return;
    };
    running.seen = watched;
    let planned = running.progress.sessions.iter();
    let unbegun = planned.filter(|one| one.state.is_none()).count();
    let (text, refused) = match &result {
        Ok(_) if running.measures => (Clean::new("The replay was measured again."), false),
        Ok(sessions) => (clean!("The replay {}", outcome(sessions, unbegun)), false),
        Err(trouble) => (clean!("The replay failed: {}", trouble.text), true),
    };
    running.run = match result {
        Ok(sessions) => ReplayRun::Ended(Arc::new(sessions)),
        Err(trouble) => ReplayRun::Failed(trouble),
    };
    let leaving = running.leaving;
    state.note(text.clone());
    if leaving {
        state.effects.push(Effect::Quit);
        return;
    }
    if refused {
        state.refuse(text);
    } else {
        state.say(text);
    }
    state.dossiers.clear();
    replays::request(state);
}

/// The result in a sentence: what failed first. `unbegun` is the number of planned runs that have not begun.
fn outcome(sessions: &[ReplaySession], unbegun: usize) -> Clean {
    let cut = sessions.iter().filter(|one| one.state.can_continue());
    let cut = cut.count();
    let by_hand = |one: &ReplaySession| one.state == SessionState::HandedOver;
    let counts = crate::tui::screens::replays::counts(sessions.iter());
    if cut > 0 && unbegun > 0 {
        clean!(
            "stopped: {} can be continued, {} not begun.",
            format::count(cut, "run"),
            format::count_of(unbegun, "run has", "runs have")
        )
    } else if cut > 0 {
        let left = format::count_of(counts.left, "dispatch is", "dispatches are");
        clean!(
            "stopped: {} can be continued, {} left.",
            format::count(cut, "run"),
            left
        )
    } else if sessions.iter().any(by_hand) {
        Clean::new("is written and is waiting to be run manually.")
    } else {
        clean!(
            "ended: {} failed, {} without a result, {} done.",
            counts.failed,
            counts.error,
            counts.done
        )
    }
}

/// A command of the progress screen.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(running) = &state.replaying else {
        return;
    };
    let going = running.is_going();
    match cmd {
        Cmd::StopReplay if matches!(running.run, ReplayRun::Stopping) => {
            state.refuse("The replay is stopping already.");
        }
        Cmd::StopReplay if going => {
            state.push(Question::new(Ask::StopReplay, Answer::Key));
        }
        Cmd::StopReplay => state.refuse("The replay has ended: nothing to stop."),
        Cmd::NextPane | Cmd::PrevPane | Cmd::Left | Cmd::Right => {
            switch_run(state, matches!(cmd, Cmd::NextPane | Cmd::Right));
        }
        Cmd::Enter if going => {
            state.refuse("The replay is still running; compare it when it has ended.");
        }
        Cmd::Enter => compare(state),
        Cmd::Replays => {
            let id = running.id.clone();
            replays::open(state, id);
        }
        _ => {}
    }
}

/// Looks at the next run, or the previous one.
fn switch_run(state: &mut State, forward: bool) {
    let Some(running) = &state.replaying else {
        return;
    };
    let len = running.progress.sessions.len().max(1);
    if let Some(screen) = state.layers.top_mut::<ReplayingScreen>() {
        let by = if forward { 1 } else { len - 1 };
        screen.session = Some((screen.session(running) + by) % len);
        screen.place = None;
    }
}

/// Whether these are the runs of both arms of an experiment; one without a replacement has only a control arm.
pub(super) fn has_arms(runs: &[ReplaySession]) -> bool {
    let control = runs.iter().filter(|run| run.is_control()).count();
    (1..runs.len()).contains(&control)
}

/// Compares the result with the original.
fn compare(state: &mut State) {
    let Some(running) = &state.replaying else {
        return;
    };
    let id = running.id.clone();
    let ended = match &running.run {
        ReplayRun::Ended(sessions) => sessions.as_slice(),
        _ => &[],
    };
    // An experiment by itself is its mutated arm against its control.
    let a = (!has_arms(ended)).then(|| replays::ORIGINAL.to_owned());
    match ended.first().map(|one| one.group.0.clone()) {
        Some(b) => comparison::open(state, id, a, Some(b)),
        None => state.refuse("The replay has no result to compare."),
    }
}

/// Stops it, after a yes.
pub(crate) fn stop(state: &mut State) {
    if let Some(running) = state.replaying.as_mut().filter(|one| one.is_going()) {
        running.cancel.cancel();
        running.run = ReplayRun::Stopping;
        state.say("Stopping: finished dispatches are kept; the replay can be continued.");
    }
}

/// Asks whether to leave although it runs. True if there is anything to ask.
pub(crate) fn asks_before_leaving(state: &mut State) -> bool {
    if !state.is_replaying() {
        return false;
    }
    state.push(Question::new(Ask::Leave, Answer::Key));
    true
}

/// Stops it, and ends the console with it. False if none runs.
pub(crate) fn leave(state: &mut State) -> bool {
    if !state.is_replaying() {
        return false;
    }
    stop(state);
    if let Some(running) = &mut state.replaying {
        running.leaving = true;
    }
    state.refuse("The console quits as soon as the replay has stopped.");
    true
}
