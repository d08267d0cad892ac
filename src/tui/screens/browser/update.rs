//! The list of pipelines: looking, sorting, opening.

use super::Browser;
use super::marks::FOLDED;
use crate::model::{Group, LIST_COLUMNS};
use crate::tui::prelude::*;
use crate::tui::screens::{batch, pipeline, recoveries, replays};
use crate::tui::update::motion;

/// Starts a survey; results of an earlier one are dropped.
pub(crate) fn look(state: &mut State) {
    let query = Query::Survey(state.browser.request.clone());
    state.browser.ticket = Some(state.effects.ask(query));
    state.browser.again = false;
    recoveries::look(state);
}

/// Surveys again after a change on disk, at once or as soon as the running survey has ended.
pub(crate) fn changed(state: &mut State) {
    if state.browser.ticket.is_some() {
        state.browser.again = true;
    } else {
        look(state);
    }
}

/// A command of the list.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    match cmd {
        Cmd::Filter => state.browser.filter.open = true,
        Cmd::Sort => arrange(state, Browser::sort_next),
        Cmd::Reverse => arrange(state, |browser| {
            browser.reverse = !browser.reverse;
            browser.ranked = false;
        }),
        Cmd::Left if state.browser.fold(true) => {}
        Cmd::Left if state.browser.is_folded() => {
            state.refuse_with(Cmd::Right, "The group is folded; {} unfolds it.");
        }
        Cmd::Left => state.refuse_with(Cmd::Group, "Nothing to fold: {} groups the rows."),
        Cmd::Enter | Cmd::Right if state.browser.is_folded() => {
            state.browser.fold(false);
        }
        Cmd::Group => arrange(state, |browser| browser.group = browser.group.next()),
        Cmd::View => view(state),
        Cmd::Include => {
            if state.browser.is_folded() {
                return state.refuse(FOLDED);
            }
            state.browser.mark();
            let (number, shown) = state.browser.marks();
            let rows = format::count(number, "row");
            let [verify, export, copy, hide] =
                [Cmd::Checks, Cmd::Export, Cmd::Copy, Cmd::Hide].map(|cmd| state.key(cmd));
            state.say(match number - shown.len() {
                _ if number == 0 => Clean::new("No row is marked."),
                0 => clean!(
                    "{} marked: {} verifies, {} exports, {} copies, {} hides them.",
                    rows,
                    verify,
                    export,
                    copy,
                    hide
                ),
                left => clean!(
                    "{} marked, {} of them not shown: {}, {}, {} and {} leave those out.",
                    rows,
                    left,
                    verify,
                    export,
                    copy,
                    hide
                ),
            });
        }
        Cmd::Hide => hide(state),
        Cmd::ShowHidden => show_hidden(state),
        Cmd::Checks => batch::verify(state),
        Cmd::Export => batch::export(state),
        Cmd::Complete => complete(state),
        Cmd::Scope => scope(state),
        Cmd::Recoveries => recoveries::open(state),
        Cmd::NextWarning => next_waiting(state, true),
        Cmd::PrevWarning => next_waiting(state, false),
        Cmd::NextHit => motion::next_hit(state, state.browser.ids.len(), 1),
        Cmd::PrevHit => motion::next_hit(state, state.browser.ids.len(), -1),
        Cmd::Enter | Cmd::Points | Cmd::Plan | Cmd::Replays | Cmd::Right => {
            let Some(id) = state.subject() else {
                let folded = state.browser.is_folded();
                return state.refuse(if folded {
                    FOLDED
                } else {
                    "No pipeline to open."
                });
            };
            state.browser.chosen = true;
            match cmd {
                Cmd::Points => pipeline::points(state, id),
                Cmd::Replays => replays::open(state, id),
                Cmd::Plan => pipeline::plan(state, id, PointChoice::Recommended),
                _ => pipeline::open(state, id),
            }
        }
        _ => {}
    }
}

fn arrange(state: &mut State, change: impl FnOnce(&mut Browser)) {
    change(&mut state.browser);
    state.browser.arrange();
    let browser = &state.browser;
    let column = LIST_COLUMNS.get(browser.sort as usize);
    let name = column.map_or("", |column| column.heading).to_lowercase();
    let turned = if browser.reverse { ", reversed" } else { "" };
    let group = match browser.group {
        Group::Nothing => "not grouped".to_owned(),
        group => format!("grouped by {}", group.word()),
    };
    state.say(format!("Sorted by {name}{turned}, {group}."));
}

