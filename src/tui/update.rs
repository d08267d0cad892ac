//! The update function: one message in, a changed state and effects out. No input or output here,
//! no clock, no thread.

pub(crate) mod copying;
mod found;
pub(crate) mod keys;
mod lines;
pub(crate) mod motion;
mod mouse;
mod replies;
mod wants;

use crate::tui::msg::{Msg, Signal};
use crate::tui::prelude::*;
use crate::tui::screens::{browser, handoff, progress as acting};

/// What the first frame needs asked.
pub fn start(state: &mut State) -> Vec<Effect> {
    browser::look(state);
    state.effects.take()
}

/// Takes one message.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    absorb(state, [msg])
}

/// Takes all messages that are there, then brings in order what they left: a thousand rows that were found
/// are sorted once.
pub fn absorb(state: &mut State, msgs: impl IntoIterator<Item = Msg>) -> Vec<Effect> {
    for msg in msgs {
        take(state, msg);
    }
    state.browser.rearrange();
    wants::ask(state);
    state.effects.take()
}

fn take(state: &mut State, msg: Msg) {
    match msg {
        Msg::Key(key) => {
            state.browser.rearrange();
            keys::press(state, key);
        }
        Msg::Line(line) => lines::take(state, &line),
        Msg::Paste(text) => keys::paste(state, &text),
        Msg::Mouse(operation, x, y) => mouse::act(state, operation, x, y),
        Msg::Resize(width, height) => resize(state, width, height),
        Msg::Tick(now) => {
            clock(state, now);
            state.beat = state.beat.wrapping_add(1);
        }
        Msg::Clock(now) => clock(state, now),
        Msg::Signal(Signal::End | Signal::Interrupt) => {
            state.left.interrupted = true;
            acting::end(state);
        }
        Msg::Signal(Signal::EndOfInput) => acting::end(state),
        Msg::Signal(Signal::Stop) if state.is_writing() => acting::explain(state),
        Msg::Signal(Signal::Stop) => state.effects.push(Effect::Suspend),
        Msg::Signal(Signal::Continue) => state.effects.push(Effect::Redraw),
        Msg::Changed => {
            handoff::look(state, true);
            browser::changed(state);
        }
        Msg::Reply(ticket, reply) => replies::take(state, ticket, reply),
        Msg::Note(text) => {
            let text = clean!("{}", text);
            state.note(text.clone());
            state.say(text);
        }
        Msg::Said(text) => state.say(text),
    }
}

/// Takes the time. What was read before a usage limit reset says to wait for that, so it is read again afterward.
fn clock(state: &mut State, now: DateTime<FixedOffset>) {
    let before = state.now;
    state.set_clock(now);
    let passed = |until: Stamp| before < until.at && until.at <= now;
    let waited = |dossier: &Dossier| {
        let why = dossier.why.iter();
        let own = why.clone().map(|why| &why.cause);
        let others = why.flat_map(|why| &why.conversations);
        let causes = own.chain(others.map(|one| &one.cause));
        causes.filter_map(|cause| cause.until).any(passed)
    };
    let outdated = state.dossiers.iter();
    let outdated = outdated.filter(|(_, load)| load.ready().is_some_and(|one| waited(one)));
    let outdated: Vec<_> = outdated.map(|(id, _)| id.clone()).collect();
    if !outdated.is_empty() {
        browser::changed(state);
    }
    for id in outdated {
        replies::read_again(state, id);
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
pub(crate) fn close(state: &mut State, cmd: Cmd) {
    if cmd == Cmd::Enter {
        pop(state);
    }
}
