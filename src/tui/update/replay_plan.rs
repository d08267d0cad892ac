//! The plan of a replay: conflicts are settled here, and the question follows.

use super::super::commands::Cmd;
use super::super::data::{EngineError, Load};
use super::super::msg::{Effect, Query, Ticket};
use super::super::state::State;
use super::super::state::layer::{Layer, Scroll};
use super::super::state::plan::is_stale;
use super::super::state::question::{Answer, Ask, Question};
use super::super::state::replay_plan::{
    ConflictScreen, ReplayPlanScreen, TrialRow, is_marked, marked,
};
use super::super::words;
use super::{commands, new_replay, pop};
use crate::clean;
use crate::model::{Clean, PipelineId, ReplayAsk, ReplayPlan, Resolved};

/// Opens the plan of what was asked.
pub(super) fn open(state: &mut State, id: PipelineId, ask: ReplayAsk, effects: &mut Vec<Effect>) {
    state.push(Layer::ReplayPlan(ReplayPlanScreen::new(id, ask)));
    request(state, effects);
}

/// The plan screen, wherever it lies.
fn screen(state: &mut State) -> Option<&mut ReplayPlanScreen> {
    state.layers.iter_mut().rev().find_map(|layer| match layer {
        Layer::ReplayPlan(screen) => Some(screen),
        _ => None,
    })
}

/// Asks for the plan of an open screen.
pub(super) fn request(state: &mut State, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    if let Some(screen) = screen(state) {
        screen.ticket = Some(ticket);
        let ask = Box::new(screen.ask.clone());
        effects.push(Effect::Ask(
            ticket,
            Query::ReplayPlan(screen.id.clone(), ask),
        ));
    }
}

/// Takes a plan.
pub(super) fn take(state: &mut State, ticket: Ticket, result: Result<ReplayPlan, EngineError>) {
    if new_replay::take(state, ticket, &result) {
        return;
    }
    let now = state.now;
    let Some(screen) = screen(state).filter(|screen| screen.ticket == Some(ticket)) else {
        return;
    };
    let before = screen.plan.ready().map(|plan| plan.fingerprint.clone());
    let plan: Load<ReplayPlan> = result.into();
    screen.ticket = None;
    screen.take(plan, now);
    let then_ask = std::mem::take(&mut screen.then_ask);
    let after = screen.plan.ready().map(|plan| plan.fingerprint.clone());
    if let Load::Failed(trouble) = &screen.plan {
        let text = trouble.text.clean();
        state.note(text);
    } else if then_ask && before == after {
        ask(state);
    } else if then_ask {
        state.refuse(Clean::new(
            "The plan has changed since it was shown. Look at it again; A asks then.",
        ));
    }
}

/// A command of the plan.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    match cmd {
        Cmd::Enter | Cmd::Right => look(state, effects),
        Cmd::StartReplay => begin(state, effects),
        _ => {}
    }
}

/// Opens what stands behind the selected row.
fn look(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(Layer::ReplayPlan(screen)) = state.layers.last() else {
        return;
    };
    let Some(plan) = screen.plan.ready().cloned() else {
        return;
    };
    match screen.cursor.key() {
        Some(TrialRow::Conflict(seq)) => conflict(state, *seq),
        Some(TrialRow::Swap(swap)) => super::comparison::of_swap(state, &plan, *swap, effects),
        Some(TrialRow::Step(place)) => {
            let swap = plan.steps.get(*place).and_then(|step| step.mutation);
            match swap {
                Some(swap) => super::comparison::of_swap(state, &plan, swap, effects),
                None => state.refuse(Clean::new(
                    "Nothing is swapped here: this dispatch is run again as it was.",
                )),
            }
        }
        _ => state.refuse(Clean::new(
            "Nothing more stands behind this row; A runs the replay.",
        )),
    }
}

