//! The update function: one message in, a changed state and effects out. No input or output here,
//! no clock, no thread.

pub(crate) mod copying;
pub(crate) mod keys;
mod lines;
pub(crate) mod motion;
mod mouse;
mod replies;
mod wants;

use super::commands::Cmd;
use super::msg::{Effect, Msg, Signal};
use super::screens::{browser, handoff, progress as acting};
use super::state::State;
use crate::clean;
use crate::tui::screens::diff::DiffScreen;
use crate::tui::screens::plan::PlanScreen;

/// What the first frame needs asked.
pub fn start(state: &mut State) -> Vec<Effect> {
    let mut effects = Vec::new();
    browser::look(state, &mut effects);
    effects
}

/// Takes one message.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    absorb(state, [msg])
}

/// Takes all messages that are there, then brings in order what they left: a thousand rows that were found
/// are sorted once.
pub fn absorb(state: &mut State, msgs: impl IntoIterator<Item = Msg>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for msg in msgs {
        take(state, msg, &mut effects);
    }
    state.browser.rearrange();
    wants::ask(state, &mut effects);
    effects
}

fn take(state: &mut State, msg: Msg, effects: &mut Vec<Effect>) {
    match msg {
        Msg::Key(key) => {
            state.browser.rearrange();
            keys::press(state, key, effects);
        }
        Msg::Line(line) => lines::take(state, &line, effects),
        Msg::Paste(text) => keys::paste(state, &text, effects),
        Msg::Mouse(operation, x, y) => mouse::act(state, operation, x, y, effects),
        Msg::Resize(width, height) => resize(state, width, height),
        Msg::Tick(now) => {
            state.now = now;
            state.beat = state.beat.wrapping_add(1);
        }
        Msg::Clock(now) => state.now = now,
        Msg::Signal(Signal::End | Signal::Interrupt) => acting::end(state, effects),
        Msg::Signal(Signal::Stop) if state.is_writing() => acting::explain(state),
        Msg::Signal(Signal::Stop) => effects.push(Effect::Suspend),
        Msg::Signal(Signal::Continue) => effects.push(Effect::Redraw),
        Msg::Changed => {
            handoff::changed(state, effects);
            browser::changed(state, effects);
        }
        Msg::Reply(ticket, reply) => replies::take(state, ticket, reply, effects),
        Msg::Note(text) => {
            let text = clean!("{}", text);
            state.note(text.clone());
            state.say(text);
        }
        Msg::Said(text) => state.say(text),
    }
}

fn resize(state: &mut State, width: u16, height: u16) {
    state.size = (width, height);
    for screen in state.layers.all_mut::<DiffScreen>() {
        screen.arrange(width);
    }
    for screen in state.layers.all_mut::<PlanScreen>() {
        screen.beside = None;
    }
}

/// Takes the topmost layer away, with whatever it still waits for.
pub(crate) fn pop(state: &mut State) {
    if let Some(screen) = state.layers.pop() {
        state.geometry.forget(screen.list());
    }
}

/// The only command of a dialog that is only read: Enter closes it.
pub(crate) fn close(state: &mut State, cmd: Cmd, _: &mut Vec<Effect>) {
    if cmd == Cmd::Enter {
        pop(state);
    }
}
