//! How a plan is applied: plan, refusal, consent, changes, outcome. `resume`, `restore`, `undo` and `redo`
//! differ only in how their plan is made.

mod consent;
mod outcome;
mod question;

use consent::Consents;
pub(super) use consent::{Answers, needed};
pub(super) use question::Facts;

use std::cell::OnceCell;

use super::{handoff, plan};
use crate::cli::args::ConsentArgs;
use crate::cli::person::Person;
use crate::cli::prelude::*;
use crate::engine::RecoverMode;
use crate::model::StageProgress;

/// Who is asked, and who watches the work.
pub(super) struct Desk<'a> {
    /// Who is asked.
    pub(super) person: &'a mut dyn Person,
    /// Where progress is shown.
    pub(super) progress: &'a (dyn Fn(&StageProgress) + Sync),
    /// Cancels the work, as long as it can be canceled.
    pub(super) cancel: &'a Cancel,
}

/// What was done, with the hand-off that follows it.
pub(super) struct Acted {
    /// What is printed.
    pub(super) answer: Answer,
    /// The pipeline and its hand-off; `None` if there is nothing to resume.
    pub(super) handoff: Option<(PipelineId, Handoff)>,
    /// Whether a recovery was applied before it.
    pub(super) restored: bool,
}

impl From<Answer> for Acted {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            handoff: None,
            restored: false,
        }
    }
}

/// The outcome of a plan.
pub(super) enum Applied {
    /// There is nothing to do, for this reason; what was recovered first.
    Nothing(EngineError, Vec<Foreign>),
    /// No change on disk is needed; what was recovered first.
    Empty(Box<Plan>, Vec<Foreign>),
    /// It was applied. A plan that was rolled back, or whose result is unclear, is an error instead.
    Done(Box<(Plan, Outcome)>),
}

/// Applies a plan and reports the outcome. `make` computes the plan from the answers that the person has just given.
pub(super) fn act(
    session: &Session,
    desk: &mut Desk<'_>,
    args: &ConsentArgs,
    make: &dyn Fn(&Answers) -> Result<Plan>,
) -> Result<Acted> {
    if args.dry_run {
        return Ok(plan::dry_run(session, make(&Answers::default()))?.into());
    }
    let mut page = session.page();
    let ledger = OnceCell::new();
    let read = |plan: &Plan| session.engine.ledger(&plan.pipeline).unwrap_or_default();
    // An undo asks about what no undo reverts, and its outcome reports the same.
    let facts = |plan: &Plan| Facts {
        ledger: match plan.asked {
            Asked::Resume { .. } => Vec::new(),
            Asked::Undo { .. } => ledger.get_or_init(|| read(plan)).clone(),
        },
        ..Facts::of(session, plan)
    };
    match apply(session, desk, args, make, &facts)? {
        Applied::Nothing(error, notes) => {
            for note in &notes {
                page.say(Tone::Plain, note);
            }
            let answer = session.nothing(error, page, |error| {
                let report = report::not_acted(Some(error.text.lossy().into_owned()));
                report::noted(report, &notes)
            });
            Ok(answer.done(all_done(&notes, None)).into())
        }
        Applied::Empty(plan, notes) => {
            for note in &notes {
                page.warn(note);
            }
            match &plan.asked {
                Asked::Resume { .. } => empty(session, &plan, &notes, page, desk.cancel),
                Asked::Undo { recovery, .. } => {
                    Ok(nothing_undone(&plan, recovery, &notes, page).into())
                }
            }
        }
        Applied::Done(done) => {
            let (plan, outcome) = *done;
            let can_undo = outcome.recovery.as_ref();
            let can_undo = can_undo.is_some_and(|done| session.engine.can_undo(done));
            outcome::outcome(session, &plan, (&outcome, can_undo), &mut page);
            let ledger = ledger.get_or_init(|| read(&plan));
            if args.yes || args.confirm.is_some() {
                // Without a question, nobody has read these warnings yet.
                plan::page::irreversible(ledger, plan::page::CAP, &mut page);
            }
            let report = report::acted(&outcome, ledger);
            let done = outcome.recovery.as_ref().map(|recovery| {
                let id = &recovery.id;
                if can_undo {
                    let undo = session.about("undo", id);
                    clean!("recovery {} was applied; to undo it: {}", id.0, undo)
                } else {
                    clean!("recovery {} was applied", id.0)
                }
            });
            Ok(Acted {
                answer: done_for_good(report, page, done, desk.cancel),
                handoff: outcome.handoff.map(|handoff| (plan.pipeline, handoff)),
                restored: outcome.recovery.is_some(),
            })
        }
    }
}

/// Makes the plan, asks, and applies it. `facts` returns what the question shows in addition to the plan.
pub(super) fn apply(
    session: &Session,
    desk: &mut Desk<'_>,
    args: &ConsentArgs,
    make: &dyn Fn(&Answers) -> Result<Plan>,
    facts: &dyn Fn(&Plan) -> Facts,
) -> Result<Applied> {
    let first = make(&Answers::default());
    let notes = if args.yes {
        recover_pending(session, first.as_ref().ok(), desk.cancel)?
    } else {
        Vec::new()
    };
    // What a crash left stays recovered, whatever becomes of the plan.
    let applied = apply_after(session, desk, args, (first, &notes), make, facts);
    applied.map_err(|error| after(error, &notes))
}

