//! `relight undo` and `relight redo`: transactions that reverse a recovery.

use super::act::{Acted, Answers, Desk, Facts, act};
use crate::cli::args::UndoArgs;
use crate::cli::prelude::*;
use crate::model::{Asked, Plan, UndoOptions};

/// Undoes a recovery, or with `redo` an undo.
pub(super) fn run(
    session: &Session,
    args: &UndoArgs,
    redo: bool,
    desk: &mut Desk<'_>,
) -> Result<Acted, EngineError> {
    let id = args.recovery.as_deref();
    let make = |answers: &Answers| {
        let options = UndoOptions {
            keep: args.keep.clone(),
            assume_stopped: args.assume_stopped || answers.stopped,
        };
        session
            .engine
            .undo_plan(id, redo, &options, &session.request)
    };
    act(session, desk, &args.consent, &make, &|plan| {
        facts(session, plan)
    })
}

/// What the question shows: the recovery, and what cannot be undone. An undo works even if the pipeline can no longer
/// be read.
fn facts(session: &Session, plan: &Plan) -> Facts {
    let Asked::Undo { recovery, .. } = &plan.asked else {
        return Facts::default();
    };
    let engine = &session.engine;
    Facts {
        pipeline: engine.dossier(&plan.pipeline).ok().map(|d| d.pipeline),
        recovery: engine.named_recovery(&recovery.0).ok(),
        ..Facts::default()
    }
}
