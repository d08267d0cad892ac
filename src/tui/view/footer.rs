//! The keys that matter here, from the table that handles them.

use ratatui::layout::Rect;

use super::Canvas;
use super::pen::Bits;
use crate::model::Clean;
use crate::tui::commands::{COMMANDS, Cmd, Command};
use crate::tui::geometry::Target;
use crate::tui::state::State;
use crate::tui::theme::Role;

/// The keys that matter here, from the table that handles them; as many as there is room for.
pub(crate) fn keys(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    if let Some(bits) = writing(state) {
        canvas.pen.line(area, &bits);
        return;
    }
    let (last, rest): (Vec<&Command>, Vec<&Command>) = offered(state)
        .into_iter()
        .partition(|command| always(command));
    let reserved: usize = last
        .iter()
        .map(|command| hint(state, command).width())
        .sum();
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

/// Help and the way back, which always have their room.
fn always(command: &Command) -> bool {
    matches!(command.id, Cmd::Help | Cmd::Quit)
}

/// The commands that matter here, the most important first.
fn offered(state: &State) -> Vec<&'static Command> {
    let contexts = state.contexts();
    let mut commands: Vec<&Command> = COMMANDS
        .iter()
        .filter(|command| command.footer.is_some() && contexts.contains(&command.context))
        .filter(|command| state.top().offers(state, command.id))
        .collect();
    commands.sort_by_key(|command| command.footer);
    commands
}

/// The keys that matter here as they are read aloud; all of them.
pub(super) fn spoken(state: &State) -> Vec<Clean> {
    if let Some(bits) = writing(state) {
        let keys = bits.spoken();
        return (!keys.as_str().is_empty())
            .then_some(keys)
            .into_iter()
            .collect();
    }
    let offered = offered(state).into_iter();
    offered
        .map(|command| hint(state, command).spoken())
        .collect()
}

/// The keys while letters go to a text.
fn writing(state: &State) -> Option<Bits> {
    let open = !state.layers.is_empty() || state.browser.filter.open;
    let keys = state.top().typing_keys().filter(|_| open)?;
    Some(keys.iter().fold(Bits::new(), |bits, (key, word)| {
        bits.say(Role::Key, *key)
            .gap(1)
            .say(Role::Dim, *word)
            .gap(3)
    }))
}

fn hint(state: &State, command: &Command) -> Bits {
    let key = state.keymap.keys(command).next().map(|key| key.to_string());
    let label = match command.id {
        Cmd::Quit if state.layers.is_empty() => "quit",
        Cmd::Quit => "back",
        _ => command.label,
    };
    Bits::of(Role::Key, Clean::new(&key.unwrap_or_default()))
        .gap(1)
        .say(Role::Dim, label)
        .gap(3)
}

fn button(canvas: &mut Canvas<'_>, x: u16, y: u16, bits: &Bits, id: Cmd) -> u16 {
    let width = u16::try_from(bits.width()).unwrap_or(0);
    let place = Rect::new(x, y, width, 1);
    canvas.pen.line(place, bits);
    canvas.map.spot(place, Target::Button(id));
    x + width
}
