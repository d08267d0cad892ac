//! Moving: in rows by the selection, in texts by the first line.

use crate::tui::prelude::*;
use crate::tui::screens::browser::BrowserScreen;

/// A way to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    /// So many rows down, or up.
    By(isize),
    /// So many half pages down, or up.
    Pages(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// To a row, or to a first line.
    To(usize),
}

/// The way that a command moves, if it is one that moves.
pub(crate) fn of(cmd: Cmd) -> Option<Motion> {
    Some(match cmd {
        Cmd::Down => Motion::By(1),
        Cmd::Up => Motion::By(-1),
        Cmd::HalfDown => Motion::Pages(1),
        Cmd::HalfUp => Motion::Pages(-1),
        Cmd::PageDown => Motion::Pages(2),
        Cmd::PageUp => Motion::Pages(-2),
        Cmd::First => Motion::First,
        Cmd::Last => Motion::Last,
        _ => return None,
    })
}

impl Motion {
    /// Where it leads from a row, of so many.
    pub(crate) fn from(self, here: usize, len: usize, page: Page) -> usize {
        let last = len.saturating_sub(1);
        let half = isize::try_from((page.height / 2).max(1)).unwrap_or(1);
        match self {
            Self::By(rows) => here.saturating_add_signed(rows),
            Self::Pages(halves) => here.saturating_add_signed(halves.saturating_mul(half)),
            Self::First => 0,
            Self::Last => last,
            Self::To(row) => row,
        }
        .min(last)
    }
}

/// Moves on the topmost screen. It is taken off the stack meanwhile, because it may look at the rest of the console.
pub(crate) fn go(state: &mut State, motion: Motion) {
    let page = state.geometry.page_of(state.top().list());
    match state.layers.pop() {
        Some(mut screen) => {
            screen.travel(motion, page, state);
            state.layers.push(screen);
        }
        None => BrowserScreen.travel(motion, page, state),
    }
}

/// Selects a row of the topmost list, as a click does.
pub(crate) fn select(state: &mut State, row: usize) {
    go(state, Motion::To(row));
}

/// Selects the next row (or with -1 the previous one) of so many that a filter leaves; wraps around.
pub(crate) fn next_hit(state: &mut State, len: usize, by: isize) {
    let Ok(len @ 1..) = isize::try_from(len) else {
        return state.refuse_with(Cmd::Back, "No row matches the filter; {} clears it.");
    };
    let here = isize::try_from(selected(state).unwrap_or(0)).unwrap_or(0);
    let next = usize::try_from((here + by).rem_euclid(len));
    select(state, next.unwrap_or(0));
}

/// The selected row of the topmost list.
pub(crate) fn selected(state: &State) -> Option<usize> {
    match state.top().position(state) {
        Position::Row { at, .. } => Some(at),
        Position::Fixed | Position::Text(_) => None,
    }
}
