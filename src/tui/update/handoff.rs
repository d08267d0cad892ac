//! The hand-off card: copying what goes on, and launching it here.

use super::super::commands::Cmd;
use super::super::data::{Launched, Load, Trouble};
use super::super::msg::{Effect, Ticket};
use super::super::state::State;
use super::super::state::layer::{Layer, Scroll};
use super::super::state::question::{Answer, Ask, Question};
use super::super::state::recoveries::HandoffScreen;
use super::{browser, copying};
use crate::clean;
use crate::model::{Clean, Foreign, Handoff, PipelineId};

/// Opens the card.
pub(super) fn open(state: &mut State, pipeline: PipelineId, handoff: Handoff, before: Vec<Clean>) {
    if handoff.argv.is_empty() && handoff.prompt.is_empty() && handoff.briefing.is_empty() {
        state.refuse(Clean::new("There is nothing to hand over here."));
        return;
    }
    state.push(Layer::Handoff(HandoffScreen {
        pipeline,
        handoff,
        before,
        ticket: None,
        launched: Load::Pending,
        scroll: Scroll::default(),
    }));
}

/// A command of the card.
pub(super) fn run(state: &mut State, cmd: Cmd, effects: &mut Vec<Effect>) {
    let Some(Layer::Handoff(screen)) = state.layers.last() else {
        return;
    };
    match cmd {
        Cmd::CopyPrompt => {
            let text = screen.handoff.prompt.clone();
            copy(state, &text, "the prompt", effects);
        }
        Cmd::CopyBriefing => {
            let text = screen.handoff.briefing.clone();
            copy(state, &text, "the briefing", effects);
        }
        Cmd::Launch if screen.handoff.command_line().is_none() => {
            state.refuse(Clean::new(
                "There is no command that can be launched as it is; the card shows why.",
            ));
        }
        Cmd::Launch => {
            let ask = Ask::Launch(screen.pipeline.clone(), screen.handoff.clone());
            state.push(Layer::Question(Question::new(ask, Answer::Key)));
        }
        _ => {}
    }
}

/// Copies a text of several lines, if every one is what it looks like.
fn copy(state: &mut State, text: &Foreign, what: &'static str, effects: &mut Vec<Effect>) {
    if text.is_empty() {
        state.refuse(clean!("There is nothing to copy: {} is empty.", what));
        return;
    }
    let lines: Result<Vec<Clean>, &'static str> =
        text.lines().map(|line| copying::true_text(&line)).collect();
    match lines {
        Ok(lines) => {
            state.say(clean!("Copied {}.", what));
            effects.push(Effect::CopyLines(lines));
        }
        Err(why) => state.refuse(Clean::new(why)),
    }
}

/// Launches the orchestrator, after a yes.
pub(super) fn launch(
    state: &mut State,
    id: PipelineId,
    handoff: Handoff,
    effects: &mut Vec<Effect>,
) {
    let ticket = state.ticket();
    if let Some(Layer::Handoff(screen)) = state.layers.last_mut() {
        screen.ticket = Some(ticket);
    }
    state.note(clean!("Launched the orchestrator of {}.", id.0));
    effects.push(Effect::Launch(ticket, id, Box::new(handoff)));
}

/// The orchestrator has ended, or was never started.
pub(super) fn launched(
    state: &mut State,
    ticket: Ticket,
    result: Result<Launched, Trouble>,
    effects: &mut Vec<Effect>,
) {
    if let Err(trouble) = &result {
        state.note(trouble.text.clean());
    }
    let mut awaited = false;
    for layer in &mut state.layers {
        if let Layer::Handoff(screen) = layer
            && screen.ticket == Some(ticket)
        {
            screen.ticket = None;
            screen.launched = result.clone().into();
            awaited = true;
        }
    }
    if awaited {
        state.dossiers.clear();
        browser::look(state, effects);
    }
}
