//! The plan screen: navigation, and the choice of paths. Nothing here writes: `A` only asks.

use super::{PlanRow, Reach, Then, confirm, made_at};
use crate::tui::data::Made;
use crate::tui::prelude::*;
use crate::tui::screens::diff;
use crate::tui::screens::{detail, handoff, pipeline, progress, recoveries};

/// The topmost plan screen.
pub(crate) fn screen(state: &mut State) -> Option<&mut PlanScreen> {
    state.layers.find_mut::<PlanScreen>()
}

/// Opens the screen of a plan, and asks for the plan.
pub(crate) fn open_plan(state: &mut State, about: About) {
    state.push(PlanScreen::new(about));
    request(state);
}

/// Asks for the plan as it was chosen. What an earlier request still brings is dropped.
pub(crate) fn request(state: &mut State) {
    request_then(state, Then::Show);
}

/// Asks for the plan, and says what follows when it is there.
pub(crate) fn request_then(state: &mut State, then: Then) {
    let Some(screen) = state.layers.find_mut::<PlanScreen>() else {
        return;
    };
    if let Some(query) = screen.query(&state.browser.request) {
        screen.ticket = Some(state.effects.ask(query));
        screen.then = then;
    }
}

/// Changes what the person chose, and asks for the plan.
pub(crate) fn change(state: &mut State, then: Then, change: impl FnOnce(&mut PlanOptions)) {
    if let Some(screen) = screen(state) {
        change(&mut screen.chosen);
    }
    request_then(state, then);
}

/// Computes the plan on the screen again after its pipeline changed on disk. A plan under a question is left: applying
/// it is refused, with the reason.
pub(crate) fn outdated(state: &mut State, changed: &PipelineId) {
    let shown = state.layers.top_mut::<PlanScreen>();
    let Some(shown) = shown.filter(|shown| shown.about.pipeline() == changed) else {
        return;
    };
    // What is under way may have been read before the change. It is awaited: a plan may take longer than the next
    // change of a live pipeline.
    shown.again = shown.ticket.is_some();
    if let Some(old) = shown.plan.ready().filter(|_| !shown.again).cloned() {
        request_then(state, Then::Tell(old));
    }
}

/// Takes a plan that was asked for.
pub(crate) fn take(state: &mut State, ticket: Ticket, result: Result<Made>) {
    let made_at = made_at(state, ticket);
    let Some(screen) = state.layers.awaiting::<PlanScreen>(ticket) else {
        let plan = result.map(|made| made.plan);
        handoff::planned(state, ticket, plan);
        return;
    };
    screen.ticket = None;
    // Only the engine knows whether a plan can reset the branch; one that cannot is shown without.
    if let (true, Err(trouble)) = (screen.chosen.rewind_branch, &result) {
        screen.chosen.rewind_branch = false;
        state.refuse(trouble.text.clean());
        return request(state);
    }
    // The list that offered the undo may be older than what another relight did.
    let outdated = result.is_err() && matches!(screen.about, About::Undo { .. });
    let (kept_in, plan) = match result {
        Ok(made) => (made.kept_in, Ok(made.plan)),
        Err(trouble) => (None, Err(trouble)),
    };
    screen.kept_in = kept_in;
    screen.take(plan.into(), made_at);
    let then = std::mem::take(&mut screen.then);
    let again = std::mem::take(&mut screen.again);
    let again = again.then(|| screen.about.pipeline().clone());
    // What was opened over the plan meanwhile is not covered by a question.
    if state.layers.is_top::<PlanScreen>() {
        confirm::follow_up(state, &then);
    } else {
        detail::plan_read_again(state);
    }
    if let Some(id) = again {
        self::outdated(state, &id);
    }
    if outdated {
        recoveries::request(state);
    }
}

