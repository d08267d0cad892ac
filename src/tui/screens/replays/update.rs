//! The replays of a pipeline, and what else of it can be compared. Looking at them starts nothing.

use crate::clean;
use crate::model::{Clean, PipelineId, ReplaySession, SessionState};
use crate::tui::commands::Cmd;
use crate::tui::data::{EngineError, Load, Operand};
use crate::tui::msg::{Effect, Query, Ticket};
use crate::tui::screens::operands::OperandsScreen;
use crate::tui::screens::question::{Answer, Ask, Question};
use crate::tui::screens::replays::{Marks, ReplayRow, ReplaysScreen};
use crate::tui::screens::{comparison, handoff, new_replay, replaying};
use crate::tui::state::State;

/// The word of the original among the operands.
pub(crate) const ORIGINAL: &str = "original";

/// Opens the replays of a pipeline. One list is enough: what leads back to it closes what lies above.
pub(crate) fn open(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    if !state
        .layers
        .back_to(|screen: &ReplaysScreen| screen.id == id)
    {
        state.push(ReplaysScreen::new(id));
    }
    request(state, effects);
}

/// Asks for what open lists show.
pub(crate) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    for screen in state.layers.all_mut::<ReplaysScreen>() {
        if true {
            screen.ticket = Some(ticket);
            effects.push(Effect::Ask(ticket, Query::Replays(screen.id.clone())));
            return;
        }
    }
}

/// Takes the list.
pub(crate) fn take(
    state: &mut State,
    ticket: Ticket,
    result: Result<Vec<ReplaySession>, EngineError>,
) {
    let all: Load<Vec<ReplaySession>> = result.into();
    if let Load::Failed(trouble) = &all {
        state.note(trouble.text.clean());
    }
    for screen in state.layers.all_mut::<ReplaysScreen>() {
        if screen.ticket == Some(ticket) {
            screen.ticket = None;
            screen.take(all.clone());
        }
    }
}

/// A command of the list.
pub(crate) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(screen) = state.layers.top_mut::<ReplaysScreen>() else {
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
        state.refuse(Clean::new("This pipeline has no replay yet; n starts one."));
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
                "This replay has a runner; only one without is run by hand.",
            )),
        },
        _ => {}
    }
}

/// Says which sides are marked and what comes next.
pub(crate) fn say_marks(state: &mut State, marks: &Marks) {
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
    let Some(screen) = state.layers.top_as::<ReplaysScreen>() else {
        return;
    };
    let id = screen.id.clone();
    if let Some((a, b)) = screen.marks.pair() {
        comparison::open(state, id, Some(a), Some(b), effects);
    } else if session.state == SessionState::Running && replaying::is_here(state, &session.id) {
        replaying::show(state);
    } else {
        // An experiment by itself is its mutated arm against its control.
        let a = (!screen.has_control(row)).then(|| ORIGINAL.to_owned());
        comparison::open(state, id, a, Some(row.operand().to_owned()), effects);
    }
}

/// Asks whether to go on with one that was cut short.
fn go_on(state: &mut State, session: ReplaySession) {
    if state.is_replaying() {
        state.refuse(Clean::new(
            "A replay is running: w shows it. Continue this one when that has ended.",
        ));
    } else if session.state.can_continue() {
        let ask = Ask::Continue(session);
        state.push(Question::new(ask, Answer::Key));
    } else {
        let why = match session.state {
            SessionState::Running => "This replay is running.",
            SessionState::Done => "This replay is complete; n starts a new one.",
            SessionState::HandedOver => "This replay is waiting to be run manually: H shows how.",
            SessionState::Unreadable => "Its manifest cannot be read, so it cannot be continued.",
            SessionState::Interrupted | SessionState::Cancelled => "",
        };
        state.refuse(Clean::new(why));
    }
}

/// Opens what of a pipeline can be compared.
pub(crate) fn operands(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let mut screen = OperandsScreen::new(id.clone());
    screen.ticket = Some(ticket);
    state.push(screen);
    effects.push(Effect::Ask(ticket, Query::Operands(id)));
}

/// Takes what can be compared.
pub(crate) fn take_operands(
    state: &mut State,
    ticket: Ticket,
    result: Result<Vec<Operand>, EngineError>,
) {
    for screen in state.layers.all_mut::<OperandsScreen>() {
        if screen.ticket == Some(ticket) {
            screen.ticket = None;
            screen.take(result);
            return;
        }
    }
}
