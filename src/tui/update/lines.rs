//! What a typed line means in the plain console: a choice by its number, keys by their names, a command by its label,
//! or the text that is asked for.

use crossterm::event::KeyCode;

use crate::tui::commands::{self, COMMANDS};
use crate::tui::prelude::*;
use crate::tui::screens::menu::Menu;
use crate::tui::update::{keys, motion};

/// What opens the screen of the selected pipeline, and its first pane there.
const SHOW: &str = "relight show PIPELINE";

/// The ends of command lines whose objects are what is selected.
const OBJECTS: [&str; 3] = ["", " PIPELINE", " RECOVERY"];

/// Takes a line. An empty one changes nothing, so that Enter is never an answer by mistake.
pub(super) fn take(state: &mut State, line: &str) {
    state.heard += 1;
    let completes = line.ends_with('\t') && keys::open_field(state).is_some();
    let line = line.trim();
    if completes {
        return complete(state, line);
    }
    if line.is_empty() {
        return state.refuse("An empty line changes nothing. Type enter to press Enter.");
    }
    let continues = state.completed.take().is_some();
    if let Some(question) = state.layers.top_mut::<Question>() {
        // A whole line is no key that was on its way.
        question.seen = true;
        let letters = question.answer != Answer::Key;
        answer(state, line, letters);
    } else if keys::open_field(state).is_some() {
        text(state, line, continues);
    } else if let Some(words) = line.strip_prefix('/').filter(|words| !words.is_empty()) {
        keys::run(state, Cmd::Filter);
        if keys::open_field(state).is_some() {
            text(state, words, false);
        }
    } else {
        choose(state, line);
    }
}

/// Answers a question: a word and Enter where a word is asked for, else one key.
fn answer(state: &mut State, line: &str, letters: bool) {
    if let Some(key) = named(line) {
        return press(state, key);
    }
    let line = match line {
        "yes" if !letters => "y",
        "no" if !letters => "n",
        line => line,
    };
    if !letters && line.chars().count() > 1 {
        return state.refuse("Type y or n.");
    }
    for letter in line.chars() {
        press(state, Key::letter(letter));
        // An answer that was complete before its last letter closes the question.
        if !state.layers.is_top::<Question>() {
            return;
        }
    }
    if letters {
        press(state, Key::plain(KeyCode::Enter));
    }
}

/// Writes what is before a Tab into the open field and completes it, as far as it is certain. The next line continues
/// what is there then, so that a long path is typed in steps.
fn complete(state: &mut State, line: &str) {
    let continues = state.completed.take().is_some();
    if !line.is_empty() {
        write(state, line, continues);
    }
    press(state, Key::plain(KeyCode::Tab));
    state.completed = Some(state.heard);
}

/// Writes a text into the open field, in the place of what is there or after it. A path from the root or from home is
/// whole.
fn write(state: &mut State, line: &str, continues: bool) {
    let whole = !continues || line.starts_with(['/', '~']);
    if let Some(field) = keys::open_field(state).filter(|_| whole) {
        field.clear();
    }
    keys::paste(state, line);
}

/// Writes a text into the open field and closes it; in a menu a number chooses.
fn text(state: &mut State, line: &str, continues: bool) {
    if let Some(key) = named(line) {
        state.completed = (key.code == KeyCode::Tab).then_some(state.heard);
        return press(state, key);
    }
    let row = line.parse().ok().filter(|_| state.layers.is_top::<Menu>());
    if let Some(row) = row {
        if select(state, row) {
            press(state, Key::plain(KeyCode::Enter));
        }
        return;
    }
    write(state, line, continues);
    // What matches is read first.
    if !state.layers.is_top::<Menu>() {
        press(state, Key::plain(KeyCode::Enter));
    }
}

/// Chooses a row by its number, presses keys by their names, or runs a command by its label.
fn choose(state: &mut State, line: &str) {
    if let Some(command) = labeled(state, line) {
        state.word = None;
        keys::run(state, command.id);
        // The screen of a pipeline that the word has opened has a place for it.
        let opened = command.cli == Some(SHOW) && command.id == Cmd::Enter;
        if let Some(place) = of_line(state, &word(line)).filter(|_| opened) {
            keys::run(state, place.id);
        }
        return;
    }
    let mut words = line.split_whitespace().peekable();
    if let Some(row) = words.peek().and_then(|word| word.parse().ok()) {
        words.next();
        if !select(state, row) {
            return;
        }
        if words.peek().is_none() {
            return press(state, Key::plain(KeyCode::Enter));
        }
    }
    let pressed: Option<Vec<Key>> = words.map(key).collect();
    match pressed {
        Some(pressed) => {
            for key in pressed {
                press(state, key);
            }
        }
        None => state.refuse(clean!(
            "{} is neither a number of the list, nor a key or a command of this screen. {} lists them.",
            line,
            state.key(Cmd::Help)
        )),
    }
}

/// The command with this label here, or with this name, which the palette shows, too.
/// The word of a command. One without a key is named as the palette runs it.
fn word(line: &str) -> String {
    let name = line.strip_prefix(':').filter(|name| !name.is_empty());
    name.unwrap_or(line).to_lowercase()
}

fn labeled(state: &State, line: &str) -> Option<&'static Command> {
    let line = word(line);
    let quit = if state.layers.is_empty() {
        "quit"
    } else {
        "back"
    };
    if line == quit {
        return COMMANDS.iter().find(|command| command.id == Cmd::Quit);
    }
    let commands = || state.contexts().into_iter().flat_map(commands::of);
    let called = commands().find(|command| {
        let label = Some(command.label).filter(|label| label.chars().count() > 1);
        label == Some(line.as_str()) || command.name == line
    });
    let found = called.or_else(|| of_line(state, &line));
    // A resume begins with its plan; what else is said of a pipeline is on its screen.
    let other = match line.as_str() {
        "resume" => "relight plan PIPELINE",
        "timeline" | "checkpoints" | "why" => SHOW,
        _ => return found,
    };
    found.or_else(|| commands().find(|command| command.cli == Some(other)))
}

/// The command here that does what the command line with this word does.
fn of_line(state: &State, word: &str) -> Option<&'static Command> {
    let mut lines = OBJECTS
        .iter()
        .map(|objects| format!("relight {word}{objects}"));
    lines.find_map(|line| {
        let mut commands = state.contexts().into_iter().flat_map(commands::of);
        commands.find(|command| command.cli == Some(line.as_str()))
    })
}

/// Selects the row with a number, counted from 1. False if there is none.
fn select(state: &mut State, number: usize) -> bool {
    let len = match state.top().position(state) {
        Position::Row { of, .. } => of,
        Position::Fixed | Position::Text(_) => 0,
    };
    let Some(row) = number.checked_sub(1).filter(|row| *row < len) else {
        state.refuse(match len {
            0 => clean!("There is nothing to choose from by a number here."),
            len => clean!("There is no row {}; the list has {}.", number, len),
        });
        return false;
    };
    motion::select(state, row);
    true
}

/// A key by its name in a keymap or on the screen.
fn key(word: &str) -> Option<Key> {
    let small = || Key::parse(&word.to_lowercase());
    Key::parse(word).or_else(small)
}

/// A key that writes nothing, by its name.
fn named(word: &str) -> Option<Key> {
    key(word).filter(|key| key.written().is_none())
}

/// Presses a key as a terminal would.
fn press(state: &mut State, key: Key) {
    state.browser.rearrange();
    keys::press(state, key);
}
