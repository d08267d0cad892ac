//! `relight resume` and `relight restore`: a plan is applied, then the orchestrator resumes.

use super::act::{Acted, Answers, Desk, Facts, act};
use super::plan::{choice, options, select};
use super::setup::Session;
use crate::cli::answer::Failure;
use crate::cli::args::{RestoreArgs, ResumeArgs};
use crate::engine::{EngineError, ErrorKind};
use crate::model::{PipelineId, Plan, PointChoice};

/// Resumes a pipeline.
pub(super) fn resume(
    session: &Session,
    args: &ResumeArgs,
    desk: &mut Desk<'_>,
) -> Result<Acted, Failure> {
    let id = select(session, &args.plan.target)?;
    if args.until.is_some() {
        only_with_steps(session, &id)?;
    }
    let choice = choice(&args.plan.point);
    let options = options(&args.plan.options)?;
    let make = |answers: &Answers| {
        session
            .engine
            .plan(&id, &choice, &answers.added_to(&options))
    };
    act(session, desk, &args.consent, &make, &|plan| {
        facts(session, plan)
    })
}

/// Refuses `--until` for a system whose records do not tell one step from the next.
fn only_with_steps(session: &Session, id: &PipelineId) -> Result<(), Failure> {
    let dossier = session.engine.dossier(id)?;
    if dossier.by_steps {
        return Ok(());
    }
    let system = dossier.pipeline.reading.system;
    let text =
        format!("--until works only where each step is recorded; {system} does not do that.");
    Err(EngineError::new(ErrorKind::Usage, text)
        .hint("Leave out --until; the orchestrator continues by itself.")
        .into())
}

/// Restores the files of a checkpoint.
pub(super) fn restore(
    session: &Session,
    args: &RestoreArgs,
    desk: &mut Desk<'_>,
) -> Result<Acted, Failure> {
    let id = select(session, &args.target)?;
    let choice = PointChoice::Checkpoint(args.checkpoint.clone());
    let options = options(&args.options)?;
    let make = |answers: &Answers| {
        session
            .engine
            .plan(&id, &choice, &answers.added_to(&options))
    };
    act(session, desk, &args.consent, &make, &|plan| {
        facts(session, plan)
    })
}

pub(super) fn facts(session: &Session, plan: &Plan) -> Facts {
    let dossier = session.engine.dossier(&plan.pipeline);
    Facts {
        pipeline: dossier.ok().map(|dossier| dossier.pipeline),
        ..Facts::default()
    }
}
