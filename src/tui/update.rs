//! What happens to the console: one message in, a changed state and effects out. No input or output here,
//! no clock, no thread.

mod acting;
mod browser;
mod commands;
mod comparison;
mod confirm;
mod copying;
mod details;
mod diff;
mod handoff;
mod keys;
mod menu;
mod motion;
mod mouse;
mod new_replay;
mod pipeline;
mod plan;
mod question;
mod recoveries;
mod replay_plan;
mod replaying;
mod replays;
mod replies;
mod wants;

use super::msg::{Effect, Msg, Signal};
use super::state::State;
use super::state::layer::Layer;
use crate::clean;

pub use menu::equivalent;

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
    state.browser.settle();
    wants::ask(state, &mut effects);
    effects
}

fn take(state: &mut State, msg: Msg, effects: &mut Vec<Effect>) {
    match msg {
        Msg::Key(key) => {
            state.browser.settle();
            keys::press(state, key, effects);
        }
        Msg::Paste(text) => keys::paste(state, &text, effects),
        Msg::Mouse(deed, x, y) => mouse::act(state, deed, x, y, effects),
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
    }
}

fn resize(state: &mut State, width: u16, height: u16) {
    state.size = (width, height);
    for layer in &mut state.layers {
        if let Layer::Diff(screen) = layer {
            screen.arrange(width);
        }
    }
}

/// Takes the topmost layer away, with whatever it still waits for.
fn pop(state: &mut State) {
    if let Some(layer) = state.layers.pop() {
        state.geometry.forget(layer.list());
    }
}
