//! The pipeline screen and its resume points.

use crate::clean;
use crate::model::{CheckId, Clean, PipelineId, PointChoice, Subject};
use crate::tui::commands::Cmd;
use crate::tui::data::Dossier;
use crate::tui::msg::{Effect, Query, Rows};
use crate::tui::screens::pipeline::{Pane, PipelineScreen, TimelineView};
use crate::tui::screens::plan::{About, PlanScreen};
use crate::tui::screens::points::Picker;
use crate::tui::screens::{amendment, detail, recoveries, replays};
use crate::tui::state::State;
use crate::tui::state::cursor::Cursor;
use crate::tui::state::marks::RowMark;
use crate::tui::update::motion;
use std::sync::Arc;

/// Opens the screen of a pipeline.
pub(crate) fn open(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    let mut screen = PipelineScreen::new(id.clone());
    // The known dossier is shown at once while it is read again.
    if let Some(dossier) = state.dossier(&id) {
        screen.reselect(dossier);
    }
    state.push(screen);
    read(state, id, effects);
}

/// Opens the screen of a pipeline at its checks, or at one of them.
pub(crate) fn open_checks(
    state: &mut State,
    id: PipelineId,
    check: Option<(CheckId, Subject)>,
    effects: &mut Vec<Effect>,
) {
    open(state, id, effects);
    if let Some(screen) = state.layers.top_mut::<PipelineScreen>() {
        screen.pane = Pane::Verification;
        if let Some(check) = check {
            screen.checks = Cursor::on(check);
        }
    }
}

/// Opens the resume points of a pipeline.
pub(crate) fn points(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    let mut picker = Picker::new(id.clone());
    match state.dossier(&id) {
        Some(dossier) => picker.reselect(dossier),
        None => read(state, id, effects),
    }
    state.push(picker);
}

/// Opens the plan of a point, or of a checkpoint's files.
pub(crate) fn plan(
    state: &mut State,
    id: PipelineId,
    choice: PointChoice,
    effects: &mut Vec<Effect>,
) {
    let about = About::Resume { id, choice };
    state.push(PlanScreen::new(about));
    crate::tui::screens::plan::request(state, effects);
}

/// Asks for everything about a pipeline.
pub(crate) fn read(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    if state.reading.values().any(|reading| *reading == id) {
        return;
    }
    let ticket = state.ticket();
    state.reading.insert(ticket, id.clone());
    effects.push(Effect::Ask(ticket, Query::Dossier { id, preview: false }));
}

/// A command of the pipeline screen.
pub(crate) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(screen) = state.layers.top_mut::<PipelineScreen>() else {
        return;
    };
    let id = screen.id.clone();
    match cmd {
        Cmd::NextPane | Cmd::Right => screen.pane = screen.pane.step(1),
        Cmd::PrevPane | Cmd::Left => screen.pane = screen.pane.step(Pane::ALL.len() - 1),
        Cmd::Pane1 => screen.pane = Pane::Phases,
        Cmd::Pane2 => screen.pane = Pane::Timeline,
        Cmd::Pane3 => screen.pane = Pane::Verification,
        Cmd::Pane4 => screen.pane = Pane::Checkpoints,
        Cmd::Pane5 => screen.pane = Pane::Cause,
        Cmd::Zoom => screen.zoom = !screen.zoom,
        Cmd::Points => points(state, id, effects),
        Cmd::Plan => plan(state, id, PointChoice::Recommended, effects),
        Cmd::Restore => restore(state, id, effects),
        Cmd::Amend => amendment::open(state, id),
        Cmd::Recoveries => recoveries::open(state, effects),
        Cmd::Replays => replays::open(state, id, effects),
        Cmd::Compare => replays::operands(state, id, effects),
        Cmd::Enter => detail::open(state, effects),
        _ => {
            let Some(dossier) = state
                .dossiers
                .get(&id)
                .and_then(|load| load.ready())
                .cloned()
            else {
                return;
            };
            if screen.pane == Pane::Timeline {
                in_timeline(state, &dossier, cmd, effects);
            }
        }
    }
}

