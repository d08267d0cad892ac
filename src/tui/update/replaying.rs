//! A replay that runs: begun after a yes, told on its way, stopped after another. Leaving its screen does not
//! stop it.

use std::sync::Arc;

use super::super::commands::Cmd;
use super::super::data::EngineError;
use super::super::msg::{Effect, Query, Reply, Ticket};
use super::super::state::State;
use super::super::state::layer::Layer;
use super::super::state::question::{Answer, Ask, Question};
use super::super::state::replaying::{Replaying, ReplayingScreen, Run};
use super::super::words;
use super::{comparison, replays};
use crate::clean;
use crate::model::{Clean, ReplayPlan, ReplaySession, SessionId, SessionState};

/// Runs a plan, after a yes.
pub(super) fn start(state: &mut State, plan: Arc<ReplayPlan>, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let runs = words::count(plan.ask.repeat as u64, "run");
    let steps = words::count_of(plan.steps.len(), "dispatch", "dispatches");
    let title = clean!("Replay of {}: {} of {}", plan.pipeline.0, runs, steps);
    let running = Replaying::new(ticket, plan.pipeline.clone(), title, state.now);
    let cancel = running.cancel.clone();
    begin(state, running);
    effects.push(Effect::Ask(ticket, Query::Replay(plan, cancel)));
}

/// Goes on with one that was cut short, after a yes.
pub(super) fn go_on(state: &mut State, session: ReplaySession, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let title = clean!(
        "Replay {} of {}, continued",
        session.id.0,
        session.pipeline.0
    );
    let running = Replaying::new(ticket, session.pipeline.clone(), title, state.now);
    let cancel = running.cancel.clone();
    begin(state, running);
    effects.push(Effect::Ask(
        ticket,
        Query::ReplayContinue(session.pipeline, session.id, cancel),
    ));
}

fn begin(state: &mut State, running: Replaying) {
    state.note(clean!("{}.", running.title));
    state.replaying = Some(running);
    // What led here is answered; a way back to it would only begin another one.
    while let Some(Layer::ReplayPlan(_) | Layer::NewReplay(_) | Layer::Replaying(_)) =
        state.layers.last()
    {
        super::pop(state);
    }
    state.push(Layer::Replaying(ReplayingScreen::default()));
}

/// Whether a session is run by this console.
pub(super) fn is_here(state: &State, session: &SessionId) -> bool {
    let running = state.replaying.as_ref().filter(|one| one.is_going());
    running.is_some_and(|one| one.progress.sessions.iter().any(|of| of.id == *session))
}

/// Shows how far it is.
pub(super) fn show(state: &mut State) {
    let Some(running) = &mut state.replaying else {
        state.refuse(Clean::new("No replay was begun from this console."));
        return;
    };
    running.seen = !running.is_going();
    state.push(Layer::Replaying(ReplayingScreen::default()));
}

/// Takes what the worker says of it.
pub(super) fn take(state: &mut State, ticket: Ticket, reply: Reply, effects: &mut Vec<Effect>) {
    let Some(running) = state.replaying.as_mut() else {
        return;
    };
    if running.ticket != ticket {
        return;
    }
    match reply {
        Reply::Replaying(progress) => running.progress = progress,
        Reply::Replayed(result) => ended(state, result, effects),
        _ => {}
    }
}

fn ended(
    state: &mut State,
    result: Result<Vec<ReplaySession>, EngineError>,
    effects: &mut Vec<Effect>,
) {
    let watched = matches!(state.layers.last(), Some(Layer::Replaying(_)));
    let Some(running) = state.replaying.as_mut() else {
        return;
    };
    running.seen = watched;
    let (text, refused) = match &result {
        Ok(sessions) => (clean!("The replay {}", outcome(sessions)), false),
        Err(trouble) => (clean!("The replay failed: {}", trouble.text), true),
    };
    running.run = match result {
        Ok(sessions) => Run::Ended(Arc::new(sessions)),
        Err(trouble) => Run::Failed(trouble),
    };
    let leaving = running.leaving;
    state.note(text.clone());
    if leaving {
        effects.push(Effect::Quit);
        return;
    }
    if refused {
        state.refuse(text);
    } else {
        state.say(text);
    }
    state.dossiers.clear();
    replays::request(state, effects);
}

