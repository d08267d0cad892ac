//! The plan screen: looking at it, and choosing what it covers. Nothing here writes.

use std::sync::Arc;

use super::super::commands::Cmd;
use super::super::msg::Effect;
use super::super::state::State;
use super::super::state::compare::DiffScreen;
use super::super::state::layer::{Layer, Notice};
use super::super::state::plan::{PlanRow, PlanScreen, touched};
use super::{copying, details, diff};
use crate::clean;
use crate::model::{Clean, PathChange, Plan, Preview, RestoreMode};

/// The topmost plan screen.
fn screen(state: &mut State) -> Option<&mut PlanScreen> {
    state.layers.iter_mut().rev().find_map(|layer| match layer {
        Layer::Plan(screen) => Some(screen),
        _ => None,
    })
}

/// Asks for the plan as it was chosen. What an earlier request still brings is dropped.
pub(super) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let Some(screen) = screen(state) else { return };
    screen.ticket = Some(ticket);
    effects.push(Effect::Plan {
        ticket,
        id: screen.id.clone(),
        point: screen.point.clone(),
        options: screen.options(),
    });
}

/// A command of the plan screen.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(shown) = screen(state) else { return };
    match cmd {
        Cmd::Left => {
            shown.fold(true);
        }
        Cmd::Right if shown.fold(false) => {}
        Cmd::Right | Cmd::Enter => open(state, effects),
        Cmd::Include => include(state, effects),
        Cmd::Mode => mode(state, effects),
        Cmd::Apply => apply(state),
        _ => {}
    }
}

/// Opens what stands behind the selected row.
fn open(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(shown) = screen(state) else { return };
    let (Some(row), Some(plan)) = (shown.cursor.key().copied(), shown.listed().cloned()) else {
        return;
    };
    match row {
        PlanRow::Head(_) => {
            let folded = shown.folded.contains(&row);
            shown.fold(!folded);
        }
        PlanRow::Action(action) => {
            if has_sides(&plan, action) {
                compare(state, plan, action, None, effects);
            } else {
                let folded = shown.folded.contains(&row);
                shown.fold(!folded);
            }
        }
        PlanRow::Path(action, path) => open_path(state, plan, action, path, effects),
        PlanRow::Line(action, _) => compare(state, plan, action, None, effects),
        _ => details::open_plan_row(state, &plan, row),
    }
}

fn open_path(
    state: &mut State,
    plan: Arc<Plan>,
    action: usize,
    path: usize,
    effects: &mut Vec<Effect>,
) {
    let change = plan
        .actions
        .get(action)
        .and_then(|action| action.paths.get(path))
        .map(|path| path.change);
    match change {
        Some(PathChange::KeepNewer) => state.refuse(Clean::new(
            "This file came since the checkpoint and stays as it is: there is no difference to show.",
        )),
        Some(PathChange::NotCovered) => state.refuse(Clean::new(
            "The checkpoint does not cover this path; it stays as it is.",
        )),
        Some(_) => compare(state, plan, action, Some(path), effects),
        None => {}
    }
}

/// True for an action whose own content can be compared.
fn has_sides(plan: &Plan, action: usize) -> bool {
    plan.actions
        .get(action)
        .is_some_and(|action| match action.preview {
            Preview::Content { .. } | Preview::Rows { .. } | Preview::Lines { .. } => true,
            Preview::Kept { .. } => action.paths.is_empty(),
            Preview::Tree { .. } | Preview::Rename { .. } => false,
        })
}

fn compare(
    state: &mut State,
    plan: Arc<Plan>,
    action: usize,
    path: Option<usize>,
    effects: &mut Vec<Effect>,
) {
    let mut shown = DiffScreen::new(plan, action, path);
    shown.arrange(state.size.0);
    state.push(Layer::Diff(shown));
    diff::request(state, effects);
}

/// Leaves the selected path out, or takes it in again.
fn include(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(shown) = screen(state) else { return };
    let Some((path, change)) = shown.selected_path() else {
        state.refuse(Clean::new(
            "Only a path can be left out; go to one beneath an action.",
        ));
        return;
    };
    if !touched(change) {
        state.refuse(Clean::new("This path is not touched in any case."));
        return;
    }
    let path = path.clone();
    if !shown.excluded.remove(&path) {
        if shown.excluded.len() + 1 >= shown.touched() {
            state.refuse(Clean::new(
                "A plan needs at least one path; Esc leaves the plan instead.",
            ));
            return;
        }
        shown.excluded.insert(path);
    }
    request(state, effects);
}

/// Changes between overlay and exact.
fn mode(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(shown) = screen(state) else { return };
    let restores = shown.listed().is_some_and(|plan| {
        let mut actions = plan.actions.iter();
        actions.any(|action| action.kind.touches_tree())
    });
    if !restores {
        state.refuse(Clean::new(
            "This plan restores no files, so overlay and exact are the same.",
        ));
        return;
    }
    let forgotten = !shown.excluded.is_empty();
    shown.excluded.clear();
    let text = match shown.mode {
        RestoreMode::Overlay => {
            shown.mode = RestoreMode::Exact;
            "Exact: files that came since the checkpoint are moved aside, each listed."
        }
        RestoreMode::Exact => {
            shown.mode = RestoreMode::Overlay;
            "Overlay: files that came since the checkpoint stay."
        }
    };
    let more = if forgotten {
        " Every path is in the plan again."
    } else {
        ""
    };
    state.say(clean!("{}{}", text, more));
    request(state, effects);
}

/// Says that this version shows plans only, and gives the command that prints this one.
fn apply(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    let command = copying::plan_command(shown);
    let lines = [
        "Nothing was written. This version of relight shows plans; carrying them out comes with the next one.",
        "The same plan, with the same fingerprint, from the command line:",
    ];
    state.push(Layer::Notice(Notice {
        title: Clean::new("Carrying out is not in this version"),
        lines: lines.iter().map(|line| Clean::new(line)).collect(),
        command,
    }));
}
