//! `relight resume` and `relight restore`: a plan is applied, then the orchestrator resumes.

use super::act::{Acted, Answers, Desk, Facts, act};
use super::plan::{choice, explained, options, select};
use crate::cli::args::{ConsentArgs, RestoreArgs, ResumeArgs};
use crate::cli::prelude::*;
use crate::model::{Plan, PlanOptions, PointChoice};

/// Resumes a pipeline.
pub(super) fn resume(
    session: &Session,
    args: &ResumeArgs,
    desk: &mut Desk<'_>,
) -> Result<Acted, EngineError> {
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
    planned(session, desk, &args.consent, &id, (&choice, &options))
}

/// The id with which `--accept` answers the question about a usage limit.
const USAGE_LIMIT: &str = "usage-limit";

/// Asks before an agent is started whose usage limit has not reset.
fn limit_is_over(
    session: &Session,
    args: &ResumeArgs,
    id: &PipelineId,
    desk: &mut Desk<'_>,
) -> Result<(), EngineError> {
    let until = session.engine.cause(id).and_then(|cause| cause.until);
    let Some(until) = until.filter(|until| until.at > session.engine.now()) else {
        return Ok(());
    };
    if args.plan.options.accept.iter().any(|id| id == USAGE_LIMIT) {
        return Ok(());
    }
    let text = format!("The usage limit resets at {}.", until.words());
    if desk.person.present() {
        let prompt = clean!("{} Start the agent anyway? Type yes: ", text);
        if desk
            .person
            .ask(&prompt)
            .is_some_and(|typed| typed.trim() == "yes")
        {
            return Ok(());
        }
    }
    Err(EngineError::new(ErrorKind::Consent, text)
        .hint("Wait, leave out --launch, or add --accept usage-limit."))
}

/// Refuses `--until` for a system whose records do not separate one step from the next.
fn only_with_steps(session: &Session, id: &PipelineId) -> Result<(), EngineError> {
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
) -> Result<Acted, EngineError> {
    let id = select(session, &args.target)?;
    let choice = PointChoice::Checkpoint(args.checkpoint.clone());
    let options = options(&args.options)?;
    planned(session, desk, &args.consent, &id, (&choice, &options))
}

/// Applies the plan for this choice.
pub(super) fn planned(
    session: &Session,
    desk: &mut Desk<'_>,
    consent: &ConsentArgs,
    id: &PipelineId,
    (choice, options): (&PointChoice, &PlanOptions),
) -> Result<Acted, EngineError> {
    let make = |answers: &Answers| session.engine.plan(id, choice, &answers.added_to(options));
    let facts = |plan: &Plan| Facts {
        pipeline: session
            .engine
            .dossier(&plan.pipeline)
            .ok()
            .map(|dossier| dossier.pipeline),
        ..Facts::default()
    };
    act(session, desk, consent, &make, &facts)
}
