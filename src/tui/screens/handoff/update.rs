//! The hand-off card: copying the command, and launching it here.

use super::{HandoffScreen, VOID, Watching};
use crate::model::{Next, StepMode};
use crate::tui::data::{after_launch, launchable};
use crate::tui::prelude::*;
use crate::tui::screens::browser;
use crate::tui::screens::plan;
use crate::tui::screens::question::YES;
use crate::tui::update::copying;

/// What is said where nothing is handed over, as after an undo or a redo.
pub(crate) const NONE: &str = "There is no hand-off here. The plan of a resume has one.";

/// Opens the card.
pub(crate) fn open(state: &mut State, pipeline: PipelineId, handoff: Handoff, before: Vec<Clean>) {
    if handoff.argv.is_empty() && handoff.prompt.is_empty() && handoff.briefing.is_empty() {
        return state.refuse(NONE);
    }
    state.push(HandoffScreen {
        pipeline,
        handoff,
        before,
        ..HandoffScreen::default()
    });
}

/// Offers to continue the conversation that stopped in place of the hand-off. `changes` says that files are changed
/// by the plan, which the conversation does not know of.
pub(crate) fn offer_conversation(state: &mut State, changes: bool) {
    let Some(screen) = state.layers.top_as::<HandoffScreen>() else {
        return;
    };
    let dossier = state.dossier(&screen.pipeline);
    let why = dossier.and_then(|dossier| dossier.why.as_ref());
    let other = why.and_then(|why| why.continuation(&screen.handoff, changes));
    if let Some(screen) = card(state) {
        screen.other = other;
    }
}

/// A command of the card.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_mut::<HandoffScreen>() else {
        return;
    };
    match cmd {
        Cmd::CopyPrompt | Cmd::CopyBriefing | Cmd::Launch | Cmd::WatchRecords
            if screen.void.is_some() =>
        {
            state.refuse(VOID);
        }
        Cmd::CopyPrompt => {
            let text = screen.handoff.prompt.clone();
            copy(state, &text, "the prompt");
        }
        Cmd::CopyBriefing => {
            let text = screen.handoff.briefing.clone();
            copy(state, &text, "the briefing");
        }
        Cmd::CopyContinue => {
            let other = screen.other.as_ref();
            match other.and_then(|other| other.resume.line()) {
                Some(line) => {
                    let copy = Effect::Copy(vec![line], "the command".into());
                    state.effects.push(copy);
                }
                None => state.refuse("There is no conversation to continue."),
            }
        }
        Cmd::Launch | Cmd::WatchRecords if screen.premature => state.refuse_with(
            Cmd::Apply,
            "This plan was not applied yet: go back and press {} first.",
        ),
        Cmd::WatchRecords => {
            let query = Query::WatchRecords(screen.pipeline.clone());
            screen.ticket = Some(state.effects.ask(query));
        }
        Cmd::NextStep | Cmd::AllSteps => {
            if screen.next() != Some(Next::Ask) || screen.ticket.is_some() {
                return state.refuse("No step has ended here yet.");
            }
            screen.mode = match cmd {
                Cmd::AllSteps => StepMode::UntilPhaseEnds,
                _ => StepMode::EachStep,
            };
            plan_next_step(state);
        }
        Cmd::Launch if screen.handoff.command_line().is_none() => {
            state.refuse("This command cannot be launched; the reason is shown above.");
        }
        Cmd::Launch => {
            // An agent that starts before its limit resets stops again, so that is not launched by one key.
            let answer = match screen.handoff.limit(state.now) {
                Some(_) => Answer::Word(YES),
                None => Answer::Key,
            };
            let ask = Ask::Launch(screen.pipeline.clone(), screen.handoff.clone());
            state.push(Question::new(ask, answer));
        }
        _ => {}
    }
}

/// Copies a text of several lines, if every one is what it looks like.
fn copy(state: &mut State, text: &Foreign, what: &'static str) {
    if text.is_empty() {
        return state.refuse(clean!("Nothing to copy: {} is empty.", what));
    }
    let lines: Result<Vec<Clean>, &'static str> =
        text.lines().map(|line| copying::true_text(&line)).collect();
    match lines {
        Ok(lines) => {
            state.effects.push(Effect::Copy(lines, Clean::new(what)));
        }
        Err(why) => state.refuse(Clean::new(why)),
    }
}

/// Opens the card of a plan that was not applied, to be looked at. One that changes nothing is not launched from here
/// either: only applying it asks what the plan asks, and writes the briefing that the prompt names.
pub(crate) fn look_ahead(state: &mut State, pipeline: PipelineId, handoff: Handoff, plan: &Plan) {
    let failed = plan.guards.iter().filter(|guard| !guard.holds).count();
    let apply = state.keymap.name(Cmd::Apply, [plan::CONTEXT]);
    let before = if failed > 0 {
        let text = "Preview: the plan is refused or asks something.";
        clean!("{} {} in the plan says what.", text, apply)
    } else if plan.actions.is_empty() {
        clean!(
            "Preview: {} in the plan writes the briefing and hands over.",
            apply
        )
    } else {
        Clean::new(
            "Preview: the plan has not been applied. This hand-off is valid only after that.",
        )
    };
    open(state, pipeline, handoff, vec![before]);
    if let Some(screen) = card(state) {
        screen.premature = true;
    }
}

