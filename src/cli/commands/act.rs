//! The one road to the disk: plan, refusal, consent, the deed, its outcome. `resume`, `restore`, `undo` and
//! `redo` differ only in how their plan is made.

mod consent;
mod outcome;
mod question;

use consent::Consents;
pub(super) use consent::{Answers, needed};
pub(super) use question::{Facts, then};

use serde::Serialize;

use super::plan;
use super::setup::Session;
use super::words::under;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::ConsentArgs;
use crate::cli::person::Person;
use crate::cli::report::{ActedReport, Beside};
use crate::engine::{EngineError, ErrorKind, Request, Scope, Settle};
use crate::model::{
    Asked, Cancel, Clean, Foreign, Handoff, Outcome, PipelineId, Plan, Recovery, RecoveryId,
    RecoveryState, StageProgress, UndoOptions,
};

/// Where the work is watched and who is asked.
pub(super) struct Desk<'a> {
    /// Who is asked.
    pub(super) person: &'a mut dyn Person,
    /// Where progress is shown.
    pub(super) progress: &'a (dyn Fn(&StageProgress) + Sync),
    /// What stops the work, as long as it can be stopped.
    pub(super) cancel: &'a Cancel,
    /// Cells of a line of the answer.
    pub(super) width: usize,
}

/// What was done, with the hand-off that follows it.
pub(super) struct Acted {
    /// What is printed.
    pub(super) answer: Answer,
    /// Of which pipeline, and how its orchestrator goes on; `None` where there is nothing to go on from.
    pub(super) handoff: Option<(PipelineId, Handoff)>,
}

impl From<Answer> for Acted {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            handoff: None,
        }
    }
}

/// How far the road led.
pub(super) enum Walked {
    /// There is nothing to do, for this reason.
    Nothing(EngineError),
    /// Nothing on disk has to change.
    Empty(Box<Plan>),
    /// It was carried out; what was rolled back or is unclear is a failure and never comes this far.
    Done(Box<(Plan, Outcome)>),
}

/// Walks the road and says what came of it. `make` computes the plan; its argument is what the person
/// has just answered. `facts` gathers what the question says beside the plan.
pub(super) fn act(
    session: &Session,
    desk: &mut Desk<'_>,
    args: &ConsentArgs,
    make: &dyn Fn(&Answers) -> Result<Plan, EngineError>,
    facts: &dyn Fn(&Plan) -> Facts,
) -> Result<Acted, Failure> {
    if args.dry_run {
        return Ok(plan::dry_run(session, make(&Answers::default()), desk.width)?.into());
    }
    match walk(session, desk, args, make, facts)? {
        Walked::Nothing(error) => Ok(nothing(&error, desk.width).into()),
        Walked::Empty(plan) => match &plan.asked {
            Asked::Resume { .. } => Ok(empty(session, &plan)),
            Asked::Undo { recovery, .. } => Ok(stands(&plan, recovery, desk.width).into()),
        },
        Walked::Done(done) => {
            let (plan, outcome) = *done;
            let report = ActedReport::new(&outcome);
            let lines = outcome::lines(session, &plan, &outcome, desk.width);
            let answer = match outcome.recovery.as_ref().map(|recovery| &recovery.id) {
                Some(id) => {
                    let undo = session.about("undo", id);
                    let said = clean!("Recovery {} was committed. To undo it: {}", id.0, undo);
                    done_for_good(report, lines, said, desk.cancel)
                }
                None => Answer::new(report, lines),
            };
            Ok(Acted {
                answer,
                handoff: outcome.handoff.map(|handoff| (plan.pipeline, handoff)),
            })
        }
    }
}

/// The road itself, up to its end.
pub(super) fn walk(
    session: &Session,
    desk: &mut Desk<'_>,
    args: &ConsentArgs,
    make: &dyn Fn(&Answers) -> Result<Plan, EngineError>,
    facts: &dyn Fn(&Plan) -> Facts,
) -> Result<Walked, Failure> {
    let mut first = make(&Answers::default());
    let mut notes = Vec::new();
    if args.yes {
        notes = settled(session, first.as_ref().ok(), desk.cancel)?;
        if !notes.is_empty() {
            first = make(&Answers::default());
        }
    }
    let first = match first {
        Err(error) if error.kind == ErrorKind::NothingToDo => return Ok(Walked::Nothing(error)),
        other => other.map_err(|error| interrupted(session, error))?,
    };
    unsettled(session, &first)?;
    let consents = Consents {
        args,
        said: &session.said,
        style: session.config.confirm.value,
    };
    let plan = consents.passable(first, make, desk.person)?;
    if plan.actions.is_empty() {
        consents.still(&plan)?;
        return Ok(Walked::Empty(Box::new(plan)));
    }
    let consent = consents.agree(&plan, desk.person, facts)?;
    let carried = session
        .engine
        .carry_out(&plan, &consent, desk.progress, desk.cancel);
    // What was settled before stays so, whatever became of the plan.
    let beside = |error| notes.iter().cloned().fold(error, EngineError::hint);
    let mut outcome = carried.map_err(beside)?;
    outcome.notes.splice(0..0, notes);
    let outcome = committed(session, outcome)?;
    Ok(Walked::Done(Box::new((plan, outcome))))
}