/// An error after what a crash left was completed, a sentence each.
fn after(error: EngineError, done: &[Foreign]) -> EngineError {
    if error.kind == ErrorKind::Cancelled {
        error.after(done)
    } else {
        error.hints(done)
    }
}

/// The same after what a crash left was completed, if `notes` says so.
fn apply_after(
    session: &Session,
    desk: &mut Desk<'_>,
    args: &ConsentArgs,
    (mut first, notes): (Result<Plan>, &[Foreign]),
    make: &dyn Fn(&Answers) -> Result<Plan>,
    facts: &dyn Fn(&Plan) -> Facts,
) -> Result<Applied> {
    if !notes.is_empty() {
        let again = make(&Answers::default());
        if let Ok(plan) = &again {
            // The guard that names the pending recovery is gone; where it resumes and what is done to files must be the
            // same.
            let same = |first: &Plan| {
                first.point.boundary.id == plan.point.boundary.id
                    && (&first.actions, &first.losses) == (&plan.actions, &plan.losses)
            };
            if !plan.actions.is_empty() && !first.as_ref().is_ok_and(same) {
                return Err(recovered_first());
            }
        }
        first = again;
    }
    let first = match first {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            return Ok(Applied::Nothing(error, notes.to_vec()));
        }
        other => other.map_err(|error| with_pending_hint(session, error))?,
    };
    refuse_pending(session, &first)?;
    let consents = Consents {
        args,
        said: &session.said,
        style: session.config.confirm,
    };
    let plan = consents.passable(first, make, desk.person)?;
    if plan.actions.is_empty() {
        consents.check_fingerprint(&plan)?;
        if let Some(done) = session.engine.finish_record(&plan, desk.cancel)? {
            // It may hold the step that the plan would repeat. Nobody has agreed to that plan, so the new one is taken.
            let done = Foreign::from(format!("{done}."));
            let notes = [notes, std::slice::from_ref(&done)].concat();
            let first = (make(&Answers::default()), notes.as_slice());
            let applied = apply_after(session, desk, args, first, make, facts);
            return applied.map_err(|error| after(error, &[done]));
        }
        return Ok(Applied::Empty(Box::new(plan), notes.to_vec()));
    }
    let consent = consents.agree(&plan, desk.person, facts)?;
    let engine = &session.engine;
    let applied = engine.apply(&plan, &consent, desk.progress, desk.cancel);
    let mut outcome = committed(session, applied?)?;
    outcome.notes.splice(0..0, notes.iter().cloned());
    Ok(Applied::Done(Box::new((plan, outcome))))
}

/// The answer after a change. It says so if the person canceled too late; without a change nobody could.
pub(super) fn done_for_good(
    report: Value,
    lines: impl IntoIterator<Item = Line, IntoIter: 'static>,
    done: impl Into<Option<Clean>>,
    cancel: &Cancel,
) -> Answer {
    let Some(done) = done.into() else {
        return Answer::new(report, lines);
    };
    let late = cancel.is_cancelled().then(|| {
        let text = "Canceled too late: everything was done.";
        EngineError::new(ErrorKind::Cancelled, text).hint(done.as_str())
    });
    Answer::new(report::beside(report, late.as_ref()), lines).done(done)
}

/// An undo that changes nothing, because every path was kept.
fn nothing_undone(plan: &Plan, recovery: &RecoveryId, notes: &[Foreign], mut page: Page) -> Answer {
    let text = format!("Every path was kept, so nothing of {recovery} was undone.");
    page.say(Tone::Plain, &text);
    plan.losses.iter().for_each(|loss| page.warn(&loss.text));
    let report = report::noted(report::not_acted(Some(text)), notes);
    Answer::new(report, page)
        .exit(Exit::No)
        .done(all_done(notes, None))
}

/// What was done in all: what a crash left was recovered, then this.
fn all_done(recovered: &[Foreign], done: Option<Clean>) -> Option<Clean> {
    let all = recovered.iter().map(Foreign::clean).chain(done);
    all.reduce(|first, next| clean!("{} {}", first, next))
}

