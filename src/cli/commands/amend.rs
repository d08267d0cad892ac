//! `relight amend`: a change of a workflow's own plan, as a plan with consent.

use super::act::Desk;
use super::plan::{reason, select};
use super::record::content;
use super::resume::planned;
use crate::cli::args::AmendArgs;
use crate::cli::prelude::*;
use crate::model::{Amendment, NewStage};

pub(super) fn run(session: &Session, args: &AmendArgs, desk: &mut Desk<'_>) -> Result<Answer> {
    let id = select(session, &args.target)?;
    let new_stage = match args.from.as_deref() {
        Some("-") => Some(NewStage::Json(content(session, "-")?)),
        Some(file) => Some(NewStage::File(session.request.cwd.join(file))),
        None => None,
    };
    let amendment = Amendment {
        kind: args.kind,
        stage: args.stage.clone(),
        set: args.set.clone(),
        after: args.after.clone(),
        new_stage,
        approved_by: args.approved_by.clone(),
    };
    let choice = PointChoice::Amend(Box::new(amendment));
    let options = PlanOptions {
        assume_stopped: args.assume_stopped,
        reason: Some(reason(&args.reason)?),
        accept: args.accept.clone(),
        ..PlanOptions::default()
    };
    Ok(planned(session, desk, &args.consent, &id, (&choice, &options))?.answer)
}
