//! From a key to a deed: first the open text field, then the table.

use crossterm::event::KeyCode;

use super::super::commands::Cmd;
use super::super::keys::Key;
use super::super::msg::Effect;
use super::super::state::State;
use super::super::state::field::Field;
use super::super::state::layer::Layer;
use super::super::state::pipeline::{Drifts, Pane};
use super::{
    acting, browser, comparison, copying, details, diff, handoff, menu, motion, new_replay,
    pipeline, plan, pop, question, recoveries, replay_plan, replaying, replays,
};
use crate::clean;
use crate::model::Clean;

/// Takes a key.
pub(super) fn press(state: &mut State, key: Key, effects: &mut Vec<Effect>) {
    state.word = None;
    if let Some(Layer::Question(_)) = state.layers.last() {
        question::press(state, key, effects);
        return;
    }
    let redraw = state.keymap.command(key, state.contexts());
    if state.is_writing() {
        match redraw.map(|command| command.id) {
            Some(Cmd::Redraw) => {}
            Some(Cmd::Cancel) => return acting::cancel(state),
            _ => return acting::explain(state),
        }
    }
    if open_field(state).is_some() {
        typed(state, key, effects);
        return;
    }
    if let Some(command) = state.keymap.command(key, state.contexts()) {
        run(state, command.id, effects);
    }
}

/// Takes pasted text: it goes to an open field, and nowhere else, so that a paste never runs commands.
pub(super) fn paste(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    if let Some(Layer::Question(_)) = state.layers.last() {
        question::paste(state, text);
        return;
    }
    match open_field(state) {
        Some(field) => {
            field.paste(text);
            field_changed(state, effects);
        }
        None => state.refuse(Clean::new(
            "Nothing here takes pasted text; / opens the filter.",
        )),
    }
}

/// The field that letters go to, if one is open.
fn open_field(state: &mut State) -> Option<&mut Field> {
    let field = match state.layers.last_mut() {
        None => &mut state.browser.filter,
        Some(Layer::Pipeline(screen)) if screen.pane == Pane::Timeline => {
            &mut screen.timeline.filter
        }
        Some(Layer::Help(menu) | Layer::Palette(menu)) => &mut menu.field,
        Some(Layer::NewReplay(screen)) => screen.field()?,
        Some(Layer::Diff(screen)) => &mut screen.search.field,
        Some(_) => return None,
    };
    field.open.then_some(field)
}

/// A key while a field is open.
fn typed(state: &mut State, key: Key, effects: &mut Vec<Effect>) {
    let in_menu = matches!(
        state.layers.last(),
        Some(Layer::Help(_) | Layer::Palette(_))
    );
    let cancel = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
    match key.code {
        _ if cancel && in_menu => pop(state),
        _ if cancel => {
            if let Some(field) = open_field(state) {
                field.clear();
                field.open = false;
            }
            field_changed(state, effects);
        }
        KeyCode::Enter if in_menu => menu::choose(state, effects),
        KeyCode::Enter => {
            if let Some(field) = open_field(state) {
                field.open = false;
            }
        }
        KeyCode::Up => motion::go(state, motion::Motion::By(-1)),
        KeyCode::Down => motion::go(state, motion::Motion::By(1)),
        KeyCode::PageUp => motion::go(state, motion::Motion::Pages(-2)),
        KeyCode::PageDown => motion::go(state, motion::Motion::Pages(2)),
        _ => {
            let before = open_field(state).map(|field| field.text().to_owned());
            let taken = open_field(state).is_some_and(|field| field.take(key));
            let after = open_field(state).map(|field| field.text().to_owned());
            if taken && before != after {
                field_changed(state, effects);
            }
        }
    }
}

/// What follows from another text in the open field.
fn field_changed(state: &mut State, effects: &mut Vec<Effect>) {
    match state.layers.last_mut() {
        None => state.browser.arrange(),
        Some(Layer::Pipeline(_)) => pipeline::filter(state, effects),
        Some(Layer::Help(menu) | Layer::Palette(menu)) => menu.arrange(),
        Some(Layer::Diff(screen)) => screen.find(),
        Some(_) => {}
    }
}

/// Carries a command out, as a key, a click or the palette asked for it.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    if let Some(motion) = motion::of(cmd) {
        motion::go(state, motion);
        return;
    }
    if state.is_writing() {
        match cmd {
            Cmd::Redraw => {}
            Cmd::Cancel => return acting::cancel(state),
            _ => return acting::explain(state),
        }
    }
    match cmd {
        Cmd::Help => menu::help(state),
        Cmd::Palette => menu::palette(state),
        Cmd::Back => back(state, effects),
        Cmd::Quit => quit(state, effects),
        Cmd::Cancel => cancel(state, effects),
        Cmd::Suspend => effects.push(Effect::Suspend),
        Cmd::Copy => copying::copy(state, effects),
        Cmd::Open => copying::open(state, effects),
        Cmd::Reload => reload(state, effects),
        Cmd::Mouse => mouse(state, effects),
        Cmd::Log => details::log(state),
        Cmd::Redraw => effects.push(Effect::Redraw),
        _ => on_screen(state, cmd, effects),
    }
}