/// What came of it, in a sentence: what failed first.
fn outcome(sessions: &[ReplaySession]) -> Clean {
    let cut = sessions
        .iter()
        .filter(|one| one.state.can_continue())
        .count();
    let by_hand = |one: &ReplaySession| one.state == SessionState::HandedOver;
    let counts = super::super::state::replays::counts(sessions.iter());
    if cut > 0 {
        clean!(
            "stopped: {} can be continued, {} left.",
            words::count(cut as u64, "run"),
            words::count_of(
                usize::try_from(counts.left).unwrap_or(usize::MAX),
                "dispatch is",
                "dispatches are"
            )
        )
    } else if sessions.iter().any(by_hand) {
        Clean::new("is written and waits to be run by hand.")
    } else {
        clean!(
            "ended: {} failed, {} without an answer, {} done.",
            counts.failed,
            counts.error,
            counts.done
        )
    }
}

/// A command of the progress screen.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(running) = &state.replaying else {
        return;
    };
    let going = running.is_going();
    match cmd {
        Cmd::StopReplay if matches!(running.run, Run::Stopping) => {
            state.refuse(Clean::new("It is being stopped already."));
        }
        Cmd::StopReplay if going => {
            state.push(Layer::Question(Question::new(Ask::StopReplay, Answer::Key)));
        }
        Cmd::StopReplay => state.refuse(Clean::new("It has ended: there is nothing to stop.")),
        Cmd::NextPane | Cmd::PrevPane | Cmd::Left | Cmd::Right => {
            turn(state, matches!(cmd, Cmd::NextPane | Cmd::Right));
        }
        Cmd::Enter if going => state.refuse(Clean::new(
            "It still runs; x stops it. It is compared when it has ended.",
        )),
        Cmd::Enter => compare(state, effects),
        _ => {}
    }
}

/// Looks at the next run, or the previous one.
fn turn(state: &mut State, forward: bool) {
    let Some(running) = &state.replaying else {
        return;
    };
    let len = running.progress.sessions.len().max(1);
    if let Some(Layer::Replaying(screen)) = state.layers.last_mut() {
        let by = if forward { 1 } else { len - 1 };
        screen.session = Some((screen.session(running) + by) % len);
        screen.place = None;
    }
}

/// Compares what came of it with the original.
fn compare(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(running) = &state.replaying else {
        return;
    };
    let id = running.id.clone();
    let b = match &running.run {
        Run::Ended(sessions) => sessions.first().map(|one| one.group.0.clone()),
        _ => None,
    };
    match b {
        Some(b) => {
            let a = Some(replays::ORIGINAL.to_owned());
            comparison::open(state, id, a, Some(b), effects);
        }
        None => state.refuse(Clean::new("Nothing came of it that could be compared.")),
    }
}

/// Stops it, after a yes.
pub(super) fn stop(state: &mut State) {
    if let Some(running) = state.replaying.as_mut().filter(|one| one.is_going()) {
        running.cancel.cancel();
        running.run = Run::Stopping;
        state.say(Clean::new(
            "Stopping: what has been done is kept, and can be continued.",
        ));
    }
}

/// Asks whether to leave although it runs. True if there is anything to ask.
pub(super) fn asks_before_leaving(state: &mut State) -> bool {
    if !state.is_replaying() {
        return false;
    }
    state.push(Layer::Question(Question::new(Ask::Leave, Answer::Key)));
    true
}

/// Stops it, and ends the console with it. False if none runs.
pub(super) fn leave(state: &mut State) -> bool {
    if !state.is_replaying() {
        return false;
    }
    stop(state);
    if let Some(running) = &mut state.replaying {
        running.leaving = true;
    }
    state.refuse(Clean::new(
        "The console ends as soon as the replay has stopped.",
    ));
    true
}
