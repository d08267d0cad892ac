//! The form of a new experiment, which leads to its plan. Nothing is written and nothing runs here.

use super::{FormRow, NewReplay};
use crate::tui::prelude::*;
use crate::tui::screens::replay_plan;

/// Opens the form; what it offers and what it will cost is read from the plan of what is filled in.
pub(crate) fn open(state: &mut State, id: PipelineId) {
    state.push(NewReplay::new(id));
    request(state);
}

/// Asks for the plan for the form. Only one request runs at a time; the next one follows it.
pub(crate) fn request(state: &mut State) {
    let Some(screen) = state.layers.find_mut::<NewReplay>() else {
        return;
    };
    screen.again = screen.ticket.is_some();
    if screen.again {
        return;
    }
    match screen.ask(&state.browser.request.cwd) {
        Ok(ask) => {
            let query = Query::ReplayPlan(screen.id.clone(), Box::new(ask));
            screen.ticket = Some(state.effects.ask(query));
        }
        Err(problem) => screen.problem = Some(problem),
    }
}

/// Takes the plan of what was filled in. True if a form had asked.
pub(crate) fn take(state: &mut State, ticket: Ticket, result: &Result<ReplayPlan>) -> bool {
    let Some(screen) = state.layers.awaiting::<NewReplay>(ticket) else {
        return false;
    };
    screen.take(result.clone());
    if std::mem::take(&mut screen.again) {
        request(state);
    }
    true
}

/// Completes the path in the open field.
pub(crate) fn complete(state: &mut State) {
    let Some(screen) = state.layers.top_mut::<NewReplay>() else {
        return;
    };
    match screen.to_complete(&state.browser.request.cwd) {
        Some(query) => screen.completing = Some(state.effects.ask(query)),
        None => state.refuse("Tab completes the path of a file; here none is typed yet."),
    }
}

/// Handles the completions of the path.
pub(crate) fn take_paths(state: &mut State, ticket: Ticket, found: Vec<String>) {
    let mut screens = state.layers.all_mut::<NewReplay>();
    let Some(screen) = screens.find(|screen| screen.completing == Some(ticket)) else {
        return;
    };
    let none = found.is_empty();
    screen.completed(found);
    let field = screen.selected_field();
    let typed = field.map_or_else(String::new, |field| field.text().to_owned());
    drop(screens);
    if none {
        state.refuse(clean!(
            "No file name begins with {} here, in the project, next to it or among the templates.",
            typed.as_str()
        ));
    }
    request(state);
}

/// What follows when the text of a field changed.
pub(crate) fn changed(state: &mut State) {
    if let Some(screen) = state.layers.top_mut::<NewReplay>() {
        screen.candidates.clear();
    }
    request(state);
}

/// A command of the form.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_mut::<NewReplay>() else {
        return;
    };
    match cmd {
        Cmd::ShowPlan => plan(state),
        Cmd::Enter if screen.row() == FormRow::Go => plan(state),
        Cmd::Enter | Cmd::Left | Cmd::Right if screen.cycle(cmd != Cmd::Left) => {
            request(state);
        }
        Cmd::Enter | Cmd::Left | Cmd::Right if screen.row() == FormRow::On => {
            let why = screen.no_slurm().unwrap_or_default();
            let text = clean!("Runs can only be executed on this machine: {}.", why);
            state.refuse(text);
        }
        Cmd::Enter => {
            if let Some(field) = screen.selected_field() {
                field.open = true;
            }
        }
        Cmd::Left | Cmd::Right => state.refuse_with(Cmd::Enter, "Press {} to edit this field."),
        _ => {}
    }
}

fn plan(state: &mut State) {
    let cwd = state.browser.request.cwd.clone();
    let Some(screen) = state.layers.top_mut::<NewReplay>() else {
        return;
    };
    let id = screen.id.clone();
    match screen.ask(&cwd) {
        Ok(ask) => replay_plan::open(state, id, ask),
        Err(problem) => {
            // Select the row with the error.
            let row = screen.row_of(&problem);
            let place = screen.rows().iter().position(|one| *one == row);
            screen.select(place.unwrap_or(screen.place));
            let text = problem.text.clean();
            screen.problem = Some(problem);
            state.refuse(text);
        }
    }
}
