//! What has been carried out: looking at it, taking it back, settling what a crash left. Reading never acts.

use std::path::PathBuf;
use std::sync::Arc;

use super::super::commands::Cmd;
use super::super::data::{EngineError, Load, RecoverMode};
use super::super::msg::{Effect, Query, Ticket};
use super::super::state::State;
use super::super::state::layer::{Layer, Scroll};
use super::super::state::plan::{About, PlanScreen};
use super::super::state::question::{Answer, Ask, PURGE, Question};
use super::super::state::recoveries::{PendingScreen, RecoveriesScreen, as_plan, not_undoable};
use super::{acting, handoff, plan};
use crate::clean;
use crate::model::{Clean, History, Recovery, RecoveryState};

/// Opens the list.
pub(super) fn open(state: &mut State, effects: &mut Vec<Effect>) {
    // One list is enough: an outcome that leads back to it closes itself.
    if let Some(place) = state
        .layers
        .iter()
        .position(|layer| matches!(layer, Layer::Recoveries(_)))
    {
        state.layers.truncate(place);
    }
    state.push(Layer::Recoveries(RecoveriesScreen::default()));
    request(state, effects);
}

/// Asks for what an open list shows.
pub(super) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let scope = state.browser.request.clone();
    for layer in &mut state.layers {
        if let Layer::Recoveries(screen) = layer {
            screen.ticket = Some(ticket);
            effects.push(Effect::Ask(ticket, Query::Recoveries(scope)));
            return;
        }
    }
}

/// Takes the list.
pub(super) fn take(state: &mut State, ticket: Ticket, result: Result<History, EngineError>) {
    let all: Load<History> = result.into();
    if let Load::Failed(trouble) = &all {
        state.note(trouble.text.clean());
    }
    for layer in &mut state.layers {
        if let Layer::Recoveries(screen) = layer
            && screen.ticket == Some(ticket)
        {
            screen.ticket = None;
            screen.take(all.clone());
        }
    }
}

/// Looks for what a crash left pending. Only looks.
pub(super) fn look(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    state.pending_ticket = Some(ticket);
    effects.push(Effect::Ask(
        ticket,
        Query::Pending(state.browser.request.clone()),
    ));
}

/// Takes what was found pending. It is put in the way once, and only of a person who has not begun anything.
pub(super) fn found(state: &mut State, ticket: Ticket, found: Result<Vec<Recovery>, EngineError>) {
    if state.pending_ticket != Some(ticket) {
        return;
    }
    state.pending_ticket = None;
    match found {
        Ok(found) => state.pending = found,
        // What was found before is still all that is known.
        Err(trouble) => state.note(trouble.text.clean()),
    }
    let idle = state.layers.is_empty() && !state.browser.filter.open;
    let unseen = |recovery: &&Recovery| !state.seen.contains(&recovery.id);
    let first = state.pending.iter().find(unseen).cloned();
    if let Some(recovery) = first.filter(|_| idle) {
        show(state, recovery, Vec::new());
    }
}

fn show(state: &mut State, recovery: Recovery, keep: Vec<PathBuf>) {
    let id = recovery.id.clone();
    let others = state.pending.iter().filter(|other| other.id != id).count();
    state
        .seen
        .extend(state.pending.iter().map(|recovery| recovery.id.clone()));
    state.push(Layer::Pending(PendingScreen {
        recovery,
        keep,
        others,
        scroll: Scroll::default(),
    }));
}

/// A command of the list.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::Recoveries(screen)) = state.layers.last() else {
        return;
    };
    let Some(recovery) = screen.selected().cloned() else {
        state.refuse(Clean::new("Nothing has been carried out here yet."));
        return;
    };
    let pending = recovery.state == RecoveryState::NeedsAttention;
    match cmd {
        Cmd::Enter | Cmd::Right => record(state, recovery),
        Cmd::Undo | Cmd::RecoverMode if pending => show(state, recovery, Vec::new()),
        Cmd::Undo => undo(state, &recovery, effects),
        Cmd::Redo => redo(state, &recovery, effects),
        Cmd::RecoverMode => state.refuse(Clean::new("This one is settled already.")),
        Cmd::Export if pending => export(state, recovery),
        Cmd::Export => state.refuse(Clean::new(
            "Only what is pending is exported; Enter shows what this one keeps.",
        )),
        Cmd::Handoff => {
            let (id, handoff) = (recovery.pipeline.clone(), recovery.handoff.clone());
            handoff::open(state, id, handoff, Vec::new());
        }
        Cmd::Purge => purge(state, recovery),
        _ => {}
    }
}

