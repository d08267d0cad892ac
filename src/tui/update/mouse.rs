//! What the mouse does: it selects, a second press opens, the wheel moves. It never does what a key does not.

use super::super::commands::Cmd;
use super::super::geometry::{ListId, Target};
use super::super::msg::{Effect, MouseDeed};
use super::super::screens::comparison::{ComparisonScreen, Tab};
use super::super::screens::diff;
use super::super::screens::pipeline::{Pane, PipelineScreen};
use super::super::state::State;
use super::{keys, motion};

/// Rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// Takes a deed of the mouse at a cell.
pub(super) fn act(state: &mut State, deed: MouseDeed, x: u16, y: u16, effects: &mut Vec<Effect>) {
    let Some(target) = state.geometry.at(x, y) else {
        return;
    };
    match (deed, target) {
        (MouseDeed::Press, Target::Button(cmd)) => {
            state.word = None;
            keys::run(state, cmd, effects);
        }
        (MouseDeed::Press, Target::Row(ListId::Diff, row)) => diff::press(state, row),
        (MouseDeed::Press, Target::Row(ListId::DiffMap, row)) => diff::jump(state, row),
        (MouseDeed::Press, Target::Row(list, row)) => {
            let focused = focus(state, list);
            if focused && motion::selected(state) == Some(row) {
                keys::run(state, Cmd::Enter, effects);
            } else {
                motion::select(state, row);
            }
        }
        (MouseDeed::Press, Target::List(list)) => {
            focus(state, list);
        }
        (MouseDeed::WheelUp, Target::Row(list, _) | Target::List(list)) => {
            focus(state, list);
            motion::go(state, motion::Motion::By(-WHEEL));
        }
        (MouseDeed::WheelDown, Target::Row(list, _) | Target::List(list)) => {
            focus(state, list);
            motion::go(state, motion::Motion::By(WHEEL));
        }
        (MouseDeed::WheelUp | MouseDeed::WheelDown, Target::Button(_)) => {}
    }
}

/// Gives a pane the focus. True if it had it.
fn focus(state: &mut State, list: ListId) -> bool {
    let had = state.top().list() == list;
    if let (Some(screen), Some(tab)) = (state.layers.top_mut::<ComparisonScreen>(), Tab::of(list)) {
        screen.tab = tab;
    }
    if let (Some(screen), Some(pane)) = (state.layers.top_mut::<PipelineScreen>(), Pane::of(list)) {
        screen.pane = pane;
    }
    had
}
