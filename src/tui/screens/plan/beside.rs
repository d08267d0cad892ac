//! The difference of the selected row, which a wide screen shows next to the outline, and the numbers of changed lines
//! of each path. Both are requested when they become visible, a few at a time.

use super::PlanRow;
use crate::tui::prelude::*;
use crate::tui::screens::diff::{has_sides, path_has_sides};

/// From this width on, the right half of the screen is the difference of the selected row.
const WIDE: u16 = 120;

/// How many paths are counted at once, so that a plan that is left or computed again is soon forgotten.
const AT_ONCE: usize = 64;

/// The most paths whose lines are counted.
const COUNTED: usize = 20_000;

/// The columns of the difference on a screen of this width; none on a narrow one.
pub(super) fn columns(width: u16) -> Option<u16> {
    (width >= WIDE).then_some(width / 2)
}

/// The lines that a path of a plan changes, by action and path; nothing for a file that has no lines.
pub(crate) type Counted = Vec<((usize, usize), Option<Stats>)>;

/// Asks for what the visible plan shows and does not know yet.
pub(crate) fn ask(state: &mut State) {
    let width = columns(state.size.0);
    let Some(screen) = state.layers.visible_mut::<PlanScreen>() else {
        return;
    };
    let Some(plan) = screen.listed().cloned() else {
        return;
    };
    if screen.counting.is_none() && screen.counted.len() < COUNTED {
        let paths = screen.uncounted(&plan);
        if !paths.is_empty() {
            let query = Query::Count(Arc::clone(&plan), paths);
            screen.counting = Some(state.effects.ask(query));
        }
    }
    let Some(width) = width else { return };
    let known = screen.beside.as_ref();
    // The answer under way comes first: a person who runs through the rows asks for the last one only.
    let busy = known.is_some_and(|shown| shown.ticket.is_some());
    let new = |source: &DiffSource| known.is_none_or(|one| one.source.key() != source.key());
    let source = screen.compared(&plan).filter(|source| !busy && new(source));
    let Some(source) = source else { return };
    let mut shown = DiffScreen::new(source);
    shown.is_pane = true;
    shown.arrange(width);
    let query = Query::Diff(shown.source.clone(), shown.asked);
    shown.ticket = Some(state.effects.ask(query));
    screen.beside = Some(Box::new(shown));
}

/// Takes the numbers of lines that were asked for.
pub(crate) fn counted(state: &mut State, ticket: Ticket, found: Counted) {
    let mut screens = state.layers.all_mut::<PlanScreen>();
    if let Some(screen) = screens.find(|screen| screen.counting == Some(ticket)) {
        screen.counting = None;
        screen.counted.extend(found);
    }
}

/// Takes the difference beside the outline. False if no plan awaits it.
pub(crate) fn compared(
    state: &mut State,
    ticket: Ticket,
    result: Result<(crate::model::Foreign, crate::diff::Diff)>,
) {
    let width = columns(state.size.0).unwrap_or(state.size.0);
    let screens = state.layers.all_mut::<PlanScreen>();
    let mut shown = screens.filter_map(|screen| screen.beside.as_mut());
    if let Some(shown) = shown.find(|shown| shown.ticket == Some(ticket)) {
        shown.take(result, width);
    }
}

impl PlanScreen {
    /// The difference that belongs to a row.
    pub(super) fn source(plan: &Arc<Plan>, row: PlanRow) -> Option<DiffSource> {
        let (action, path) = match row {
            PlanRow::Action(action) | PlanRow::Line(action, _) => (action, None),
            PlanRow::Path(action, path) => (action, Some(path)),
            _ => return None,
        };
        let has = match path {
            Some(path) => path_has_sides(plan.actions.get(action)?, path),
            None => has_sides(plan, action),
        };
        let plan = Arc::clone(plan);
        has.then_some(DiffSource::Plan { plan, action, path })
    }

    /// What is shown beside the outline: the difference of the selected row, else the one that was shown last,
    /// else the first of the plan.
    fn compared(&self, plan: &Arc<Plan>) -> Option<DiffSource> {
        let selected = self.cursor.key().and_then(|row| Self::source(plan, *row));
        let last = || self.beside.as_ref().map(|shown| shown.source.clone());
        let first = || {
            let mut rows = self.outline(plan, false).into_iter();
            rows.find_map(|row| Self::source(plan, row))
        };
        selected.or_else(last).or_else(first)
    }

    /// The next paths whose lines were not counted.
    fn uncounted(&self, plan: &Plan) -> Vec<(usize, usize)> {
        let actions = plan.actions.iter().enumerate();
        let paths = actions.flat_map(|(place, action)| {
            let paths = (0..action.paths.len()).filter(|path| path_has_sides(action, *path));
            paths.map(move |path| (place, path))
        });
        let unknown = paths.filter(|path| !self.counted.contains_key(path));
        unknown.take(AT_ONCE).collect()
    }
}
