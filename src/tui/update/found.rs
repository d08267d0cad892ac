//! Commands in what the worker answers, as they work where the console was opened.

use crate::model::FoundBy;
use crate::tui::prelude::*;

/// Adds to each command what it needs to find its pipeline again.
pub(super) fn tell(by: &FoundBy, reply: &mut Reply) {
    if *by == FoundBy::default() {
        return;
    }
    match reply {
        Reply::Dossier(id, Ok(dossier)) => {
            dossier.advice().for_each(|text| by.tell(text, Some(id)));
        }
        Reply::Compared(Ok(comparison)) => {
            let id = comparison.pipeline.clone();
            comparison
                .advice()
                .for_each(|text| by.tell(text, Some(&id)));
        }
        Reply::Plan(Ok(made)) => {
            let id = made.plan.pipeline.clone();
            made.plan.advice().for_each(|text| by.tell(text, Some(&id)));
        }
        Reply::Survey(Err(error))
        | Reply::Batch(_, Err(error))
        | Reply::Dossier(_, Err(error))
        | Reply::Drift(_, _, Err(error))
        | Reply::Plan(Err(error))
        | Reply::Diff(Err(error))
        | Reply::Raw(Err(error))
        | Reply::Applied(Err(error))
        | Reply::Recoveries(Err(error))
        | Reply::Pending(Err(error))
        | Reply::Recovered(Err(error))
        | Reply::PurgeLoss(Err(error))
        | Reply::Purged(Err(error))
        | Reply::Rehearsed(Err(error))
        | Reply::Ledger(Err(error))
        | Reply::Launched(Err(error))
        | Reply::Watching(Err(error))
        | Reply::Looked(Err(error))
        | Reply::Replays(Err(error))
        | Reply::ReplayDetails(Err(error))
        | Reply::ReplayPlan(Err(error))
        | Reply::Replayed(Err(error))
        | Reply::Operands(Err(error))
        | Reply::Compared(Err(error)) => error.advice().for_each(|text| by.tell(text, None)),
        _ => {}
    }
}
