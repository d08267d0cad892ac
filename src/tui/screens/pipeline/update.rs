//! The pipeline screen and its resume points.

use super::{Pane, TimelineView};
use crate::model::{CheckId, Subject};
use crate::tui::msg::Rows;
use crate::tui::prelude::*;
use crate::tui::screens::plan::open_plan;
use crate::tui::screens::points::Picker;
use crate::tui::screens::{amendment, detail, recoveries, replays};
use crate::tui::update::motion;

/// Opens the screen of a pipeline.
pub(crate) fn open(state: &mut State, id: PipelineId) {
    let mut screen = PipelineScreen::new(id.clone());
    // The known dossier is shown at once while it is read again.
    if let Some(dossier) = state.dossier(&id) {
        screen.reselect(dossier);
    }
    state.push(screen);
    read(state, id);
}

/// Opens the screen of a pipeline at its checks, or at one of them.
pub(crate) fn open_checks(state: &mut State, id: PipelineId, check: Option<(CheckId, Subject)>) {
    open(state, id);
    if let Some(screen) = state.layers.top_mut::<PipelineScreen>() {
        screen.pane = Pane::Verification;
        if let Some(check) = check {
            screen.checks = Cursor::on(check);
        }
    }
}

/// Opens the resume points of a pipeline.
pub(crate) fn points(state: &mut State, id: PipelineId) {
    let mut picker = Picker::new(id.clone());
    match state.dossier(&id) {
        Some(dossier) => picker.reselect(dossier),
        None => read(state, id),
    }
    state.push(picker);
}

/// Opens the plan of a point, or of a checkpoint's files.
pub(crate) fn plan(state: &mut State, id: PipelineId, choice: PointChoice) {
    open_plan(state, About::Resume { id, choice });
}

/// Asks for everything about a pipeline.
pub(crate) fn read(state: &mut State, id: PipelineId) {
    let screens = state.layers.all_mut::<PipelineScreen>();
    screens
        .filter(|screen| screen.id == id)
        .for_each(|screen| screen.drifts.outdate());
    if state.reading.values().any(|reading| *reading == id) {
        return;
    }
    let ticket = state.effects.ask(Query::Dossier {
        id: id.clone(),
        preview: false,
    });
    state.reading.insert(ticket, id);
}

/// A command of the pipeline screen.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_as::<PipelineScreen>() else {
        return;
    };
    let id = screen.id.clone();
    let of_dossier = Pane::ALL.into_iter().any(|pane| pane.names().0 == cmd)
        || [
            Cmd::NextPane,
            Cmd::PrevPane,
            Cmd::Left,
            Cmd::Right,
            Cmd::Enter,
        ]
        .contains(&cmd);
    if of_dossier && state.dossier(&id).is_none() {
        return state.refuse("Nothing of this pipeline has been read.");
    }
    let Some(screen) = state.layers.top_mut::<PipelineScreen>() else {
        return;
    };
    match cmd {
        Cmd::NextPane | Cmd::Right => screen.pane = screen.pane.step(1),
        Cmd::PrevPane | Cmd::Left => screen.pane = screen.pane.step(Pane::ALL.len() - 1),
        Cmd::Pane1 | Cmd::Pane2 | Cmd::Pane3 | Cmd::Pane4 | Cmd::Pane5 => {
            let pane = Pane::ALL.into_iter().find(|pane| pane.names().0 == cmd);
            screen.pane = pane.unwrap_or(screen.pane);
        }
        Cmd::Zoom => screen.zoom = !screen.zoom,
        Cmd::Points => points(state, id),
        Cmd::Plan => plan(state, id, PointChoice::Recommended),
        Cmd::Restore => restore(state, id),
        Cmd::Amend => amendment::open(state, id),
        Cmd::Recoveries => recoveries::open(state),
        Cmd::Replays => replays::open(state, id),
        Cmd::Compare => replays::operands(state, id),
        Cmd::Enter => detail::open(state),
        _ if screen.pane == Pane::Timeline => {
            if let Some(dossier) = state.dossier(&id).cloned() {
                in_timeline(state, &dossier, cmd);
            }
        }
        _ => {}
    }
}

/// Opens the plan that restores only the files of the selected checkpoint.
fn restore(state: &mut State, id: PipelineId) {
    let screen = state.layers.top_as::<PipelineScreen>();
    let screen = screen.filter(|screen| screen.pane == Pane::Checkpoints);
    let checkpoint = screen.and_then(|screen| screen.checkpoints.key().cloned());
    if let Some(checkpoint) = checkpoint {
        return plan(state, id, PointChoice::Checkpoint(checkpoint));
    }
    state.refuse_with(Cmd::Pane4, "Select one of the checkpoints first (key {}).");
}

/// The timeline of the topmost screen.
fn timeline(state: &mut State) -> Option<&mut TimelineView> {
    let screen = state.layers.top_mut::<PipelineScreen>();
    screen.map(|screen| &mut screen.timeline)
}

fn in_timeline(state: &mut State, dossier: &Arc<Dossier>, cmd: Cmd) {
    match cmd {
        Cmd::NextError => jump(state, dossier, true, RowMark::Error),
        Cmd::PrevError => jump(state, dossier, false, RowMark::Error),
        Cmd::NextWarning => jump(state, dossier, true, RowMark::Warning),
        Cmd::PrevWarning => jump(state, dossier, false, RowMark::Warning),
        Cmd::NextPhase => seek_phase(state, dossier, true),
        Cmd::PrevPhase => seek_phase(state, dossier, false),
        Cmd::NextHit => hit(state, dossier, 1),
        Cmd::PrevHit => hit(state, dossier, -1),
        Cmd::Mark | Cmd::GoMark | Cmd::Follow | Cmd::Filter => {
            let Some(view) = timeline(state) else { return };
            match cmd {
                Cmd::Filter => view.filter.open = true,
                Cmd::Mark => {
                    let (event, marks) = (view.event, &mut view.marks);
                    let on = !marks.contains(&event);
                    switch(marks, event, on);
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
    let mark = state.key(Cmd::Mark);
    let Some(view) = timeline(state) else { return };
    let next = view.marks.range(view.event + 1..).next();
    match next.or_else(|| view.marks.first()).copied() {
        Some(event) => view.event = event,
        None => state.refuse(clean!(
            "No event is marked; {} marks the selected one.",
            mark
        )),
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

fn seek_phase(state: &mut State, dossier: &Dossier, forward: bool) {
    if let Some(screen) = state.layers.top_mut::<PipelineScreen>() {
        screen.timeline.seeking = Some(state.effects.ask(Query::SeekPhase {
            rows: Rows(Arc::clone(&dossier.timeline)),
            from: screen.timeline.event,
            forward,
        }));
    }
}

fn hit(state: &mut State, dossier: &Dossier, by: isize) {
    let len = timeline(state).map_or(0, |view| view.len(&dossier.timeline));
    motion::next_hit(state, len, by);
}

/// Asks for the events that the written filter leaves.
pub(crate) fn filter(state: &mut State) {
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
    if let Some(dossier) = dossier {
        let rows = Rows(Arc::clone(&dossier.timeline));
        let query = Query::Filter(rows, view.filter.text().to_owned());
        view.filtering = Some(state.effects.ask(query));
    }
}
