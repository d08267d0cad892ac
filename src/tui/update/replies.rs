//! What the worker answers. An answer to a question that nobody asks any more is dropped.

use super::super::data::{Dossier, EngineError, Load, Survey};
use super::super::msg::{Effect, Reply, Ticket};
use super::super::state::State;
use super::super::state::layer::Layer;
use super::{
    acting, browser, comparison, handoff, pipeline, plan, recoveries, replay_plan, replaying,
    replays,
};
use crate::clean;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::model::{Pipeline, PipelineId};

/// Takes an answer.
pub(super) fn take(state: &mut State, ticket: Ticket, reply: Reply, effects: &mut Vec<Effect>) {
    match reply {
        Reply::Found(found) if state.browser.ticket == Some(ticket) => {
            state.browser.take(*found);
        }
        Reply::Survey(result) if state.browser.ticket == Some(ticket) => {
            surveyed(state, result, effects);
        }
        Reply::Found(_) | Reply::Survey(_) => {}
        Reply::Dossier(id, result) => dossier(state, ticket, id, result),
        Reply::Drift(id, checkpoint, result) => {
            for layer in &mut state.layers {
                if let Layer::Pipeline(screen) = layer
                    && screen.id == id
                    && screen.drifts.ticket == Some(ticket)
                {
                    screen.drifts.ticket = None;
                    screen
                        .drifts
                        .known
                        .insert(checkpoint.clone(), result.clone().into());
                }
            }
        }
        Reply::Plan(result) => plan::take(state, ticket, result, effects),
        Reply::Pending(found) => recoveries::found(state, ticket, found),
        Reply::Recoveries(result) => recoveries::take(state, ticket, result),
        reply @ (Reply::Launched(_) | Reply::Watching(_) | Reply::Looked(_)) => {
            handoff::take(state, ticket, reply, effects);
        }
        reply @ (Reply::Progress(_)
        | Reply::Applied(_)
        | Reply::Recovered(_)
        | Reply::Purged(_)
        | Reply::Rehearsed(_)
        | Reply::Ledger(_)) => acting::take(state, ticket, reply, effects),
        Reply::Replays(result) => replays::take(state, ticket, result),
        Reply::Operands(result) => replays::take_operands(state, ticket, result),
        Reply::ReplayPlan(result) => replay_plan::take(state, ticket, result),
        Reply::Compared(result) => comparison::take(state, ticket, result),
        Reply::Edited(result) => replay_plan::edited(state, ticket, result, effects),
        reply @ (Reply::Replaying(_) | Reply::Replayed(_)) => {
            replaying::take(state, ticket, reply, effects);
        }
        reply => to_layer(state, ticket, reply),
    }
}

/// An answer to the layer that asked.
fn to_layer(state: &mut State, ticket: Ticket, reply: Reply) {
    let width = state.size.0;
    for layer in &mut state.layers {
        match layer {
            Layer::Diff(screen) if screen.ticket == Some(ticket) => {
                if let Reply::Diff(result) = reply {
                    screen.take(result, width);
                }
                return;
            }
            Layer::Detail(detail) if detail.ticket == Some(ticket) => {
                if let Reply::Raw(result) = reply {
                    detail.ticket = None;
                    detail.raw = result.into();
                }
                return;
            }
            Layer::Pipeline(screen) if screen.timeline.filtering == Some(ticket) => {
                if let Reply::Hits(hits) = reply {
                    screen.timeline.filtering = None;
                    // The selection goes to what the filter leaves, the nearest one that follows.
                    let view = &mut screen.timeline;
                    let next = hits.partition_point(|event| *event < view.event);
                    if let Some(event) = hits.get(next).or_else(|| hits.last()) {
                        view.event = *event;
                    }
                    view.hits = Some(hits);
                }
                return;
            }
            Layer::Pipeline(screen) if screen.timeline.seeking == Some(ticket) => {
                if let Reply::Sought(found) = reply {
                    screen.timeline.seeking = None;
                    match found {
                        Some(event) => screen.timeline.event = event,
                        None => state.refuse(clean!("There is no other phase on that side.")),
                    }
                }
                return;
            }
            _ => {}
        }
    }
}

fn surveyed(state: &mut State, result: Result<Survey, EngineError>, effects: &mut Vec<Effect>) {
    state.browser.ticket = None;
    match result {
        Err(trouble) => {
            state.note(trouble.text.clean());
            state.browser.trouble = Some(trouble);
        }
        Ok(survey) => {
            let text = clean!(
                "Found {} pipelines in this scope: {}.",
                survey.pipelines.len(),
                survey.scope.word()
            );
            if !state.browser.surveyed {
                state.note(text);
            }
            let browser = &mut state.browser;
            browser.trouble = None;
            browser.surveyed = true;
            browser.scope = Some(survey.scope);
            browser.skipped = survey.skipped;
            browser.elsewhere = survey.hidden.scope;
            browser.searched = survey.roots;
            let watched = watched(&survey.pipelines);
            browser.replace(survey.pipelines);
            browser.arrange();
            effects.push(Effect::Watch(watched));
            refresh(state, effects);
        }
    }
    if state.browser.again {
        browser::look(state, effects);
    }
}

/// The directories in which a change may change what is shown.
fn watched(pipelines: &[Pipeline]) -> Vec<PathBuf> {
    let files = pipelines.iter().flat_map(|pipeline| &pipeline.state_files);
    let places: BTreeSet<&Path> = files.filter_map(|file| file.parent()).collect();
    places.into_iter().map(Path::to_owned).collect()
}

/// Forgets dossiers that no longer fit their pipeline, and reads again those that are on the screen.
fn refresh(state: &mut State, effects: &mut Vec<Effect>) {
    let browser = &state.browser;
    let outdated: Vec<PipelineId> = state
        .dossiers
        .iter()
        .filter(|(id, load)| {
            let known = load.ready().map(|dossier| &dossier.pipeline);
            known != browser.pipeline(id).map(std::sync::Arc::as_ref)
        })
        .map(|(id, _)| id.clone())
        .collect();
    for id in outdated {
        let shown = state.layers.iter().any(|layer| match layer {
            Layer::Pipeline(screen) => screen.id == id,
            Layer::Picker(picker) => picker.id == id,
            _ => false,
        });
        if shown {
            pipeline::read(state, id, effects);
        } else {
            state.dossiers.remove(&id);
        }
    }
}

fn dossier(
    state: &mut State,
    ticket: Ticket,
    id: PipelineId,
    result: Result<Dossier, EngineError>,
) {
    let awaited = state.reading.remove(&ticket).is_some();
    let preview = state
        .preview
        .as_ref()
        .is_some_and(|(wanted, _)| *wanted == ticket);
    if preview {
        state.preview = None;
    }
    if !awaited && !preview {
        return;
    }
    let result = result.map(|mut dossier| {
        // Worst first; within a verdict the order of the note stays.
        dossier
            .checks
            .sort_by_key(|check| std::cmp::Reverse(check.verdict));
        dossier
    });
    let load: Load<Dossier> = result.into();
    if let Load::Failed(trouble) = &load {
        state.note(trouble.text.clean());
    }
    if let Some(dossier) = load.ready() {
        for layer in &mut state.layers {
            match layer {
                Layer::Pipeline(screen) if screen.id == id => screen.settle(dossier),
                Layer::Picker(picker) if picker.id == id => {
                    pipeline::choose_recommended(picker, dossier);
                }
                _ => {}
            }
        }
    }
    state.dossiers.insert(id, load);
}