fn purge(state: &mut State, recovery: Recovery) {
    if recovery.state == RecoveryState::NeedsAttention {
        state.refuse(Clean::new(
            "This one is pending: what it keeps is still needed.",
        ));
    } else if recovery.purged {
        state.refuse(Clean::new("What this one kept was given back already."));
    } else {
        let ask = Ask::Purge(vec![recovery]);
        state.push(Layer::Question(Question::new(ask, Answer::Word(PURGE))));
    }
}

fn export(state: &mut State, recovery: Recovery) {
    let ask = Ask::Export(recovery);
    state.push(Layer::Question(Question::new(ask, Answer::Text)));
}

/// Opens what a recovery did.
fn record(state: &mut State, recovery: Recovery) {
    let plan = as_plan(&recovery);
    let mut screen = PlanScreen::new(About::Record(Arc::new(recovery)));
    screen.take(Load::Ready(Arc::new(plan)), state.now);
    state.push(Layer::Plan(screen));
}

/// Undo or redo of the recovery whose record is on top.
pub(super) fn of_record(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::Plan(PlanScreen {
        about: About::Record(recovery),
        ..
    })) = state.layers.last()
    else {
        return;
    };
    let recovery = Arc::clone(recovery);
    if cmd == Cmd::Undo {
        undo(state, &recovery, effects);
    } else {
        redo(state, &recovery, effects);
    }
}

/// Shows what taking a recovery back would do.
pub(super) fn undo(state: &mut State, recovery: &Recovery, effects: &mut Vec<Effect>) {
    if let Some(why) = not_undoable(recovery) {
        state.refuse(Clean::new(why));
        return;
    }
    let about = About::Undo {
        id: recovery.pipeline.clone(),
        recovery: recovery.id.clone(),
        redo: recovery.undoes.is_some(),
    };
    state.push(Layer::Plan(PlanScreen::new(about)));
    plan::request(state, effects);
}

/// Shows what doing again what was taken back would do: the undo of the undo.
pub(super) fn redo(state: &mut State, recovery: &Recovery, effects: &mut Vec<Effect>) {
    let stands = recovery.state == RecoveryState::Committed && recovery.undone_by.is_none();
    let undo = match (&recovery.undone_by, &recovery.undoes) {
        (Some(undo), _) => undo.clone(),
        (None, Some(_)) if stands => recovery.id.clone(),
        (None, _) => {
            state.refuse(Clean::new(
                "This was not taken back, so there is nothing to do again; u takes it back.",
            ));
            return;
        }
    };
    let about = About::Undo {
        id: recovery.pipeline.clone(),
        recovery: undo,
        redo: true,
    };
    state.push(Layer::Plan(PlanScreen::new(about)));
    plan::request(state, effects);
}

/// A command of what a crash left pending.
pub(super) fn pending(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::Pending(screen)) = state.layers.last() else {
        return;
    };
    let (recovery, keep) = (screen.recovery.clone(), screen.keep.clone());
    let (how, word) = match cmd {
        Cmd::RecoverMode => (RecoverMode::Auto, "Settling"),
        Cmd::Finish => (RecoverMode::Finish, "Finishing"),
        Cmd::RollBack => (RecoverMode::RollBack, "Rolling back"),
        Cmd::Export => {
            export(state, recovery);
            return;
        }
        Cmd::Enter => {
            record(state, recovery);
            return;
        }
        _ => return,
    };
    let title = clean!("{} {}", word, recovery.id.0);
    acting::settle(state, &recovery, how, keep, title, effects);
}
