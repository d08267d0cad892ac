//! The comparison screen.

use super::super::commands::Cmd;
use super::super::msg::Effect;
use super::super::state::State;
use super::super::state::compare::DiffScreen;
use super::super::state::layer::Layer;
use crate::diff::fold::Layout;
use crate::model::Clean;

/// Cells that one key scrolls to the side.
const PAN: usize = 8;

/// Asks for the comparison.
pub(super) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let Some(Layer::Diff(screen)) = state.layers.last_mut() else {
        return;
    };
    screen.ticket = Some(ticket);
    effects.push(Effect::Diff {
        ticket,
        source: screen.source.clone(),
        ignore_blanks: screen.ignore_blanks,
    });
}

/// A command of the comparison screen.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let width = state.size.0;
    let Some(Layer::Diff(screen)) = state.layers.last_mut() else {
        return;
    };
    match cmd {
        Cmd::NextChange | Cmd::PrevChange => {
            let forward = cmd == Cmd::NextChange;
            if !screen.seek(forward) {
                state.refuse(Clean::new(if forward {
                    "This is the last difference."
                } else {
                    "This is the first difference."
                }));
            }
            return;
        }
        Cmd::Layout => {
            screen.chosen = Some(match screen.layout {
                Layout::Split => Layout::Unified,
                Layout::Unified => Layout::Split,
            });
        }
        Cmd::FoldAll => screen.folded = true,
        Cmd::UnfoldAll => screen.folded = false,
        Cmd::MoreContext => more(screen, true),
        Cmd::LessContext => more(screen, false),
        Cmd::Left | Cmd::Right if screen.wrap => {
            state.refuse(Clean::new(
                "Long lines are wrapped: nothing lies to the side.",
            ));
            return;
        }
        Cmd::Left => screen.pan = screen.pan.saturating_sub(PAN),
        Cmd::Right => screen.pan = (screen.pan + PAN).min(10_000),
        Cmd::Wrap => {
            screen.wrap = !screen.wrap;
            // Everything can be seen now: nothing lies further left.
            screen.pan = 0;
        }
        Cmd::Blanks => {
            screen.ignore_blanks = !screen.ignore_blanks;
            request(state, effects);
            return;
        }
        _ => return,
    }
    screen.arrange(width);
}

fn more(screen: &mut DiffScreen, more: bool) {
    screen.folded = true;
    screen.context = if more {
        (screen.context + 3).min(999)
    } else {
        screen.context.saturating_sub(3)
    };
}
