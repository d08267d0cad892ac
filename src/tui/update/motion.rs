//! Moving: in rows by the selection, in texts by the first line.

use super::super::commands::Cmd;
use super::super::geometry::Page;
use super::super::state::State;
use super::super::state::comparison::Tab;
use super::super::state::layer::Layer;
use super::diff;

/// A way to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    /// So many rows down, or up.
    By(isize),
    /// So many half pages down, or up.
    Pages(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

/// The way that a command moves, if it is one that moves.
pub(super) fn of(cmd: Cmd) -> Option<Motion> {
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
    fn from(self, here: usize, len: usize, page: Page) -> usize {
        let last = len.saturating_sub(1);
        let half = isize::try_from((page.height / 2).max(1)).unwrap_or(1);
        match self {
            Self::By(rows) => here.saturating_add_signed(rows),
            Self::Pages(halves) => here.saturating_add_signed(halves.saturating_mul(half)),
            Self::First => 0,
            Self::Last => last,
        }
        .min(last)
    }
}

/// Moves in the list of the topmost screen.
pub(super) fn go(state: &mut State, motion: Motion) {
    let page = state.geometry.page_of(state.list());
    // A text can be scrolled until its last line is the last on the screen.
    let tops = (page.total + 1).saturating_sub(page.height);
    match state.layers.last_mut() {
        None => {
            let browser = &mut state.browser;
            if let Some(here) = browser.cursor.place(&browser.ids) {
                browser.chosen = true;
                let to = motion.from(here, browser.ids.len(), page);
                browser.cursor.go(&browser.ids, to);
            }
        }
        Some(Layer::Pipeline(screen)) => {
            let id = screen.id.clone();
            let Some(dossier) = state
                .dossiers
                .get(&id)
                .and_then(|load| load.ready())
                .cloned()
            else {
                return;
            };
            if let (len, Some(here)) = screen.extent(&dossier) {
                screen.timeline.follow &= motion == Motion::Last;
                screen.go(&dossier, motion.from(here, len, page));
            }
        }
        Some(Layer::Picker(picker)) => {
            let Some(dossier) = state.dossiers.get(&picker.id).and_then(|load| load.ready()) else {
                return;
            };
            let keys: Vec<_> = dossier
                .points
                .iter()
                .map(|point| point.boundary.id.clone())
                .collect();
            if let Some(here) = picker.cursor.place(&keys) {
                picker.cursor.go(&keys, motion.from(here, keys.len(), page));
            }
        }
        Some(Layer::Plan(screen)) => {
            if let Some(here) = screen.cursor.place(&screen.rows) {
                let to = motion.from(here, screen.rows.len(), page);
                screen.cursor.go(&screen.rows, to);
            }
        }
        Some(Layer::Help(menu) | Layer::Palette(menu)) => {
            menu.place = motion.from(menu.place, menu.rows.len(), page);
        }
        Some(Layer::Diff(screen)) => diff::go(screen, motion, state.size.0, page.height),
        Some(Layer::Detail(detail)) => {
            detail.scroll.top = motion.from(detail.scroll.top, tops, page);
        }
        Some(Layer::Log(scroll)) => scroll.top = motion.from(scroll.top, tops, page),
        Some(Layer::Recoveries(screen)) => {
            let keys = screen.keys();
            if let Some(here) = screen.cursor.place(&keys) {
                screen.cursor.go(&keys, motion.from(here, keys.len(), page));
            }
        }
        Some(Layer::Handoff(screen)) => {
            screen.scroll.top = motion.from(screen.scroll.top, tops, page);
        }
        Some(Layer::Rehearsal(screen)) => {
            screen.scroll.top = motion.from(screen.scroll.top, tops, page);
        }
        Some(Layer::Pending(screen)) => {
            screen.scroll.top = motion.from(screen.scroll.top, tops, page);
        }
        Some(Layer::Outcome(screen)) => {
            screen.scroll.top = motion.from(screen.scroll.top, tops, page);
        }
        Some(Layer::Notice(_) | Layer::Question(_) | Layer::Progress(_)) => {}
        Some(_) => in_trial(state, motion, page, tops),
    }
}

/// Moves on the screens of replays and comparisons.
fn in_trial(state: &mut State, motion: Motion, page: Page, tops: usize) {
    let here = selected(state);
    match state.layers.last_mut() {
        Some(Layer::Replays(screen)) => {
            if let Some(here) = here {
                let to = motion.from(here, screen.rows.len(), page);
                screen.cursor.go(&screen.rows, to);
            }
        }
        Some(Layer::NewReplay(screen)) => {
            screen.go(motion.from(screen.place, screen.rows().len(), page));
        }
        Some(Layer::ReplayPlan(screen)) => {
            if let Some(here) = here {
                let to = motion.from(here, screen.rows.len(), page);
                screen.cursor.go(&screen.rows, to);
            }
        }
        Some(Layer::Conflict(screen)) => {
            screen.scroll.top = motion.from(screen.scroll.top, tops, page);
        }
        Some(Layer::Replaying(screen)) => {
            let running = state.replaying.as_ref();
            if let (Some(here), Some(shown)) =
                (here, running.and_then(|running| screen.shown(running)))
            {
                screen.place = Some(motion.from(here, shown.steps.len(), page));
            }
        }
        Some(Layer::Operands(screen)) => {
            let keys = screen.keys();
            if let Some(here) = here {
                screen.cursor.go(&keys, motion.from(here, keys.len(), page));
            }
        }
        Some(Layer::Comparison(screen)) => {
            let tab = screen.tab;
            let rows = if tab == Tab::About {
                tops
            } else {
                screen.rows(tab)
            };
            screen.go(tab, motion.from(screen.place(tab), rows, page));
        }
        _ => {}
    }
}

/// Selects a row of the topmost list, as a click does.
pub(super) fn select(state: &mut State, row: usize) {
    let here = selected(state).unwrap_or(0);
    let by = isize::try_from(row).unwrap_or(0) - isize::try_from(here).unwrap_or(0);
    go(state, Motion::By(by));
}

/// The selected row of the topmost list.
pub(super) fn selected(state: &State) -> Option<usize> {
    match state.layers.last() {
        None => state.browser.cursor.place(&state.browser.ids),
        Some(Layer::Pipeline(screen)) => state
            .dossier(&screen.id)
            .and_then(|dossier| screen.extent(dossier).1),
        Some(Layer::Picker(picker)) => {
            let dossier = state.dossier(&picker.id)?;
            let place =
                |point: &crate::model::ResumePoint| Some(&point.boundary.id) == picker.cursor.key();
            dossier.points.iter().position(place)
        }
        Some(Layer::Plan(screen)) => screen.cursor.place(&screen.rows),
        Some(Layer::Help(menu) | Layer::Palette(menu)) => Some(menu.place),
        Some(Layer::Recoveries(screen)) => screen.cursor.place(&screen.keys()),
        Some(Layer::Replays(screen)) => screen.cursor.place(&screen.rows),
        Some(Layer::NewReplay(screen)) => Some(screen.place),
        Some(Layer::ReplayPlan(screen)) => screen.cursor.place(&screen.rows),
        Some(Layer::Replaying(screen)) => screen.step(state.replaying.as_ref()?),
        Some(Layer::Operands(screen)) => screen.cursor.place(&screen.keys()),
        Some(Layer::Comparison(screen)) if screen.tab != Tab::About => {
            let rows = screen.rows(screen.tab);
            Some(screen.place(screen.tab)).filter(|place| *place < rows)
        }
        Some(
            Layer::Diff(_)
            | Layer::Conflict(_)
            | Layer::Comparison(_)
            | Layer::Detail(_)
            | Layer::Log(_)
            | Layer::Notice(_)
            | Layer::Handoff(_)
            | Layer::Rehearsal(_)
            | Layer::Pending(_)
            | Layer::Question(_)
            | Layer::Progress(_)
            | Layer::Outcome(_),
        ) => None,
    }
}
