//! The loop: receives, drains, draws once, and sleeps while nothing happens.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use chrono::TimeDelta;

use super::commands::Keymap;
use super::geometry::Geometry;
use super::msg::{Effect, Msg, Reply, Signal};
use super::state::{Left, State};
use super::terminal::{Heard, Plain, Screen, listen, on_panic, stop_here};
use super::theme::{Background, Palette, Theme};
use super::update;
use super::worker::{Source, Worker};
use crate::clean;
use crate::config::{self, Config, Confirm};
use crate::model::{Clean, Foreign, Request};

/// How often the clock ticks while a result is awaited.
const BUSY: Duration = Duration::from_millis(120);

/// How often the clock ticks otherwise: ages are in minutes.
const IDLE: Duration = Duration::from_secs(60);

/// The most messages that are taken before the screen is drawn.
const BATCH: usize = 4_096;

/// The background of the terminal that this runs in, where it answers. Only while no console runs.
pub fn background() -> Option<&'static str> {
    super::terminal::background().map(Background::word)
}

/// The names of commands and keys in a configuration that there are none of, a sentence each.
pub fn unknown_keys(config: &Config) -> Vec<String> {
    let keys: Vec<_> = config.keys.clone().into_iter().collect();
    Keymap::unknown(&keys)
}

/// Runs the console until the person leaves it, or until a signal ends it.
/// Without `colored`, no color is used whatever the configuration says. `plain` reads the screens as lines.
///
/// # Errors
/// The terminal could not be taken, or was lost.
pub fn run(
    source: impl Source,
    mut request: Request,
    config: &Config,
    (colored, plain): (bool, bool),
) -> io::Result<Left> {
    on_panic();
    let source: Arc<dyn Source> = Arc::new(source);
    let (out, messages) = channel();
    let mut worker = Worker::new(Arc::clone(&source), out.clone())?;
    let keys: Vec<_> = config.keys.clone().into_iter().collect();
    let (keymap, refused) = Keymap::new(&keys);
    let palette = match config.theme {
        _ if !colored => Some(Palette::None),
        config::Theme::Terminal => None,
        config::Theme::Dark => Some(Palette::Dark),
        config::Theme::Light => Some(Palette::Light),
        config::Theme::None => Some(Palette::None),
    };
    for path in &mut request.paths {
        *path = request.cwd.join(&*path);
    }
    let theme = Theme::new(palette.unwrap_or_default());
    let mut state = State::new(source.now(), request, theme, keymap);
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
    state.mouse = config.mouse && !plain;
    state.browser.views.clone_from(&config.view);
    state.always_typed = config.confirm == Confirm::Typed;
    state.read_only = config.read_only;
    if plain {
        state.size = Plain::SIZE;
        state.looks_away_after = TimeDelta::zero();
        listen(out.clone())?;
        let mut face = Plain::start(out, config.notify)?;
        return turns(&mut face, state, &mut worker, &messages, (&*source, config));
    }
    let mut screen = Screen::take(state.mouse, config.notify)?;
    let (palette, heard) = match palette {
        Some(palette) => (palette, Heard::default()),
        None => screen.ask(),
    };
    state.theme = Theme::new(palette);
    state.size = screen.size()?;
    listen(out.clone())?;
    screen.read(out, &heard)?;
    turns(
        &mut screen,
        state,
        &mut worker,
        &messages,
        (&*source, config),
    )
}

/// What the console is shown on.
pub(super) trait Face {
    /// Shows the state, and says where things went.
    fn show(&mut self, state: &State) -> io::Result<Geometry>;

    /// Gives lines to a clipboard that only the terminal reaches, or shows them. Says what became of it.
    fn copy(&mut self, lines: &[Clean], what: &Clean) -> io::Result<Clean>;

    /// Runs something that uses the terminal itself.
    fn aside<T>(&mut self, away: impl FnOnce() -> T) -> io::Result<T>;

    /// Notifies the person that something has ended.
    fn notify(&mut self, text: &str) -> io::Result<()>;

    /// Captures the mouse, or releases it to the terminal.
    fn mouse(&mut self, mouse: bool) -> io::Result<()>;

    /// Shows everything anew the next time.
    fn forget(&mut self) -> io::Result<()>;
}

/// Turn by turn until the person leaves.
fn turns(
    face: &mut impl Face,
    mut state: State,
    worker: &mut Worker,
    messages: &Receiver<Msg>,
    (source, config): (&dyn Source, &Config),
) -> io::Result<Left> {
    let mut written = config.written_at();
    let mut effects = update::start(&mut state);
    loop {
        for effect in std::mem::take(&mut effects) {
            let Some(effect) = worker.take(effect) else {
                continue;
            };
            if effect == Effect::Quit {
                return Ok(state.left);
            }
            let launches = matches!(effect, Effect::Launch(..));
            if let Some(msg) = outside(effect, face, source)? {
                effects.extend(update::update(&mut state, Msg::Clock(source.now())));
                effects.extend(update::update(&mut state, msg));
            }
            if launches {
                let meant = messages.try_iter().filter(|msg| !of_another(msg));
                effects.extend(update::absorb(&mut state, meant));
            }
        }
        state.drawn(face.show(&state)?);
        let happened = batch(messages, &state, source);
        effects.extend(update::absorb(&mut state, happened));
        let before = std::mem::replace(&mut written, config.written_at());
        if before != written {
            let text = "The configuration has changed; the console uses it from its next start.";
            effects.extend(update::update(&mut state, Msg::Note(text.into())));
        }
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

/// Performs an effect that only the terminal can. Returns what happened meanwhile, if anything.
fn outside(effect: Effect, face: &mut impl Face, source: &dyn Source) -> io::Result<Option<Msg>> {
    let note = |text: Foreign| Some(Msg::Note(text));
    match effect {
        Effect::Copy(lines, what) => {
            let place = source.copy(&text_of(&lines));
            let said = match place {
                Some(place) => clean!("Copied to {}: {}", place, what),
                None => face.copy(&lines, &what)?,
            };
            Ok(Some(Msg::Said(said)))
        }
        Effect::Open(origin) => {
            let opened = face.aside(|| source.open(&origin))?;
            Ok(opened.err().and_then(|trouble| note(trouble.text)))
        }
        Effect::Launch(ticket, id, handoff) => {
            let launched = face.aside(|| source.launch(&id, &handoff))?;
            Ok(Some(Msg::Reply(ticket, Reply::Launched(launched))))
        }
        Effect::Edit(ticket, text) => {
            let edited = face.aside(|| source.edit(&text))?;
            Ok(Some(Msg::Reply(ticket, Reply::Edited(edited))))
        }
        Effect::Notify(text) => face.notify(text).map(|()| None),
        Effect::Mouse(mouse) => face.mouse(mouse).map(|()| None),
        Effect::Suspend => {
            let stopped = face.aside(stop_here)?;
            Ok(stopped.err().and_then(|error| {
                let text = clean!("Cannot suspend: {}.", error.to_string());
                note(text.as_str().into())
            }))
        }
        Effect::Redraw => face.forget().map(|()| None),
        _ => Ok(None),
    }
}
