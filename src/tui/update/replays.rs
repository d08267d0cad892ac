//! The replays of a pipeline, and what else of it can be compared. Looking at them starts nothing.

use super::super::commands::Cmd;
use super::super::data::{EngineError, Load, Operand};
use super::super::msg::{Effect, Query, Ticket};
use super::super::state::State;
use super::super::state::layer::Layer;
use super::super::state::question::{Answer, Ask, Question};
use super::super::state::replays::{Marks, OperandsScreen, ReplayRow, ReplaysScreen};
use super::{comparison, handoff, new_replay, replaying};
use crate::clean;
use crate::model::{Clean, PipelineId, ReplaySession, SessionState};

/// The word of the original among the operands.
pub(super) const ORIGINAL: &str = "original";

/// Opens the replays of a pipeline. One list is enough: what leads back to it closes what lies above.
pub(super) fn open(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    let known = state
        .layers
        .iter()
        .position(|layer| matches!(layer, Layer::Replays(screen) if screen.id == id));
    match known {
        Some(place) => state.layers.truncate(place + 1),
        None => state.push(Layer::Replays(ReplaysScreen::new(id))),
    }
    request(state, effects);
}

/// Asks for what open lists show.
pub(super) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    for layer in &mut state.layers {
        if let Layer::Replays(screen) = layer {
            screen.ticket = Some(ticket);
            effects.push(Effect::Ask(ticket, Query::Replays(screen.id.clone())));
            return;
        }
    }
}

/// Takes the list.
pub(super) fn take(
    state: &mut State,
    ticket: Ticket,
    result: Result<Vec<ReplaySession>, EngineError>,
) {
    let all: Load<Vec<ReplaySession>> = result.into();
    if let Load::Failed(trouble) = &all {
        state.note(trouble.text.clean());
    }
    for layer in &mut state.layers {
        if let Layer::Replays(screen) = layer
            && screen.ticket == Some(ticket)
        {
            screen.ticket = None;
            screen.take(all.clone());
        }
    }
}

/// A command of the list.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::Replays(screen)) = state.layers.last_mut() else {
        return;
    };
    let id = screen.id.clone();
    match cmd {
        Cmd::NewReplay => return new_replay::open(state, id, effects),
        Cmd::Compare => return operands(state, id, effects),
        Cmd::WatchReplay => return replaying::show(state),
        _ => {}
    }
    let (Some(row), Some(session)) = (screen.cursor.key().cloned(), screen.selected().cloned())
    else {
        state.refuse(Clean::new(
            "There is no replay of this pipeline yet; n begins one.",
        ));
        return;
    };
    match cmd {
        Cmd::Side => {
            screen.marks.toggle(row.operand());
            let marks = screen.marks.clone();
            say_marks(state, &marks);
        }
        Cmd::Enter | Cmd::Right => enter(state, &row, &session, effects),
        Cmd::ContinueReplay => go_on(state, session),
        Cmd::Handoff => match session.handoff {
            Some(handoff) => handoff::open(state, id, handoff, Vec::new()),
            None => state.refuse(Clean::new(
                "This one has a runner; only one without is run by hand.",
            )),
        },
        _ => {}
    }
}

/// Says which sides are marked and what comes next.
fn say_marks(state: &mut State, marks: &Marks) {
    let text = match (&marks.a, &marks.b) {
        (Some(a), Some(b)) => clean!("A is {}, B is {}; Enter compares them.", a, b),
        (Some(a), None) => clean!("A is {}; Space marks another one as B.", a),
        (None, Some(b)) => clean!("B is {}; Space marks another one as A.", b),
        (None, None) => Clean::new("Nothing is marked."),
    };
    state.say(text);
}

/// Compares what is marked, else the selected row with the original. One that runs here is watched instead.
fn enter(state: &mut State, row: &ReplayRow, session: &ReplaySession, effects: &mut Vec<Effect>) {
    let Some(Layer::Replays(screen)) = state.layers.last() else {
        return;
    };
    let id = screen.id.clone();
    if let Some((a, b)) = screen.marks.pair() {
        comparison::open(state, id, Some(a), Some(b), effects);
    } else if session.state == SessionState::Running && replaying::is_here(state, &session.id) {
        replaying::show(state);
    } else {
        let b = row.operand().to_owned();
        comparison::open(state, id, Some(ORIGINAL.to_owned()), Some(b), effects);
    }
}

/// Asks whether to go on with one that was cut short.
fn go_on(state: &mut State, session: ReplaySession) {
    if state.is_replaying() {
        state.refuse(Clean::new(
            "A replay runs already: w shows it. This one can be continued when that has ended.",
        ));
    } else if session.state.can_continue() {
        let ask = Ask::Continue(session);
        state.push(Layer::Question(Question::new(ask, Answer::Key)));
    } else {
        let why = match session.state {
            SessionState::Running => "This one runs: there is nothing to take up.",
            SessionState::Done => "This one was run to its end; n begins a new one.",
            SessionState::HandedOver => "This one waits to be run by hand: H shows how.",
            SessionState::Unreadable => "Its record cannot be read, so it cannot be continued.",
            SessionState::Interrupted | SessionState::Cancelled => "",
        };
        state.refuse(Clean::new(why));
    }
}

/// Opens what of a pipeline can be compared.
pub(super) fn operands(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let mut screen = OperandsScreen::new(id.clone());
    screen.ticket = Some(ticket);
    state.push(Layer::Operands(screen));
    effects.push(Effect::Ask(ticket, Query::Operands(id)));
}

/// Takes what can be compared.
pub(super) fn take_operands(
    state: &mut State,
    ticket: Ticket,
    result: Result<Vec<Operand>, EngineError>,
) {
    for layer in &mut state.layers {
        if let Layer::Operands(screen) = layer
            && screen.ticket == Some(ticket)
        {
            screen.ticket = None;
            screen.take(result);
            return;
        }
    }
}

/// A command of what can be compared.
pub(super) fn of_operands(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::Operands(screen)) = state.layers.last_mut() else {
        return;
    };
    let Some(name) = screen.cursor.key().cloned() else {
        state.refuse(Clean::new(
            "There is nothing of this pipeline that could be compared.",
        ));
        return;
    };
    match cmd {
        Cmd::Side => {
            screen.marks.toggle(&name);
            let marks = screen.marks.clone();
            say_marks(state, &marks);
        }
        Cmd::Enter | Cmd::Right => {
            let id = screen.id.clone();
            let (a, b) = match screen.marks.pair() {
                Some((a, b)) => (Some(a), Some(b)),
                None => (Some(name), None),
            };
            comparison::open(state, id, a, b, effects);
        }
        _ => {}
    }
}
