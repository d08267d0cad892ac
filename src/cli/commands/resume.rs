//! `relight resume` and `relight restore`: a plan is carried out, then the orchestrator goes on.

use super::act::{Acted, Answers, Desk, Facts, act};
use super::plan::{choice, options, select};
use super::setup::Session;
use crate::cli::answer::Failure;
use crate::cli::args::{RestoreArgs, ResumeArgs};
use crate::model::{Plan, PointChoice};

/// Takes a pipeline up.
pub(super) fn resume(
    session: &Session,
    args: &ResumeArgs,
    desk: &mut Desk<'_>,
) -> Result<Acted, Failure> {
    let id = select(session, &args.plan.target)?;
    let choice = choice(&args.plan.point);
    let options = options(&args.plan.options)?;
    let make = |answers: &Answers| session.engine.plan(&id, &choice, &answers.told(&options));
    act(session, desk, &args.consent, &make, &|plan| {
        facts(session, plan)
    })
}

/// Puts the files of a checkpoint back.
pub(super) fn restore(
    session: &Session,
    args: &RestoreArgs,
    desk: &mut Desk<'_>,
) -> Result<Acted, Failure> {
    let id = select(session, &args.target)?;
    let choice = PointChoice::Checkpoint(args.checkpoint.clone());
    let options = options(&args.options)?;
    let make = |answers: &Answers| session.engine.plan(&id, &choice, &answers.told(&options));
    act(session, desk, &args.consent, &make, &|plan| {
        facts(session, plan)
    })
}

fn facts(session: &Session, plan: &Plan) -> Facts {
    let dossier = session.engine.dossier(&plan.pipeline);
    Facts {
        pipeline: dossier.ok().map(|dossier| dossier.pipeline),
        ..Facts::default()
    }
}
