//! What the mouse does: it selects, a second press opens, the wheel moves. It never does what a key does not.

use super::super::commands::Cmd;
use super::super::geometry::{ListId, Target};
use super::super::msg::{Effect, MouseAction};
use super::super::state::State;
use super::{keys, motion};

/// Rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// Takes a operation of the mouse at a cell.
pub(super) fn act(
    state: &mut State,
    operation: MouseAction,
    x: u16,
    y: u16,
    effects: &mut Vec<Effect>,
) {
    let Some(target) = state.geometry.at(x, y) else {
        return;
    };
    match (operation, target) {
        (MouseAction::Press, Target::Button(cmd)) => {
            state.word = None;
            keys::run(state, cmd, effects);
        }
        (MouseAction::Press, Target::Key(key)) => keys::press(state, key, effects),
        (MouseAction::Press, Target::Row(list, row)) => {
            let mut top = state.layers.last_mut();
            if top.as_mut().is_some_and(|screen| screen.press(list, row)) {
                return;
            }
            let focused = focus(state, list);
            if focused && motion::selected(state) == Some(row) {
                keys::run(state, Cmd::Enter, effects);
            } else {
                motion::select(state, row);
            }
        }
        (MouseAction::Press, Target::List(list)) => {
            focus(state, list);
        }
        (MouseAction::WheelUp, Target::Row(list, _) | Target::List(list)) => {
            wheel(state, list, -WHEEL);
        }
        (MouseAction::WheelDown, Target::Row(list, _) | Target::List(list)) => {
            wheel(state, list, WHEEL);
        }
        (MouseAction::WheelUp | MouseAction::WheelDown, Target::Button(_) | Target::Key(_)) => {}
    }
}

/// Moves in a list: the screen itself where it is beside the one that keys go to, else as keys do.
fn wheel(state: &mut State, list: ListId, rows: isize) {
    let (width, page) = (state.size.0, state.geometry.page_of(list));
    let mut top = state.layers.last_mut();
    if top
        .as_mut()
        .is_some_and(|screen| screen.wheel(list, rows, width, page))
    {
        return;
    }
    focus(state, list);
    motion::go(state, motion::Motion::By(rows));
}

/// Gives a pane the focus. True if it had it.
fn focus(state: &mut State, list: ListId) -> bool {
    let had = state.top().list() == list;
    if let Some(screen) = state.layers.last_mut() {
        screen.focus(list);
    }
    had
}