/// A command of the plan screen.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(shown) = screen(state) else { return };
    match cmd {
        Cmd::Left => {
            shown.fold(true);
        }
        Cmd::Right if shown.fold(false) => {}
        Cmd::Right | Cmd::Enter => open(state),
        Cmd::Filter => shown.search.field.open = true,
        Cmd::NextHit | Cmd::PrevHit if !shown.seek(cmd == Cmd::NextHit, false) => {
            state.refuse("Not found: no row of the plan matches.");
        }
        Cmd::NextPane if !shown.jump(true) => state.refuse("No section below."),
        Cmd::PrevPane if !shown.jump(false) => state.refuse("No section above."),
        Cmd::NextChange | Cmd::PrevChange => {
            let forward = cmd == Cmd::NextChange;
            let seen = state.geometry.rows_seen(ListId::of::<DiffScreen>());
            let Some(shown) = screen(state) else { return };
            let beside = shown.beside.as_mut();
            match beside.map(|beside| beside.seek(forward, &seen)) {
                Some(true) => {}
                Some(false) => state.refuse("No further change in this direction."),
                None => state.refuse_with(
                    Cmd::Enter,
                    "{} opens the difference; 120 columns show it here.",
                ),
            }
        }
        Cmd::Include => include(state),
        Cmd::Mode => mode(state),
        Cmd::Paths => reach(state),
        Cmd::Rewind => rewind(state),
        Cmd::Rehearse => progress::rehearse(state),
        Cmd::Reason => {
            state.push(Question::new(Ask::Reason, Answer::Text));
        }
        Cmd::Handoff => hand_off(state),
        Cmd::Points => {
            if let Some(id) = screen(state).map(|screen| screen.id().clone()) {
                pipeline::points(state, id);
            }
        }
        Cmd::Apply => confirm::begin(state),
        Cmd::Undo | Cmd::Redo | Cmd::Recover => recoveries::of_record(state, cmd),
        _ => {}
    }
}

/// Opens the details of the selected row.
fn open(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    let (Some(row), Some(plan)) = (shown.cursor.key().copied(), shown.listed().cloned()) else {
        return;
    };
    if let Some(source) = PlanScreen::source(&plan, row) {
        return compare(state, source);
    }
    match row {
        PlanRow::Head(_) | PlanRow::Action(_) | PlanRow::Folder(..) | PlanRow::Passing => {
            let (folded, rows) = (shown.folded.contains(&row), shown.rows.len());
            shown.fold(!folded);
            // With nothing beneath it, there is nothing to fold.
            if shown.rows.len() == rows {
                shown.fold(folded);
                detail::open_plan_row(state, &plan, row);
            }
        }
        PlanRow::Path(action, path) => {
            let path = plan.actions.get(action).and_then(|of| of.paths.get(path));
            state.refuse(match path.map(|path| path.change) {
                Some(PathChange::NotCovered) => {
                    "The checkpoint does not cover this path; it is kept as it is."
                }
                _ => {
                    "This file was created after the checkpoint and is kept: no difference to show."
                }
            });
        }
        _ => {
            if let Some(now) = shown.current().cloned() {
                detail::open_plan_row(state, &now, row);
            }
        }
    }
}

fn compare(state: &mut State, source: DiffSource) {
    let mut shown = DiffScreen::new(source);
    shown.arrange(state.size.0);
    state.push(shown);
    diff::request(state);
}

/// Leaves out the selected path, folder or action, or includes it again; in an undo, keeps it as it is.
fn include(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    let Some(row) = shown.cursor.key().copied() else {
        return;
    };
    let chosen = shown.chosen(row);
    if chosen.is_empty() {
        return state.refuse(match row {
            PlanRow::Path(..) | PlanRow::Folder(..) => "The plan does not change this path.",
            _ => "Only paths can be excluded; select a file or a directory below an action.",
        });
    }
    let before = shown.excluded.clone();
    if chosen.iter().any(|path| !shown.excluded.contains(path)) {
        shown.excluded.extend(chosen);
    } else {
        shown.excluded.retain(|path| !chosen.contains(path));
    }
    if shown.excluded.len() >= shown.touched() {
        shown.excluded = before;
        return state.refuse_with(
            Cmd::Back,
            "A plan needs at least one path; {} closes the plan.",
        );
    }
    shown.reach = if shown.excluded.is_empty() {
        Reach::All
    } else {
        Reach::Chosen
    };
    request(state);
}

