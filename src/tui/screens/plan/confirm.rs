//! From a plan to the question whether to apply it. A failed guard is shown with its remedy; nothing here overrides a
//! wrong branch or a pipeline that is alive.

use super::Then;
use crate::model::Basis;
use crate::tui::command_lines as commands;
use crate::tui::prelude::*;
use crate::tui::screens::notice::Notice;
use crate::tui::screens::plan;
use crate::tui::screens::progress;
use crate::tui::screens::question::{ACCEPT, NOT_RUNNING, YES};

/// What is asked is no older than this.
const JUST_NOW: TimeDelta = TimeDelta::seconds(1);

/// Starts to apply the plan on top: refuses, computes it again, or asks.
pub(crate) fn begin(state: &mut State) {
    let now = state.now;
    let Some(screen) = plan::screen(state) else {
        return;
    };
    if screen.ticket.is_some() {
        return refuse_while_computing(state);
    }
    let (Some(plan), Some(made_at)) = (screen.plan.ready().cloned(), screen.made_at) else {
        return state.refuse_with(Cmd::Reload, "There is no plan to apply; {} tries again.");
    };
    if now.signed_duration_since(made_at) > JUST_NOW {
        // A file of the work tree may have changed, which nothing watches.
        state.say("Computing the plan again; the question follows.");
        plan::request_then(state, Then::AskIfSame(plan));
    } else {
        decide(state, plan);
    }
}

/// Asks about a plan that has just arrived, unless it is refused or does nothing.
fn decide(state: &mut State, plan: Arc<Plan>) {
    if plan.guards.iter().any(|guard| !guard.holds) {
        refused(state, &plan);
    } else if plan.actions.is_empty() {
        nothing(state, plan);
    } else {
        ask(state, plan);
    }
}

/// Says when the plan can be applied.
pub(crate) fn refuse_while_computing(state: &mut State) {
    let asks = |screen: &mut PlanScreen| matches!(screen.then, Then::Ask | Then::AskIfSame(_));
    if plan::screen(state).is_some_and(asks) {
        return state.refuse("The plan is being computed again; the question follows.");
    }
    state.refuse_with(
        Cmd::Apply,
        "The plan is being computed; press {} again when it is shown.",
    );
}

/// Computes a plan again that is too old to be confirmed.
pub(crate) fn again(state: &mut State, old: Arc<Plan>) {
    state.say("This plan is older than 5 minutes; computing it again.");
    plan::request_then(state, Then::AskIfSame(old));
}

/// What follows now that a plan is there.
pub(crate) fn follow_up(state: &mut State, then: &Then) {
    let made = plan::screen(state).and_then(|screen| screen.plan.ready().cloned());
    let Some(made) = made else { return };
    match then {
        Then::Show => {}
        Then::Ask => expected(state),
        Then::AskIfSame(old) if made.fingerprint == old.fingerprint => expected(state),
        Then::Tell(old) if made.fingerprint == old.fingerprint => {}
        Then::AskIfSame(old) | Then::Tell(old) => {
            let what = Basis::changed(&old.basis, &made.basis);
            state.refuse(clean!(
                "{} since the plan was shown. Review the new plan, then press {}.",
                &what,
                state.key(Cmd::Apply)
            ));
        }
    }
}

/// Asks what was to be asked once the plan is there. Keys that were pressed meanwhile were not meant as its answer.
fn expected(state: &mut State) {
    // What was said of the wait is over.
    state.word = None;
    // However long it was computed: another one would take as long.
    if let Some(plan) = plan::screen(state).and_then(|screen| screen.plan.ready().cloned()) {
        decide(state, plan);
    }
    if let Some(question) = state.layers.top_mut::<Question>() {
        question.seen = false;
    }
}

