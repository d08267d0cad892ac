//! `relight undo` and `relight redo`: transactions that reverse a recovery.

use super::act::{Answers, Desk, act};
use crate::cli::args::UndoArgs;
use crate::cli::prelude::*;

/// Undoes a recovery, or with `redo` an undo.
pub(super) fn run(
    session: &Session,
    args: &UndoArgs,
    redo: bool,
    desk: &mut Desk<'_>,
) -> Result<Answer> {
    let id = args.recovery.as_deref();
    let make = |answers: &Answers| {
        let options = UndoOptions {
            keep: args.keep.clone(),
            assume_stopped: args.assume_stopped || answers.stopped,
        };
        let request = &session.request;
        session.engine.undo_plan(id, redo, &options, request)
    };
    Ok(act(session, desk, &args.consent, &make)?.answer)
}
