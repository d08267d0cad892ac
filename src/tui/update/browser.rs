//! The list of pipelines: looking, sorting, opening.

use super::super::commands::Cmd;
use super::super::msg::{Effect, Query};
use super::super::state::State;
use super::super::state::browser::Browser;
use super::{motion, pipeline, recoveries, replays};
use crate::clean;
use crate::model::{Clean, PointChoice};

/// Starts looking for pipelines; whatever an earlier look still sends is dropped.
pub(super) fn look(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let browser = &mut state.browser;
    browser.ticket = Some(ticket);
    browser.again = false;
    effects.push(Effect::Ask(ticket, Query::Survey(browser.request.clone())));
    recoveries::look(state, effects);
}

/// Something changed on disk: looks again, at once or as soon as the look under way has ended.
pub(super) fn changed(state: &mut State, effects: &mut Vec<Effect>) {
    if state.browser.ticket.is_some() {
        state.browser.again = true;
    } else {
        look(state, effects);
    }
}

/// A command of the list.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    match cmd {
        Cmd::Filter => state.browser.filter.open = true,
        Cmd::Sort => arrange(state, |browser| browser.sort = browser.sort.next()),
        Cmd::Reverse => arrange(state, |browser| browser.reverse = !browser.reverse),
        Cmd::Group => arrange(state, |browser| browser.group = browser.group.next()),
        Cmd::Complete => complete(state),
        Cmd::Scope => scope(state, effects),
        Cmd::Recoveries => recoveries::open(state, effects),
        Cmd::NextHit => hit(state, 1),
        Cmd::PrevHit => hit(state, -1),
        Cmd::Enter | Cmd::Points | Cmd::Plan | Cmd::Replays | Cmd::Right => {
            let Some(id) = state.subject() else {
                state.refuse(Clean::new("There is no pipeline to open."));
                return;
            };
            state.browser.chosen = true;
            match cmd {
                Cmd::Points => pipeline::points(state, id, effects),
                Cmd::Replays => replays::open(state, id, effects),
                Cmd::Plan => pipeline::plan(state, id, PointChoice::Recommended, effects),
                _ => pipeline::open(state, id, effects),
            }
        }
        _ => {}
    }
}

fn arrange(state: &mut State, change: impl FnOnce(&mut Browser)) {
    change(&mut state.browser);
    state.browser.arrange();
    let browser = &state.browser;
    let turned = if browser.reverse {
        ", turned round"
    } else {
        ""
    };
    let text = clean!(
        "Sorted by {}{}; grouped by {}.",
        browser.sort.word(),
        turned,
        browser.group.word()
    );
    state.say(text);
}

fn complete(state: &mut State) {
    let browser = &mut state.browser;
    browser.complete = !browser.complete;
    browser.arrange();
    let text = if browser.complete {
        "Complete pipelines are shown."
    } else {
        "Complete pipelines are hidden."
    };
    state.say(Clean::new(text));
}

fn scope(state: &mut State, effects: &mut Vec<Effect>) {
    let browser = &mut state.browser;
    let now = browser
        .request
        .scope
        .or(browser.scope)
        .unwrap_or(super::super::data::Scope::Repository);
    let next = now.next(!browser.request.paths.is_empty());
    browser.request.scope = Some(next);
    state.say(clean!("Looking in this scope: {}.", next.word()));
    look(state, effects);
}

/// The next row that the filter leaves, round the end.
fn hit(state: &mut State, by: isize) {
    let len = isize::try_from(state.browser.ids.len()).unwrap_or(0);
    if len == 0 {
        state.refuse(Clean::new("The filter leaves nothing; Esc clears it."));
        return;
    }
    let here = isize::try_from(motion::selected(state).unwrap_or(0)).unwrap_or(0);
    motion::select(
        state,
        usize::try_from((here + by).rem_euclid(len)).unwrap_or(0),
    );
}
