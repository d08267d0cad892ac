//! The form of a new replay, and on to its plan. Nothing is written and nothing runs here.

use super::super::commands::Cmd;
use super::super::data::{EngineError, Load};
use super::super::msg::{Effect, Query, Ticket};
use super::super::state::State;
use super::super::state::layer::Layer;
use super::super::state::new_replay::{FormRow, NewReplay};
use super::replay_plan;
use crate::model::{Clean, PipelineId, ReplayAsk, ReplayPlan};

/// Opens the form; what it offers is read from the plan of a replay that changes nothing.
pub(super) fn open(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    state.push(Layer::NewReplay(NewReplay::new(id)));
    request(state, effects);
}

/// Asks for what an open form offers.
pub(super) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    for layer in &mut state.layers {
        if let Layer::NewReplay(screen) = layer {
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
pub(super) fn take(
    state: &mut State,
    ticket: Ticket,
    result: &Result<ReplayPlan, EngineError>,
) -> bool {
    for layer in &mut state.layers {
        if let Layer::NewReplay(screen) = layer
            && screen.ticket == Some(ticket)
        {
            screen.ticket = None;
            let base: Load<ReplayPlan> = result.clone().into();
            screen.take(base);
            return true;
        }
    }
    false
}

/// A command of the form.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::NewReplay(screen)) = state.layers.last_mut() else {
        return;
    };
    match cmd {
        Cmd::ShowPlan => plan(state, effects),
        Cmd::Enter if screen.row() == FormRow::Go => plan(state, effects),
        Cmd::Enter => match screen.field() {
            Some(field) => field.open = true,
            None => {
                screen.turn(true);
            }
        },
        Cmd::Left | Cmd::Right if !screen.turn(cmd == Cmd::Right) => {
            state.refuse(Clean::new("Enter writes into this field."));
        }
        _ => {}
    }
}

fn plan(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(Layer::NewReplay(screen)) = state.layers.last() else {
        return;
    };
    let id = screen.id.clone();
    match screen.ask(&state.browser.request.cwd) {
        Ok(ask) => replay_plan::open(state, id, ask, effects),
        Err(why) => state.refuse(Clean::new(why)),
    }
}