/// Opens the plan that restores only the files of the selected checkpoint.
fn restore(state: &mut State, id: PipelineId, effects: &mut Vec<Effect>) {
    let screen = state.layers.top_as::<PipelineScreen>();
    let screen = screen.filter(|screen| screen.pane == Pane::Checkpoints);
    let checkpoint = screen.and_then(|screen| screen.checkpoints.key().cloned());
    match checkpoint {
        Some(checkpoint) => plan(state, id, PointChoice::Checkpoint(checkpoint), effects),
        None => state.refuse("Select a checkpoint first: 4 goes to the checkpoints."),
    }
}

/// The timeline of the topmost screen.
fn timeline(state: &mut State) -> Option<&mut TimelineView> {
    let screen = state.layers.top_mut::<PipelineScreen>();
    screen.map(|screen| &mut screen.timeline)
}

fn in_timeline(state: &mut State, dossier: &Arc<Dossier>, cmd: Cmd, effects: &mut Vec<Effect>) {
    match cmd {
        Cmd::NextError => jump(state, dossier, true, RowMark::Error),
        Cmd::PrevError => jump(state, dossier, false, RowMark::Error),
        Cmd::NextWarning => jump(state, dossier, true, RowMark::Warning),
        Cmd::PrevWarning => jump(state, dossier, false, RowMark::Warning),
        Cmd::NextPhase => seek_phase(state, dossier, true, effects),
        Cmd::PrevPhase => seek_phase(state, dossier, false, effects),
        Cmd::NextHit => hit(state, dossier, 1),
        Cmd::PrevHit => hit(state, dossier, -1),
        Cmd::Mark | Cmd::GoMark | Cmd::Follow | Cmd::Filter => {
            let Some(view) = timeline(state) else { return };
            match cmd {
                Cmd::Filter => view.filter.open = true,
                Cmd::Mark => {
                    let event = view.event;
                    if !view.marks.remove(&event) {
                        view.marks.insert(event);
                    }
                }
                Cmd::GoMark => go_mark(state),
                _ => {
                    view.follow = !view.follow;
                    view.reselect(&dossier.timeline);
                    let text = if view.follow {
                        "Following the newest event."
                    } else {
                        "No longer following."
                    };
                    state.say(Clean::new(text));
                }
            }
        }
        _ => {}
    }
}

fn go_mark(state: &mut State) {
    let Some(view) = timeline(state) else { return };
    let next = view.marks.range(view.event + 1..).next();
    match next.or_else(|| view.marks.first()).copied() {
        Some(event) => view.event = event,
        None => state.refuse("No event is marked; m marks the selected one."),
    }
}

fn jump(state: &mut State, dossier: &Dossier, forward: bool, least: RowMark) {
    let Some(view) = timeline(state) else { return };
    view.follow = false;
    let here = view.row(&dossier.timeline).unwrap_or(0);
    if let Some(row) = view.problems.next(here, forward, least) {
        view.go(&dossier.timeline, row);
        return;
    }
    let what = match least {
        RowMark::Error => "failure",
        RowMark::Warning | RowMark::Hit => "warning or failure",
    };
    let side = if forward { "after" } else { "before" };
    state.refuse(clean!("No {} {} this event.", what, side));
}

fn seek_phase(state: &mut State, dossier: &Dossier, forward: bool, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let Some(view) = timeline(state) else { return };
    view.seeking = Some(ticket);
    effects.push(Effect::Ask(
        ticket,
        Query::SeekPhase {
            rows: Rows(Arc::clone(&dossier.timeline)),
            from: view.event,
            forward,
        },
    ));
}

fn hit(state: &mut State, dossier: &Dossier, by: isize) {
    let len = timeline(state).map_or(0, |view| view.len(&dossier.timeline));
    motion::next_hit(state, len, by);
}

/// Asks for the events that the written filter leaves.
pub(crate) fn filter(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let Some(screen) = state.layers.top_mut::<PipelineScreen>() else {
        return;
    };
    let view = &mut screen.timeline;
    let dossier = state.dossiers.get(&screen.id).and_then(|load| load.ready());
    if view.filter.is_empty() {
        view.filtering = None;
        if let (Some(_), Some(dossier)) = (view.hits.take(), dossier) {
            view.survey(&dossier.timeline);
        }
        return;
    }
    let Some(dossier) = dossier else {
        return;
    };
    view.filtering = Some(ticket);
    let rows = Rows(Arc::clone(&dossier.timeline));
    effects.push(Effect::Ask(
        ticket,
        Query::Filter(rows, view.filter.text().to_owned()),
    ));
}
