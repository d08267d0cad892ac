//! The loop: receives, drains, draws once, and sleeps while nothing happens.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::commands::Keymap;
use super::data::Request;
use super::msg::{Effect, Msg, Reply, Signal};
use super::state::State;
use super::terminal::{Heard, Input, Screen, listen, on_panic, stop_here};
use super::theme::{Palette, Theme};
use super::update;
use super::worker::{Source, Worker};
use crate::clean;
use crate::config::Notify;
use crate::model::{Clean, Foreign, SavedView};

/// How often time goes on while something is awaited.
const BUSY: Duration = Duration::from_millis(120);

/// How often time goes on otherwise: ages are in minutes.
const IDLE: Duration = Duration::from_secs(60);

/// The most messages that are taken before the screen is drawn.
const BATCH: usize = 4_096;

/// With what the console starts.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// What to look for first.
    pub request: Request,
    /// The colors; `None` asks the terminal.
    pub palette: Option<Palette>,
    /// Keys that the person wants changed: the name of a command, its keys.
    pub keys: Vec<(String, Vec<String>)>,
    /// Whether to take the mouse.
    pub mouse: bool,
    /// How the person is told that something long has ended.
    pub notify: Notify,
    /// Whether nothing may be written or started.
    pub read_only: bool,
    /// Saved views of the list.
    pub views: Vec<SavedView>,
    /// Whether every plan wants `yes` typed, not only a destructive one.
    pub always_typed: bool,
}

/// Runs the console until the person leaves it. Gives what is to be said on the terminal afterwards, if anything.
pub fn run(source: &Arc<dyn Source>, start: Start) -> io::Result<Option<Clean>> {
    on_panic();
    let (out, messages) = channel();
    let mut worker = Worker::new(Arc::clone(source), out.clone())?;
    let (keymap, refused) = Keymap::new(&start.keys);
    let theme = Theme::new(start.palette.unwrap_or_default());
    let mut state = State::new(source.now(), start.request, theme, keymap);
    for sentence in refused.iter().rev() {
        state.note(Clean::new(sentence));
    }
    if let Some(first) = refused.first() {
        let first = Clean::new(first);
        let more = refused.len() - 1;
        state.refuse(match more {
            0 => clean!("Configuration: {}", first),
            _ => clean!("Configuration: {} (+{} more: @)", first, more),
        });
    }
    state.mouse = start.mouse;
    state.browser.views = start.views;
    state.always_typed = start.always_typed;
    state.read_only = start.read_only;
    let mut screen = Screen::take(start.mouse, start.notify)?;
    let (palette, heard) = match start.palette {
        Some(palette) => (palette, Heard::default()),
        None => screen.ask(),
    };
    state.theme = Theme::new(palette);
    state.size = screen.size()?;
    listen(out.clone())?;
    let input = Input::start(out, &heard)?;
    let mut effects = update::start(&mut state);
    loop {
        for effect in std::mem::take(&mut effects) {
            let Some(effect) = worker.take(effect) else {
                continue;
            };
            if effect == Effect::Quit {
                return Ok(state.last_words.take());
            }
            let launches = matches!(effect, Effect::Launch(..));
            if let Some(msg) = outside(effect, &mut screen, &input, source.as_ref())? {
                effects.extend(update::update(&mut state, Msg::Clock(source.now())));
                effects.extend(update::update(&mut state, msg));
            }
            if launches {
                let meant = messages.try_iter().filter(|msg| !of_another(msg));
                effects.extend(update::absorb(&mut state, meant));
            }
        }
        state.geometry = screen.draw(&state)?;
        let happened = batch(&messages, &state, source.as_ref());
        effects.extend(update::absorb(&mut state, happened));
    }
}

/// True for a signal that the keys of a launched program caused: it was meant for that program.
fn of_another(msg: &Msg) -> bool {
    matches!(
        msg,
        Msg::Signal(Signal::Interrupt | Signal::Stop | Signal::Continue)
    )
}

/// What has happened: waits for the first message, then takes all that are there. The clock comes first, so
/// that the age of a plan is right when a key confirms it.
fn batch(messages: &Receiver<Msg>, state: &State, source: &dyn Source) -> Vec<Msg> {
    let patience = if state.busy() { BUSY } else { IDLE };
    match messages.recv_timeout(patience) {
        Ok(first) => [Msg::Clock(source.now()), first]
            .into_iter()
            .chain(messages.try_iter().take(BATCH))
            .collect(),
        Err(RecvTimeoutError::Timeout) => vec![Msg::Tick(source.now())],
        Err(RecvTimeoutError::Disconnected) => vec![Msg::Signal(Signal::End)],
    }
}

/// Lines as one text.
pub(super) fn text_of(lines: &[Clean]) -> String {
    let lines: Vec<&str> = lines.iter().map(Clean::as_str).collect();
    lines.join("\n")
}

/// Carries out what only the terminal can. Gives back what happened meanwhile, if anything did.
fn outside(
    effect: Effect,
    screen: &mut Screen,
    input: &Input,
    source: &dyn Source,
) -> io::Result<Option<Msg>> {
    let note = |text: Foreign| Some(Msg::Note(text));
    match effect {
        Effect::Copy(lines, what) => {
            let place = source.copy(&text_of(&lines));
            let said = match place {
                Some(place) => clean!("Copied to {}: {}", place, what),
                // Whether the terminal takes it cannot be asked.
                None if screen.copy(&lines)? => {
                    clean!(
                        "Sent to the terminal's clipboard (some terminals ignore it): {}",
                        what
                    )
                }
                None => Clean::new("Not copied: too long for the terminal's clipboard."),
            };
            Ok(Some(Msg::Said(said)))
        }
        Effect::Open(origin) => {
            let opened = input.aside(|| screen.leave(|| source.open(&origin)))?;
            Ok(opened.err().and_then(|trouble| note(trouble.text)))
        }
        Effect::Launch(ticket, id, handoff) => {
            let launched = input.aside(|| screen.leave(|| source.launch(&id, &handoff)))?;
            Ok(Some(Msg::Reply(ticket, Reply::Launched(launched))))
        }
        Effect::Edit(ticket, text) => {
            let edited = input.aside(|| screen.leave(|| source.edit(&text)))?;
            Ok(Some(Msg::Reply(ticket, Reply::Edited(edited))))
        }
        Effect::Notify(text) => screen.notify(text).map(|()| None),
        Effect::Mouse(mouse) => screen.mouse(mouse).map(|()| None),
        Effect::Suspend => {
            let stopped = input.aside(|| screen.leave(stop_here))?;
            Ok(stopped.err().and_then(|error| {
                let text = clean!("Cannot suspend: {}.", error.to_string());
                note(text.as_str().into())
            }))
        }
        Effect::Redraw => screen.forget().map(|()| None),
        _ => Ok(None),
    }
}
