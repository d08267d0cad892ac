//! The form of a new replay, and on to its plan. Nothing is written and nothing runs here.

use crate::model::{Clean, PipelineId, ReplayAsk, ReplayPlan};
use crate::tui::commands::Cmd;
use crate::tui::data::{EngineError, Load};
use crate::tui::msg::{Effect, Query, Ticket};
use crate::tui::screens::new_replay::{FormRow, NewReplay};
use crate::tui::screens::replay_plan;
use crate::tui::state::State;

/// Opens the form; what it offers is read from the plan of a replay that changes nothing.
pub(crate) fn open(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    state.push(NewReplay::new(id));
    request(state, effects);
}

/// Asks for what an open form offers.
pub(crate) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    for screen in state.layers.all_mut::<NewReplay>() {
        if true {
            screen.ticket = Some(ticket);
            let ask = Box::new(ReplayAsk::default());
            effects.push(Effect::Ask(
                ticket,
                Query::ReplayPlan(screen.id.clone(), ask),
            ));
            return;
        }
    }
}

/// Takes what a form offers. True if a form had asked.
pub(crate) fn take(
    state: &mut State,
    ticket: Ticket,
    result: &Result<ReplayPlan, EngineError>,
) -> bool {
    for screen in state.layers.all_mut::<NewReplay>() {
        if screen.ticket == Some(ticket) {
            screen.ticket = None;
            let base: Load<ReplayPlan> = result.clone().into();
            screen.take(base);
            return true;
        }
    }
    false
}

/// A command of the form.
pub(crate) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(screen) = state.layers.top_mut::<NewReplay>() else {
        return;
    };
    match cmd {
        Cmd::ShowPlan => plan(state, effects),
        Cmd::Enter if screen.row() == FormRow::Go => plan(state, effects),
        Cmd::Enter => match screen.selected_field() {
            Some(field) => field.open = true,
            None => {
                screen.turn(true);
            }
        },
        Cmd::Left | Cmd::Right if !screen.turn(cmd == Cmd::Right) => {
            state.refuse(Clean::new("Press Enter to edit this field."));
        }
        _ => {}
    }
}

fn plan(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(screen) = state.layers.top_as::<NewReplay>() else {
        return;
    };
    let id = screen.id.clone();
    match screen.ask(&state.browser.request.cwd) {
        Ok(ask) => replay_plan::open(state, id, ask, effects),
        Err(why) => state.refuse(Clean::new(why)),
    }
}