/// Selects the next pipeline that waits for a person, or the previous one, round the end.
fn next_waiting(state: &mut State, forward: bool) {
    let browser = &state.browser;
    let waits = |place: &usize| {
        let shown = browser.shown.get(*place);
        let shown = shown.filter(|shown| shown.folded.is_none());
        let row = shown.and_then(|shown| browser.rows.get(shown.row));
        row.is_some_and(|row| row.pipeline.standing.status == Status::Waiting)
    };
    let len = browser.ids.len();
    let here = browser.cursor.place(&browser.ids).unwrap_or(0);
    let further = |by: usize| here + if forward { by } else { len - by };
    let found = (1..=len).map(|by| further(by) % len).find(waits);
    match found {
        Some(place) => motion::select(state, place),
        None => match browser.count(Status::Waiting) {
            0 => state.refuse("No pipeline here waits for a person."),
            // The head of the screen counts those too.
            1 => state.refuse("The 1 waiting pipeline is not shown."),
            number => state.refuse(clean!("None of the {} waiting pipelines is shown.", number)),
        },
    }
}

/// Sorts by a column, or turns the order round where the rows are sorted by it.
pub(crate) fn sort_by(state: &mut State, key: ListKey) {
    arrange(state, |browser| {
        browser.reverse = browser.sort == key && !browser.is_ranked() && !browser.reverse;
        (browser.sort, browser.ranked) = (key, false);
    });
}

fn view(state: &mut State) {
    if state.browser.views.is_empty() {
        return state.refuse("No saved view: [[view]] in the configuration adds one.");
    }
    let text = match state.browser.view_next() {
        Some(name) => clean!("View {}.", Clean::new(&name)),
        None => match state.browser.hidden_put_away {
            0 => Clean::new("No view: every pipeline that is not complete, newest first."),
            hidden => clean!(
                "No view: every pipeline that is neither complete nor hidden ({}), newest first.",
                hidden
            ),
        },
    };
    state.say(text);
}

/// Hides rows until the console ends, and copies what hides them for good; brings hidden ones back.
fn hide(state: &mut State) {
    let ids = state.browser.chosen_ids();
    if ids.is_empty() {
        return state.refuse(state.browser.none_chosen());
    }
    let left = state.browser.left_out();
    let left = left.map_or_else(Clean::empty, |left| clean!("; {}", left));
    let names: Vec<String> = ids.iter().map(|id| format!("\"{}\"", id.0)).collect();
    let line = clean!("ignore = [{}]", Clean::new(&names.join(", ")));
    let number = format::count(ids.len(), "pipeline");
    if !state.browser.put_away() {
        return state.say(clean!("{} no longer hidden{}.", number, left));
    }
    let what = clean!(
        "`ignore` for the configuration ({} hidden until the console ends; {} shows hidden rows{})",
        number,
        state.key(Cmd::ShowHidden),
        left
    );
    state.effects.push(Effect::Copy(vec![line], what));
}

fn show_hidden(state: &mut State) {
    let hide = state.key(Cmd::Hide);
    let browser = &mut state.browser;
    if browser.put_away.is_empty() {
        return state.refuse(clean!("No row is hidden; {} hides the marked rows.", hide));
    }
    browser.show_put_away = !browser.show_put_away;
    browser.arrange();
    // Among many rows a person would have to look for them.
    let hidden = browser.shown.iter().position(|shown| {
        let row = browser.rows.get(shown.row);
        shown.folded.is_none() && row.is_some_and(|row| browser.is_put_away(row))
    });
    if let Some(place) = hidden.filter(|_| browser.show_put_away) {
        motion::select(state, place);
    }
    state.say(if state.browser.show_put_away {
        clean!(
            "Hidden rows are shown; {} brings the selected one back.",
            hide
        )
    } else {
        Clean::new("Hidden rows are hidden again.")
    });
}

fn complete(state: &mut State) {
    let browser = &mut state.browser;
    browser.complete = !browser.complete;
    browser.arrange();
    state.say(if state.browser.complete {
        "Complete pipelines are shown."
    } else {
        "Complete pipelines are hidden."
    });
}

fn scope(state: &mut State) {
    let browser = &mut state.browser;
    let now = browser.request.scope.or(browser.scope);
    let now = now.unwrap_or(Scope::Repository);
    let next = now.next(!browser.request.paths.is_empty());
    browser.request.scope = Some(next);
    state.say(clean!("Scope: {}.", next.word()));
    look(state);
}
