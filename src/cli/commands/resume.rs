//! `relight resume` and `relight restore`: a plan is applied, then the orchestrator resumes.

use super::act::{Acted, Answers, Desk, act};
use super::launch::launch;
use super::plan::{choice, explained, options, select};
use crate::cli::args::{ConsentArgs, RestoreArgs, ResumeArgs};
use crate::cli::prelude::*;

/// Resumes a pipeline, and with `--launch` starts its orchestrator.
pub(super) fn resume(
    session: &Session,
    args: &ResumeArgs,
    desk: &mut Desk<'_>,
    printer: &Printer,
) -> Result<Answer> {
    let id = select(session, &args.plan.target)?;
    if args.until.is_some() {
        only_with_steps(session, &id)?;
    }
    if args.launch {
        limit_is_over(session, args, &id, desk)?;
    }
    let choice = choice(&args.plan.point);
    let mut options = explained(&args.plan)?;
    options.accept.retain(|id| id != USAGE_LIMIT);
    let acted = planned(session, desk, &args.consent, &id, (&choice, &options))?;
    // After a cancellation nothing is started.
    if args.launch && !desk.cancel.is_cancelled() {
        return launch(session, acted, args.until, printer);
    }
    Ok(acted.answer)
}

/// The id with which `--accept` answers the question about a usage limit.
const USAGE_LIMIT: &str = "usage-limit";

/// Asks before an agent is started whose usage limit has not reset.
fn limit_is_over(
    session: &Session,
    args: &ResumeArgs,
    id: &PipelineId,
    desk: &mut Desk<'_>,
) -> Result<()> {
    let until = session.engine.cause(id).and_then(|cause| cause.until);
    let accepted = args.plan.options.accept.iter().any(|id| id == USAGE_LIMIT);
    let Some(until) = until.filter(|until| !accepted && until.at > session.engine.now()) else {
        return Ok(());
    };
    let text = format!("The usage limit resets at {}.", until.words());
    if desk.person.present() {
        let prompt = clean!("{} Start the agent anyway? Type yes: ", text);
        let typed = desk.person.ask(&prompt);
        if typed.is_some_and(|typed| typed.trim() == "yes") {
            return Ok(());
        }
    }
    Err(EngineError::new(ErrorKind::Consent, text)
        .hint("Wait, leave out --launch, or add --accept usage-limit."))
}

/// Refuses `--until` for a system whose records do not separate one step from the next.
fn only_with_steps(session: &Session, id: &PipelineId) -> Result<()> {
    let dossier = session.engine.dossier(id)?;
    if dossier.by_steps {
        return Ok(());
    }
    let system = dossier.pipeline.reading.system;
    let text =
        format!("--until works only where each step is recorded; {system} does not do that.");
    Err(EngineError::usage(text).hint("Leave out --until; the orchestrator continues by itself."))
}

/// Restores the files of a checkpoint.
pub(super) fn restore(
    session: &Session,
    args: &RestoreArgs,
    desk: &mut Desk<'_>,
) -> Result<Answer> {
    let id = select(session, &args.target)?;
    let choice = PointChoice::Checkpoint(args.checkpoint.clone());
    let options = options(&args.options)?;
    Ok(planned(session, desk, &args.consent, &id, (&choice, &options))?.answer)
}

/// Applies the plan for this choice.
pub(super) fn planned(
    session: &Session,
    desk: &mut Desk<'_>,
    consent: &ConsentArgs,
    id: &PipelineId,
    (choice, options): (&PointChoice, &PlanOptions),
) -> Result<Acted> {
    let make = |answers: &Answers| session.engine.plan(id, choice, &answers.added_to(options));
    act(session, desk, consent, &make)
}
