//! From a key to a command: first the open text field, then the table.

use crossterm::event::KeyCode;

use crate::tui::commands::COMMANDS;
use crate::tui::prelude::*;
use crate::tui::screens::question;
use crate::tui::screens::{browser, menu, progress, replaying};
use crate::tui::update::motion;

/// Whether a key does anything on the topmost screen.
pub(crate) fn means_something(state: &State, key: Key) -> bool {
    let command = state.keymap.command(key, &state.contexts());
    command.is_some() || state.layers.is_top::<Question>()
}

/// Takes a key that was pressed where the screen names it. What is typed is typed by hand.
pub(super) fn click(state: &mut State, key: Key) {
    if key.written().is_none() || open_field(state).is_none() {
        press(state, key);
    }
}

/// Takes a key.
pub(crate) fn press(state: &mut State, key: Key) {
    state.word = None;
    let command = state.keymap.command(key, &state.contexts());
    let id = command.map(|command| command.id);
    // What is about the terminal works wherever no letter is meant.
    let is_apart = matches!(id, Some(Cmd::Redraw | Cmd::Suspend)) && key.written().is_none();
    if state.layers.is_top::<Question>() && !is_apart {
        question::press(state, key);
        return;
    }
    if state.is_writing() && id != Some(Cmd::Redraw) {
        return meanwhile(state, id);
    }
    if open_field(state).is_some() && !is_apart {
        typed(state, key);
    } else if let Some(command) = command {
        run(state, command.id);
    } else {
        let (key, help) = (key.to_string(), state.key(Cmd::Help));
        state.refuse(clean!(
            "{} is no key of this screen; {} lists its keys.",
            key,
            help
        ));
    }
}

/// A command while something is being written: it can be cancelled, and nothing else.
fn meanwhile(state: &mut State, cmd: Option<Cmd>) {
    match cmd {
        Some(Cmd::Cancel) => progress::cancel(state),
        _ => progress::explain(state),
    }
}

/// Takes pasted text: it goes to an open field, and nowhere else, so that a paste never runs commands.
pub(super) fn paste(state: &mut State, text: &str) {
    state.word = None;
    if state.layers.is_top::<Question>() {
        question::paste(state, text);
        return;
    }
    match open_field(state) {
        Some(field) => match field.paste(text) {
            Ok(()) => field_changed(state)(state),
            Err(why) => state.refuse(why),
        },
        None => state.refuse("Nothing here takes pasted text."),
    }
}

/// The field that letters go to, if one is open.
pub(in crate::tui) fn open_field(state: &mut State) -> Option<&mut Field> {
    let field = match state.layers.last_mut() {
        None => Some(&mut state.browser.filter),
        Some(screen) => screen.field(),
    };
    field.filter(|field| field.open)
}

/// What follows from another text in the open field.
fn field_changed(state: &State) -> Follow {
    state.top().field_changed()
}

/// A key while a field is open.
fn typed(state: &mut State, key: Key) {
    let in_menu = state.layers.is_top::<menu::Menu>();
    let cancel = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
    match key.code {
        _ if in_menu && (cancel || menu::is_closed_by(state, key)) => pop(state),
        _ if cancel => {
            if let Some(field) = open_field(state) {
                field.clear();
                field.open = false;
            }
            field_changed(state)(state);
        }
        KeyCode::Enter if in_menu => menu::choose(state),
        KeyCode::Enter => {
            if let Some(field) = open_field(state) {
                field.open = false;
            }
        }
        KeyCode::Tab => state.top().tab()(state),
        KeyCode::Up => motion::go(state, motion::Motion::By(-1)),
        KeyCode::Down => motion::go(state, motion::Motion::By(1)),
        KeyCode::PageUp => motion::go(state, motion::Motion::Pages(-2)),
        KeyCode::PageDown => motion::go(state, motion::Motion::Pages(2)),
        _ => {
            let changed = open_field(state).is_some_and(|field| {
                let before = field.text().to_owned();
                field.take(key) && field.text() != before
            });
            if changed {
                field_changed(state)(state);
            }
        }
    }
}

/// Runs a command, as a key, a click or the palette asked for it.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    if let Some(motion) = motion::of(cmd) {
        motion::go(state, motion);
        return;
    }
    match cmd {
        Cmd::Redraw => state.effects.push(Effect::Redraw),
        cmd if state.is_writing() => meanwhile(state, Some(cmd)),
        cmd if state.read_only && cmd.acts() => {
            state.refuse("relight is read-only here: nothing is written or started.");
        }
        cmd => match does(cmd) {
            Some(does) => does(state),
            None => (state.top().profile().run)(state, cmd),
        },
    }
}

/// What a command does whatever screen is on top.
fn does(cmd: Cmd) -> Option<Follow> {
    let row = COMMANDS.iter().find(|command| command.id == cmd);
    row.and_then(|command| command.does)
}

/// Takes a step back on the topmost screen, or closes it; where nothing is on top, clears the filter.
pub(crate) fn back(state: &mut State) {
    match state.layers.last_mut() {
        None if !state.browser.filter.is_empty() => {
            state.browser.filter.clear();
            state.browser.arrange();
        }
        None => state.refuse_with(Cmd::Quit, "This is the list of pipelines; {} quits."),
        Some(screen) => {
            if screen.step_back() {
                field_changed(state)(state);
            } else {
                leave(state);
            }
        }
    }
}

pub(crate) fn quit(state: &mut State) {
    if !state.layers.is_empty() {
        leave(state);
    } else if !replaying::asks_before_leaving(state) {
        state.effects.push(Effect::Quit);
    }
}

/// Closes the topmost screen; what stays undone is reported.
fn leave(state: &mut State) {
    if let Some(text) = state.layers.last().and_then(|screen| screen.parting(state)) {
        state.refuse(text);
    }
    pop(state);
}

pub(crate) fn cancel(state: &mut State) {
    if state.layers.last().is_some_and(|screen| !screen.fills()) {
        leave(state);
    } else if !replaying::asks_before_leaving(state) {
        state.effects.push(Effect::Quit);
    }
}

/// Reads everything that is shown again, measurements too.
pub(crate) fn reload(state: &mut State) {
    browser::look(state);
    state.dossiers.clear();
    state.reading.clear();
    state.preview = None;
    // A list and its dialogs may be on the stack more than once; each kind is asked for once.
    let mut seen = BTreeSet::new();
    let kinds = state
        .layers
        .iter()
        .filter(|screen| seen.insert(screen.name()));
    let reloads: Vec<Follow> = kinds.map(|screen| screen.profile().reload).collect();
    for reload in reloads {
        reload(state);
    }
    state.say("Reading everything again.");
}

pub(crate) fn suspend(state: &mut State) {
    state.effects.push(Effect::Suspend);
}

pub(crate) fn mouse(state: &mut State) {
    state.mouse = !state.mouse;
    state.effects.push(Effect::Mouse(state.mouse));
    let (who, what) = if state.mouse {
        ("Mouse captured", "releases it for selecting text.")
    } else {
        ("Mouse released", "captures it again.")
    };
    state.say(clean!("{}; {} {}", who, state.key(Cmd::Mouse), what));
}
