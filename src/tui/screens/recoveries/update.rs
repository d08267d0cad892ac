//! The recoveries: shows them, undoes them, and recovers those that a crash interrupted. Reading changes nothing.

use super::{RecoveriesScreen, as_plan, not_recoverable, not_undoable};
use crate::tui::prelude::*;
use crate::tui::screens::handoff;
use crate::tui::screens::pending::PendingScreen;
use crate::tui::screens::plan::open_plan;
use crate::tui::screens::question::PURGE;

/// Why nothing is deleted of a recovery.
pub(crate) const DELETED: &str = "The backups of this recovery are deleted already.";

/// Opens the list.
pub(crate) fn open(state: &mut State) {
    // One list is enough: an outcome that leads back to it closes itself.
    state.layers.close_from::<RecoveriesScreen>();
    state.push(RecoveriesScreen::default());
    request(state);
}

/// Asks for what an open list shows.
pub(crate) fn request(state: &mut State) {
    if let Some(screen) = state.layers.find_mut::<RecoveriesScreen>() {
        let query = Query::Recoveries(state.browser.request.clone());
        screen.ticket = Some(state.effects.ask(query));
    }
}

/// Takes the list.
pub(crate) fn take(state: &mut State, ticket: Ticket, result: Result<History>) {
    let all = state.load(result);
    if let Some(screen) = state.layers.awaiting::<RecoveriesScreen>(ticket) {
        screen.ticket = None;
        screen.take(all);
    }
}

/// Asks for the recoveries that a crash left pending, and for those that an open list shows. Reads only.
pub(crate) fn look(state: &mut State) {
    request(state);
    let query = Query::Pending(state.browser.request.clone());
    state.pending_ticket = Some(state.effects.ask(query));
}

/// Handles the pending recoveries. The dialog opens once by itself, and only if the person has not started anything.
pub(crate) fn found(state: &mut State, ticket: Ticket, found: Result<Vec<Recovery>>) {
    if state.pending_ticket != Some(ticket) {
        return;
    }
    state.pending_ticket = None;
    match found {
        Ok(found) => state.pending = found,
        // After an error the earlier result stays.
        Err(trouble) => state.note(trouble.text.clean()),
    }
    let idle = state.layers.is_empty() && !state.browser.filter.open;
    let unseen = |recovery: &&Recovery| !state.seen.contains(&recovery.id);
    let first = state.pending.iter().find(unseen).cloned();
    if let Some(recovery) = first.filter(|_| idle) {
        show(state, recovery, Vec::new());
    }
}

pub(crate) fn show(state: &mut State, recovery: Recovery, keep: Vec<PathBuf>) {
    let id = recovery.id.clone();
    let others = state.pending.iter().filter(|other| other.id != id).count();
    state
        .seen
        .extend(state.pending.iter().map(|recovery| recovery.id.clone()));
    state.push(PendingScreen {
        recovery,
        keep,
        others,
    });
}

/// A command of the list.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_as::<RecoveriesScreen>() else {
        return;
    };
    let Some(recovery) = screen.selected().cloned() else {
        return state.refuse("No recovery here yet.");
    };
    let why = not_recoverable(&recovery);
    let pending = why.is_none();
    match cmd {
        Cmd::Enter | Cmd::Right => record(state, recovery, &[]),
        Cmd::Undo | Cmd::Recover if pending => show(state, recovery, Vec::new()),
        Cmd::Undo => undo(state, &recovery),
        Cmd::Redo => redo(state, &recovery),
        Cmd::Recover => state.refuse(Clean::new(why.unwrap_or_default())),
        Cmd::Export if pending => export(state, recovery),
        Cmd::Export => state.refuse("Only a pending recovery can be exported."),
        Cmd::Handoff => handoff::of_recovery(state, &recovery),
        Cmd::Purge => purge(state, recovery),
        _ => {}
    }
}

fn purge(state: &mut State, recovery: Recovery) {
    if recovery.state == RecoveryState::NeedsAttention {
        state.refuse("This recovery is pending: its backups are still needed.");
    } else if recovery.purged {
        state.refuse(DELETED);
    } else {
        let ticket = state.effects.ask(Query::PurgeLoss(recovery.id));
        if let Some(screen) = state.layers.top_mut::<RecoveriesScreen>() {
            screen.deletion = Some(ticket);
        }
    }
}

/// Asks whether to delete backups, now that it is known what is lost with them.
pub(crate) fn ask_purge(
    state: &mut State,
    ticket: Ticket,
    found: Result<(Vec<Recovery>, PurgeLoss)>,
) {
    let screen = state.layers.top_mut::<RecoveriesScreen>();
    let Some(screen) = screen.filter(|screen| screen.deletion == Some(ticket)) else {
        return;
    };
    screen.deletion = None;
    match found {
        Ok((recoveries, loss)) => {
            let ask = Ask::Purge(recoveries, loss);
            state.push(Question::new(ask, Answer::Word(PURGE)));
        }
        Err(trouble) => {
            state.refuse(trouble.text.clean());
            // The row is outdated.
            request(state);
        }
    }
}

pub(crate) fn export(state: &mut State, recovery: Recovery) {
    let ask = Ask::Export(Box::new(recovery));
    state.push(Question::new(ask, Answer::Text));
}

/// Opens what a recovery did.
pub(crate) fn record(state: &mut State, recovery: Recovery, keep: &[PathBuf]) {
    let plan = as_plan(&recovery);
    let mut screen = PlanScreen::new(About::Record(Arc::new(recovery)));
    screen.excluded = keep.iter().map(Foreign::from).collect();
    screen.whole = Load::Ready(Arc::new(plan.clone()));
    screen.take(Load::Ready(Arc::new(plan)), state.now);
    state.push(screen);
}

/// Undo or redo of the recovery whose record is on top.
pub(crate) fn of_record(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_as::<PlanScreen>() else {
        return;
    };
    let About::Record(recovery) = &screen.about else {
        return;
    };
    let recovery = Arc::clone(recovery);
    let why = not_recoverable(&recovery);
    match cmd {
        Cmd::Undo | Cmd::Recover if why.is_none() => {
            let keep = screen.excluded_paths();
            // The dialog comes back with the paths that were chosen here.
            state.layers.close_from::<PendingScreen>();
            if state.layers.is_top::<PlanScreen>() {
                pop(state);
            }
            show(state, recovery.as_ref().clone(), keep);
        }
        Cmd::Recover => state.refuse(Clean::new(why.unwrap_or_default())),
        Cmd::Undo => undo(state, &recovery),
        _ => redo(state, &recovery),
    }
}

/// Shows what an undo would do.
pub(crate) fn undo(state: &mut State, recovery: &Recovery) {
    if let Some(why) = not_undoable(recovery) {
        return state.refuse(Clean::new(why));
    }
    reverse(state, recovery, recovery.is_undo());
}

/// Shows what a redo would do: the undo of the undo.
pub(crate) fn redo(state: &mut State, recovery: &Recovery) {
    if recovery.purged || recovery.undo_purged {
        return state.refuse("Backups deleted; cannot redo.");
    }
    if recovery.undo_to_redo().is_none() {
        return state.refuse_with(
            Cmd::Undo,
            "Nothing to redo: this recovery is not undone. {} undoes it.",
        );
    }
    reverse(state, recovery, true);
}

fn reverse(state: &mut State, recovery: &Recovery, redo: bool) {
    let about = About::Undo {
        id: recovery.pipeline.clone(),
        // A redo is named by what it redoes.
        recovery: recovery.way_back().1.clone(),
        redo,
    };
    open_plan(state, about);
}
