//! The comparison screen.

use super::scroll::Extent;
use crate::diff::fold::Layout;
use crate::tui::prelude::*;

/// Cells that one key scrolls to the side.
const PAN: usize = 8;

/// Asks for the comparison.
pub(crate) fn request(state: &mut State) {
    if let Some(screen) = state.layers.top_mut::<DiffScreen>() {
        let query = Query::Diff(screen.source.clone(), screen.asked);
        screen.ticket = Some(state.effects.ask(query));
    }
}

/// The comparison on top.
fn shown(state: &mut State) -> Option<&mut DiffScreen> {
    state.layers.top_mut()
}

/// A command of the comparison screen.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let width = state.size.0;
    let seen = state.geometry.rows_seen(ListId::of::<DiffScreen>());
    let Some(screen) = shown(state) else { return };
    match cmd {
        Cmd::NextHit | Cmd::PrevHit if !screen.search.field.is_empty() => {
            let forward = cmd == Cmd::NextHit;
            if !screen.seek_hit(forward, &seen) {
                state.refuse("Not found.");
            }
        }
        Cmd::NextChange | Cmd::NextHit => seek(state, true, &seen),
        Cmd::PrevChange | Cmd::PrevHit => seek(state, false, &seen),
        Cmd::NextFile => go_to_file(state, 1),
        Cmd::PrevFile => go_to_file(state, -1),
        Cmd::Filter => screen.search.field.open = true,
        Cmd::Enter => open_fold(state, &seen),
        Cmd::NextFold | Cmd::PrevFold => {
            let forward = cmd == Cmd::NextFold;
            if !screen.choose_fold(forward, seen) {
                state.refuse(Clean::new(if forward {
                    "No fold below."
                } else {
                    "No fold above."
                }));
            }
        }
        Cmd::Left | Cmd::Right if screen.wrap => {
            state.refuse("Long lines are wrapped: nothing to scroll.");
        }
        Cmd::Left if screen.pan == 0 => {
            screen.skip_by(false, &seen);
        }
        Cmd::Left => screen.pan = screen.pan.saturating_sub(PAN),
        Cmd::Right => pan_right(state, seen),
        Cmd::Blanks => {
            screen.asked.ignore_blanks = !screen.asked.ignore_blanks;
            request(state);
        }
        Cmd::Json => json(state),
        _ => {
            looks(screen, cmd);
            screen.arrange(width);
        }
    }
}

/// Another look at the same rows.
fn looks(screen: &mut DiffScreen, cmd: Cmd) {
    match cmd {
        Cmd::Layout => {
            screen.chosen = Some(match screen.layout {
                Layout::Split => Layout::Unified,
                Layout::Unified => Layout::Word,
                Layout::Word => Layout::Split,
            });
        }
        Cmd::FoldAll => screen.fold_all(),
        Cmd::UnfoldAll => screen.folded = false,
        Cmd::MoreContext => more(screen, true),
        Cmd::LessContext => more(screen, false),
        Cmd::Swap => screen.swap(),
        Cmd::Wrap => {
            screen.wrap = !screen.wrap;
            screen.wrap_chosen = true;
            // Everything can be seen now: nothing is further left.
            screen.pan = 0;
        }
        _ => {}
    }
}

fn more(screen: &mut DiffScreen, more: bool) {
    screen.folded = true;
    screen.context = if more {
        (screen.context + 3).min(999)
    } else {
        screen.context.saturating_sub(3)
    };
}

fn seek(state: &mut State, forward: bool, seen: &Range<usize>) {
    let [next, previous] = [Cmd::NextFile, Cmd::PrevFile].map(|cmd| state.key(cmd));
    let Some(screen) = shown(state) else { return };
    if !screen.seek(forward, seen) {
        let many = screen.place.1 > 1;
        state.refuse(match (forward, many) {
            (true, false) => Clean::new("This is the last change."),
            (true, true) => clean!("This is the last change; {} goes to the next file.", next),
            (false, false) => Clean::new("This is the first change."),
            (false, true) => {
                clean!(
                    "This is the first change; {} goes to the previous file.",
                    previous
                )
            }
        });
    }
}

/// Goes to another difference of the same list.
fn go_to_file(state: &mut State, by: isize) {
    let Some(screen) = shown(state) else { return };
    let (noun, of) = (screen.source.noun(), screen.place.1);
    if screen.move_by(by) {
        state.geometry.forget(ListId::of::<DiffScreen>());
        request(state);
        return;
    }
    let which = match (of, by > 0) {
        (0 | 1, _) => "only",
        (_, true) => "last",
        (_, false) => "first",
    };
    state.refuse(clean!("This is the {} {}.", which, noun));
}

fn open_fold(state: &mut State, seen: &Range<usize>) {
    let Some(screen) = shown(state) else { return };
    let fold = screen.next_fold(seen.clone());
    if !fold.is_some_and(|line| screen.open_fold(line)) {
        state.refuse_with(
            Cmd::NextFold,
            "No fold on this screen; {} goes to the next one.",
        );
    }
}

fn pan_right(state: &mut State, seen: Range<usize>) {
    let width = state.size.0.saturating_sub(2);
    let Some(screen) = shown(state) else { return };
    let before = screen.pan;
    screen.pan_right(PAN, seen.clone(), width);
    if screen.pan == before && !screen.skip_by(true, &seen) {
        state.refuse("Nothing to scroll.");
    }
}

/// Shows one line of JSON as it is, or indented.
fn json(state: &mut State) {
    let Some(screen) = shown(state) else { return };
    let indented = screen.diff.ready().is_some_and(|ready| ready.1.indented);
    if !indented && screen.asked.indent_json {
        return state.refuse("These are not two one-line JSON files.");
    }
    screen.asked.indent_json = !screen.asked.indent_json;
    request(state);
}

/// Moves what is seen.
pub(crate) fn go(screen: &mut DiffScreen, motion: Motion, width: u16, height: usize) {
    let extent = Extent {
        width: width.saturating_sub(2),
        height,
    };
    let half = isize::try_from((height / 2).max(1)).unwrap_or(1);
    match motion {
        Motion::By(rows) => screen.scroll(rows, extent),
        Motion::Pages(halves) => screen.scroll(halves.saturating_mul(half), extent),
        Motion::To(row) => screen.go_to(row),
        Motion::First => (screen.top, screen.within) = (0, 0),
        Motion::Last => screen.scroll_to_end(extent),
    }
}