/// Completes what a crash left, a recovery or a record, before the plan is computed from the result. `--yes` covers
/// this too.
fn recover_pending(
    session: &Session,
    plan: Option<&Plan>,
    cancel: &Cancel,
) -> Result<Vec<Foreign>> {
    let mut notes = Vec::new();
    let options = UndoOptions {
        keep: Vec::new(),
        assume_stopped: plan.is_some_and(Plan::assumes_stopped),
    };
    let pending = if let Some(plan) = plan {
        session.engine.pending_of(plan)?
    } else {
        // No plan can be made of a half-applied recovery: where only one is pending, it is that one, unless its record
        // is missing and it may be of any pipeline.
        let here = session.engine.pending(&session.request)?;
        let mut here = here.into_iter().filter(Recovery::is_recorded);
        match (here.next(), here.next()) {
            (Some(only), None) => vec![only],
            _ => Vec::new(),
        }
    };
    for left in pending {
        let id = left.id.0.as_str();
        let (auto, request) = (&RecoverMode::Auto, &session.request);
        let recovered = session
            .engine
            .recover(Some(id), auto, &options, request, cancel);
        // What was asked for is not what was refused, unless another relight is at work, which the error says.
        let recovered = recovered.map_err(|error| {
            if left.running {
                return error;
            }
            let command = session.about("recover", &left.id);
            let text = "was interrupted and comes first";
            error.hint(format!("Recovery {id} {text}: {command}"))
        })?;
        notes.extend(recovered.said);
    }
    let record = plan.map(|plan| session.engine.finish_record(plan, cancel));
    let record = record.transpose()?.flatten();
    notes.extend(record.map(|done| format!("{done}.").into()));
    Ok(notes)
}

/// What a crash left was completed, so the files are not as the plan found them: `--yes` covers no plan that nobody
/// could have seen.
fn recovered_first() -> EngineError {
    let text = "What a crash left was completed first, so this plan is a new one; nothing of it was applied.";
    EngineError::refused(text).hint("Review the new plan, then confirm it.")
}

/// Refuses while a recovery of the same pipeline is pending: the plan was made from half of it, and its locks
/// look like another program's.
fn refuse_pending(session: &Session, plan: &Plan) -> Result<()> {
    let pending = session.engine.pending_of(plan)?;
    let Some(left) = pending.first() else {
        return Ok(());
    };
    let id = &left.id;
    let hint = if left.running {
        "Wait for it to end, then try again.".to_owned()
    } else {
        format!("To recover: {}", session.about("recover", id))
    };
    Err(EngineError::refused(left.why_incomplete()).hint(hint))
}

/// The error with a hint, if no plan can be computed because a recovery is pending.
fn with_pending_hint(session: &Session, error: EngineError) -> EngineError {
    let pending = session.engine.pending(&session.request).unwrap_or_default();
    let left = pending.iter().find(|left| !left.running);
    let hint = |id| format!("Recovery {id} was interrupted; to recover: relight recover {id}");
    error.hints(left.map(|left| hint(&left.id)))
}

/// No change of the pipeline is needed: no lock, no recovery, the hand-off alone.
fn empty(
    session: &Session,
    plan: &Plan,
    recovered: &[Foreign],
    mut page: Page,
    cancel: &Cancel,
) -> Result<Acted> {
    let answer = |report: Value, page: Page, more: Option<Foreign>, done: Option<Clean>| {
        let notes: Vec<Foreign> = recovered.iter().cloned().chain(more).collect();
        let report = report::noted(report, &notes);
        done_for_good(report, page, all_done(recovered, done), cancel)
    };
    let handed = session.engine.hand_over_unchanged(plan, cancel);
    let Some((handoff, trouble)) = handed.map_err(|error| after(error, recovered))? else {
        let left = plan.not_restored().map(Foreign::from);
        let text = match left {
            None => "The files already match the checkpoint; nothing was changed.",
            Some(_) => "Nothing was changed.",
        };
        page.say(Tone::Plain, text);
        if let Some(left) = &left {
            page.warn(left);
        }
        return Ok(answer(report::not_acted(None), page, left, None).into());
    };
    page.say(Tone::Plain, "Nothing to restore. The hand-off follows.");
    if let Some(trouble) = &trouble {
        page.warn(trouble);
    }
    handoff::whole(&handoff, handoff.limit(session.engine.now()), &mut page);
    let file = handoff.briefing_file.as_ref();
    let done = file.map(|file| clean!("the briefing was written to {}", file));
    let report = report::handed_over(Some(&handoff));
    Ok(Acted {
        answer: answer(report, page, trouble, done),
        handoff: Some((plan.pipeline.clone(), handoff)),
        restored: false,
    })
}

/// The outcome if the recovery was committed. One that was rolled back, or whose result is unclear, is an error.
fn committed(session: &Session, outcome: Outcome) -> Result<Outcome> {
    let Some(recovery) = &outcome.recovery else {
        return Ok(outcome);
    };
    let error = match recovery.state {
        RecoveryState::Committed => return Ok(outcome),
        RecoveryState::RolledBack => {
            let text = "The recovery failed and was rolled back; nothing has changed.";
            EngineError::new(ErrorKind::RolledBack, text)
        }
        RecoveryState::NeedsAttention | RecoveryState::HalfApplied => {
            let text = "The state on disk is unclear; nothing more was changed.";
            let recover = session.about("recover", &recovery.id);
            let hint = format!("To copy out all backups: {recover} --export ./kept");
            EngineError::new(ErrorKind::Unclear, text).hint(hint)
        }
    };
    Err(error.hints(outcome.notes))
}

#[cfg(test)]
pub(super) mod testdata;
#[cfg(test)]
mod tests;
