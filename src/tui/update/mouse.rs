//! What the mouse does: it selects, a second press opens, the wheel and the scrollbar move. It never does what a key
//! does not.

use crate::tui::msg::MouseAction;
use crate::tui::prelude::*;
use crate::tui::screens::browser;
use crate::tui::update::{keys, motion};

/// Rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// Takes an operation of the mouse at a cell.
pub(super) fn act(state: &mut State, operation: MouseAction, x: u16, y: u16) {
    let target = state.geometry.at(x, y);
    match (operation, target) {
        (MouseAction::Press, Some(target)) => press(state, target, (x, y)),
        (MouseAction::Drag, _) => drag(state, y),
        (MouseAction::Release, _) => state.held = None,
        (
            MouseAction::WheelUp | MouseAction::WheelDown,
            Some(Target::Row(list, _) | Target::List(list) | Target::Scroll(list, _)),
        ) => {
            let up = operation == MouseAction::WheelUp;
            wheel(state, list, if up { -WHEEL } else { WHEEL });
        }
        (MouseAction::WheelUp | MouseAction::WheelDown, _) | (MouseAction::Press, None) => {}
    }
}

fn press(state: &mut State, target: Target, (x, y): (u16, u16)) {
    match target {
        Target::Button(cmd) => {
            state.word = None;
            keys::run(state, cmd);
        }
        Target::Key(key) => {
            // A key that a row names is meant for that row.
            let row = state.geometry.row_at(x, y);
            if !row.is_some_and(|(list, row)| takes(state, list, row)) {
                if let Some((list, row)) = row {
                    reach(state, list, row);
                }
                keys::click(state, key);
            }
        }
        Target::Sort(key) => browser::sort_by(state, key),
        Target::Scroll(list, row) => {
            state.held = Some(list);
            scroll(state, list, row);
        }
        Target::Row(list, row) => {
            if !takes(state, list, row) && reach(state, list, row) {
                keys::run(state, Cmd::Enter);
            }
        }
        Target::List(list) => {
            focus(state, list);
        }
    }
}

/// Lets the topmost screen take a click on a row, if it does so itself.
fn takes(state: &mut State, list: ListId, row: usize) -> bool {
    let top = state.layers.last_mut();
    top.is_some_and(|screen| screen.press(list, row))
}

/// Selects a row. True if it was selected already.
fn reach(state: &mut State, list: ListId, row: usize) -> bool {
    let there = focus(state, list) && motion::selected(state) == Some(row);
    if !there {
        motion::select(state, row);
    }
    there
}

/// Goes where a cell of a scrollbar leads.
fn scroll(state: &mut State, list: ListId, row: usize) {
    if !takes(state, list, row) {
        focus(state, list);
        motion::select(state, row);
    }
}

/// Follows the mouse, while a scrollbar is held.
fn drag(state: &mut State, y: u16) {
    let Some(list) = state.held else { return };
    if let Some(row) = state.geometry.scroll_row(list, y) {
        scroll(state, list, row);
    }
}

/// Moves in a list: by the screen itself for a part that keys do not move, else as keys do.
fn wheel(state: &mut State, list: ListId, rows: isize) {
    let (width, page) = (state.size.0, state.geometry.page_of(list));
    let top = state.layers.last_mut();
    if top.is_some_and(|screen| screen.wheel(list, rows, width, page)) {
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
