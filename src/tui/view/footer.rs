//! The keys that matter here, from the table that handles them.

use crate::tui::commands::COMMANDS;
use crate::tui::prelude::*;

/// The keys that matter here, from the table that handles them; as many as there is room for.
pub(crate) fn keys(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    if let Some(keys) = typing(state) {
        choices(canvas, area, keys);
        return;
    }
    // Help and the way back always have their room.
    let last = |command: &&Command| is_always_offered(command.id);
    let (last, rest): (Vec<&Command>, Vec<&Command>) = offered(state).into_iter().partition(last);
    let widths = last.iter().map(|command| hint(state, command).width());
    let reserved: usize = widths.sum();
    let mut x = area.x;
    let mut room = usize::from(area.width).saturating_sub(reserved);
    for command in rest {
        let bits = hint(state, command);
        if bits.width() > room {
            break;
        }
        room -= bits.width();
        x = button(canvas, x, area.y, &bits, command.id);
    }
    let mut x = area
        .right()
        .saturating_sub(u16::try_from(reserved).unwrap_or(0));
    for command in last {
        let bits = hint(state, command);
        x = button(canvas, x, area.y, &bits, command.id);
    }
}

fn is_always_offered(cmd: Cmd) -> bool {
    matches!(cmd, Cmd::Help | Cmd::Quit)
}

/// The commands that matter here, the most important first.
fn offered(state: &State) -> Vec<&'static Command> {
    let contexts = state.contexts();
    let here = |command: &&Command| {
        command.footer.is_some()
            && contexts.contains(&command.context)
            && (is_always_offered(command.id) || state.top().offers(state, command.id))
            && (command.id != Cmd::Copy || state.top().copies().is_some())
            && !(state.read_only && command.id.acts())
    };
    let mut commands: Vec<&Command> = COMMANDS.iter().filter(here).collect();
    commands.sort_by_key(|command| command.footer);
    commands
}

/// The keys that matter here as they are read aloud; all of them.
pub(super) fn spoken(state: &State) -> Vec<Clean> {
    if let Some(keys) = typing(state) {
        let keys = keys.iter().map(|(name, word)| choice(name, word).spoken());
        return keys.collect();
    }
    let offered = offered(state).into_iter();
    let hints = offered.map(|command| hint(state, command).spoken());
    hints.collect()
}

/// The keys while letters go to a text.
fn typing(state: &State) -> Option<&'static [(&'static str, &'static str)]> {
    let open = !state.layers.is_empty() || state.browser.filter.open;
    state.top().typing_keys().filter(|_| open)
}

fn choice(name: &'static str, word: &'static str) -> Bits {
    Bits::of(Role::Key, name).gap(1).dim(word)
}

/// Keys that are in no table, each with a word, to read and to click. A pair of arrows is only read.
fn choices(canvas: &mut Canvas<'_>, area: Rect, keys: &[(&'static str, &'static str)]) {
    let mut rest = area;
    for (name, word) in keys {
        let bits = choice(name, word);
        let width = u16::try_from(bits.width()).unwrap_or(0).min(rest.width);
        canvas.pen.line(rest, &bits);
        if let Some(key) = Key::shown(name) {
            let place = Rect { width, ..rest };
            canvas.map.spot(place, Target::Key(key));
        }
        let step = (width + 3).min(rest.width);
        rest = Rect::new(rest.x + step, rest.y, rest.width - step, rest.height);
    }
}

fn hint(state: &State, command: &Command) -> Bits {
    let label = match command.id {
        Cmd::Quit if state.layers.is_empty() => "quit",
        Cmd::Quit => "back",
        Cmd::Copy => state.top().copies().unwrap_or(command.label),
        _ => command.label,
    };
    Bits::of(Role::Key, state.keymap.name_of(command))
        .gap(1)
        .dim(label)
        .gap(3)
}

fn button(canvas: &mut Canvas<'_>, x: u16, y: u16, bits: &Bits, id: Cmd) -> u16 {
    let width = u16::try_from(bits.width()).unwrap_or(0);
    let place = Rect::new(x, y, width, 1);
    canvas.pen.line(place, bits);
    canvas.map.spot(place, Target::Button(id));
    x + width
}