/// Opens the card of a recovery that was made before. It says so where it must not be followed any more.
pub(crate) fn of_recovery(state: &mut State, recovery: &Recovery) {
    let (id, handoff) = (recovery.pipeline.clone(), recovery.handoff.clone());
    open(state, id, handoff, Vec::new());
    if let Some(screen) = card(state) {
        screen.void = recovery.void_handoff().map(|why| Clean::new(&why));
    }
}

/// The card on top.
fn card(state: &mut State) -> Option<&mut HandoffScreen> {
    state.layers.top_mut::<HandoffScreen>()
}

/// Launches the orchestrator, after a yes.
pub(crate) fn launch(state: &mut State, id: PipelineId, handoff: Handoff) {
    let ticket = state.effects.ticket();
    if let Some(screen) = card(state) {
        screen.ticket = Some(ticket);
        screen.trouble = None;
        screen.watching = None;
    }
    state.note(clean!("Launched the orchestrator of {}.", id.0));
    let launch = Effect::Launch(ticket, id, Box::new(handoff));
    state.effects.push(launch);
}

/// Handles the result of a launch, a watch or a check.
pub(crate) fn take(state: &mut State, ticket: Ticket, reply: Reply) {
    let now = state.now;
    let asked = |screen: &&mut HandoffScreen| {
        let look = screen.watching.as_ref().and_then(|one| one.ticket);
        screen.ticket == Some(ticket) || look == Some(ticket)
    };
    let found = state.layers.all_mut().find(asked);
    let Some(screen) = found else { return };
    match reply {
        Reply::Launched(result) => {
            screen.ticket = None;
            match result {
                Ok(launched) => {
                    let program = screen.handoff.argv.first().cloned().unwrap_or_default();
                    screen.ended = Some(clean!(
                        "{} has ended: {}.",
                        program,
                        launched.end.to_string()
                    ));
                    let seen = launched.seen;
                    screen.watching = launched.watch.map(|watch| Watching::new(watch, now, seen));
                }
                Err(trouble) => screen.trouble = Some(trouble),
            }
            // The orchestrator may have changed anything that is shown.
            state.dossiers.clear();
            browser::look(state);
            step(state);
        }
        Reply::Watching(result) => {
            screen.ticket = None;
            match result {
                Ok(watch) => {
                    screen.watching = Some(Watching::new(watch, now, Resumed::No));
                    screen.trouble = None;
                }
                Err(trouble) => screen.trouble = Some(trouble),
            }
        }
        Reply::Looked(result) => {
            let Some(watching) = &mut screen.watching else {
                return;
            };
            watching.ticket = None;
            watching.looked = now;
            watching.trouble = match result {
                Ok(seen) => {
                    watching.seen = seen;
                    None
                }
                Err(trouble) => Some(trouble),
            };
            if watching.seen != Resumed::No {
                // A record that comes after the launch may be of a program that was started elsewhere: the person is
                // asked before the next step.
                screen.mode = StepMode::EachStep;
                let since = watching.since;
                state.notify(since, "The orchestrator has begun to record.");
            }
        }
        _ => {}
    }
}

/// Continues automatically if the person asked for it and nothing prevents it.
fn step(state: &mut State) {
    let Some(screen) = card(state) else { return };
    if screen.next() == Some(Next::GoOn) && screen.mode == StepMode::UntilPhaseEnds {
        plan_next_step(state);
    }
}

/// Asks for the hand-off of the next step; the launch follows.
fn plan_next_step(state: &mut State) {
    if let Some(screen) = state.layers.top_mut::<HandoffScreen>() {
        let id = screen.pipeline.clone();
        let query = Query::Plan(id, PointChoice::Recommended, after_launch());
        screen.ticket = Some(state.effects.ask(query));
    }
}

/// Launches the next step, unless something must be written or answered first.
pub(crate) fn planned(state: &mut State, ticket: Ticket, result: Result<Plan>) {
    let (now, plan) = (state.now, state.key(Cmd::Plan));
    let Some(screen) = card(state).filter(|screen| screen.ticket == Some(ticket)) else {
        return;
    };
    screen.ticket = None;
    match result.and_then(|plan| launchable(plan, now)) {
        Ok(handoff) if handoff.command_line().is_some() => {
            screen.handoff = handoff.clone();
            let id = screen.pipeline.clone();
            launch(state, id, handoff);
        }
        Ok(_) => {
            let text = "The next step has no command to launch.";
            let error = EngineError::refused(text);
            screen.trouble = Some(error.hint(format!("Go back and press {plan} to see the plan.")));
        }
        Err(trouble) => screen.trouble = Some(trouble),
    }
}

/// Looks for a new record, when it is time to; with `changed`, because something on disk changed.
pub(crate) fn look(state: &mut State, changed: bool) {
    let now = state.now;
    let card = state.layers.top_mut::<HandoffScreen>();
    let watching = card.and_then(|screen| screen.watching.as_mut());
    if let Some(watching) = watching.filter(|watching| watching.is_due(now, changed)) {
        let query = Query::Look(watching.watch.clone());
        watching.ticket = Some(state.effects.ask(query));
    }
}
