//! The plan of a replay: conflicts are resolved here, and the question follows.

use super::{ReplayPlanScreen, TrialRow, is_marked, marked};
use crate::tui::command_lines as commands;
use crate::tui::prelude::*;
use crate::tui::screens::conflict::ConflictScreen;
use crate::tui::screens::plan::{is_stale, made_at};
use crate::tui::screens::{comparison, new_replay};

/// Opens the plan of what was asked.
pub(crate) fn open(state: &mut State, id: PipelineId, ask: ReplayAsk) {
    state.push(ReplayPlanScreen {
        id,
        ask,
        ..ReplayPlanScreen::default()
    });
    request(state);
}

/// The plan screen, wherever it is.
fn screen(state: &mut State) -> Option<&mut ReplayPlanScreen> {
    state.layers.find_mut::<ReplayPlanScreen>()
}

/// Asks for the plan of an open screen.
pub(crate) fn request(state: &mut State) {
    if let Some(screen) = state.layers.find_mut::<ReplayPlanScreen>() {
        let query = Query::ReplayPlan(screen.id.clone(), Box::new(screen.ask.clone()));
        screen.ticket = Some(state.effects.ask(query));
    }
}

/// Takes a plan.
pub(crate) fn take(state: &mut State, ticket: Ticket, result: Result<ReplayPlan>) {
    if new_replay::take(state, ticket, &result) {
        return;
    }
    let made_at = made_at(state, ticket);
    let Some(screen) = state.layers.awaiting::<ReplayPlanScreen>(ticket) else {
        return;
    };
    let before = screen.plan.ready().map(|plan| plan.fingerprint.clone());
    let plan: Load<ReplayPlan> = result.into();
    screen.ticket = None;
    screen.take(plan, made_at);
    let then_ask = std::mem::take(&mut screen.then_ask);
    let after = screen.plan.ready().map(|plan| plan.fingerprint.clone());
    if let Load::Failed(trouble) = &screen.plan {
        let text = trouble.text.clean();
        state.note(text);
    } else if then_ask && before == after {
        ask(state);
    } else if then_ask {
        state.refuse_with(
            Cmd::StartReplay,
            "The plan has changed since it was shown. Review it, then press {}.",
        );
    }
}

/// A command of the plan.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    match cmd {
        Cmd::Enter | Cmd::Right => look(state),
        Cmd::StartReplay => begin(state),
        _ => {}
    }
}

/// Opens the details of the selected row.
fn look(state: &mut State) {
    let Some(screen) = state.layers.top_as::<ReplayPlanScreen>() else {
        return;
    };
    let Some(plan) = screen.plan.ready().cloned() else {
        return;
    };
    match screen.cursor.key() {
        Some(TrialRow::Conflict(seq)) => conflict(state, *seq),
        Some(TrialRow::Swap(swap)) => comparison::of_swap(state, &plan, *swap),
        Some(TrialRow::Paths) => comparison::of_paths(state, &plan, None),
        Some(TrialRow::Step(place)) => {
            let seq = plan.steps.get(*place).map(|step| step.original.seq);
            let mut rewritten = plan.isolation.rewritten.iter();
            let swap = plan.steps.get(*place).and_then(|step| step.mutation);
            match swap {
                Some(swap) => comparison::of_swap(state, &plan, swap),
                None if rewritten.any(|one| Some(one.seq) == seq) => {
                    comparison::of_paths(state, &plan, seq);
                }
                None => state
                    .refuse("No template is replaced here: this dispatch runs again as it was."),
            }
        }
        _ => state.refuse_with(Cmd::StartReplay, "No details; {} runs the replay."),
    }
}

/// Opens a conflict.
fn conflict(state: &mut State, seq: u64) {
    let Some(screen) = screen(state) else { return };
    let Some(merge) = screen.conflicts.get(&seq).cloned() else {
        return;
    };
    let mut steps = screen.plan.ready().into_iter().flat_map(|plan| &plan.steps);
    let step = steps.find(|step| step.original.seq == seq);
    let conflict = ConflictScreen {
        seq,
        label: step.map_or_else(Default::default, |step| step.original.file.clone()),
        merge,
        resolution: screen.resolved(seq).cloned(),
        ticket: None,
    };
    state.push(conflict);
}