fn ask(state: &mut State, plan: Arc<Plan>) {
    // The key that opens a question never answers it, also where it is the person's own.
    let opens = state.keymap.name(Cmd::Apply, [plan::CONTEXT]).as_str() == "y";
    let answer = if plan.destructive || state.always_typed || opens {
        Answer::Word(YES)
    } else {
        Answer::Key
    };
    let now = state.now;
    let Some(screen) = plan::screen(state) else {
        return;
    };
    let ask = Ask::Apply {
        command: commands::carrying(screen, &plan),
        made_at: screen.made_at.unwrap_or(now),
        kept_in: screen.kept_in.clone(),
        plan,
    };
    state.push(Question::new(ask, answer));
}

/// There is nothing to write, so only the hand-off follows.
fn nothing(state: &mut State, plan: Arc<Plan>) {
    let undo = plan::screen(state).is_some_and(|screen| screen.is_undo());
    if undo {
        return state.refuse("Nothing to undo: every file is already as it was before.");
    }
    // Only the briefing file is written, which needs no consent.
    progress::apply(state, plan, "y");
}

/// Shows the failed guards with their remedies, or asks what only the person can know.
fn refused(state: &mut State, plan: &Plan) {
    let failing: Vec<&Guard> = plan.guards.iter().filter(|guard| !guard.holds).collect();
    let questions = failing
        .iter()
        .map(|guard| open_question(state, plan, guard));
    let questions: Option<Vec<Ask>> = questions.collect();
    if let Some(ask) = questions.and_then(|all| all.into_iter().next()) {
        let answer = match ask {
            Ask::Branch { .. } => Answer::Text,
            Ask::Accept { .. } => Answer::Word(ACCEPT),
            _ => Answer::Word(NOT_RUNNING),
        };
        return state.push(Question::new(ask, answer));
    }
    let (mut lines, keymap): (Vec<Clean>, _) = (Vec::new(), &state.keymap);
    for guard in &failing {
        lines.push(clean!("✗ {}: {}", guard.id, guard.text));
        let remedy = plan::remedy(guard, keymap, &|text| {
            keyed_below(keymap, text, state.top())
        });
        lines.extend(remedy.map(|remedy| clean!("→ {}", remedy)));
    }
    let again = state.key(Cmd::Reload);
    lines.push(clean!(
        "Nothing was changed. {} computes the plan again.",
        again
    ));
    let of = format::count(plan.guards.len(), "guard");
    let title = clean!("Cannot apply: {} of {} failed", failing.len(), of);
    state.push(Notice { title, lines });
}

/// The question about a failed guard, if only the person can answer it.
pub(super) fn open_question(state: &State, plan: &Plan, guard: &Guard) -> Option<Ask> {
    let mut plans = state.layers.all::<PlanScreen>();
    // An undo takes no other answer.
    let resumes = plans.any(|screen| matches!(screen.about, About::Resume { .. }));
    if !resumes && guard.id != "liveness" {
        return None;
    }
    if guard.is_open() {
        return Some(Ask::Accept {
            id: guard.id.to_string(),
            question: guard.text.clean(),
            recorded: !plan.actions.is_empty(),
        });
    }
    match &*guard.id {
        "liveness" => {
            let would = guard.would_hold_if.as_ref()?;
            let known = state.dossier(&plan.pipeline).map(|known| &known.pipeline);
            let known = known.or_else(|| state.browser.pipeline(&plan.pipeline).map(Arc::as_ref));
            let more = known.map_or(&[][..], |known| &known.standing.liveness.evidence);
            let mut evidence = vec![guard.text.clean()];
            evidence.extend(more.iter().skip(1).map(Foreign::clean));
            let asks = would.lossy().contains("--assume-stopped");
            asks.then_some(Ask::Stopped { evidence })
        }
        // A recorded branch is never overridden. If none was recorded, only the person knows it.
        "branch" => {
            let would = guard.would_hold_if.as_ref()?;
            let seen = guard.text.clean();
            let asks = would.lossy().contains("--branch");
            asks.then_some(Ask::Branch { seen })
        }
        _ => None,
    }
}
