//! Processes the marked pipelines one at a time, so that other requests of the person never wait long.

use std::path::PathBuf;

use crate::clean;
use crate::model::{PipelineId, Verdict};
use crate::tui::commands::Cmd;
use crate::tui::data::{EngineError, Load};
use crate::tui::msg::{Effect, Query, Ticket};
use crate::tui::screens::batch::{BatchScreen, Done, Task};
use crate::tui::screens::pipeline;
use crate::tui::screens::question::{Answer, Ask, Question};
use crate::tui::state::State;

/// Verifies the marked pipelines, else the selected one.
pub(crate) fn verify(state: &mut State) {
    let ids = state.browser.chosen_ids();
    if ids.is_empty() {
        state.refuse("No pipeline to verify.");
    } else {
        state.push(BatchScreen::new(Task::Verify, ids));
    }
}

/// Asks where to export the marked pipelines to, else the selected one.
pub(crate) fn export(state: &mut State) {
    let ids = state.browser.chosen_ids();
    if ids.is_empty() {
        state.refuse("No pipeline to export.");
    } else {
        state.push(Question::new(Ask::ExportReports(ids), Answer::Text));
    }
}

/// Exports pipelines into a folder.
pub(crate) fn export_to(state: &mut State, ids: Vec<PipelineId>, dir: PathBuf) {
    state.push(BatchScreen::new(Task::Export(dir), ids));
}

/// Asks for the next pipeline, while the screen is open.
pub(crate) fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let screen = state.layers.all::<BatchScreen>().next_back();
    let wanted = screen.and_then(|screen| Some((screen.next()?.clone(), screen.task.clone())));
    let Some((id, task)) = wanted else { return };
    let ticket = state.ticket();
    if let Some(screen) = state.layers.find_mut::<BatchScreen>() {
        screen.ticket = Some(ticket);
    }
    let query = match task {
        Task::Verify => Query::Checks(id),
        Task::Export(dir) => Query::ExportReport(id, dir),
    };
    effects.push(Effect::Ask(ticket, query));
}

/// Takes the result of a pipeline.
pub(crate) fn take(
    state: &mut State,
    ticket: Ticket,
    id: &PipelineId,
    result: Result<Done, EngineError>,
) {
    match &result {
        Ok(Done::Verified(checks)) => {
            let worst = Verdict::overall(checks);
            state.browser.verified(id, (worst, None), state.now);
        }
        Ok(Done::Exported(exported)) => {
            state.note(clean!("Exported {} to {}.", id.0, exported.dir));
        }
        Err(error) => state.note(clean!("{}: {}", id.0, error.text)),
    }
    let mut screens = state.layers.all_mut::<BatchScreen>();
    let screen = screens.find(|screen| screen.ticket == Some(ticket));
    let Some(screen) = screen else { return };
    screen.ticket = None;
    if let Some(item) = screen.items.iter_mut().find(|item| item.id == *id) {
        item.result = result.into();
    }
    screen.arrange();
}

/// Verifies all of them again. An export is not written twice.
pub(crate) fn again(state: &mut State, _: &mut Vec<Effect>) {
    if let Some(screen) = state.layers.find_mut::<BatchScreen>()
        && screen.task == Task::Verify
    {
        screen.ticket = None;
        for item in &mut screen.items {
            item.result = Load::Pending;
        }
        screen.arrange();
    }
}

/// A command of the screen.
pub(crate) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    if !matches!(cmd, Cmd::Enter | Cmd::Right) {
        return;
    }
    let screen = state.layers.top_as::<BatchScreen>();
    let key = screen.and_then(|screen| screen.cursor.key().cloned());
    if let Some((id, check)) = key {
        pipeline::open_checks(state, id, check, effects);
    }
}