/// A command that the topmost screen understands.
fn on_screen(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    match state.layers.last() {
        None => browser::run(state, cmd, effects),
        Some(Layer::Pipeline(_)) => pipeline::run(state, cmd, effects),
        Some(Layer::Picker(_)) => pipeline::pick(state, cmd, effects),
        Some(Layer::Plan(_)) => plan::run(state, cmd, effects),
        Some(Layer::Diff(_)) => diff::run(state, cmd, effects),
        Some(Layer::Recoveries(_)) => recoveries::run(state, cmd, effects),
        Some(Layer::Pending(_)) => recoveries::pending(state, cmd, effects),
        Some(Layer::Outcome(_)) => acting::run(state, cmd, effects),
        Some(Layer::Handoff(_)) => handoff::run(state, cmd, effects),
        Some(Layer::Replays(_)) => replays::run(state, cmd, effects),
        Some(Layer::NewReplay(_)) => new_replay::run(state, cmd, effects),
        Some(Layer::ReplayPlan(_)) => replay_plan::run(state, cmd, effects),
        Some(Layer::Conflict(_)) => replay_plan::of_conflict(state, cmd, effects),
        Some(Layer::Replaying(_)) => replaying::run(state, cmd, effects),
        Some(Layer::Operands(_)) => replays::of_operands(state, cmd, effects),
        Some(Layer::Comparison(_)) => comparison::run(state, cmd, effects),
        Some(Layer::Detail(_) | Layer::Log(_) | Layer::Notice(_) | Layer::Rehearsal(_)) => {
            details::pan(state, cmd);
        }
        Some(Layer::Help(_) | Layer::Palette(_) | Layer::Question(_) | Layer::Progress(_)) => {}
    }
}

/// Closes what is on top; where nothing is, clears the filter.
fn back(state: &mut State, effects: &mut Vec<Effect>) {
    match state.layers.last_mut() {
        None if !state.browser.filter.is_empty() => {
            state.browser.filter.clear();
            state.browser.arrange();
        }
        None => state.refuse(Clean::new(
            "This is the list of pipelines; q leaves the console.",
        )),
        Some(Layer::Pipeline(screen))
            if screen.pane == Pane::Timeline && !screen.timeline.filter.is_empty() =>
        {
            screen.timeline.filter.clear();
            pipeline::filter(state, effects);
        }
        Some(Layer::Pipeline(screen)) if screen.zoom => screen.zoom = false,
        Some(Layer::Diff(screen)) if !screen.search.field.is_empty() => {
            screen.search.field.clear();
            screen.find();
        }
        Some(_) => leave(state),
    }
}

fn quit(state: &mut State, effects: &mut Vec<Effect>) {
    if !state.layers.is_empty() {
        leave(state);
    } else if !replaying::asks_before_leaving(state) {
        effects.push(Effect::Quit);
    }
}

/// Closes what is on top; what stays undone is said.
fn leave(state: &mut State) {
    if let Some(Layer::Pending(_)) = state.layers.last() {
        state.refuse(Clean::new(
            "It is still pending, and nothing was changed. R lists it.",
        ));
    }
    pop(state);
}

fn cancel(state: &mut State, effects: &mut Vec<Effect>) {
    if state.layers.last().is_some_and(|layer| !layer.fills()) {
        leave(state);
    } else if !replaying::asks_before_leaving(state) {
        effects.push(Effect::Quit);
    }
}

/// Reads everything that is shown again, measurements too.
fn reload(state: &mut State, effects: &mut Vec<Effect>) {
    browser::look(state, effects);
    state.dossiers.clear();
    state.reading.clear();
    state.preview = None;
    let (mut planned, mut listed, mut compared) = (false, false, false);
    for layer in &mut state.layers {
        match layer {
            Layer::Pipeline(screen) => {
                screen.drifts = Drifts::default();
            }
            Layer::Plan(_) => planned = true,
            Layer::Recoveries(_) => listed = true,
            Layer::Comparison(_) => compared = true,
            _ => {}
        }
    }
    if planned {
        plan::request(state, effects);
    }
    if listed {
        recoveries::request(state, effects);
    }
    if compared {
        comparison::request(state, effects);
    }
    replays::request(state, effects);
    new_replay::request(state, effects);
    replay_plan::request(state, effects);
    state.say(Clean::new("Reading everything again."));
}

fn mouse(state: &mut State, effects: &mut Vec<Effect>) {
    state.mouse = !state.mouse;
    effects.push(Effect::Mouse(state.mouse));
    let (who, what) = if state.mouse {
        (
            "The console has the mouse",
            "F2 gives it back to the terminal, for selecting text.",
        )
    } else {
        (
            "The terminal has the mouse",
            "text can be selected; F2 takes it again.",
        )
    };
    state.say(clean!("{}; {}", who, what));
}
