//! Requests the missing data of the screen after every message: the preview of the selected
//! pipeline, and the drift of the checkpoints that are seen, one at a time.

use super::super::msg::{Effect, Query};
use super::super::screens::pipeline::PipelineScreen;
use super::super::screens::{batch, handoff, pipeline, plan};
use super::super::state::State;

/// How many pipelines are verified at once.
const VERIFIED: usize = 8;

/// Asks for what is seen and not known.
pub(super) fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    preview(state, effects);
    dossiers(state, effects);
    drift(state, effects);
    batch::ask(state, effects);
    verify(state, effects);
    plan::ask(state, effects);
    handoff::look(state, false, effects);
}

/// The dossier of the selected row, while the list is what is seen. A newer wish takes the place of an
/// older one, which the worker then drops.
fn preview(state: &mut State, effects: &mut Vec<Effect>) {
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
    let ticket = state.ticket();
    state.preview = Some((ticket, id.clone()));
    effects.push(Effect::Ask(ticket, Query::Dossier { id, preview: true }));
}

/// The verdicts of the list, a few at a time, so that what a person asks for never waits long.
fn verify(state: &mut State, effects: &mut Vec<Effect>) {
    if state.browser.verifying || !state.browser.surveyed {
        return;
    }
    let ids = state.browser.unverified(VERIFIED);
    if !ids.is_empty() {
        state.browser.verifying = true;
        let ticket = state.ticket();
        effects.push(Effect::Ask(ticket, Query::Verify(ids)));
    }
}

/// The dossier of a screen that is open, if it was forgotten by a reload.
fn dossiers(state: &mut State, effects: &mut Vec<Effect>) {
    let wanted = state.layers.iter().rev().find_map(|screen| {
        let of = screen.shows_dossier();
        of.then(|| screen.subject(state)).flatten()
    });
    if let Some(id) = wanted.filter(|id| !state.dossiers.contains_key(id)) {
        pipeline::read(state, id, effects);
    }
}

fn drift(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let Some(screen) = state.layers.top_mut::<PipelineScreen>() else {
        return;
    };
    if screen.drifts.ticket.is_some() {
        return;
    }
    let Some(dossier) = state.dossiers.get(&screen.id).and_then(|load| load.ready()) else {
        return;
    };
    if let Some(checkpoint) = screen.unmeasured(dossier) {
        screen.drifts.ticket = Some(ticket);
        effects.push(Effect::Ask(
            ticket,
            Query::Drift(screen.id.clone(), Box::new(checkpoint.clone())),
        ));
    }
}