/// A command of a conflict.
pub(crate) fn of_conflict(state: &mut State, cmd: Cmd) {
    let Some(conflict) = state.layers.top_mut::<ConflictScreen>() else {
        return;
    };
    let seq = conflict.seq;
    match cmd {
        Cmd::TakeReplacement => resolve(state, seq, Resolved::Replacement),
        Cmd::TakeOriginal => resolve(state, seq, Resolved::Original),
        Cmd::EditMerge => {
            let ticket = state.effects.ticket();
            conflict.ticket = Some(ticket);
            let text = match &conflict.resolution {
                Some(Resolved::Edited(text)) => text.clone(),
                _ => marked(&conflict.merge),
            };
            state.effects.push(Effect::Edit(ticket, text));
        }
        _ => {}
    }
}

/// Handles a text that the person edited.
pub(crate) fn edited(state: &mut State, ticket: Ticket, result: Result<Vec<u8>>) {
    let Some(conflict) = state.layers.top_mut::<ConflictScreen>() else {
        return;
    };
    if conflict.ticket != Some(ticket) {
        return;
    }
    conflict.ticket = None;
    let (seq, before) = (conflict.seq, marked(&conflict.merge));
    match result {
        Err(trouble) => state.refuse(trouble.text.clean()),
        Ok(text) if text == before => {
            state.refuse("Not changed in the editor: the conflict is still open.");
        }
        Ok(text) if is_marked(&text) => state.refuse_with(
            Cmd::EditMerge,
            "Conflict markers are left in the text: it is still open. {} edits it again.",
        ),
        Ok(text) => resolve(state, seq, Resolved::Edited(text)),
    }
}

fn resolve(state: &mut State, seq: u64, how: Resolved) {
    let said = match &how {
        Resolved::Replacement => "resolved with the replacement's text",
        Resolved::Original => "resolved with the original dispatch's text",
        Resolved::Edited(_) => "resolved with your text",
    };
    pop(state);
    if let Some(screen) = screen(state) {
        screen.resolve(seq, how);
    }
    state.say(clean!("Dispatch {}: {}.", seq, said));
    request(state);
}

/// Starts to run the plan on top: refuses, computes it again, or asks.
fn begin(state: &mut State) {
    let now = state.now;
    let keys = [Cmd::StartReplay, Cmd::Reload, Cmd::Enter].map(|cmd| state.key(cmd));
    let [start, reload, enter] = keys;
    let Some(screen) = screen(state) else { return };
    let refusal = match (screen.plan.ready(), screen.made_at) {
        _ if screen.ticket.is_some() => Some(clean!(
            "The plan is being computed; press {} again when it is shown.",
            start
        )),
        (Some(plan), Some(made_at)) => {
            if is_stale(made_at, now) {
                return again(state);
            }
            let nothing = Clean::new("Nothing to run: no dispatches after that point.");
            Some(nothing).filter(|_| plan.steps.is_empty())
        }
        _ => Some(clean!("There is no plan to run; {} tries again.", reload)),
    };
    let open = screen.open();
    if let Some(why) = refusal {
        state.refuse(why);
    } else if open > 0 {
        let open = format::count_of(open, "conflict is", "conflicts are");
        state.refuse(clean!(
            "{} open: press {} on one to resolve it.",
            open,
            enter
        ));
    } else if state.is_replaying() {
        state.refuse("A replay is running; start the next one when it has ended.");
    } else {
        ask(state);
    }
}

/// Computes a plan again that is too old; the question follows if it did not change.
pub(crate) fn again(state: &mut State) {
    if let Some(screen) = screen(state) {
        screen.then_ask = true;
    }
    state.say("This plan is older than 5 minutes; computing it again.");
    request(state);
}

fn ask(state: &mut State) {
    let now = state.now;
    let Some(screen) = screen(state) else { return };
    let Some(plan) = screen.plan.ready().cloned() else {
        return;
    };
    let command = commands::replaying(&screen.id, &screen.ask, false);
    let ask = Ask::Replay {
        plan,
        made_at: screen.made_at.unwrap_or(now),
        command,
    };
    state.push(Question::new(ask, Answer::Key));
}