/// The next of: all paths, only missing ones, only differing ones; those that hold nothing are left over.
fn reach(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    let choices = shown.choices();
    let fits = |reach: Reach, change: PathChange| match reach {
        Reach::Missing => change == PathChange::Create,
        Reach::Differing => change == PathChange::Write,
        Reach::All | Reach::Chosen => true,
    };
    let worth = |reach: Reach| {
        let fitting = choices.iter().filter(|(_, change)| fits(reach, *change));
        (1..choices.len()).contains(&fitting.count())
    };
    let order: &[Reach] = match shown.reach {
        Reach::All => &[Reach::Missing, Reach::Differing],
        Reach::Missing => &[Reach::Differing],
        Reach::Differing | Reach::Chosen => &[],
    };
    let next = order.iter().copied().find(|reach| worth(*reach));
    let next = next.unwrap_or(Reach::All);
    if next == shown.reach {
        return state.refuse("Nothing to choose: the plan does the same to every path.");
    }
    shown.reach = next;
    let left_out = choices
        .into_iter()
        .filter(|(_, change)| !fits(next, *change));
    shown.excluded = left_out.map(|(path, _)| path).collect();
    state.say(Clean::new(match next {
        Reach::Missing => "Only missing files are restored.",
        Reach::Differing => "Only modified files are restored.",
        Reach::All | Reach::Chosen => "All paths are included.",
    }));
    request(state);
}

/// Changes between overlay and exact.
fn mode(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    if shown.is_undo() || !restores(shown) {
        return state.refuse("This plan restores no files: overlay and exact are the same.");
    }
    let forgotten = !shown.excluded.is_empty();
    shown.excluded.clear();
    shown.reach = Reach::All;
    let (mode, text) = match shown.chosen.mode {
        RestoreMode::Overlay => (
            RestoreMode::Exact,
            "Exact: files created after the checkpoint are moved aside.",
        ),
        RestoreMode::Exact => (
            RestoreMode::Overlay,
            "Overlay: files created after the checkpoint are kept.",
        ),
    };
    shown.chosen.mode = mode;
    let again = if forgotten {
        " All paths are included again."
    } else {
        ""
    };
    state.say(clean!("{}{}", text, again));
    request(state);
}

/// True for a plan that puts files of a work tree back.
pub(super) fn restores(shown: &PlanScreen) -> bool {
    shown.listed().is_some_and(|plan| {
        let mut actions = plan.actions.iter();
        actions.any(|action| action.kind.touches_tree())
    })
}

/// Resets the branch back, too, or leaves it.
fn rewind(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    if shown.is_undo() {
        return state.refuse("Only a plan for a resume can reset the branch.");
    }
    shown.chosen.rewind_branch = !shown.chosen.rewind_branch;
    let text = if shown.chosen.rewind_branch {
        "The branch is reset to its commit at that time; its old tip is kept."
    } else {
        "The branch is not reset."
    };
    state.say(Clean::new(text));
    request(state);
}

/// Opens the hand-off of the plan.
fn hand_off(state: &mut State) {
    let Some(shown) = screen(state) else { return };
    if let About::Record(recovery) = &shown.about {
        let recovery = Arc::clone(recovery);
        return handoff::of_recovery(state, &recovery);
    }
    let Some(plan) = shown.current().cloned() else {
        return;
    };
    let (id, handoff) = (plan.pipeline.clone(), plan.handoff.clone());
    let changes = !plan.actions.is_empty();
    let offers = plan.offers_conversation();
    handoff::look_ahead(state, id, handoff, &plan);
    if offers {
        handoff::offer_conversation(state, changes);
    }
}