/// The answer of something that was done for good; where the person cancelled it too late, it says so.
pub(super) fn done_for_good(
    report: impl Serialize + 'static,
    lines: Vec<Line>,
    done: Clean,
    cancel: &Cancel,
) -> Answer {
    let late = cancel.is_cancelled().then(|| {
        let text = "Cancelled too late: everything was done.";
        EngineError::new(ErrorKind::Cancelled, text).hint(done.as_str())
    });
    Answer::new(Beside::new(report, late.as_ref()), lines).done(done)
}

/// The answer is no.
fn nothing(error: &EngineError, width: usize) -> Answer {
    let report = ActedReport::nothing(Some(error.text.lossy().into_owned()));
    let said = std::iter::once(&error.text).chain(&error.hints);
    let lines = said.flat_map(|text| {
        let head = Span::plain(Clean::empty());
        under(head, Tone::Plain, &text.clean(), width)
    });
    Answer::new(report, lines.collect()).exit(Exit::No)
}

/// An undo that would change nothing, because all that was done stays done.
fn stands(plan: &Plan, recovery: &RecoveryId, width: usize) -> Answer {
    let text = format!("Nothing of {recovery} can be taken back.");
    let mut lines = vec![vec![Span::plain(Clean::new(&text))]];
    lines.extend(plan::page::losses(plan, width));
    Answer::new(ActedReport::nothing(Some(text)), lines).exit(Exit::No)
}

/// `--yes` agrees to settling what a crash left pending, too: the plan is made from what is there afterwards.
fn settled(
    session: &Session,
    plan: Option<&Plan>,
    cancel: &Cancel,
) -> Result<Vec<Foreign>, Failure> {
    let mut notes = Vec::new();
    let options = UndoOptions {
        keep: Vec::new(),
        assume_stopped: plan.is_some_and(Plan::assumes_stopped),
    };
    let pending = if let Some(plan) = plan {
        pending_of(session, plan)?
    } else {
        // No plan can be made from the half of it: where only one is pending, it is that one.
        let here = session.engine.pending(&session.request)?;
        if here.len() == 1 { here } else { Vec::new() }
    };
    for left in pending {
        let id = left.id.0.as_str();
        let settled =
            session
                .engine
                .recover(Some(id), &Settle::Usual, &options, &session.request, cancel)?;
        notes.extend(settled.said);
    }
    Ok(notes)
}

/// What a crash left pending on a plan's pipeline, wherever the person stands. One whose record is gone names no
/// pipeline, so it may be this one's where it is of the same scope.
fn pending_of(session: &Session, plan: &Plan) -> Result<Vec<Recovery>, EngineError> {
    let everywhere = Request {
        scope: Some(Scope::Machine),
        paths: Vec::new(),
        ..session.request.clone()
    };
    let mut pending = session.engine.pending(&everywhere)?;
    pending.retain(|left| left.pipeline == plan.pipeline);
    let nameless = session.engine.pending(&session.request)?;
    pending.extend(
        nameless
            .into_iter()
            .filter(|left| left.pipeline.0.is_empty()),
    );
    Ok(pending)
}

/// What a crash left pending on the same pipeline stands in the way of everything: the plan was made from half
/// of it, and its locks look like another program's.
fn unsettled(session: &Session, plan: &Plan) -> Result<(), Failure> {
    let pending = pending_of(session, plan)?;
    let Some(left) = pending.first() else {
        return Ok(());
    };
    let id = &left.id;
    let text =
        format!("Recovery {id} is not settled: it was cut short, or is being carried out now.");
    let hint = format!(
        "{} settles it, or says who is at work on it.",
        session.about("recover", id)
    );
    Err(EngineError::new(ErrorKind::Refused, text).hint(hint).into())
}

/// The same where no plan can be made from the half of it.
fn interrupted(session: &Session, error: EngineError) -> EngineError {
    let pending = session.engine.pending(&session.request);
    match pending.unwrap_or_default().first() {
        Some(left) => error.hint(format!(
            "Recovery {0} was cut short; relight recover {0} settles it.",
            left.id
        )),
        None => error,
    }
}

/// Nothing on disk has to change: no lock, no recovery, the hand-off alone.
fn empty(session: &Session, plan: &Plan) -> Acted {
    let Some(handoff) = session.engine.hand_over(plan) else {
        let text = "The files already match the checkpoint; nothing was changed.";
        let lines = vec![vec![Span::plain(Clean::new(text))]];
        return Answer::new(ActedReport::nothing(None), lines).into();
    };
    let report = ActedReport::handed_over(&handoff);
    Acted {
        answer: Answer::new(report, outcome::handed_over(&handoff)),
        handoff: Some((plan.pipeline.clone(), handoff)),
    }
}

/// What came of it. What was rolled back or is unclear is no success, whichever way the engine says it.
fn committed(session: &Session, outcome: Outcome) -> Result<Outcome, Failure> {
    let state = outcome.recovery.as_ref().map(|r| (r.state, r.id.clone()));
    let error = match state {
        Some((RecoveryState::Committed, _)) | None => return Ok(outcome),
        Some((RecoveryState::RolledBack, _)) => EngineError::new(
            ErrorKind::RolledBack,
            "It failed and was rolled back; everything is as it was.",
        ),
        Some((RecoveryState::NeedsAttention, id)) => EngineError::new(
            ErrorKind::Unclear,
            "What is on disk is unclear; nothing more was changed.",
        )
        .hint(format!(
            "{} --export ./kept copies out all that it keeps.",
            session.about("recover", &id)
        )),
    };
    Err(outcome
        .notes
        .into_iter()
        .fold(error, EngineError::hint)
        .into())
}

#[cfg(test)]
mod made_up;
#[cfg(test)]
mod tests;
