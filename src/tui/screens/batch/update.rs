//! Processes the marked pipelines one at a time, so that other requests of the person never wait long.

use super::{BatchScreen, Done, Task};
use crate::tui::prelude::*;
use crate::tui::screens::pipeline;

/// Verifies the marked pipelines that are shown, else the selected one.
pub(crate) fn verify(state: &mut State) {
    if let Some(ids) = chosen(state) {
        state.push(BatchScreen::new(Task::Verify, ids));
    }
}

/// Asks where to export the marked pipelines that are shown, else the selected one.
pub(crate) fn export(state: &mut State) {
    if let Some(ids) = chosen(state) {
        state.push(Question::new(Ask::ExportReports(ids), Answer::Text));
    }
}

/// The pipelines to process; says which are left out, or why there is none.
fn chosen(state: &mut State) -> Option<Vec<PipelineId>> {
    let ids = state.browser.chosen_ids();
    if ids.is_empty() {
        state.refuse(state.browser.none_chosen());
        return None;
    }
    if let Some(left) = state.browser.left_out() {
        state.say(clean!("{}.", left));
    }
    Some(ids)
}

/// Asks for the next pipeline, while the screen is open.
pub(crate) fn ask(state: &mut State) {
    let Some(screen) = state.layers.find_mut::<BatchScreen>() else {
        return;
    };
    if let Some(id) = screen.next().cloned() {
        screen.ticket = Some(state.effects.ask(match &screen.task {
            Task::Verify => Query::Checks(id),
            Task::Export(dir) => Query::ExportReport(id, dir.clone()),
        }));
    }
}

/// Takes the result of a pipeline.
pub(crate) fn take(state: &mut State, ticket: Ticket, id: &PipelineId, result: Result<Done>) {
    match &result {
        Ok(Done::Verified(checks)) => {
            let checks = CheckSummary::of(checks);
            state.browser.verified(id, (checks, None), state.now);
        }
        Ok(Done::Exported(exported)) => {
            state.note(clean!("Exported {} to {}.", id.0, exported.dir));
        }
        Err(error) => state.note(clean!("{}: {}", id.0, error.text)),
    }
    let Some(screen) = state.layers.awaiting::<BatchScreen>(ticket) else {
        return;
    };
    screen.ticket = None;
    if let Some(item) = screen.items.iter_mut().find(|item| item.id == *id) {
        item.result = result.into();
    }
    screen.arrange();
}

/// Verifies all of them again. An export is not written twice.
pub(crate) fn again(state: &mut State) {
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
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    if !matches!(cmd, Cmd::Enter | Cmd::Right) {
        return;
    }
    let screen = state.layers.top_as::<BatchScreen>();
    let key = screen.and_then(|screen| screen.cursor.key().cloned());
    if let Some((id, check)) = key {
        pipeline::open_checks(state, id, check);
    }
}