/// Opens a conflict.
fn conflict(state: &mut State, seq: u64) {
    let Some(screen) = screen(state) else { return };
    let Some(merge) = screen.conflicts.get(&seq).cloned() else {
        return;
    };
    let steps = screen.plan.ready().map(|plan| plan.steps.as_slice());
    let step = steps
        .unwrap_or_default()
        .iter()
        .find(|step| step.original.seq == seq);
    let conflict = ConflictScreen {
        seq,
        label: step.map_or_else(Default::default, |step| step.original.file.clone()),
        merge,
        settled: screen.settled(seq).cloned(),
        ticket: None,
        scroll: Scroll::default(),
    };
    state.push(Layer::Conflict(conflict));
}

/// A command of a conflict.
pub(super) fn of_conflict(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let ticket = state.ticket();
    let Some(Layer::Conflict(conflict)) = state.layers.last_mut() else {
        return;
    };
    let seq = conflict.seq;
    match cmd {
        Cmd::TakeReplacement => settle(state, seq, Resolved::Replacement, effects),
        Cmd::TakeOriginal => settle(state, seq, Resolved::Original, effects),
        Cmd::EditMerge => {
            conflict.ticket = Some(ticket);
            let text = match &conflict.settled {
                Some(Resolved::Edited(text)) => text.clone(),
                _ => marked(&conflict.merge),
            };
            effects.push(Effect::Edit(ticket, text));
        }
        _ => {}
    }
}

/// Takes a text as the person left it in their editor.
pub(super) fn edited(
    state: &mut State,
    ticket: Ticket,
    result: Result<Vec<u8>, EngineError>,
    effects: &mut Vec<Effect>,
) {
    let Some(Layer::Conflict(conflict)) = state.layers.last_mut() else {
        return;
    };
    if conflict.ticket != Some(ticket) {
        return;
    }
    conflict.ticket = None;
    let (seq, before) = (conflict.seq, marked(&conflict.merge));
    match result {
        Err(trouble) => state.refuse(trouble.text.clean()),
        Ok(text) if text == before => state.refuse(Clean::new(
            "Nothing was changed in the editor, so the conflict is still open.",
        )),
        Ok(text) if is_marked(&text) => state.refuse(Clean::new(
            "Marks of the conflict are left in the text, so it is still open; e edits it anew.",
        )),
        Ok(text) => settle(state, seq, Resolved::Edited(text), effects),
    }
}

fn settle(state: &mut State, seq: u64, how: Resolved, effects: &mut Vec<Effect>) {
    let said = match &how {
        Resolved::Replacement => "the replacement's text is taken",
        Resolved::Original => "the original dispatch's text is taken",
        Resolved::Edited(_) => "your text is taken",
    };
    pop(state);
    if let Some(screen) = screen(state) {
        screen.settle(seq, how);
    }
    state.say(clean!("Dispatch {}: {}.", seq, said));
    request(state, effects);
}

/// Begins to run the plan on top: refuses, makes it again, or asks.
fn begin(state: &mut State, effects: &mut Vec<Effect>) {
    let now = state.now;
    let Some(screen) = screen(state) else { return };
    let refusal = match (screen.plan.ready(), screen.made_at) {
        _ if screen.ticket.is_some() => {
            Some("The plan is being worked out; A asks as soon as it is there.")
        }
        (Some(plan), Some(made_at)) => {
            if is_stale(made_at, now) {
                return again(state, effects);
            }
            plan.steps
                .is_empty()
                .then_some("Nothing would be run again: there is no dispatch behind that point.")
        }
        _ => Some("There is no plan to run; F5 tries again."),
    };
    let open = screen.open();
    if let Some(why) = refusal {
        state.refuse(Clean::new(why));
    } else if open > 0 {
        let number = words::count(open as u64, "conflict");
        let verb = if open == 1 { "is" } else { "are" };
        state.refuse(clean!(
            "{} {} open: Enter opens one, and it is settled there.",
            number,
            verb
        ));
    } else if state.is_replaying() {
        state.refuse(Clean::new(
            "A replay runs already; the next one can begin when it has ended.",
        ));
    } else {
        ask(state);
    }
}

/// Makes a plan again that is too old; the question follows if it is still the same one.
pub(super) fn again(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some(screen) = screen(state) {
        screen.then_ask = true;
    }
    state.say(Clean::new(
        "This plan is older than 5 minutes: working it out again first.",
    ));
    request(state, effects);
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
    state.push(Layer::Question(Question::new(ask, Answer::Key)));
}
