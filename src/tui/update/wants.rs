//! Requests the missing data of the screen after every message: the preview of the selected
//! pipeline, and the drift of the visible checkpoints, one at a time.

use crate::tui::prelude::*;
use crate::tui::screens::pipeline;
use crate::tui::screens::{batch, handoff, plan};

/// How many pipelines are verified at once.
const VERIFIED: usize = 8;

/// Asks for what is visible and not known.
pub(super) fn ask(state: &mut State) {
    preview(state);
    dossiers(state);
    batch::ask(state);
    verify(state);
    handoff::look(state, false);
    // What is being changed is measured when it is written.
    if !state.is_writing() {
        drift(state);
        plan::ask(state);
    }
}

/// The dossier of the selected row, while the list is visible. A newer request replaces an
/// older one, which the worker then drops.
fn preview(state: &mut State) {
    if state.layers.base().is_some() {
        return;
    }
    let Some(id) = state.browser.selected().map(|row| row.pipeline.id.clone()) else {
        return;
    };
    let known = state.dossiers.contains_key(&id);
    let asked = state
        .preview
        .as_ref()
        .is_some_and(|(_, wanted)| *wanted == id)
        || state.reading.values().any(|reading| *reading == id);
    if known || asked {
        return;
    }
    let ticket = state.effects.ask(Query::Dossier {
        id: id.clone(),
        preview: true,
    });
    state.preview = Some((ticket, id));
}

/// The verdicts of the list, a few at a time, so that what a person asks for never waits long.
fn verify(state: &mut State) {
    if state.browser.verifying || !state.browser.surveyed {
        return;
    }
    let ids = state.browser.unverified(VERIFIED);
    if !ids.is_empty() {
        state.browser.verifying = true;
        state.effects.ask(Query::Verify(ids));
    }
}

/// The dossier of a screen that is open, if it was forgotten by a reload.
fn dossiers(state: &mut State) {
    let wanted = state.layers.iter().rev().find_map(|screen| {
        let of = screen.shows_dossier();
        of.then(|| screen.subject(state)).flatten()
    });
    if let Some(id) = wanted.filter(|id| !state.dossiers.contains_key(id)) {
        pipeline::read(state, id);
    }
}

fn drift(state: &mut State) {
    let screen = state.layers.visible_mut::<PipelineScreen>();
    let Some(screen) = screen.filter(|screen| screen.drifts.ticket.is_none()) else {
        return;
    };
    let dossier = state.dossiers.get(&screen.id).and_then(Load::ready);
    let checkpoint = dossier.and_then(|dossier| screen.unmeasured(dossier).cloned());
    if let Some(checkpoint) = checkpoint {
        let query = Query::Drift(screen.id.clone(), Box::new(checkpoint));
        screen.drifts.ticket = Some(state.effects.ask(query));
    }
}
